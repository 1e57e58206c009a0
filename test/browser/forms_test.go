package browser

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/chromedp/chromedp"
)

// begun is said where a page is not read again, because somebody uses it.
const begun = "This page may be out of date. What you have begun is still here."

// missed has the page read again, as it does when something may have been missed.
const missed = `dispatchEvent(new CustomEvent("stream", { detail: "missed" }))`

// hold holds back answers from addresses that a pattern fits, and counts them, until they are
// released.
func (b *tab) hold(pattern string) {
	b.t.Helper()
	b.eval(`{ const fetched = fetch, pattern = new RegExp(` + quote(pattern) + `), { promise, resolve } = Promise.withResolvers();
		window.held = 0;
		window.release = () => { window.fetch = fetched; resolve(); };
		window.fetch = async (where, options) => {
			const answer = await fetched(where, options);
			if (pattern.test(where) && !String(where).includes("/stream")) { window.held++; await promise; }
			return answer;
		};
	}`)
}

func (b *tab) release() {
	b.t.Helper()
	b.eval("window.release()")
}

// click presses what has a name at once, whatever the page waits for.
func (b *tab) click(name string) {
	b.t.Helper()
	b.await("there is "+name, "("+find+")("+quote(name)+")")
	b.eval("(" + find + ")(" + quote(name) + ").click()")
}

// stays fails unless a field has the focus and holds what was typed, when the page has been
// read again, and unless that is guarded.
func (b *tab) stays(name, typed string) {
	b.t.Helper()
	b.await("the page has been read", `!document.querySelector("main[aria-busy]")`)
	if got := b.value(name); got != typed {
		b.t.Errorf("what was typed is now %q", got)
	}
	if !eval[bool](b, "document.activeElement === ("+label+")("+quote(name)+")") {
		b.t.Errorf("the focus is not on %s", name)
	}
	if eval[bool](b, `dispatchEvent(new Event("beforeunload", { cancelable: true }))`) {
		b.t.Errorf("%s can be left without a question", name)
	}
}

// A form that somebody has asked for is there before the page is read again.
func TestEditIsKept(t *testing.T) {
	t.Parallel()
	s := start(t)
	token := s.token("editor", "ed")
	s.lab(token, nil)
	b := s.console(token, 1440, 900)
	b.visit("#/agents/Ada", "Ada")
	b.eval(`document.querySelector("main").firstElementChild.old = true`)
	b.hold("/agents/[^/]*$")
	b.click("Edit")
	b.await("the agent is being read", "window.held > 0")
	b.eval(missed)
	b.release()
	b.awaitEditor()
	if !eval[bool](b, `document.activeElement.localName === "text-editor" && document.querySelector("main").firstElementChild.old`) {
		t.Error("the page was read again under the form")
	}
	b.awaitText(begun)
	b.fill("Instructions", "An hour of work.")
	b.stays("Instructions", "An hour of work.")

	// What is saved cannot be typed into while the page is read again, and then it is read.
	b.hold("health")
	b.save("mine")
	b.await("the page is being read again", "window.held > 0")
	if eval[bool](b, `Boolean(document.querySelector("main form"))`) {
		t.Error("the form is still there")
	}
	b.awaitText("An hour of work.")
	b.release()
	b.saved(2)
	b.await("the page is new", `!document.querySelector("main").firstElementChild.old`)
}

// Whatever is typed, or open, while a page is read again stays.
func TestFormsAreKept(t *testing.T) {
	t.Parallel()
	s := start(t, "--webhook-allow-http", "--webhook-allow-private")
	token := s.token("admin", "ann")
	b := s.console(token, 1440, 900)
	whileRead := func(use func()) {
		t.Helper()
		b.hold("/api/v1/")
		b.eval(missed)
		b.await("the page is being read again", "window.held > 0")
		use()
		b.release()
		b.await("the page has been read", `!document.querySelector("main[aria-busy]")`)
	}
	b.visit("#/audit", "Audit trail")
	whileRead(func() { b.fill("Who", "ann") })
	if got := b.value("Who"); got != "ann" {
		t.Errorf("the filter is now %q", got)
	}
	b.visit("#/settings", "Settings")
	whileRead(func() { b.eval("(" + label + `)("Name").focus()`) })
	if !eval[bool](b, "document.activeElement === ("+label+`)("Name")`) {
		t.Error("the focus is lost")
	}
	b.eval("document.activeElement.blur()")
	whileRead(func() { b.fill("Name", "Another") })
	b.stays("Name", "Another")
	b.awaitText(begun)

	// A webhook that is made beside it is shown, and does no harm.
	b.press("New webhook")
	b.fill("URL", "http://127.0.0.1:9/in")
	b.press("Create")
	b.await("the secret is shown", `document.querySelector("dialog[open] textarea[readonly]")`)
	b.eval(missed)
	b.press("Done")
	b.awaitText("http://127.0.0.1:9/in")
	if got := b.value("Name"); got != "Another" {
		t.Errorf("the name is now %q", got)
	}
}

