package browser

import (
	"context"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"orgd/test/identity"
	"orgd/test/process"
)

// startWithProvider serves an organization whose people sign in with a provider.
func startWithProvider(t *testing.T) (service, *identity.Provider) {
	t.Helper()
	needBrowser(t)
	program, err := identity.Build(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	addr := process.FreeAddr(t)
	provider := identity.Start(t, program, "http://"+addr)
	return start(t, append(provider.Flags(), "--addr", addr)...), provider
}

// arrive waits until an expression is true, in whatever page the browser shows by then.
func (b *tab) arrive(what, expression string) {
	b.t.Helper()
	b.eventually(what, func() bool { // a page that is left may end a question to it
		ctx, cancel := context.WithTimeout(b.Context, patience)
		defer cancel()
		there, err := chromedp.Run(ctx, chromedp.Evaluate[bool]("!!("+expression+")"))
		return err == nil && there
	})
}

// signInWith goes to the provider and signs in there.
func (b *tab) signInWith(user string) {
	b.t.Helper()
	b.do("go to the provider", chromedp.Click(css(".sign-in a"))) // while the page below may wait for it
	b.arrive("the provider asks for a name", `document.querySelector("form #username")`)
	b.do("sign in at the provider", chromedp.Evaluate[chromedp.Void](`{
		document.querySelector("#username").value = document.querySelector("#password").value = `+quote(user)+`;
		document.querySelector("form").submit();
	}`))
}

const signedInAs = `document.querySelector("summary[aria-label='Signed in as %@example.com']") && document.body.dataset.ready !== undefined`

func (b *tab) arriveAs(user string) {
	b.t.Helper()
	b.arrive(user+" is signed in", strings.ReplaceAll(signedInAs, "%", user))
}

// Somebody signs in with the provider and is where he wanted to be, in every tab, until he signs
// out, there, too, or an admin signs him out.
func TestSignInWithProvider(t *testing.T) {
	t.Parallel()
	s, provider := startWithProvider(t)
	b := open(t, 1200, 800)
	b.expect("401", "favicon.ico") // of the provider
	b.do("open a page", chromedp.Navigate(s.URL+"/console#/changes"), chromedp.WaitVisible(css(".sign-in a")))
	b.pictureOf("sign-in-with-provider")
	b.signInWith("ed")
	b.arriveAs("ed")
	b.await("the page is that of before", `location.hash === "#/changes" && document.title.startsWith("Changes")`)
	for _, u := range b.urls() {
		if strings.HasPrefix(u, s.URL) && !strings.Contains(u, "/oidc/") && strings.Contains(u, "code") && !strings.Contains(u, "codemirror") {
			t.Errorf("the browser has asked for %s", u)
		}
	}
	if kept := eval[string](b, `JSON.stringify([document.cookie, localStorage, sessionStorage])`); strings.Contains(kept, "orgd-s") || strings.Contains(kept, "ey") {
		t.Errorf("a script can read %s", kept)
	}
	second := b.another()
	second.expect("401", "favicon.ico")
	second.do("open the console", chromedp.Navigate(s.URL+"/console"))
	second.arriveAs("ed")
	second.press("Signed in as ed@example.com")
	second.awaitText("role editor")
	second.shot("signed-in-with-provider")
	second.press("My sessions")
	second.awaitText(provider.URL + "|ed")

	// The provider goes away: who is signed in stays.
	provider.Kill()
	second.visit("#/", "Organization")
	provider.Restart() // with other keys

	second.press("Signed in as ed@example.com")
	second.press("Sign out")
	second.arrive("the console asks who it is", `document.querySelector(".sign-in a")`)
	if !strings.HasPrefix(eval[string](second, "location.href"), s.URL+"/console") {
		t.Errorf("the provider leads to %s", eval[string](second, "location.href"))
	}
	signedOut := false
	for _, u := range second.urls() {
		signedOut = signedOut || strings.HasPrefix(u, provider.URL+"/end_session")
	}
	if !signedOut {
		t.Errorf("the provider was not told: %v", second.urls())
	}
	b.awaitText("You have signed out in another tab.")
	b.signInWith("ed")
	b.arriveAs("ed")
	b.await("the page is that of before", `location.hash === "#/changes"`)
	second.arriveAs("ed")

	// An admin ends the session.
	admin := s.token("admin", "root")
	for _, r := range must[[]record](s, admin, "GET", "auth/sessions", nil) {
		if r["revoked_at"] == nil && r["kind"] == "sign_in" {
			must[any](s, admin, "DELETE", "auth/sessions/"+r["sid"].(string), nil)
		}
	}
	b.press("Settings")
	b.awaitText("Your session has ended. Sign in again to go on where you were.")
	b.shot("session-has-ended")
	b.signInWith("ann")
	b.arriveAs("ann")
}

// Who has no role sees what is missing, and can go back.
func TestNoRoleAtProvider(t *testing.T) {
	t.Parallel()
	s, _ := startWithProvider(t)
	b := open(t, 1200, 800)
	b.expect("401", "403", "favicon.ico") // of the provider
	b.do("open the console", chromedp.Navigate(s.URL+"/console"), chromedp.WaitVisible(css(".sign-in a")))
	b.signInWith("nora")
	b.arrive("the page says why", `document.body.innerText.includes("You have no role here yet")`)
	b.awaitText(`no claim "groups"`)
	b.pictureOf("no-role")
	b.press("Back to sign-in")
	b.arrive("the console asks again", `document.querySelector(".sign-in a")`)
}
