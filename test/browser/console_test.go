package browser

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// Nobody sees anything without signing in. The token is in no URL, and the session that
// it begins ends by signing out.
func TestSignIn(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.populate()
	token := s.token("admin", "ann")
	b := open(t, 1200, 800)
	b.expect("401")
	b.do("open the console", chromedp.Navigate(s.URL+"/console"), chromedp.WaitVisible(css("#token")))
	b.shot("sign-in")
	b.do("guess", chromedp.SendKeys(css("#token"), "guessed"), chromedp.Click(css(".sign-in button")))
	b.awaitText("does not accept this token")
	b.clear("#token")
	b.signIn(token)
	b.awaitText("Meridian Works")
	b.do("load the page again", chromedp.Reload())
	b.await("the page is there again", `document.querySelectorAll(".department").length === 3`)
	for _, u := range b.urls() {
		if strings.Contains(u, token) || strings.Contains(u, url.QueryEscape(token)) {
			t.Errorf("the token is in the URL %s", u)
		}
		if !strings.HasPrefix(u, s.URL+"/") && u != "about:blank" {
			t.Errorf("the console asks for %s, which is elsewhere", u)
		}
	}
	b.press("Signed in as ann")
	b.press("Sign out")
	b.do("see the sign-in", chromedp.WaitVisible(css("#token")))
	sessions := must[[]record](s, token, "GET", "auth/sessions", nil)
	if i := slices.IndexFunc(sessions, func(r record) bool { return r["kind"] == "sign_in" }); i < 0 || sessions[i]["revoked_at"] == nil {
		t.Errorf("after signing out the sessions are %v, want that of the browser revoked", sessions)
	}
}

func (s service) departments(token string) []string {
	return names(must[[]record](s, token, "GET", "company/departments", nil))
}

func (s service) agents(token, department string) []string {
	return names(must[[]record](s, token, "GET", "agents?department="+url.QueryEscape(department), nil))
}

func TestAgent(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.populate()
	token := s.token("editor", "ed")
	name := s.agents(token, s.departments(token)[0])[0]
	at := "agents/" + url.PathEscape(name)
	before := must[record](s, token, "GET", at, nil)
	b := s.console(token, 1440, 1000)
	b.expect("409")
	b.visit("#/"+at, name)
	for _, want := range []string{"Identity", "Health and performance", "Career", "Activity", before["role"].(string)} {
		b.awaitText(want)
	}
	b.await("there are charts", `document.querySelector("main svg.chart")`)
	b.await("there is activity", `document.querySelector(".feed .event")`)
	b.shot("agent")

	b.press("Edit")
	b.awaitEditor()
	b.fill("Description", "Changed in the console.")
	b.save("a better sentence – with “signs”")
	b.awaitText("Saved. This is version")
	b.eventually("it is saved", func() bool {
		return must[record](s, token, "GET", at, nil)["description"] == "Changed in the console."
	})
	if v := must[[]record](s, token, "GET", at+"/versions?limit=1", nil); v[0]["reason"] != "a better sentence – with “signs”" {
		t.Errorf("the reason is %q", v[0]["reason"])
	}

	// Somebody else is faster, and the stream is late.
	b.await("it can be read", `!document.querySelector("text-editor, main[aria-busy]")`)
	b.press("Edit")
	b.awaitEditor()
	b.fill("Instructions", "What I have typed.")
	b.press("Show the difference")
	b.eval(`{ const fetched = fetch; window.fetch = async (where, options) => { // what others do cannot be read before the next PATCH
		const change = options?.method === "PATCH";
		if (!change && String(where).endsWith(` + quote(before["id"].(string)) + `)) throw new DOMException("late", "AbortError");
		const answer = await fetched(where, options);
		if (change) window.fetch = fetched;
		return answer;
	}; }`)
	must[record](s, token, "PATCH", at, record{"description": "By somebody else.", "role": "Something else"})
	b.press("Save")
	b.awaitText("Somebody else was faster.")
	b.shot("agent-overtaken")
	if now := must[record](s, token, "GET", at, nil); now["instructions"] != before["instructions"] {
		t.Error("the change was stored over that of somebody else")
	}
	b.press("Save")
	b.eventually("both changes are there", func() bool {
		now := must[record](s, token, "GET", at, nil)
		return now["instructions"] == "What I have typed." && now["role"] == "Something else"
	})

	b.await("the page shows both", `[...document.querySelectorAll("a")].some(a => a.textContent === "Versions (5)")`)
	b.press("Delete")
	b.await("it is asked first", `document.querySelector("dialog[open]")`)
	b.press("Delete")
	b.await("the organization is there", `document.title.startsWith("Organization")`)
	if a := s.call(token, "GET", at, nil); a.status != http.StatusNotFound {
		t.Errorf("the agent after it was deleted: %d, want 404", a.status)
	}
	// What it was can still be seen.
	b.expect("404")
	b.visit("#/agents/"+before["id"].(string), name)
	b.awaitText("has been deleted")
	b.awaitText("What I have typed.")
	b.press("Versions (5)")
	b.await("its versions are there", `document.title.startsWith("Versions of `+name+`") && document.body.innerText.includes("Version 1")`)
}

