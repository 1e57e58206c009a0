package browser

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// sentences is a script that lists what the entries of the page say, the newest first.
const sentences = `[...document.querySelectorAll(".logged")].map(e => e.querySelector(".sentence").textContent)`

// awaitChange waits until the newest change of the page is this one.
func (b *tab) awaitChange(sentence string) {
	b.t.Helper()
	b.await("the newest change is “"+sentence+"”", sentences+`[0] === `+quote(sentence))
}

// because makes a change with a reason.
func (s service) because(token, reason, method, path string, body record) {
	s.t.Helper()
	a := s.callWith(token, method, path, body, http.Header{"Change-Reason": {url.PathEscape(reason)}})
	if a.status >= 300 {
		s.t.Fatalf("%s %s = %d %s", method, path, a.status, a.Error)
	}
}

// Who changed what of whom, and why, is shown when it happens; the difference is one
// click away.
func TestChanges(t *testing.T) {
	t.Parallel()
	s := start(t)
	token := s.token("editor", "alice")
	b := s.console(token, 1200, 900)
	b.expect("404") // of what was deleted
	b.visit("#/changes", "Changes")
	b.awaitText("Nothing has been changed yet.")
	b.shot("changes-none")
	b.eval(`document.querySelector("main").firstElementChild.same = true`)
	b.await("the stream is there", `document.querySelector(".live.is-live")`)

	must[record](s, token, "POST", "departments", record{"name": "Lab"})
	b.awaitChange("alice created the department Lab")
	if strings.Contains(b.text(), "Nothing has been changed yet.") {
		t.Error("it still says that nothing has been changed")
	}
	ada := must[record](s, token, "POST", "agents", record{
		"name": "Ada Lindqvist", "role": "Reviewer", "department": "Lab", "model_provider": "acme", "model_id": "m1", "instructions": "Be kind.",
	})["id"].(string)
	b.awaitChange("alice hired Ada Lindqvist into Lab")
	must[record](s, token, "PATCH", "agents/"+ada, record{"role": "Examiner"})
	b.awaitChange("alice changed 1 field of Ada Lindqvist (role)")
	s.because(token, "it was too kind – “far”", "PATCH", "agents/"+ada, record{"instructions": "Be strict.", "level": "senior"})
	b.awaitChange("alice changed 2 fields of Ada Lindqvist (instructions, level)")
	b.await("the reason is beneath", `document.querySelector(".logged q")?.textContent === "it was too kind – “far”"`)
	must[record](s, token, "POST", "agents/"+ada+"/versions/rollback", record{"target_version": 1})
	b.awaitChange("alice rolled back 3 fields of Ada Lindqvist (instructions, level, role)")
	must[record](s, token, "PATCH", "agents/"+ada, record{
		"role": "Much", "level": "lead", "instructions": "All.", "description": "New.", "model_provider": "acme", "model_id": "m2", "autonomy_level": "full",
	})
	b.awaitChange("alice changed 6 fields of Ada Lindqvist (autonomy_level, description, instructions, level and 2 more)")
	must[record](s, token, "PUT", "departments/Lab/ceremony-policy", record{"strategy": "calendar"})
	b.await("the policy is named", sentences+`[0].startsWith("alice set the ceremony policy of Lab")`)
	s.call(token, "DELETE", "departments/Lab/ceremony-policy", nil)
	b.await("it is gone", sentences+`[0].startsWith("alice removed the ceremony policy of Lab")`)
	must[record](s, token, "PATCH", "company", record{"company_name": "Change Ltd"})
	b.awaitChange("alice changed 1 field of the company Change Ltd (company_name)")
	must[record](s, token, "POST", "projects", record{"name": "Roof"})
	b.awaitChange("alice created the project Roof")
	if !eval[bool](b, `document.querySelector("main").firstElementChild.same`) {
		t.Error("the page was made anew")
	}
	b.pictures("changes", map[string]string{"changes": "Changes"})

	b.press("v2 → v3: what changed in Ada Lindqvist")
	b.await("the difference is there", `location.hash.endsWith("/versions?from=2&to=3") && document.title.startsWith("Versions of Ada Lindqvist") &&
		document.querySelector("main").innerText.includes("2 fields changed") && [...document.querySelectorAll("ins")].some(e => e.textContent === "Be strict.")`)

	// What is deleted has no link that leads nowhere.
	b.visit("#/changes", "Changes")
	b.await("the stream is there", `document.querySelector(".live.is-live") && document.querySelector("main a.department")`)
	s.call(token, "DELETE", "agents/"+ada, nil)
	b.awaitChange("alice deleted Ada Lindqvist from Lab")
	s.call(token, "DELETE", "departments/Lab", nil)
	b.awaitChange("alice deleted the department Lab")
	b.await("the department has no link", `!document.querySelector("main a.department")`)
	b.do("load the page again", chromedp.Reload())
	b.awaitChange("alice deleted the department Lab")
	if n := eval[int](b, `document.querySelectorAll("main a.department").length`); n > 0 {
		t.Errorf("%d links lead to a department that is gone", n)
	}
	b.press("Ada Lindqvist")
	b.awaitText("has been deleted")
	b.press("Changes of Ada Lindqvist")
	b.await("they are those of the agent", `document.title.startsWith("Changes") && !document.querySelector("main[aria-busy]") && location.hash.includes("agent_id=") &&
		`+sentences+`.length === 6 && `+sentences+`.every(s => s.includes("Ada Lindqvist"))`)
}