// Dialogs stay when the page is read again: those, too, in which nothing is typed.
func TestDialogsAreKept(t *testing.T) {
	t.Parallel()
	s := start(t)
	token := s.token("admin", "ann")
	s.lab(token, nil)
	b := s.console(token, 1440, 900)
	stays := func(what, selector string) {
		t.Helper()
		b.await(what+" is there", `document.querySelector("dialog[open] `+selector+`")`)
		b.eval(missed)
		if !eval[bool](b, `Boolean(document.querySelector("dialog[open] `+selector+`"))`) {
			t.Errorf("%s is closed", what)
		}
	}
	b.visit("#/projects", "Projects")
	b.press("New project")
	stays("the project", "[name=budget]")
	b.awaitText(begun)
	b.do("press Escape", chromedp.KeyEvent("\u001b"))
	b.closed()
	b.press("Search")
	stays("the palette", "[role=combobox]")
	b.await("the page is read again", `!document.querySelector("main[aria-busy]")`)
	b.do("press Escape", chromedp.KeyEvent("\u001b"))
	b.closed()
	b.visit("#/access", "Access")
	b.press("New token")
	b.fill("Subject", "guest")
	b.press("Create")
	stays("the token", "textarea[readonly]")
}

// What a click asks for is opened once, and not for somebody who has gone elsewhere meanwhile.
func TestOpenedForWhoWaits(t *testing.T) {
	t.Parallel()
	s := start(t, "--webhook-allow-http", "--webhook-allow-private")
	token := s.token("admin", "ann")
	s.lab(token, nil)
	must[record](s, token, "POST", "agents", record{"name": "Bob", "role": "Reviewer", "department": "Lab"})
	if a := s.call(token, "DELETE", "agents/Bob", nil); a.status != http.StatusNoContent {
		t.Fatalf("DELETE = %d", a.status)
	}
	must[record](s, token, "PATCH", "agents/Ada", record{"role": "Examiner"})
	s.place(token, "production", record{"version": 1})
	must[record](s, token, "POST", "projects", record{"name": "Roof"})
	must[record](s, token, "POST", "webhooks", record{"url": "http://127.0.0.1:9/in"})
	b := s.console(token, 1440, 900)
	for name, at := range map[string][2]string{
		"Set a label": {"agents/Ada", "Ada"}, "Move production": {"agents/Ada", "Ada"}, "Remove production": {"agents/Ada", "Ada"}, "Delete": {"agents/Ada", "Ada"},
		"Roll back to version 1": {"agents/Ada/versions", "Versions of Ada"}, "Label version 1": {"agents/Ada/versions", "Versions of Ada"},
		"Change Roof": {"projects", "Projects"}, "Change http://127.0.0.1:9/in": {"settings", "Settings"},
		"New token": {"access", "Access"}, "Sign-in link": {"access", "Access"}, "Restore Bob": {"deleted", "Deleted agents"},
	} {
		press := func(times int) {
			t.Helper()
			b.visit("#/"+at[0], at[1])
			b.await(name+" can be pressed", "("+find+")("+quote(name)+")")
			b.hold("/api/v1/")
			b.eval(fmt.Sprintf("{ const e = (%s)(%s); for (let i = 0; i < %d; i++) e.click(); }", find, quote(name), times))
			b.await("it is being read", "window.held > 0")
		}
		open := func() int {
			t.Helper()
			return eval[int](b, `new Promise((go) => setTimeout(() => go(document.querySelectorAll("dialog[open]").length), 300))`)
		}
		press(2)
		b.release()
		b.await("it is asked", `document.querySelector("dialog[open]")`)
		if n := open(); n != 1 {
			t.Errorf("%s, pressed twice, opens %d dialogs", name, n)
		}
		b.eval(`document.querySelectorAll("dialog[open]").forEach((d) => d.close())`)
		b.closed()

		press(1)
		b.eval(`location.hash = "#/activity"`)
		b.release()
		b.visit("#/activity", "Activity")
		if n := open(); n > 0 {
			t.Errorf("%s opens %d dialogs on another page", name, n)
		}
		b.eval(`document.querySelectorAll("dialog[open]").forEach((d) => d.close())`)
	}
}

// The document of a plan is the one that somebody sees: what is read for it does not replace what
// is typed meanwhile, and what was planned is not taken for another.
func TestPlanIsOfWhatIsSeen(t *testing.T) {
	t.Parallel()
	s := start(t)
	token := s.token("editor", "ed")
	b := s.console(token, 1440, 900)
	const name, document = "Document, JSON", `{"format": 1, "company": {"company_name": "One"}}`
	b.visit("#/plan", "Plan")
	b.hold("/organization")
	b.click("Load current")
	b.await("it is being read", "window.held > 0")
	b.fill(name, document)
	b.release()
	b.awaitText("What you have typed is still here.")
	b.stays(name, document)

	b.hold("/organization/plan")
	b.click("Show the plan")
	b.await("it is being planned", "window.held > 0")
	b.fill(name, document+" ")
	b.release()
	b.await("there is no plan", `!(`+find+`)("Show the plan").disabled`)
	if n := eval[int](b, `document.querySelectorAll(".action").length`); n > 0 {
		t.Error("the plan of another document is shown")
	}
	b.press("Show the plan")
	b.press("Apply")
	b.await("it is asked first", `document.querySelector("dialog[open]")`)
	b.hold("/organization/apply")
	b.press("Apply")
	b.await("it is being applied", "window.held > 0")
	b.fill(name, document+"  ")
	b.release()
	b.awaitText("Done: 0 created, 1 updated")
	b.stays(name, document+"  ")
}