func TestVersions(t *testing.T) {
	t.Parallel()
	s := start(t)
	token := s.token("editor", "ed")
	must[record](s, token, "POST", "departments", record{"name": "Lab"})
	must[record](s, token, "POST", "agents", record{"name": "Ada", "role": "Reviewer", "department": "Lab", "instructions": "Read it.\nBe kind.\nAnswer."})
	must[record](s, token, "PATCH", "agents/Ada", record{"instructions": "Read it.\nBe strict.\nAnswer.", "level": "senior"})
	must[record](s, token, "PATCH", "agents/Ada", record{"role": "Examiner"})
	b := s.console(token, 1440, 900)
	b.visit("#/agents/Ada/versions", "Versions of Ada")
	b.awaitText("Version 1")
	b.press("What changed with version 2")
	b.await("the text is compared line by line", `document.querySelector(".diff .removed")?.textContent.includes("Be kind.") &&
		document.querySelector(".diff .added")?.textContent.includes("Be strict.")`)
	b.await("other fields are, too", `document.querySelector("del")?.textContent === "mid" && document.querySelector("ins")?.textContent === "senior"`)
	b.shot("versions")
	b.press("Side by side")
	b.await("it is side by side", `document.querySelector(".diff.sides .removed")?.nextElementSibling.textContent === "Be strict."`)
	b.shot("versions-side-by-side")
	// An answer that comes late says nothing of versions that were chosen since.
	b.do("hold the next answer", chromedp.Evaluate[chromedp.Void](`{ const fetched = fetch; window.late = "asked"; window.fetch = async (...all) => {
		window.fetch = fetched;
		const answer = await fetched(...all);
		await new Promise((go) => { window.release = go; });
		setTimeout(() => { window.late = "there"; }, 200);
		return answer;
	}; }`))
	b.choose("From version", "1")
	b.await("the answer is held", `typeof window.release === "function"`)
	b.choose("to version", "3")
	b.awaitText("3 fields changed")
	b.await("the late answer is there", `(window.release(), window.late === "there")`)
	b.awaitText("3 fields changed")

	b.press("Roll back to version 1")
	b.await("it shows what would happen", `document.querySelector("dialog[open] .diff .added")?.textContent.includes("Be kind.")`)
	if now := must[record](s, token, "GET", "agents/Ada", nil); now["version"] != 3.0 {
		t.Errorf("the preview has made version %v", now["version"])
	}
	b.shot("rollback")
	b.fill("Reason", "kindness wins")
	b.press("Roll back")
	b.awaitText("Version 4")
	v := must[record](s, token, "GET", "agents/Ada/versions/4", nil)
	if v["restored_from"] != 1.0 || v["reason"] != "kindness wins" || v["saved_by"] != "ed" {
		t.Errorf("version 4 is restored from %v by %v because %v", v["restored_from"], v["saved_by"], v["reason"])
	}

	must[record](s, token, "PATCH", "agents/Ada", record{"instructions": "Read it.\r\nBe kind.\r\nAnswer."})
	b.visit("#/agents/Ada/versions?from=4&to=5", "Versions of Ada")
	b.await("a change of line ends is said", `document.querySelector(".diff")?.textContent === "only line ends: LF → CRLF"`)
	b.visit("#/agents/Ada/versions?from=2&to=5", "Versions of Ada")
	b.await("and hides no other", `document.querySelector(".diff .line-ends")?.textContent === "line ends: LF → CRLF" &&
		document.querySelectorAll(".diff .removed").length === 1 && document.querySelectorAll(".diff .added").length === 1`)
}

