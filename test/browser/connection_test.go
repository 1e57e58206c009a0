package browser

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"orgd/test/process"
)

// A service that stops is noticed on every page, which goes on showing what it
// has and says from when that is. When the service is back, the page is read
// again.
func TestServiceIsGone(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.populate()
	token := s.token("admin", "ann")
	b := s.console(token, 1200, 900)
	b.expect("ERR_", "Failed to fetch", "network error", "502", "503")
	for page, title := range s.places(token) {
		b.visit("#/"+page, title)
		b.await("the stream is there", `document.querySelector(".live.is-live")`)
		b.await("its parts are there", complete)
		before := eval[string](b, `document.querySelector("main h1").textContent`)
		s.Kill()
		b.await("it is noticed", `!document.getElementById("outage").hidden && /The service has not answered since .*\d:\d\d.*What is shown is from .*\d:\d\d/.test(document.getElementById("outage").innerText)`)
		if now := eval[string](b, `document.querySelector("main h1").textContent`); now != before {
			t.Errorf("the page %q shows %q while the service is gone, want %q", page, now, before)
		}
		if page == "" {
			b.shot("outage")
		}
		b.eval(`document.querySelector("main").firstElementChild.old = true`)
		s.serveAgain()
		b.await("the bar is gone", `document.getElementById("outage").hidden && document.querySelector(".live.is-live")`)
		if !slices.Contains([]string{"", "activity", "changes", "search?text=the", "agents"}, page) { // these keep what is there and read the figures again
			b.await("the page is read again", `!document.querySelector("main").firstElementChild.old`)
		}
		b.await("it shows the same", `document.querySelector("main h1")?.textContent === `+quote(before))
	}

	// What happened meanwhile is shown.
	department := s.departments(token)[0]
	b.visit("#/?"+url.Values{"open": {department}}.Encode(), "Organization")
	s.Kill()
	b.await("it is noticed", `!document.getElementById("outage").hidden`)
	s.serveAgain()
	must[record](s, token, "POST", "agents", record{"name": "Zora Meanwhile", "role": "Visitor", "department": department})
	b.awaitText("Zora Meanwhile")

	// The form is asked for while the page is read again, and what is typed is kept.
	b.visit("#/agents/Zora%20Meanwhile", "Zora Meanwhile")
	b.await("the stream is there", `document.querySelector(".live.is-live")`)
	outage := func() {
		s.Kill()
		b.await("it is noticed", `!document.getElementById("outage").hidden`)
	}
	outage()
	b.hold("health")
	s.serveAgain()
	b.await("the page is being read again", "window.held > 0")
	b.click("Edit")
	b.awaitEditor()
	b.fill("Instructions", "An hour of work.")
	b.release()
	b.stays("Instructions", "An hour of work.")
	b.awaitText(begun)

	b.await("the stream is there", `document.querySelector(".live.is-live")`)
	outage()
	b.press("Show the difference")
	b.press("Save")
	b.await("it is not lost", `document.querySelector("dialog[open] .problem")?.textContent === "The service cannot be reached."`)
	b.press("Cancel")
	s.serveAgain()
	must[record](s, token, "PATCH", "agents/Zora%20Meanwhile", record{"instructions": "By somebody else."})
	b.awaitText("has changed this meanwhile. What you have typed is still here")
	if got := b.value("Instructions"); got != "An hour of work." {
		t.Errorf("what was typed is now %q", got)
	}
}

// eval runs a statement in the page.
func (b *tab) eval(statement string) {
	b.t.Helper()
	b.do("evaluate", chromedp.Evaluate[chromedp.Void](statement))
}

// serveAgain starts the service anew, where it was.
func (s *service) serveAgain() {
	s.t.Helper()
	p, err := process.Start(s.t.Context(), binary, s.dir, "--addr", strings.TrimPrefix(s.URL, "http://"))
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(p.Kill)
	s.Process = p
}

