package browser

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// write opens the form of an agent on its page.
func (b *tab) write(agent string) {
	b.t.Helper()
	b.visit("#/agents/"+agent, agent)
	b.press("Edit")
	b.awaitEditor()
}

// awaitEditor waits until the form of an agent is there, and fetched as it is now.
func (b *tab) awaitEditor() {
	b.t.Helper()
	b.await("the editor is there", `document.querySelector("text-editor")?.shadowRoot?.querySelector(".cm-content")`)
}

// save shows the difference and saves what has been typed, for a reason.
func (b *tab) save(reason string) {
	b.t.Helper()
	b.press("Show the difference")
	b.await("the difference is there", `document.querySelector("dialog[open] .preview .change")`)
	b.fill("Reason", reason)
	b.press("Save")
}

// saved waits until a version is saved, and can be read.
func (b *tab) saved(version int) {
	b.t.Helper()
	b.awaitText(fmt.Sprintf("Saved. This is version %d.", version))
	b.await("it can be read", `!document.querySelector("text-editor, main[aria-busy]")`)
	b.eval(`document.getElementById("notices").replaceChildren()`)
}

// patches is a script that keeps the bodies of all PATCH requests in the list sent.
const patches = `{ const fetched = fetch; window.sent = []; window.fetch = (where, options) => {
	if (options?.method === "PATCH") window.sent.push(options.body);
	return fetched(where, options);
}; }`

// lab makes an agent Ada of a department Lab.
func (s service) lab(token string, ada record) {
	s.t.Helper()
	must[record](s, token, "POST", "departments", record{"name": "Lab"})
	body := record{"name": "Ada", "role": "Reviewer", "department": "Lab"}
	for name, value := range ada {
		body[name] = value
	}
	must[record](s, token, "POST", "agents", body)
}

// An agent is changed by an editor for its instructions and by forms; what changes is
// shown before it is saved, and stays if it is refused.
func TestWriting(t *testing.T) {
	t.Parallel()
	s := start(t)
	token := s.token("editor", "ed")
	s.lab(token, record{
		"instructions": "Read it.\nBe kind.\nAnswer.", "model": record{"provider": "acme", "model_id": "m1"},
		"tools":  record{"allowed": []any{"grep"}},
		"skills": record{"primary": []any{record{"id": "read", "name": "Reading", "tags": []any{"calm"}, "proficiency": 0.5}}},
	})
	b := s.console(token, 1440, 900)
	b.expect("400")
	b.visit("#/agents/Ada", "Ada")
	if first := eval[string](b, `document.querySelector("main .panel h2").textContent`); first != "Instructions" {
		t.Errorf("the page begins with %q", first)
	}
	b.shot("reading")
	b.press("Edit")
	b.awaitEditor()
	if high := eval[float64](b, `document.querySelector("text-editor").offsetHeight / innerHeight`); high < 0.7 {
		t.Errorf("the editor takes %.2f of the window", high)
	}
	b.pictureOf("writing")
	b.fill("Instructions", "Read it.\nBe strict.\nAnswer.")
	b.fill("Temperature", "1.25")
	b.fill("Tools allowed", "grep\n sed \n\ngrep")
	b.choose("Level", "junior")
	b.choose("Autonomy", "full")
	b.press("Add a skill")
	b.eval(`{ const all = [...document.querySelectorAll("skill-list .skill:last-of-type input")]; const put = (i, v) => { all[i].value = v; all[i].dispatchEvent(new Event("input", { bubbles: true })); }; put(0, "Judging"); put(1, "judge"); }`)
	b.await("it says what is changed", `document.querySelector(".actions p").textContent === "Changed, and kept as a draft: instructions, level, model temperature, autonomy level, tools allowed, skills primary"`)
	b.eval(patches)
	b.press("Show the difference")
	b.await("it is shown field by field", `[...document.querySelectorAll("dialog .change h3 code")].map(e => e.textContent).join() === "instructions,level,model.temperature,autonomy_level,tools.allowed,skills.primary" &&
		document.querySelector("dialog .diff .added")?.textContent.includes("Be strict.")`)
	b.shot("difference")
	for _, wrong := range eval[[]string](b, audit) {
		t.Errorf("the dialog: %s", wrong)
	}
	b.fill("Reason", "too kind")
	b.press("Save")
	b.await("it is refused, and stays", `document.querySelector("dialog[open] .problem")?.textContent.includes("junior")`)
	if got := b.value("Reason"); got != "too kind" {
		t.Errorf("the reason is now %q", got)
	}
	b.press("Cancel")
	b.choose("Level", "mid")
	b.choose("Autonomy", "semi")
	b.save("too kind – “far”")
	b.saved(2)
	b.await("it can be read", `document.querySelector("pre.prose")?.textContent.includes("Be strict.")`)
	if got, want := eval[string](b, `window.sent.at(-1)`), `{"instructions":"Read it.\nBe strict.\nAnswer.","model":{"temperature":1.25},"autonomy_level":"semi","tools":{"allowed":["grep","sed"]},`+
		`"skills":{"primary":[{"description":"","id":"read","input_modes":["text/plain"],"name":"Reading","output_modes":["text/plain"],"proficiency":0.5,"tags":["calm"]},{"id":"judge","name":"Judging"}]}}`; got != want {
		t.Errorf("what was sent is\n%s, want\n%s", got, want)
	}
	if v := must[[]record](s, token, "GET", "agents/Ada/versions?limit=1", nil); v[0]["reason"] != "too kind – “far”" {
		t.Errorf("the reason is %q", v[0]["reason"])
	}
	b.write("Ada")
	b.fill("Model provider", "")
	b.fill("Model", "")
	b.save("none")
	b.saved(3)
	if now := must[record](s, token, "GET", "agents/Ada", nil); now["model"] != nil {
		t.Errorf("the model is %v", now["model"])
	}
}

