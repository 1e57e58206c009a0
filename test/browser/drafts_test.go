package browser

import (
	"context"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// answer gives an answer to the browser's own question whether to leave, which a step
// makes it ask.
func (b *tab) answer(what string, leave bool, ask step) {
	b.t.Helper()
	asked := make(chan struct{}, 1)
	ctx, end := context.WithCancel(b.Context)
	defer end()
	if err := chromedp.Listen(ctx, func(event any) {
		if _, ok := event.(*page.EventJavascriptDialogOpening); ok {
			asked <- struct{}{}
		}
	}); err != nil {
		b.t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		<-asked
		b.do("answer the browser", func(ctx context.Context, t *chromedp.Target) (chromedp.Void, error) {
			_, err := cdp.Call(ctx, t, page.HandleJavaScriptDialog, page.HandleJavaScriptDialogParams{Accept: leave})
			return chromedp.Void{}, err
		})
	}()
	b.do(what, ask)
	<-done
}

// reload loads the page again, against the warning of the browser.
func (b *tab) reload() {
	b.t.Helper()
	b.answer("load the page again", true, chromedp.Reload())
}

// What was typed survives leaving, a reload and the end of the session, until it is saved or
// dropped.
func TestDraft(t *testing.T) {
	t.Parallel()
	s := start(t)
	token := s.token("editor", "ed")
	s.lab(token, record{"instructions": "Be kind."})
	b := s.console(token, 1440, 900)
	b.expect("401")
	b.write("Ada")
	b.do("type", chromedp.Evaluate[chromedp.Void](`document.querySelector("text-editor").focus()`), insert("An hour of work. "))
	b.choose("Level", "lead")
	b.reload()
	b.awaitText("Your draft is back")
	b.pictureOf("draft")
	const typed = "An hour of work. Be kind."
	if got := b.value("Instructions"); got != typed {
		t.Errorf("after a reload the text is %q", got)
	}

	// Somebody else changes the agent while nobody looks.
	b.press("Organization")
	b.awaitText("A draft stays in this browser")
	b.press("Leave")
	b.await("the organization is there", `document.title.startsWith("Organization")`)
	must[record](s, s.token("admin", "ann"), "PATCH", "agents/Ada", record{"instructions": "Be strict.", "description": "d"})
	b.press("Signed in as ed")
	b.press("Sign out")
	b.do("see the sign-in", chromedp.WaitVisible(css("#token")))
	kept := eval[string](b, `JSON.stringify({ ...localStorage })`)
	if !strings.Contains(kept, "An hour of work.") || strings.Contains(kept, token) || strings.Contains(kept, strings.Split(token, ".")[1]) {
		t.Errorf("the browser keeps %s", kept)
	}

	// It is ed's.
	b.signIn(s.token("editor", "eve"))
	b.visit("#/agents/Ada", "Ada")
	if eval[bool](b, `Boolean(document.querySelector("text-editor"))`) {
		t.Error("somebody else gets the draft")
	}
	b.press("Signed in as eve")
	b.press("Sign out")
	b.do("see the sign-in", chromedp.WaitVisible(css("#token")))
	b.signIn(s.token("editor", "ed"))
	b.visit("#/agents/Ada", "Ada")
	b.awaitText("Your draft is back")
	b.await("what others did is beside it", `document.querySelector(".prompt .theirs")?.textContent.includes("has changed this meanwhile") && (`+label+`)("Description").value === "d"`)
	if got := b.value("Instructions"); got != typed {
		t.Errorf("after the sign-in the text is %q", got)
	}
	b.save("mine")
	b.saved(3)
	if now := must[record](s, s.token("editor", "x"), "GET", "agents/Ada", nil); now["instructions"] != typed || now["level"] != "lead" || now["description"] != "d" {
		t.Errorf("the agent is %v", now)
	}
	if n := eval[int](b, `localStorage.length`); n > 0 {
		t.Errorf("%d drafts are left", n)
	}
	b.press("Edit")
	b.awaitEditor()
	b.fill("Role", "Nothing")
	b.press("Discard")
	b.press("Drop it")
	b.await("it can be read", `!document.querySelector("text-editor")`)
	if n := eval[int](b, `localStorage.length`); n > 0 {
		t.Errorf("%d drafts are left", n)
	}
	b.do("load the page again", chromedp.Reload()) // nobody asks
	b.await("nothing is restored", `document.title.startsWith("Ada") && !document.querySelector("text-editor, main[aria-busy]")`)
}

// Every way out asks first: links, the buttons of the browser, the address, reloading, closing and
// signing out.
func TestGuard(t *testing.T) {
	t.Parallel()
	s := start(t)
	token := s.token("editor", "ed")
	s.lab(token, record{"instructions": "Be kind."})
	b := s.console(token, 1440, 900)
	b.visit("#/activity", "Activity")
	b.visit("#/projects", "Projects")
	b.write("Ada")
	b.fill("Instructions", "An hour of work.")
	stays := func(way string) {
		t.Helper()
		b.await("it is asked first", `document.querySelector("dialog[open]")?.textContent.includes("Not saved: instructions of Ada.")`)
		b.press("Cancel")
		b.await("the address is that of the page", `location.hash === "#/agents/Ada?edit=1" && !document.querySelector("dialog[open]")`)
		if got := b.value("Instructions"); got != "An hour of work." {
			t.Errorf("after %s the text is %q", way, got)
		}
	}
	b.press("Settings")
	b.shot("guard")
	stays("a link")
	b.eval(`history.back()`)
	stays("going back")
	b.eval(`history.go(-2)`)
	stays("going back twice")
	b.eval(`location.hash = "#/plan"`)
	stays("another address")
	b.press("Signed in as ed")
	b.press("Sign out")
	stays("signing out")
	b.answer("load the page again", false, func(ctx context.Context, t *chromedp.Target) (chromedp.Void, error) {
		return chromedp.Evaluate[chromedp.Void](`setTimeout(() => location.reload())`)(ctx, t)
	})
	if got := b.value("Instructions"); got != "An hour of work." {
		t.Errorf("after a reload that was refused the text is %q", got)
	}
	b.eval(`history.back()`)
	b.await("it is asked first", `document.querySelector("dialog[open]")`)
	b.press("Leave")
	b.await("it is where it was before", `document.title.startsWith("Projects")`)
	b.eval(`history.back()`)
	b.await("and before that", `document.title.startsWith("Activity")`)

	// Other forms ask, too.
	b.visit("#/settings", "Settings")
	b.fill("Name", "Another")
	b.press("Projects")
	b.awaitText("What you have changed of the company is not saved, and will be lost.")
	b.press("Leave")
	b.await("it is gone", `document.title.startsWith("Projects")`)
	b.press("New project")
	b.fill("Name", "Roof")
	b.do("press Escape", chromedp.KeyEvent("\u001b"))
	b.awaitText("Press Escape again to drop what you have typed.")
	if got := b.value("Name"); got != "Roof" {
		t.Errorf("after Escape the name is %q", got)
	}
	b.press("Cancel")
	b.closed()
}