// A session that ends leads to the sign-in on every page, which goes on after it.
func TestSessionEnds(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.populate()
	admin := s.token("admin", "ann")
	b := s.console(admin, 1200, 900)
	b.expect("401")
	places := s.places(admin)
	delete(places, "audit?reports=with") // which is not for an editor
	for page, title := range places {
		token := s.token("editor", "ed")
		sid := must[record](s, token, "GET", "auth/me", nil)["sid"].(string)
		b.visit("#/"+page, title)
		b.eval(`fetch("console/session", { method: "POST", headers: { "Orgd-Console": "1", "Content-Type": "application/json" }, body: JSON.stringify({ token: ` + quote(token) + ` }) }).then(a => { window.entered = a.ok; })`)
		b.await("the session is another", "window.entered")
		b.do("open the page anew", chromedp.Reload())
		b.await("the page is there", "document.title.startsWith("+quote(title)+")")
		b.await("the stream is there", `document.querySelector(".live.is-live")`)
		must[record](s, admin, "DELETE", "auth/sessions/"+sid, nil)
		b.do("see the sign-in", chromedp.WaitVisible(css("#token")))
		b.signIn(admin)
		b.await("the page goes on", `document.querySelector(".live.is-live") && document.title.startsWith(`+quote(title)+`)`)
	}
}

// This caller may have four streams of each kind. Pages beyond that ask now and then, and take a
// stream when one is free.
func TestFifthPage(t *testing.T) {
	t.Parallel()
	s := start(t, "--limits", "on", "--limit-at-once", "changes.stream=4")
	token := s.token("editor", "ed")
	must[record](s, token, "POST", "departments", record{"name": "Lab"})
	end := s.takeStreams(token, "activities")
	b := s.console(token, 1200, 900)
	b.expect("429")
	b.await("the page says how it knows", `document.querySelector(".live.is-polling")?.textContent === "updated every 10 s"`)
	b.visit("#/?open=Lab", "Organization")
	must[record](s, token, "POST", "agents", record{"name": "Ada", "role": "Reviewer", "department": "Lab"})
	b.awaitRows(".agent", "Ada")
	if !eval[bool](b, `document.getElementById("outage").hidden`) {
		t.Error("the page says that the service is gone")
	}
	end()
	b.await("a stream is free", `document.querySelector(".live.is-live")`)

	// The page of changes has a stream of its own.
	end = s.takeStreams(token, "changes")
	b.visit("#/changes", "Changes")
	b.await("the page says how it knows", `document.querySelector(".live.is-polling")`)
	must[record](s, token, "PATCH", "agents/Ada", record{"role": "Examiner"})
	b.awaitChange("ed changed 1 field of Ada (role)")
	end()
	b.await("a stream is free", `document.querySelector(".live.is-live")`)
	must[record](s, token, "PATCH", "agents/Ada", record{"level": "lead"})
	b.awaitChange("ed changed 1 field of Ada (level)")
}

// A page that nobody sees gives its streams back, and takes up where it was when
// somebody sees it again. A browser has six connections to a service, for all of
// its pages.
func TestUnseenPage(t *testing.T) {
	t.Parallel()
	s := start(t, "--limits", "on", "--limit-at-once", "activities.stream=1,changes.stream=1")
	token := s.token("editor", "ed")
	must[record](s, token, "POST", "departments", record{"name": "Lab"})
	b := s.console(token, 1200, 900)
	b.expect("429") // where the test has the stream
	b.visit("#/changes", "Changes")
	b.await("the stream is there", `document.querySelector(".live.is-live")`)
	b.eval(`Object.defineProperty(document, "hidden", { get: () => window.unseen === true, configurable: true })`)
	show := func(seen bool) {
		b.eval(fmt.Sprintf(`window.unseen = %v; document.dispatchEvent(new Event("visibilitychange"))`, !seen))
	}
	show(false)
	for _, list := range []string{"activities", "changes"} {
		b.eventually("its stream of "+list+" is free", func() bool { return s.streamStatus(token, list) == http.StatusOK })
	}
	must[record](s, token, "POST", "agents", record{"name": "Ada", "role": "Reviewer", "department": "Lab"})
	show(true)
	b.awaitChange("ed hired Ada into Lab")
	b.await("the stream is there", `document.querySelector(".live.is-live")`)
	if status := s.streamStatus(token, "changes"); status != http.StatusTooManyRequests {
		t.Errorf("a second stream of changes: %d, want 429", status)
	}

	// Going elsewhere and coming back leaves none behind.
	b.eval(`delete document.hidden`)
	b.do("go elsewhere", chromedp.Navigate(s.URL+"/docs"))
	b.eventually("its stream is free", func() bool { return s.streamStatus(token, "changes") == http.StatusOK })
	b.eval(`setTimeout(() => history.back())`)
	b.eventually("its stream is there again", func() bool { return s.streamStatus(token, "changes") == http.StatusTooManyRequests })
	must[record](s, token, "PATCH", "agents/Ada", record{"level": "lead"})
	b.eventually("the change is shown", func() bool { return strings.Contains(b.text(), "ed changed 1 field of Ada (level)") })
}