// hostileTexts are instructions that an editor may change by itself.
func hostileTexts() map[string]string {
	return map[string]string{
		"crlf":   "one\r\ntwo\r\n",
		"mixed":  "one\r\ntwo\nthree\r\r\nfour",
		"cr":     "one\rtwo",
		"last":   "one\r\ntwo\r",
		"markup": `<script>document.title = "taken"</script><img src=x onerror=alert(1)>`,
		"bidi":   "pay \u202e100\u202c to \u2066me\u2069\u200b\u00ad and \U000e0061",
		"arabic": "مرحبا بالعالم\nhello",
		"long":   strings.Repeat("0123456789abcde ", 8<<10-1), // nearly 128 KiB on a line
	}
}

// What nobody has touched stays as it is, to the byte; what is typed goes between it.
func TestHostileTexts(t *testing.T) {
	t.Parallel()
	s := start(t)
	token := s.token("editor", "ed")
	must[record](s, token, "POST", "departments", record{"name": "Lab"})
	b := s.console(token, 1440, 900)
	b.eval(patches)
	for name, text := range hostileTexts() {
		agent := must[record](s, token, "POST", "agents", record{"name": name, "role": "a\nb", "department": "Lab", "instructions": text, "description": "c\r\nd"})
		if agent["instructions"] != text {
			t.Fatalf("%s: the service itself keeps %q", name, agent["instructions"])
		}
		b.visit("#/agents/"+name, name)
		b.shot("hostile-text-" + name)
		b.press("Edit")
		b.awaitEditor()
		b.fits(name)
		b.shot("hostile-text-" + name + "-editor")
		b.choose("Level", "lead")
		b.save("a level")
		b.saved(2)
		if got := eval[string](b, `window.sent.at(-1)`); got != `{"level":"lead"}` {
			t.Errorf("%s: %s is sent, want the level alone", name, got)
		}
		b.press("Edit")
		b.awaitEditor()
		before := eval[string](b, `document.querySelector("text-editor").value`)
		if before != text {
			t.Errorf("%s: the editor has %.100q, want %.100q", name, before, text)
		}
		b.do("type at the end", chromedp.Evaluate[chromedp.Void](`document.querySelector("text-editor").focus()`),
			chromedp.KeyEvent(kb.End, chromedp.KeyModifiers(kb.ModifierCtrl)))
		b.do("type a line", chromedp.Evaluate[chromedp.Void](`document.querySelector("text-editor").shadowRoot.querySelector(".cm-content").dispatchEvent(
			new KeyboardEvent("keydown", { key: "Enter", keyCode: 13, bubbles: true, cancelable: true }))`), insert("x"))
		b.save("a line")
		b.saved(3)
		end := "\n"
		if name == "crlf" {
			end = "\r\n"
		}
		if now := must[record](s, token, "GET", "agents/"+name, nil); now["instructions"] != text+end+"x" || now["role"] != "a\nb" || now["description"] != "c\r\nd" {
			t.Errorf("%s: after a line was typed it is %.200q of role %q", name, now["instructions"], now["role"])
		}
	}
	if made := eval[int](b, `document.querySelectorAll("main script, main img[src=x]").length`); made > 0 || eval[string](b, "document.title") == "taken" {
		t.Error("a text has become a part of the page")
	}
}

// paste is a script that pastes a text into the editor.
const paste = `(text) => {
	const data = new DataTransfer();
	data.setData("text/plain", text);
	document.querySelector("text-editor").shadowRoot.querySelector(".cm-content").dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
}`