func TestActivity(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.populate()
	token := s.token("editor", "ed")
	department := s.departments(token)[0]
	b := s.console(token, 1200, 900)
	b.visit("#/activity", "Activity")
	b.await("there are events", `document.querySelectorAll(".event").length === 50`)
	b.await("the stream is there", `document.querySelector(".live.is-live")`)
	b.press("Earlier")
	b.await("there are more", `document.querySelectorAll(".event").length === 100`)
	hire := func(name string) {
		must[record](s, token, "POST", "agents", record{"name": name, "role": "Visitor", "department": department})
	}
	hire("Live One")
	b.await("it is shown at once", `document.querySelector(".event a")?.textContent === "Live One"`)
	b.shot("activity")
	b.press("Pause")
	hire("Live Two")
	hire("Live Three")
	b.awaitText("4 new events") // each is hired and onboarded
	if got := b.texts(".event a")[0]; got != "Live One" {
		t.Errorf("while it is paused the first is %s", got)
	}
	b.press("Resume")
	b.await("nothing is lost", `[...document.querySelectorAll(".event a")].slice(0, 6).map(e => e.textContent).join() ===
		"Live Three,Live Three,Live Two,Live Two,Live One,Live One"`)
	b.choose("Type", "promoted")
	b.await("it is filtered", `location.hash.includes("type=promoted") && document.querySelectorAll(".event").length > 0 &&
		[...document.querySelectorAll(".event .kind")].every(e => e.textContent === "promoted")`)
	hire("Live Four")
	must[record](s, token, "PATCH", "agents/Live%20Four", record{"level": "lead"})
	b.await("the stream is filtered, too", `document.querySelector(".event a")?.textContent === "Live Four" &&
		[...document.querySelectorAll(".event .kind")].every(e => e.textContent === "promoted")`)
}

// A feed into which much comes has the newest, without gaps: while it is paused, too.
func TestBusyFeed(t *testing.T) {
	t.Parallel()
	s := start(t)
	token := s.token("editor", "ed")
	s.lab(token, nil)
	from := 0
	report := func(many int) {
		for ; many > 0; many -= 200 {
			var events []record
			for range min(many, 200) {
				events = append(events, record{"agent": "Ada", "event_type": "cost_incurred", "data": record{"amount": from},
					"timestamp": time.Now().Add(-time.Hour + time.Duration(from)*time.Millisecond).UTC().Format(time.RFC3339Nano)})
				from++
			}
			must[any](s, token, "POST", "activities", record{"events": events})
		}
	}
	b := s.console(token, 1200, 900)
	b.visit("#/activity?type=cost_incurred", "Activity")
	b.await("the stream is there", `document.querySelector(".live.is-live")`)
	const amounts = `[...document.querySelectorAll(".event p")].map((e) => Number(e.textContent.split(" ").at(-1)))`
	newest := func(many int) {
		t.Helper()
		b.await(fmt.Sprintf("there are the newest %d", many), fmt.Sprintf(`JSON.stringify(%s) === JSON.stringify(Array.from({ length: %d }, (_, i) => %d - i))`, amounts, many, from-1))
	}
	report(600)
	newest(500)
	b.press("Earlier")
	newest(550)
	b.press("Pause")
	report(100)
	b.awaitText("100 new events while this is paused")
	b.press("Resume")
	newest(550)
	b.press("Pause")
	report(520)
	b.awaitText("520 new events while this is paused")
	b.press("Resume")
	newest(50)
	b.press("Earlier")
	newest(100)
}