// streamStatus asks for a stream of a list and returns the status of the answer.
func (s service) streamStatus(token, list string) int {
	s.t.Helper()
	ctx, cancel := context.WithCancel(s.t.Context())
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, s.URL+"/api/v1/"+list+"/stream", nil)
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	return resp.StatusCode
}

// takeStreams takes all streams of a list that a caller may have, until end is called.
func (s service) takeStreams(token, list string) (end func()) {
	s.t.Helper()
	ctx, end := context.WithCancel(s.t.Context())
	s.t.Cleanup(end)
	for range 4 {
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, s.URL+"/api/v1/"+list+"/stream", nil)
		if err != nil {
			s.t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+token)
		resp, err := http.DefaultClient.Do(r)
		if err != nil || resp.StatusCode != http.StatusOK {
			s.t.Fatalf("a stream of the four: %v, %v", resp, err)
		}
		s.t.Cleanup(func() { resp.Body.Close() })
	}
	return end
}

// hostile are names that a page may fail at.
func hostile() map[string]string {
	return map[string]string{
		"markup": `<script>document.title = "taken"</script>`,
		"arabic": "ليلى الحسيني (مراجعة)",
		"long":   strings.Repeat("W", 128),
	}
}

// Names of every kind stand in every table without breaking it.
func TestHostileNames(t *testing.T) {
	t.Parallel()
	s := start(t)
	token := s.token("admin", "ann")
	for _, n := range hostile() {
		must[record](s, token, "POST", "departments", record{"name": n, "description": n})
		must[record](s, token, "POST", "agents", record{"name": n, "role": n, "department": n})
		agent := must[record](s, token, "GET", "agents/"+url.PathEscape(n), nil)
		must[record](s, token, "POST", "projects", record{"name": n, "description": n, "lead": agent["id"], "team": []any{agent["id"]}})
		must[record](s, token, "PATCH", "departments/"+url.PathEscape(n), record{"head": n})
		must[record](s, token, "POST", "auth/tokens", record{"subject": n, "role": "editor", "ttl_seconds": 3600})
	}
	b := s.console(token, 1440, 900)
	long, arabic := hostile()["long"], hostile()["arabic"]
	open := url.Values{"open": {hostile()["markup"], arabic, long}}.Encode()
	pages := map[string]string{
		"?" + open: "Organization", "?status=active": "Organization", "activity": "Activity", "changes": "Changes", "projects": "Projects", "settings": "Settings", "plan": "Plan", "agents": "Agents", "access": "Access", "audit": "Audit trail",
	}
	for _, n := range hostile() {
		at := url.PathEscape(n)
		pages["agents/"+at], pages["agents/"+at+"/versions"] = n, "Versions of "+n
		pages["departments/"+at], pages["departments/"+at+"?view=board"] = n, n
	}
	for page, title := range pages {
		b.visit("#/"+page, title)
		b.await("its parts are there", complete)
		if page == "plan" {
			b.press("Load current")
			b.await("it is there", `document.querySelector("textarea").value.includes("WWWW")`)
		}
		for _, width := range []int64{1440, 390} {
			b.resize(width, 900)
			b.fits(page)
			b.shot(fmt.Sprintf("hostile-%d-%s", width, fileName(page)))
		}
		b.resize(1440, 900)
		if made := eval[int](b, `document.querySelectorAll("main script").length`); made > 0 {
			t.Errorf("the page %q made a script of a name", page)
		}
	}
	b.visit("#/?"+open, "Organization")
	for _, n := range hostile() {
		b.await(fmt.Sprintf("%q is shown", n), `[...document.querySelectorAll(".agent .name bdi")].some(e => e.textContent === `+quote(n)+`)`)
	}
	if way := eval[string](b, `getComputedStyle([...document.querySelectorAll(".agent .name bdi")].find(e => e.textContent === `+quote(arabic)+`)).unicodeBidi`); way != "isolate" {
		t.Errorf("the Arabic name is %s from what stands beside it", way)
	}
}

