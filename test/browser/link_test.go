package browser

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// link makes a sign-in link as whom the token stands for.
func (s service) link(token string) (link, code string) {
	s.t.Helper()
	code = must[record](s, token, "POST", "auth/links", nil)["code"].(string)
	return s.URL + "/console#code=" + code, code
}

// A link signs in, once: the code is gone from the address before it is sent, a
// preview does not use it up, and a second browser gets the sign-in instead.
func TestSignInByLink(t *testing.T) {
	t.Parallel()
	s := start(t)
	viewer := s.token("viewer", "vi")
	link, code := s.link(viewer)
	preview, err := http.Get(strings.ReplaceAll(link, "#", "?")) // what a chat would fetch, and more
	if err != nil {
		t.Fatal(err)
	}
	defer preview.Body.Close()

	b := open(t, 1200, 800)
	b.do("open the link", chromedp.Navigate(link))
	b.await("the first page is there", "document.body.dataset.ready !== undefined")
	b.await("it is vi's", `document.querySelector("summary[aria-label='Signed in as vi']")`)
	if at := eval[string](b, "location.href"); strings.Contains(at, "code") {
		t.Errorf("the address is still %s", at)
	}
	for _, u := range b.urls() {
		if strings.Contains(u, code) { // the browser names URLs without their fragments
			t.Errorf("the code is in the URL %s", u)
		}
	}
	b.do("load the page again", chromedp.Reload())
	b.await("the session is still there", `document.querySelector("summary[aria-label='Signed in as vi']")`)
	for _, name := range []string{"New department", "Hire an agent", "Plan"} {
		if eval[bool](b, "Boolean(("+find+")("+quote(name)+"))") {
			t.Errorf("a viewer is offered %q", name)
		}
	}
	b.shot("signed-in-by-link")

	// A link of somebody else in the same tab replaces the session.
	other, _ := s.link(s.token("admin", "ann"))
	b.do("follow another link", chromedp.Evaluate[chromedp.Void]("location.assign("+quote(other)+")"))
	b.eventually("it is ann's", func() bool { // the page is loaded anew, which may end a question to it
		ctx, cancel := context.WithTimeout(b.Context, patience)
		defer cancel()
		there, err := chromedp.Run(ctx, chromedp.Evaluate[bool](`document.querySelector("summary[aria-label='Signed in as ann']") !== null`))
		return err == nil && there
	})

	second := open(t, 1200, 800)
	second.expect("401")
	second.do("open the used link", chromedp.Navigate(link), chromedp.WaitVisible(css("#token")))
	second.awaitText("this sign-in link is not valid")
	second.awaitText("orgd login --link")
	second.shot("used-link")
	if at := eval[string](second, "location.href"); strings.Contains(at, "code") {
		t.Errorf("the address of the second browser is still %s", at)
	}
	second.signIn(viewer)
	second.await("a token helps", "document.body.dataset.ready !== undefined")
	text, err := json.Marshal(must[[]record](s, s.token("admin", "eve"), "GET", "audit", nil))
	if err != nil || strings.Contains(string(text), code) || !strings.Contains(string(text), "POST /console/session") {
		t.Errorf("the audit trail lacks the sign-in, or has its code: %s %v", text, err)
	}
}

// Who is signed in is so in every tab, and no script can read how.
func TestTabs(t *testing.T) {
	t.Parallel()
	s := start(t)
	first := s.console(s.token("editor", "ed"), 1200, 800)
	first.expect("401")
	second := first.another()
	second.expect("401")
	second.do("open the console", chromedp.Navigate(s.URL+"/console"))
	second.await("ed is signed in there, too", `document.querySelector("summary[aria-label='Signed in as ed']")`)
	for _, b := range []*tab{first, second} {
		if kept := eval[string](b, `document.cookie + JSON.stringify([localStorage, sessionStorage])`); strings.Contains(kept, "ey") {
			t.Errorf("a script can read %s", kept)
		}
	}

	second.press("Signed in as ed")
	second.press("Sign out")
	first.awaitText("You have signed out in another tab.")
	first.signIn(s.token("editor", "ed"))
	first.await("the page goes on", `document.querySelector(".live.is-live")`)
	second.await("so does the other", `document.querySelector("summary[aria-label='Signed in as ed']") && !document.querySelector("#token")`)

	// Somebody else in the same browser: no tab goes on in the name of the first.
	second.press("Signed in as ed")
	second.press("Sign out")
	second.do("see the sign-in", chromedp.WaitVisible(css("#token")))
	second.signIn(s.token("viewer", "vi"))
	for _, b := range []*tab{first, second} {
		b.await("vi is signed in", `document.querySelector("summary[aria-label='Signed in as vi']") && !document.querySelector("#token")`)
		for _, name := range []string{"Plan", "Hire an agent"} {
			b.await("vi is not offered "+name, "!("+find+")("+quote(name)+")")
		}
	}
}

// A code that the console shows signs a command line in, once, as who is signed in there.
func TestCodeForACommandLine(t *testing.T) {
	t.Parallel()
	s := start(t)
	b := s.console(s.token("viewer", "vi"), 1200, 800)
	b.visit("#/access", "Access")
	b.press("Sign in a command line")
	b.await("the code is shown", `document.querySelector("dialog[open] textarea[readonly]")`)
	code := eval[string](b, `document.querySelector("dialog[open] textarea").value`)
	b.awaitText("orgd login --server " + s.URL + " --code")
	b.awaitText("signed in by it ends when you sign out here")
	b.shot("code")
	made := must[record](s, "", "POST", "auth/links/redeem", record{"code": code})
	if me := must[record](s, made["token"].(string), "GET", "auth/me", nil); me["subject"] != "vi" || me["role"] != "viewer" {
		t.Errorf("the code signs in %v", me)
	}
	b.press("Done")
	if r := s.call("", "POST", "auth/links/redeem", record{"code": code}); r.status != http.StatusUnauthorized {
		t.Errorf("the code again = %d, want 401", r.status)
	}
}
