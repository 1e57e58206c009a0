package browser

import (
	"context"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// key presses a key that types nothing, with Ctrl if it is asked for.
func (b *tab) key(key string, ctrl bool) {
	b.t.Helper()
	var options []chromedp.KeyOption
	if ctrl {
		options = append(options, chromedp.KeyModifiers(kb.ModifierCtrl))
	}
	b.do("press "+key, chromedp.KeyEvent(key, options...))
}

// stroke presses a key that types something as a keyboard does: nothing is typed if the page
// wants it otherwise.
func (b *tab) stroke(key, code, text string) {
	b.t.Helper()
	for _, event := range []input.DispatchKeyEventParams{
		{Type: input.DispatchKeyEventTypeKeyDown, Key: key, Code: code, Text: text},
		{Type: input.DispatchKeyEventTypeKeyUp, Key: key, Code: code},
	} {
		b.do("press "+key, func(ctx context.Context, t *chromedp.Target) (chromedp.Void, error) {
			_, err := cdp.Call(ctx, t, input.DispatchKeyEvent, event)
			return chromedp.Void{}, err
		})
	}
}

func (b *tab) slash() { b.t.Helper(); b.stroke("/", "Slash", "/") }
func (b *tab) enter() { b.t.Helper(); b.stroke("Enter", "Enter", "\r") }

// chosen is the entry of the palette that Enter takes.
const chosen = `document.querySelector("dialog.palette [aria-selected=true] > span")?.textContent.trim()`

// The palette finds agents, departments, projects, pages and actions by a few letters and
// without a mouse. Where somebody types, / is a letter.
func TestPalette(t *testing.T) {
	t.Parallel()
	s := start(t)
	token := s.token("editor", "ed")
	s.lab(token, record{"instructions": "Count the zebras."})
	must[record](s, token, "POST", "agents", record{"name": "Grace", "role": "Adapter", "department": "Lab"})
	must[record](s, token, "POST", "projects", record{"name": "Moonshot"})
	must[record](s, token, "POST", "departments", record{"name": "Review board"})
	b := s.console(token, 1280, 900)

	b.slash()
	b.await("the palette is open", `document.activeElement.getAttribute("aria-label") === "Go to"`)
	b.await("pages are there", `[...document.querySelectorAll("dialog.palette li")].some(e => e.textContent.includes("Deleted agents"))`)
	b.do("type", insert("ada"))
	b.await("who is called that is first", chosen+` === "Ada Reviewer, Lab"`)
	if got := b.texts("dialog.palette li > span:first-child"); !slices.Equal(got, []string{"Ada Reviewer, Lab", "Grace Adapter, Lab", "Agents that have “ada” in them"}) {
		t.Errorf("it finds %q", got)
	}
	for _, wrong := range eval[[]string](b, audit) {
		t.Errorf("the palette: %s", wrong)
	}
	b.pictureOf("palette")
	b.key(kb.ArrowDown, false)
	b.await("the next one is chosen", chosen+` === "Grace Adapter, Lab"`)
	b.enter()
	b.await("it is there", `document.title.startsWith("Grace") && !document.querySelector("dialog, main[aria-busy]")`)

	for _, way := range []struct{ typed, found, title string }{
		{"lab", "Lab", "Lab"}, {"review", "Review board", "Review board"}, {"moon", "Moonshot", "Projects"}, {"deleted", "Deleted agents", "Deleted agents"}, {"plan", "Plan", "Plan"},
	} {
		b.key("k", true)
		b.do("type", insert(way.typed))
		b.await("it is found: "+way.found, chosen+` === `+quote(way.found))
		b.enter()
		b.await("it is there: "+way.title, `document.title.startsWith(`+quote(way.title)+`) && !document.querySelector("dialog, main[aria-busy]")`)
	}
	b.key("k", true)
	b.do("type", insert("new dep"))
	b.await("an action is found", chosen+` === "New department"`)
	b.enter()
	b.fill("Name", "Office")
	b.press("Create")
	b.closed()
	must[record](s, token, "GET", "departments/Office", nil)

	b.key("k", true)
	b.do("type", insert("zebras"))
	b.await("a search is offered", chosen+` === "Agents that have “zebras” in them"`)
	b.enter()
	b.await("it is found", `document.querySelector(".hit mark")?.textContent === "zebras"`)

	// Where somebody types, / is a letter; Escape leads back to it.
	b.visit("#/agents/Ada?edit=1", "Ada")
	b.awaitEditor()
	b.do("type", chromedp.Evaluate[chromedp.Void](`document.querySelector("text-editor").focus()`))
	b.slash()
	if got := b.value("Instructions"); got != "/Count the zebras." || eval[bool](b, `Boolean(document.querySelector("dialog"))`) {
		t.Errorf("after / the text is %q", got)
	}
	b.key("k", true)
	b.await("the palette is open", `document.querySelector("dialog.palette")`)
	b.key(kb.Escape, false)
	b.await("the editor has the focus", `!document.querySelector("dialog") && document.activeElement.localName === "text-editor"`)
	b.key("k", true)
	b.do("type", insert("settings"))
	b.await("it is found", chosen+` === "Settings"`)
	b.enter()
	b.awaitText("A draft stays in this browser") // what was typed is guarded
	b.press("Cancel")
	b.closed()
}

// Whose prompt has a word: the page of the search says the line, and takes every text as it is.
func TestSearchPage(t *testing.T) {
	t.Parallel()
	s := start(t)
	token := s.token("viewer", "vi")
	editor := s.token("editor", "ed")
	prompts := map[string]string{
		"Percent": "Give 100% of it.", "Line": "Use snake_case.", "Slash": `A path is C:\tmp.`, "Dots": "Regular: .* is greedy.",
		"Face": "Smile: 🙂🙃🙂 often.", "Long": "first\nsecond\nthe Third Line has <b>it</b>.", "Bidi": "a\u202eb hidden word.",
	}
	must[record](s, editor, "POST", "departments", record{"name": "Lab"})
	for name, text := range prompts {
		must[record](s, editor, "POST", "agents", record{"name": name, "role": "R", "department": "Lab", "instructions": text})
	}
	must[record](s, editor, "POST", "agents", record{"name": "On leave", "role": "R", "department": "Lab", "status": "on_leave", "instructions": "third line, too"})
	b := s.console(token, 1280, 900)
	b.visit("#/search", "Search")
	b.awaitText("Type 3 characters or more.")
	for typed, want := range map[string]string{
		"00%": "Percent", "e_c": "Line", `C:\`: "Slash", ": .*": "Dots", "🙂🙃🙂": "Face", "HIDDEN": "Bidi", "<b>": "Long",
	} {
		b.fill("Words to look for", typed)
		b.await("it is found: "+typed, `document.querySelectorAll(".hit").length === 1 && document.querySelector(".hit .name").textContent === `+quote(want)+
			` && document.querySelector(".hit mark").textContent.toLowerCase() === `+quote(strings.ToLower(typed)))
	}
	b.fill("Words to look for", "third line")
	b.await("both are found", `document.querySelectorAll(".hit").length === 2`)
	if got := b.texts(".hit dt"); !slices.Contains(got, "line 3") {
		t.Errorf("it is said to be in %q", got)
	}
	b.pictureOf("search")
	b.choose("Status", "active")
	b.await("who is on leave is left out", `document.querySelectorAll(".hit").length === 1`)
	if got := eval[string](b, "location.hash"); got != "#/search?text=third+line&status=active" {
		t.Errorf("the address is %s", got)
	}
	b.fill("Words to look for", "nothing of it")
	b.awaitText("No agent has that in it.")
	b.fill("Words to look for", "no")
	b.awaitText("Type 3 characters or more.")
	if b.visit("#/search?text="+url.QueryEscape("Third Line"), "Search"); b.value("Words to look for") != "Third Line" {
		t.Error("the words are not those of the address")
	}
}

// A deleted agent is found again and restored, as the dialog said; what is purged is gone.
func TestDeletedAgents(t *testing.T) {
	t.Parallel()
	s := start(t)
	token := s.token("admin", "ann")
	s.lab(token, record{"instructions": "Be kind."})
	id := must[record](s, token, "GET", "agents/Ada", nil)["id"].(string)
	b := s.console(token, 1280, 900)
	b.expect("409", "404")
	b.visit("#/deleted", "Deleted agents")
	b.awaitText("No agent has been deleted.")

	remove := func() {
		b.visit("#/agents/Ada", "Ada")
		b.press("Delete")
		b.awaitText("It can be restored on the page Deleted agents.")
		b.press("Delete")
		b.await("the organization is there", `document.title.startsWith("Organization") && !document.querySelector("dialog, main[aria-busy]")`)
	}
	remove()
	must[record](s, token, "POST", "agents", record{"name": "ada", "role": "Another", "department": "Lab"})
	b.key("k", true)
	b.do("type", insert("deleted ag"))
	b.enter()
	b.await("it is listed", `document.querySelector("main li a")?.textContent === "Ada"`)
	b.pictureOf("deleted")
	b.press("Restore Ada")
	b.fill("Reason", "was needed")
	b.press("Restore")
	b.await("the name is taken", `document.querySelector("dialog .problem").textContent.includes("ada")`)
	b.pictureOf("restore")
	b.fill("Name", "Ada II")
	b.press("Restore")
	b.await("it is back", `document.title.startsWith("Ada II") && !document.querySelector("dialog, main[aria-busy]")`)
	if now := must[record](s, token, "GET", "agents/"+url.PathEscape("Ada II"), nil); now["id"] != id || now["instructions"] != "Be kind." {
		t.Errorf("restored is %v", now)
	}
	if v := must[[]record](s, token, "GET", "agents/"+id+"/versions", nil); v[0]["reason"] != "was needed" {
		t.Errorf("the version is %v", v[0])
	}

	// Its department is gone.
	must[record](s, token, "POST", "departments", record{"name": "Office"})
	for _, name := range []string{"Ada II", "ada"} {
		s.call(token, "DELETE", "agents/"+url.PathEscape(name), nil)
	}
	s.call(token, "DELETE", "departments/Lab", nil)
	b.visit("#/agents/"+id, "Ada II")
	b.press("Restore Ada II")
	b.awaitText("is not there any more")
	b.choose("Department", "Office")
	b.press("Restore")
	b.await("it is back", `location.hash === "#/agents/Ada%20II" && !document.querySelector("dialog, main[aria-busy]")`)
	if now := must[record](s, token, "GET", "agents/"+id, nil); now["department"] != "Office" {
		t.Errorf("restored is %v", now)
	}

	s.call(token, "DELETE", "agents/"+id, nil)
	b.visit("#/deleted", "Deleted agents")
	b.await("both are listed", `document.querySelectorAll("main .versions > li").length === 2`)
	b.press("Remove Ada II for good")
	b.fill("Name of the agent", "Ada")
	b.press("Remove for good")
	b.awaitText("Type Ada II as it is written here.")
	b.fill("Name of the agent", "Ada II")
	b.press("Remove for good")
	b.await("it is gone", `!document.querySelector("dialog") && document.querySelectorAll("main .versions > li").length === 1`)
	if got := s.call(token, "GET", "agents/"+id+"/versions", nil); got.status != 404 {
		t.Errorf("its versions are answered with %d", got.status)
	}
	viewer := s.console(s.token("viewer", "vi"), 1280, 900)
	viewer.visit("#/deleted", "Deleted agents")
	if got := viewer.texts("main .versions button"); len(got) > 0 {
		t.Errorf("a viewer is offered %q", got)
	}
}

// What is typed into a filter and not used leads nobody back who leaves.
func TestFilterIsLeft(t *testing.T) {
	t.Parallel()
	s := start(t)
	token := s.token("admin", "ann")
	b := s.console(token, 1440, 900)
	for page, filter := range map[string][3]string{"audit": {"Audit trail", "Who", "ann"}, "": {"Organization", "Find an agent by name, role, owner or tag", "Ada"}} {
		b.visit("#/"+page, filter[0])
		b.fill(filter[1], filter[2])
		b.visit("#/projects", "Projects")
		if at := eval[string](b, `new Promise((go) => setTimeout(() => go(location.hash + " " + document.title), 300))`); at != "#/projects Projects · orgd" {
			t.Errorf("who has typed into the filter %s is led to %s", filter[1], at)
		}
	}
}