// The filters are those of the interface, for what is there and for what comes.
func TestFilterChanges(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.populate()
	alice, bob := s.token("editor", "alice"), s.token("admin", "bob")
	departments := s.departments(alice)
	in := func(i int) string { return s.agents(alice, departments[i])[0] }
	one, two := in(0), in(1)
	change := func(token, agent, description string) {
		must[record](s, token, "PATCH", "agents/"+url.PathEscape(agent), record{"description": description})
	}
	change(alice, one, "By Alice.")
	change(bob, two, "By Bob.")
	must[record](s, bob, "PATCH", "departments/"+url.PathEscape(departments[1]), record{"description": "By Bob."})

	b := s.console(s.token("viewer", "vi"), 1200, 900)
	b.press("Changes")
	b.await("all is there", `document.title.startsWith("Changes") && document.querySelectorAll(".logged").length > 10`)
	every := func(what, holds string) {
		b.t.Helper()
		b.await(what, `!document.querySelector("main[aria-busy]") && (all => all.length && all.every(s => `+holds+`))(`+sentences+`)`)
	}
	b.choose("Changed by", "bob")
	every("it is filtered by actor", `s.startsWith("bob ")`)
	b.choose("Kind", "department")
	every("it is filtered by kind", `s === "bob changed 1 field of the department `+departments[1]+` (description)"`)
	if !strings.Contains(eval[string](b, `location.hash`), "actor=bob") {
		t.Error("one filter drops the other")
	}
	b.choose("Kind", "agent.updated")
	b.choose("Department", departments[0])
	b.awaitText("No change fits the filters.")
	b.visit("#/changes?agent_id="+url.QueryEscape(one), "Changes")
	every("it is filtered by agent", `s.includes(`+quote(one)+`)`)
	today := must[[]record](s, alice, "GET", "changes?limit=1", nil)[0]["timestamp"].(string)[:len("2006-01-02")]
	b.choose("Before (UTC day)", today)
	b.awaitText("No change fits the filters.")
	b.visit("#/changes?agent_id="+url.QueryEscape(one)+"&since="+today, "Changes")
	every("it is filtered by day", `s.includes(`+quote(one)+`)`)

	// What does not fit is not shown when it comes, either.
	change(bob, two, "Not wanted.")
	change(bob, one, "Wanted.")
	b.awaitChange("bob changed 1 field of " + one + " (description)")
	every("only what fits comes", `s.includes(`+quote(one)+`)`)

	// From the pages of what was changed.
	b.visit("#/agents/"+url.PathEscape(two), two)
	b.press("Changes of " + two)
	every("they are those of the agent", `s.includes(`+quote(two)+`)`)
	b.visit("#/departments/"+url.PathEscape(departments[1]), departments[1])
	b.press("Changes of " + departments[1])
	b.await("they are those of the department", sentences+`.includes("bob changed 1 field of the department `+departments[1]+` (description)")`)
}

// Older changes are read when they are wanted, and while the page pauses nothing is lost.
func TestEarlierChanges(t *testing.T) {
	t.Parallel()
	s := start(t)
	token := s.token("editor", "alice")
	must[record](s, token, "POST", "departments", record{"name": "Lab"})
	must[record](s, token, "POST", "agents", record{"name": "Ada", "role": "Reviewer", "department": "Lab"})
	for i := range 60 {
		must[record](s, token, "PATCH", "agents/Ada", record{"description": strconv.Itoa(i)})
	}
	b := s.console(token, 1200, 900)
	b.visit("#/changes", "Changes")
	b.await("there are some", `document.querySelectorAll(".logged").length === 50`)
	b.press("Earlier")
	b.await("all are there", `document.querySelectorAll(".logged").length === 62 && !(`+find+`)("Earlier")`)
	if all := eval[[]string](b, sentences); all[61] != "alice created the department Lab" || all[60] != "alice hired Ada into Lab" {
		t.Errorf("the oldest are %q", all[60:])
	}
	b.press("Pause")
	must[record](s, token, "PATCH", "agents/Ada", record{"role": "Examiner"})
	b.awaitText("1 new change while this is paused")
	b.press("Resume")
	b.awaitChange("alice changed 1 field of Ada (role)")
	if all := eval[[]string](b, sentences); len(all) != 63 || slices.Contains(all[1:], all[0]) {
		t.Errorf("there are %d changes, the newest %q", len(all), all[0])
	}
}