// fits fails if the page is wider than the window, or one of its rows higher than
// the list has place for.
func (b *tab) fits(page string) {
	b.t.Helper()
	wide := eval[[]string](b, `(() => {
		const over = document.documentElement.scrollWidth - innerWidth;
		const out = [...document.querySelectorAll("main *")].filter(e => over > 0 && e.getBoundingClientRect().right > innerWidth).map(e => e.outerHTML.slice(0, 80)).slice(0, 3);
		const high = [...document.querySelectorAll(".rows > :not(.gap)")].filter(e => e.scrollHeight > e.clientHeight + 1).map(e => "a row is too high: " + e.outerHTML.slice(0, 80)).slice(0, 3);
		return (over > 0 ? ["it is " + over + " pixels wider than the window", ...out] : []).concat(high);
	})()`)
	if len(wide) > 0 {
		b.t.Errorf("the page %q: %s", page, strings.Join(wide, "\n"))
	}
}

// signal sends a signal to the service.
func (s service) signal(sig syscall.Signal) {
	s.t.Helper()
	if err := syscall.Kill(s.PID(), sig); err != nil {
		s.t.Fatal(err)
	}
}

// A stream that falls silent is noticed, though its connection stands: nothing
// comes through, not even a heartbeat.
func TestSilentService(t *testing.T) {
	t.Parallel()
	s := start(t)
	token := s.token("editor", "ed")
	b := s.console(token, 1200, 900)
	b.expect("ERR_", "network error")
	b.await("the stream is there", `document.querySelector(".live.is-live")`)
	began := time.Now()
	s.signal(syscall.SIGSTOP)
	b.await("it is noticed", `!document.getElementById("outage").hidden`)
	t.Logf("noticed after %.1f s", time.Since(began).Seconds())
	s.signal(syscall.SIGCONT)
	b.await("the bar is gone", `document.getElementById("outage").hidden && document.querySelector(".live.is-live")`)
}

// A list goes on when its cursor is refused, as after the service has got another key: nothing is shown twice, and
// nothing is left out.
func TestCursorIsRefused(t *testing.T) {
	t.Parallel()
	s := start(t)
	token := s.token("admin", "ann")
	for i := range 120 {
		must[record](s, token, "POST", "projects", record{"name": fmt.Sprintf("project %03d", i)})
	}
	b := s.console(token, 1440, 900)
	b.expect("400")
	b.visit("#/projects", "Projects")
	rows := `document.querySelectorAll("main tbody tr").length === `
	b.await("the first page is there", rows+"50")
	b.eval(`{ const fetched = fetch;
		window.fetch = (where, options) => {
			if (String(where).includes("cursor=")) { window.fetch = fetched; where = String(where).replace(/cursor=[^&]*/, "cursor=refused"); }
			return fetched(where, options);
		};
	}`)
	b.press("More")
	b.await("the list goes on", rows+"100")
	b.press("More")
	b.await("the list is complete", rows+"120")
	if n := eval[int](b, `new Set([...document.querySelectorAll("main tbody tr")].map((r) => r.textContent)).size`); n != 120 {
		t.Errorf("%d projects are shown, want 120", n)
	}
}
