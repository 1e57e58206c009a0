package browser

import (
	"net/url"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// versioned makes the agent Ada of a department Lab, with three versions.
func (s service) versioned(token string) {
	s.t.Helper()
	must[record](s, token, "POST", "departments", record{"name": "Lab"})
	must[record](s, token, "POST", "agents", record{"name": "Ada", "role": "Reviewer", "department": "Lab", "instructions": "Read it.\nBe kind.\nAnswer."})
	must[record](s, token, "PATCH", "agents/Ada", record{"instructions": "Read it.\nBe strict.\nAnswer."})
	must[record](s, token, "PATCH", "agents/Ada", record{"role": "Examiner"})
}

// place has a label of Ada name a version, by the interface.
func (s service) place(token, label string, body record) {
	s.t.Helper()
	must[record](s, token, "PUT", "agents/Ada/labels/"+label, body)
}

// awaitLabel waits until the page of the agent says this of a label first.
func (b *tab) awaitLabel(text string) {
	b.t.Helper()
	b.await("it is said that "+text, `[...document.querySelectorAll(".labels > li > div:first-child")].some(e => e.textContent.trim() === `+quote(text)+`)`)
}

// awaitPreview waits until the dialog says first that this changes.
func (b *tab) awaitPreview(text string) {
	b.t.Helper()
	b.await("it shows "+text, `document.querySelector("dialog[open] .preview > p")?.textContent.trim() === `+quote(text))
}

// closed waits until no dialog is open.
func (b *tab) closed() {
	b.t.Helper()
	b.await("the dialog is closed", `!document.querySelector("dialog[open]")`)
}

// A label is set, moved, fixed and removed on the page of its agent, each time with what
// changes in sight.
func TestLabels(t *testing.T) {
	t.Parallel()
	s := start(t)
	token := s.token("editor", "ed")
	s.versioned(token)
	b := s.console(token, 1280, 900)
	b.expect("409")
	b.visit("#/agents/Ada", "Ada")
	b.awaitLabel("latest v3")
	b.press("Edit")
	b.awaitEditor()
	b.fill("Instructions", "Typed meanwhile.")

	b.press("Set a label")
	b.fill("Label", "production")
	b.fill("Version", "1")
	b.awaitPreview("production: none → v1")
	b.fill("Reason", "a beginning")
	b.shot("label-new")
	b.press("Set")
	b.awaitText("production names version 1 of Ada.")
	b.awaitLabel("production v1")

	b.press("Move production")
	b.awaitPreview("production: v1 → v3")
	if got := b.texts("dialog .diff .added"); len(got) != 1 || !strings.Contains(got[0], "Be strict.") {
		t.Errorf("the difference adds %q", got)
	}
	for _, wrong := range eval[[]string](b, audit) {
		t.Errorf("the dialog: %s", wrong)
	}
	b.shot("label-move")
	b.resize(390, 844)
	b.fits("the dialog")
	b.shot("label-move-phone")
	b.resize(1280, 900)

	// Somebody else is faster: what is shown is what changes now.
	s.place(token, "production", record{"version": 3})
	b.fill("Version", "2")
	b.awaitPreview("production: v1 → v2")
	b.fill("Reason", "stricter")
	b.press("Move")
	b.awaitText("Somebody else was faster.")
	b.awaitPreview("production: v3 → v2")
	if got := b.texts("dialog del"); len(got) != 1 || got[0] != "Examiner" {
		t.Errorf("the way back drops %q", got)
	}
	if got := b.value("Reason"); got != "stricter" {
		t.Errorf("the reason is now %q", got)
	}
	b.press("Move")
	b.closed()
	b.awaitLabel("production v2")

	b.press("History of production")
	b.await("the history is there", `[...document.querySelectorAll(".labels .timeline strong")].map(e => e.textContent).join() === "v3 → v2,v1 → v3,none → v1"`)
	b.awaitText("stricter")

	// What was typed into another form is there, and is saved: nobody has changed the agent.
	if got := b.value("Instructions"); got != "Typed meanwhile." {
		t.Errorf("what was typed is now %q", got)
	}
	b.save("typed meanwhile")
	b.awaitText("Saved. This is version 4.")

	b.await("the page is new", `document.body.innerText.includes("Versions (4)") && !document.querySelector("main[aria-busy]")`)
	b.press("Set a label")
	b.fill("Label", "Rc 1")
	b.awaitPreview("Rc 1: none → v4")
	b.press("Set")
	b.await("the name is refused", `document.querySelector("dialog input:invalid")`)
	b.fill("Label", "rc-1")
	b.awaitPreview("rc-1: none → v4")
	b.press("Set")
	b.closed()
	b.press("Move rc-1")
	b.awaitPreview("rc-1 names version 4 already.")
	b.press("Move")
	b.await("nothing is sent", `document.querySelector("dialog .problem").textContent === "rc-1 names version 4 already."`)
	b.do("fix it", chromedp.Evaluate[chromedp.Void]("("+label+`)("Fixed: it names this version for ever, which cannot be taken back").click()`))
	b.press("Move")
	b.closed()
	b.awaitLabel("rc-1 v4 fixed")
	b.awaitText("it names version 4 for ever, so it cannot be moved or removed")
	if eval[bool](b, `Boolean((`+find+`)("Move rc-1") ?? (`+find+`)("Remove rc-1"))`) {
		t.Error("it is offered to move or remove a fixed label")
	}

	b.press("Remove production")
	b.await("it is asked first", `document.querySelector("dialog[open]")?.textContent.includes("It names version 2.")`)
	b.shot("label-remove")
	b.fill("Reason", "given up")
	b.press("Remove")
	b.closed()
	b.await("it is gone", `!document.querySelector(".labels").textContent.includes("production")`)
	b.shot("labels")

	b.visit("#/changes", "Changes")
	b.awaitChange("ed removed the label production of Ada")
	for i, want := range []string{
		"production: v2 → none", "rc-1: v4, fixed", "rc-1: none → v4", "v3 → v4", "production: v3 → v2", "production: v1 → v3", "production: none → v1",
	} {
		if got := b.texts(".logged .difference"); got[i] != want {
			t.Errorf("change %d is %q, want %q", i, got[i], want)
		}
	}
	if got := b.texts(".logged .sentence"); got[1] != "ed made the label rc-1 of Ada fixed" || got[4] != "ed moved the label production of Ada" || got[6] != "ed set the label production of Ada" {
		t.Errorf("the changes are %q", got)
	}
	b.shot("label-changes")
	b.press("production: v3 → v2: what changed in Ada")
	b.await("the way back is shown", `location.hash.endsWith("/versions?from=3&to=2") && document.querySelector("del")?.textContent === "Examiner"`)
}

// The versions say which labels name them, and can be labeled.
func TestLabelsOfVersions(t *testing.T) {
	t.Parallel()
	s := start(t)
	token := s.token("editor", "ed")
	s.versioned(token)
	must[record](s, token, "PATCH", "departments/Lab", record{"policies": record{"protected_labels": []any{"stable"}}})
	s.place(s.token("admin", "ann"), "stable", record{"version": 1})
	s.place(token, "rc-1", record{"version": 2, "fixed": true})
	b := s.console(token, 1280, 900)
	b.expect("403", "409")
	chips := `[...document.querySelectorAll(".versions li")].map(e => [...e.querySelectorAll(".chip.label")].map(e => e.textContent).join()).join("|")`
	b.visit("#/agents/Ada/versions", "Versions of Ada")
	b.await("the labels are there", chips+` === "|rc-1 · fixed|stable · protected"`)
	b.press("Label version 3")
	b.fill("Label", "canary")
	b.awaitPreview("canary: none → v3")
	b.press("Set")
	b.closed()
	b.await("it is there", chips+` === "canary|rc-1 · fixed|stable · protected"`)
	b.await("the focus is back", `document.activeElement.getAttribute("aria-label") === "Label version 3"`)

	// What cannot be is refused where it is asked for.
	b.press("Label version 1")
	b.fill("Label", "rc-1")
	b.awaitPreview("rc-1: v2 → v1 fixed")
	b.press("Set")
	b.awaitText("names version 2 for ever")
	b.press("Cancel")
	b.press("Label version 3")
	b.fill("Label", "stable")
	b.awaitPreview("stable: v1 → v3 protected")
	b.awaitText("Protected: a department_admin of Lab or an admin")
	b.fill("Reason", "I want it")
	b.shot("label-protected")
	b.press("Set")
	b.await("it is refused", `document.querySelector("dialog[open] .problem")?.textContent.includes("protected")`)
	b.press("Cancel")
	s.place(token, "a"+strings.Repeat("b", 62), record{"version": 3, "reason": strings.Repeat("long", 100)})
	b.visit("#/agents/Ada", "Ada") // so that the versions are read anew
	b.pictures("labels", map[string]string{"agents/Ada/versions": "Versions of Ada", "agents/Ada": "Ada"})
}

// A protected label is moved by whoever may, and taken back by others.
func TestProtectedLabels(t *testing.T) {
	t.Parallel()
	s := start(t)
	editor := s.token("editor", "ed")
	s.versioned(editor)
	b := s.console(s.token("department_admin", "dora", "--departments", "Lab"), 1280, 900)
	b.expect("400", "403")
	b.visit("#/departments/Lab", "Lab")
	b.press("Change")
	b.fill("Protected labels", "Production")
	b.press("Save")
	b.await("the name is refused", `document.querySelector("dialog[open] .problem")?.textContent.includes("label")`)
	b.fill("Protected labels", "production, stable")
	b.shot("protected-labels")
	b.press("Save")
	b.closed()
	b.visit("#/agents/Ada", "Ada")
	for _, version := range []string{"2", "1", "3", "1", "2", "3"} { // all but the first move it; two of them take a version back
		b.press("Set a label")
		b.fill("Label", "production")
		b.fill("Version", version)
		b.await("it shows what changes", `document.querySelector("dialog .preview strong")?.textContent.endsWith("→ v`+version+`")`)
		b.press("Set")
		b.closed()
		b.awaitLabel("production v" + version + " protected")
	}

	b = s.console(editor, 1280, 900)
	b.visit("#/agents/Ada", "Ada")
	b.awaitText("Protected: a department_admin of Lab or an admin sets, moves and removes it.")
	if eval[bool](b, `Boolean((`+find+`)("Move production") ?? (`+find+`)("Remove production"))`) {
		t.Error("an editor is offered to move or remove a protected label")
	}
	b.press("Go back with production")
	b.awaitPreview("production: v3 → v2 protected")
	if got := b.texts("dialog option"); len(got) != 1 || got[0] != "2" {
		t.Errorf("it can go back to %q, want what it has named and nobody has taken back", got)
	}
	b.shot("label-back")
	b.press("Go back")
	b.await("a reason is needed", `document.querySelector("dialog input:invalid")`)
	b.fill("Reason", "too strict")
	b.press("Go back")
	b.closed()
	b.awaitLabel("production v2 protected")
	b.press("History of production")
	b.await("the way is shown", `document.querySelector(".labels .timeline li")?.textContent.startsWith("v3 → v2") && document.querySelector(".labels .timeline .chip").textContent === "return"`)
	b.shot("label-history")
	for _, wrong := range eval[[]string](b, audit) {
		t.Errorf("the page with labels: %s", wrong)
	}
	b.pictures("protected", map[string]string{"agents/Ada": "Ada", "changes?" + url.Values{"action": {"agent.label_set"}}.Encode(): "Changes"})

	b = s.console(s.token("viewer", "vi"), 1280, 900)
	b.visit("#/agents/Ada", "Ada")
	b.awaitLabel("production v2 protected")
	for _, action := range []string{"Set a label", "Move production", "Remove production", "Go back with production"} {
		if eval[bool](b, `Boolean((`+find+`)(`+quote(action)+`))`) {
			t.Errorf("a viewer is offered %q", action)
		}
	}
	b.press("History of production")
	b.await("the history is there", `document.querySelectorAll(".labels .timeline li").length === 7`)
}