func TestDepartment(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.populate()
	token := s.token("editor", "ed")
	var name string
	for _, d := range must[[]record](s, token, "GET", "company/departments", nil) {
		if len(d["reporting_lines"].([]any)) > 0 {
			name = d["name"].(string)
		}
	}
	at := "departments/" + url.PathEscape(name)
	b := s.console(token, 1440, 900)
	b.visit("#/"+at, name)
	for _, want := range []string{"Health", "Teams", "Reporting lines", "Ceremony policy", "Utilization"} {
		b.awaitText(want)
	}
	b.await("the lines are drawn", `document.querySelectorAll(".tree .edge").length > 0`)
	b.shot("department")
	b.press("Change the policy")
	b.choose("Strategy", "calendar")
	b.fill("Threshold", "2")
	b.press("Save")
	b.awaitText("must be above 0 and at most 1")
	b.fill("Threshold", "0.5")
	b.shot("ceremony-policy")
	b.press("Save")
	b.awaitText("The policy is saved.")
	got := must[map[string]record](s, token, "GET", at+"/ceremony-policy/resolved", nil)
	if got["strategy"]["value"] != "calendar" || got["transition_threshold"]["value"] != 0.5 || got["transition_threshold"]["origin"] != "department" {
		t.Errorf("the policy is %v", got)
	}
	b.await("the page says so", `[...document.querySelectorAll("tr")].some(r => r.textContent.includes("transition threshold") && r.textContent.includes("0.5") && r.textContent.includes("set here"))`)
	b.press("Inherit everything")
	b.await("it is asked first", `document.querySelector("dialog[open]")`)
	b.press("Inherit")
	b.await("nothing is set here", `document.querySelectorAll(".origin").length > 0 && !document.querySelector(".origin.department")`)
	b.press("Change")
	b.fill("Description", "Another description.")
	b.press("Save")
	b.awaitText("Another description.")
}

func TestProjects(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.populate()
	token := s.token("editor", "ed")
	b := s.console(token, 1440, 900)
	b.visit("#/projects", "Projects")
	b.await("names are shown", `[...document.querySelectorAll("td a")].length > 0 && [...document.querySelectorAll("td a")].every(a => a.textContent !== "…")`)
	b.shot("projects")
	b.press("New project")
	b.fill("Name", "A new roof")
	b.fill("Budget, USD", "1200")
	b.press("Create")
	b.press("Change A new roof")
	b.await("the form is there", `document.querySelector("dialog[open]")`)
	b.choose("Status", "active")
	b.press("Save")
	b.eventually("it is active", func() bool {
		return slices.Contains(names(must[[]record](s, token, "GET", "projects?status=active&limit=200", nil)), "A new roof")
	})
	b.closed()
	b.choose("Status", "active")
	b.await("only those are shown", `location.hash.includes("status=active") && [...document.querySelectorAll("td .chip")].every(e => e.textContent === "active") && document.body.innerText.includes("A new roof")`)
}

