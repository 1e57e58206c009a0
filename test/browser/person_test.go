package browser

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
)

// What a person does in the console, and what a program that uses the same
// service does meanwhile.

// answer is what the interface answers, as far as tests look at it.
type answer struct {
	status int
	tag    string
	Data   json.RawMessage

	Pagination struct {
		Next string `json:"next_cursor"`
	}
	Error string
}

// call makes a request to the interface.
func (s service) call(token, method, path string, body any) answer {
	s.t.Helper()
	return s.callWith(token, method, path, body, http.Header{})
}

// callWith makes one with more headers.
func (s service) callWith(token, method, path string, body any, header http.Header) answer {
	s.t.Helper()
	var content io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			s.t.Fatal(err)
		}
		content = bytes.NewReader(text)
	}
	r, err := http.NewRequestWithContext(s.t.Context(), method, s.URL+"/api/v1/"+path, content)
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header = header
	r.Header.Set("Authorization", "Bearer "+token)
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	defer http.DefaultClient.CloseIdleConnections()
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	a := answer{status: resp.StatusCode, tag: resp.Header.Get("ETag")}
	if err := json.NewDecoder(resp.Body).Decode(&a); err != nil && resp.StatusCode != http.StatusNoContent {
		s.t.Fatalf("%s %s = %d: %v", method, path, resp.StatusCode, err)
	}
	return a
}

// must makes a request that succeeds and returns its data.
func must[T any](s service, token, method, path string, body any) (data T) {
	s.t.Helper()
	a := s.call(token, method, path, body)
	if a.status >= 300 {
		s.t.Fatalf("%s %s = %d %s", method, path, a.status, a.Error)
	}
	if len(a.Data) > 0 {
		if err := json.Unmarshal(a.Data, &data); err != nil {
			s.t.Fatalf("%s %s: %v", method, path, err)
		}
	}
	return data
}

type record = map[string]any

// names are those of records in their order.
func names(all []record) []string {
	var list []string
	for _, r := range all {
		list = append(list, r["name"].(string))
	}
	return list
}

// console opens the console of a service and signs in.
func (s service) console(token string, width, height int64) *tab {
	s.t.Helper()
	b := open(s.t, width, height)
	b.do("open the console", chromedp.Navigate(s.URL+"/console"), chromedp.WaitVisible(css("#token")))
	b.signIn(token)
	b.await("the first page is there", "document.body.dataset.ready !== undefined")
	return b
}

func (b *tab) signIn(token string) {
	b.t.Helper()
	b.do("sign in", chromedp.Focus(css("#token")), insert(token), chromedp.Click(css(".sign-in button")), chromedp.WaitNotPresent(css("#token")))
}

// complete is true when nothing in the page waits for what is being read.
const complete = `![...document.querySelectorAll("main *")].some(e => e.textContent === "…" && !e.matches(".skip-lines"))`

// visit goes to a page of the console and waits for its title.
func (b *tab) visit(fragment, title string) {
	b.t.Helper()
	b.do("visit "+fragment, chromedp.Evaluate[chromedp.Void]("location.hash = "+quote(fragment)))
	b.await(fmt.Sprintf("the page %q is there", title), "document.title.startsWith("+quote(title)+`) && !document.querySelector("main[aria-busy]")`)
}

// find is a script that finds what can be pressed by its name: in the dialog
// that is open, or else in the page.
const find = `(name) => {
	const room = [...document.querySelectorAll("dialog[open]")].at(-1) ?? document;
	return [...room.querySelectorAll("button, a, summary")].find(e => e.checkVisibility() && !e.disabled &&
		(e.getAttribute("aria-label") ?? e.textContent).trim() === name);
}`

// press clicks what has a name, with the mouse.
func (b *tab) press(name string) {
	b.t.Helper()
	b.await(fmt.Sprintf("%q can be pressed", name), `!document.querySelector("main[aria-busy]") && (`+find+")("+quote(name)+")")
	at := eval[[]float64](b, `(async () => {
		const e = (`+find+`)(`+quote(name)+`);
		e.scrollIntoView({ block: "center", inline: "center" });
		await new Promise(requestAnimationFrame);
		const r = e.getBoundingClientRect();
		return [r.left + r.width / 2, r.top + r.height / 2];
	})()`)
	b.do("press "+name, chromedp.MouseClickXY(at[0], at[1]))
}

// clear empties a field.
func (b *tab) clear(selector string) {
	b.t.Helper()
	b.do("clear "+selector, chromedp.Evaluate[chromedp.Void](`{ const f = document.querySelector(`+quote(selector)+`); f.value = ""; f.dispatchEvent(new Event("input", { bubbles: true })); }`))
}

// label is a script that finds a field by its label.
const label = `(name) => {
	const room = [...document.querySelectorAll("dialog[open]")].at(-1) ?? document;
	return [...room.querySelectorAll("label")].find(l => l.textContent.trim() === name && l.control)?.control ??
		[...room.querySelectorAll("input, select")].find(e => e.getAttribute("aria-label") === name);
}`

// fill types a text into a field in the place of what it holds.
func (b *tab) fill(name, text string) {
	b.t.Helper()
	field := "(" + label + ")(" + quote(name) + ")"
	b.await(fmt.Sprintf("there is a field %q", name), field)
	b.do("fill in "+name, chromedp.Evaluate[chromedp.Void]("{ const f = "+field+"; f.scrollIntoView({ block: 'center' }); f.focus(); f.select(); }"),
		insert(text))
}

// insert pastes a text where the focus is.
func insert(text string) step {
	return func(ctx context.Context, t *chromedp.Target) (chromedp.Void, error) {
		_, err := cdp.Call(ctx, t, input.InsertText, input.InsertTextParams{Text: text})
		return chromedp.Void{}, err
	}
}

// choose takes a value of a list.
func (b *tab) choose(name, value string) {
	b.t.Helper()
	field := "(" + label + ")(" + quote(name) + ")"
	b.await(fmt.Sprintf("there is a field %q", name), field)
	b.do("choose "+value, chromedp.Evaluate[chromedp.Void](`{ const f = `+field+`; f.value = `+quote(value)+`; f.dispatchEvent(new Event("change", { bubbles: true })); }`))
}

// value is what a field holds.
func (b *tab) value(name string) string {
	b.t.Helper()
	return eval[string](b, "("+label+")("+quote(name)+").value")
}

// texts are those of the elements that a selector finds.
func (b *tab) texts(selector string) []string {
	b.t.Helper()
	return eval[[]string](b, `[...document.querySelectorAll(`+quote(selector)+`)].map(e => e.textContent.trim())`)
}

// eventually waits until a condition outside of the browser holds.
func (b *tab) eventually(what string, holds func() bool) {
	b.t.Helper()
	for deadline := time.Now().Add(patience); !holds(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(deadline) {
			b.shot("failed-" + strings.ReplaceAll(b.t.Name(), "/", "-"))
			b.t.Fatalf("it never came to pass that %s", what)
		}
	}
}

// quoteList writes a list as JavaScript does.
func quoteList(list []string) string {
	if list == nil {
		list = []string{}
	}
	out, err := json.Marshal(list)
	if err != nil {
		panic(err) // texts can always be written
	}
	return string(out)
}

// quoteInt writes a number as JavaScript does.
func quoteInt(n int) string { return fmt.Sprint(n) }