// What is pasted takes the line ends of the text, and much of it takes no time.
func TestPaste(t *testing.T) {
	t.Parallel()
	s := start(t)
	token := s.token("editor", "ed")
	s.lab(token, record{"instructions": "a\r\n"})
	b := s.console(token, 1440, 900)
	b.expect("400")
	b.write("Ada")
	b.do("go to the end", chromedp.Evaluate[chromedp.Void](`document.querySelector("text-editor").focus()`), chromedp.KeyEvent(kb.End, chromedp.KeyModifiers(kb.ModifierCtrl)))
	b.eval("(" + paste + `)("b\nc\rd\r\ne")`)
	if got := b.value("Instructions"); got != "a\r\nb\r\nc\r\nd\r\ne" {
		t.Errorf("the text is now %q", got)
	}
	for name, text := range map[string]string{"in lines": strings.Repeat("All work and no play.\n", 20<<10), "on one line": strings.Repeat("All work and no play. ", 20<<10)} {
		b.fill("Instructions", "")
		took := eval[float64](b, `(async () => {
			const begun = performance.now();
			(`+paste+`)(`+quote(text)+`);
			await new Promise(requestAnimationFrame);
			await new Promise((go) => setTimeout(go));
			return performance.now() - begun;
		})()`)
		t.Logf("pasting %d bytes %s took %.0f ms", len(text), name, took)
		b.do("type", chromedp.Evaluate[chromedp.Void](`document.querySelector("text-editor").focus()`), chromedp.KeyEvent("!"))
		b.await("what was typed is there", `document.querySelector("text-editor").value.endsWith("!")`)
	}
	// The service refuses what is too long, and nothing is lost.
	b.save("much")
	b.await("it is refused, and stays", `document.querySelector("dialog[open] .problem")?.textContent.includes("instructions")`)
}

// The editor searches in its text, and the keyboard gets into it and out again.
func TestEditor(t *testing.T) {
	t.Parallel()
	s := start(t)
	token := s.token("editor", "ed")
	s.lab(token, record{"instructions": strings.Repeat("Be kind.\n", 200) + "Be strict.\n"})
	b := s.console(token, 1440, 900)
	b.write("Ada")
	const room = `document.querySelector("text-editor").shadowRoot`
	b.do("search", chromedp.Evaluate[chromedp.Void](`document.querySelector("text-editor").focus()`), chromedp.KeyEvent("f", chromedp.KeyModifiers(kb.ModifierCtrl)))
	b.await("the search is there", room+`.activeElement?.name === "search"`)
	b.do("type", chromedp.KeyEvent("strict"), chromedp.KeyEvent("\r"))
	b.await("it is found", room+`.querySelector(".cm-searchMatch-selected")?.textContent === "strict"`)
	b.pictureOf("editor-search")
	b.do("end the search", chromedp.KeyEvent("\u001b"))
	b.await("the editor has the focus", room+`.activeElement?.matches(".cm-content") && !`+room+`.querySelector(".cm-search")`)
	b.do("leave", chromedp.KeyEvent("\t"))
	b.await("the focus is on the next field", `document.activeElement === (`+label+`)("Name")`)
	if got := eval[string](b, room+`.querySelector("[role=textbox]").getAttribute("aria-label")`); got != "Instructions" {
		t.Errorf("the editor is called %q", got)
	}
	if n := eval[int](b, room+`.querySelectorAll("style").length`); n > 0 {
		t.Errorf("the editor has %d styles in the page, which its policy forbids", n)
	}
}