func TestSettings(t *testing.T) {
	t.Parallel()
	messages := make(chan string, 16)
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		messages <- r.Header.Get("webhook-id")
	}))
	t.Cleanup(receiver.Close)
	s := start(t, "--webhook-allow-http", "--webhook-allow-private")
	token := s.token("admin", "ann")
	b := s.console(token, 1440, 900)
	b.visit("#/settings", "Settings")
	b.fill("Name", "Hooks Ltd")
	b.fill("Settings, JSON", `{"ceremony_policy": {"strategy": "calendar"}, "exact": 12345678901234567890}`)
	b.press("Save")
	b.await("the name is everywhere", `document.getElementById("company").textContent === "Hooks Ltd"`)
	if c := string(s.call(token, "GET", "company", nil).Data); !strings.Contains(c, `"strategy":"calendar"`) || !strings.Contains(c, `"exact":12345678901234567890`) {
		t.Errorf("the company is %s", c)
	}

	b.visit("#/access", "Access")
	b.press("New token")
	b.await("the dialog is open", `document.querySelector("dialog[open]")`)
	if got := b.value("Role"); got != "viewer" {
		t.Errorf("the role is %s before somebody chooses", got)
	}
	b.fill("What it is for", "nightly tests")
	b.fill("Subject", "guest")
	b.choose("Role", "editor")
	b.press("Create")
	b.await("the token is shown", `document.querySelector("dialog[open] textarea[readonly]")`)
	made := eval[string](b, `document.querySelector("dialog[open] textarea").value`)
	if me := must[record](s, made, "GET", "auth/me", nil); me["role"] != "editor" || me["subject"] != "guest" {
		t.Errorf("the new token is of %v", me)
	}
	b.press("Done")
	b.awaitText("nightly tests")
	b.press("Revoke: the token of nightly tests")
	b.press("Revoke")
	b.eventually("the token is refused", func() bool { return s.call(made, "GET", "auth/me", nil).status == http.StatusUnauthorized })

	b.visit("#/settings", "Settings")
	b.press("New webhook")
	b.fill("URL", receiver.URL+"/in")
	b.press("Create")
	b.await("the secret is shown", `document.querySelector("dialog[open] textarea[readonly]")?.value.startsWith("whsec_")`)
	b.press("Done")
	b.press("Send a test to " + receiver.URL + "/in")
	b.eventually("the message arrives", func() bool { return len(messages) > 0 })
	b.eventually("the delivery is listed", func() bool {
		b.press("Deliveries to " + receiver.URL + "/in")
		return slices.Contains(b.texts(".delivery"), "delivered")
	})
	b.shot("settings")
	// What it wants stays as it is when something else is changed.
	hook := "webhooks/" + must[[]record](s, token, "GET", "webhooks", nil)[0]["id"].(string)
	must[record](s, token, "PATCH", hook, record{"event_types": []any{"hired", "agent.updated", "project"}})
	b.press("Change " + receiver.URL + "/in")
	b.choose("URL", receiver.URL+"/other")
	b.press("Save")
	b.awaitText("hired, agent updated, all about project")
	if got := fmt.Sprint(must[record](s, token, "GET", hook, nil)["event_types"]); got != "[hired agent.updated project]" {
		t.Errorf("the webhook wants %s now", got)
	}
	b.press("Delete " + receiver.URL + "/other")
	b.press("Delete")
	b.awaitText("No webhooks.")
}

func TestPlan(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.populate()
	token := s.token("editor", "ed")
	b := s.console(token, 1440, 900)
	b.expect("400", "409")
	b.visit("#/plan", "Plan")
	b.press("Load current")
	b.await("it is there", `document.querySelector("textarea").value.startsWith("{\n  \"format\": 1")`)
	b.press("Show the plan")
	b.awaitText("The organization is as the document says.")
	b.fill("Document, JSON", `{"format": 1, "agents": [{"name": "New One", "rle": "x"}]}`)
	b.press("Show the plan")
	b.awaitText("rle: unknown field")
	department := s.departments(token)[0]
	other := s.agents(token, department)[0]
	b.fill("Document, JSON", `{"format": 1, "company": {"company_name": "Planned Ltd"}, "agents": [{"name": "`+other+`", "instructions": "Another text.\nIn lines.\n"},
		{"name": "New One", "role": "Tester", "department": "`+department+`"}]}`)
	b.press("Show the plan")
	b.await("changes are shown", `document.querySelector(".action.create") && document.querySelector(".action.update") && document.querySelector(".diff .added")`)
	b.shot("plan")
	b.fill("Reason", "out of the document")
	b.press("Apply")
	b.await("it is asked first", `document.querySelector("dialog[open]")`)
	b.press("Apply")
	b.awaitText("Done: 1 created, 2 updated")
	if v := must[[]record](s, token, "GET", "agents/New%20One/versions", nil); v[0]["reason"] != "out of the document" {
		t.Errorf("the reason is %v", v[0]["reason"])
	}
	// Somebody changes the organization between plan and apply.
	b.fill("Document, JSON", `{"format": 1, "company": {"company_name": "Once More Ltd"}}`)
	b.press("Show the plan")
	b.await("changes are shown", `document.querySelector(".action.update")`)
	must[record](s, token, "PATCH", "company", record{"company_name": "Meanwhile"})
	b.press("Apply")
	b.await("it is asked first", `document.querySelector("dialog[open]")`)
	b.press("Apply")
	b.awaitText("The organization has changed since it was planned")
}