// Two people change one agent: each sees what the other does, beside what they type
// themselves, and nothing is lost.
func TestTwoPeople(t *testing.T) {
	t.Parallel()
	s := start(t)
	ed, ann := s.token("editor", "ed"), s.token("admin", "ann")
	s.lab(ed, record{"instructions": "Read it.\nBe kind.\n", "description": "d"})
	b := s.console(ed, 1440, 900)
	b.expect("409", "404")
	b.write("Ada")
	b.fill("Instructions", "Read it.\nBe strict.\n")
	s.because(ann, "kinder", "PATCH", "agents/Ada", record{"instructions": "Read it twice.\nBe kind.\n", "description": "Another.", "level": "lead"})
	b.await("it is said who has something else", `document.querySelector(".prompt .theirs")?.textContent.startsWith("ann has changed this meanwhile.")`)
	b.await("what is not touched is theirs", `(`+label+`)("Description").value === "Another." && (`+label+`)("Level").value === "lead"`)
	b.press("What they have changed")
	b.await("theirs is shown", `document.querySelector(".prompt .theirs .added").textContent.includes("Read it twice.")`)
	b.pictureOf("two-people")
	if got := b.value("Instructions"); got != "Read it.\nBe strict.\n" {
		t.Errorf("what was typed is now %q", got)
	}
	b.press("Show the difference")
	b.await("it is against theirs", `document.querySelector("dialog .diff .removed").textContent.includes("Read it twice.")`)
	// They are faster once more while the dialog is open.
	must[record](s, ann, "PATCH", "agents/Ada", record{"instructions": "Read it thrice.\n"})
	b.await("it is against what is there now", `document.querySelector("dialog .diff .removed").textContent.includes("Read it thrice.")`)
	b.fill("Reason", "both")
	b.press("Save")
	b.saved(4)
	if now := must[record](s, ed, "GET", "agents/Ada", nil); now["instructions"] != "Read it.\nBe strict.\n" || now["description"] != "Another." || now["level"] != "lead" {
		t.Errorf("the agent is %v", now)
	}

	// Theirs can be taken. A label is no obstacle.
	b.press("Edit")
	b.awaitEditor()
	b.fill("Description", "Mine.")
	must[record](s, ann, "PATCH", "agents/Ada", record{"description": "Theirs."})
	b.press("Take theirs")
	b.await("it is theirs", `(`+label+`)("Description").value === "Theirs." && document.querySelector(".actions p").textContent === "Nothing is changed yet."`)
	b.fill("Role", "Examiner")
	s.place(ann, "production", record{"version": 1})
	b.save("a role")
	b.saved(6)

	b.press("Edit")
	b.awaitEditor()
	b.fill("Instructions", "In vain.")
	if a := s.call(ann, "DELETE", "agents/Ada", nil); a.status != http.StatusNoContent {
		t.Fatalf("DELETE = %d", a.status)
	}
	b.awaitText("Ada has been deleted.")
	if got := b.value("Instructions"); got != "In vain." {
		t.Errorf("what was typed is now %q", got)
	}
}

// Every form of the console sends what was touched and nothing else.
func TestOnlyWhatWasTouched(t *testing.T) {
	t.Parallel()
	s := start(t, "--webhook-allow-http", "--webhook-allow-private")
	token := s.token("admin", "ann")
	s.lab(token, nil)
	must[record](s, token, "PATCH", "departments/Lab", record{"description": "a\r\nb", "budget_percent": 12.5, "head": "Ada"})
	must[record](s, token, "PATCH", "company", record{"company_name": "One", "settings": record{"a": "b\r\nc", "n": 1}})
	must[record](s, token, "POST", "projects", record{"name": "Roof", "description": "a\r\nb", "budget": 1200.50, "deadline": "2027-01-01T10:30:00Z"})
	must[record](s, token, "POST", "webhooks", record{"url": "http://127.0.0.1:9/in", "event_types": []any{"hired"}, "departments": []any{"Lab"}})
	b := s.console(token, 1440, 900)
	b.eval(patches)
	sent := func(want string) {
		t.Helper()
		b.eventually("it is sent", func() bool { return eval[int](b, "window.sent.length") > 0 })
		if got := eval[string](b, "window.sent.shift()"); got != want {
			t.Errorf("what was sent is %s, want %s", got, want)
		}
		b.closed()
	}
	b.visit("#/departments/Lab", "Lab")
	b.press("Change")
	b.fill("Share of the budget, %", "20")
	b.press("Save")
	sent(`{"budget_percent":20}`)
	b.press("Change")
	b.fill("Description", "a\nb\nc")
	b.press("Save")
	sent(`{"description":"a\r\nb\r\nc"}`) // lines go on ending as they did
	b.visit("#/projects", "Projects")
	b.press("Change Roof")
	b.await("the dialog is open", `document.querySelector("dialog[open]")`)
	b.choose("Status", "active")
	b.press("Save")
	sent(`{"status":"active"}`)
	b.visit("#/settings", "Settings")
	b.fill("Name", "Two")
	b.press("Save")
	sent(`{"company_name":"Two"}`)
	b.fill("Settings, JSON", `{"a": "b\r\nc", "n": 2}`)
	must[record](s, token, "PATCH", "company", record{"settings": record{"theirs": true}})
	b.expect("409")
	b.press("Save")
	sent(`{"settings":{"n":2}}`)
	b.awaitText("Somebody else was faster.")
	b.press("Save")
	sent(`{"settings":{"n":2}}`)
	b.eventually("both are there", func() bool {
		return fmt.Sprint(must[record](s, token, "GET", "company", nil)["settings"]) == "map[a:b\r\nc n:2 theirs:true]"
	})
	b.press("Change http://127.0.0.1:9/in")
	b.choose("URL", "http://127.0.0.1:9/other")
	b.press("Save")
	sent(`{"url":"http://127.0.0.1:9/other"}`)
}
