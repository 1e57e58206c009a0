// Package browser uses the pages of the real program in a real browser, Chromium,
// as people do.
package browser

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	cdplog "github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"orgd/test/process"
)

const (
	// chromiumVariable names the browser; otherwise it is looked for on the path.
	// "off" is for none.
	chromiumVariable = "ORGD_TEST_CHROMIUM"
	// screenshotsVariable names the directory that pictures of the pages are kept
	// in.
	screenshotsVariable = "ORGD_TEST_SCREENSHOTS"
	// axeVariable names the file axe.min.js of axe-core, which looks for what keeps
	// people out; it is no part of the project.
	axeVariable = "ORGD_TEST_AXE"
	// patience is how long the browser may take for one step. It is long because
	// machines may be slow; nothing waits for it to pass.
	patience = 90 * time.Second
)

// binary is the program.
var binary string

func TestMain(m *testing.M) {
	flag.Parse() // for testing.Short
	os.Exit(process.Main(m, func(dir string) (err error) {
		if chromium() != "" && !testing.Short() {
			binary, err = process.Build(dir)
		}
		return err
	}))
}

// chromium is the path of the browser, "" without one.
func chromium() string {
	switch path := os.Getenv(chromiumVariable); path {
	case "":
	case "off":
		return ""
	default:
		return path
	}
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}

// service is the program, serving an organization of its own.
type service struct {
	*process.Process
	t   *testing.T
	dir string
}

// needBrowser skips a test where none can be had.
func needBrowser(t *testing.T) {
	t.Helper()
	if chromium() == "" {
		t.Skipf("SKIPPED: there is no chromium, or %s is off; the pages were NOT tried in a browser", chromiumVariable)
	}
	if testing.Short() {
		t.Skip("SKIPPED: a browser is too much for the short form")
	}
}

// start serves an empty organization with the flags.
func start(t *testing.T, flags ...string) service {
	t.Helper()
	needBrowser(t)
	dir := t.TempDir()
	p, err := process.Start(t.Context(), binary, dir, flags...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Kill)
	return service{p, t, dir}
}

// token makes one for the role, which ends after a while.
func (s service) token(role, subject string, flags ...string) string {
	s.t.Helper()
	args := append([]string{"token", "create", "--data-dir", s.dir, "--role", role, "--subject", subject}, flags...)
	token, err := process.Run(s.t.Context(), binary, args...)
	if err != nil {
		s.t.Fatal(err)
	}
	return token
}

// tab is a page in a browser, and notes what goes wrong in it.
type tab struct {
	context.Context
	t *testing.T

	mu       sync.Mutex
	mistakes []string // complaints of the console, and of the policy
	asked    []string // URLs
	expected []string // what complaints may contain
}

// open starts a browser with an empty page of the size.
func open(t *testing.T, width, height int64) *tab {
	t.Helper()
	opts := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(chromium()), chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.Flag("disable-dev-shm-usage", true), chromedp.Flag("force-color-profile", "srgb"),
		chromedp.WSURLReadTimeout(patience), chromedp.UserDataDir(t.TempDir()),
	)
	ctx, endAllocator := chromedp.NewExecAllocator(context.Background(), opts...)
	ctx, endTab := chromedp.NewContext(ctx, chromedp.WithErrorf(silent), chromedp.WithLogf(silent))
	b := &tab{Context: ctx, t: t}
	t.Cleanup(func() {
		b.check()
		if err := chromedp.Cancel(ctx); err != nil {
			t.Logf("the browser did not end by itself: %v", err)
		}
		endTab()
		endAllocator()
	})
	b.begin(width, height) // the browser lives as long as the context of what starts it
	return b
}

// another opens one more tab in the browser.
func (b *tab) another() *tab {
	b.t.Helper()
	ctx, end := chromedp.NewContext(b.Context)
	next := &tab{Context: ctx, t: b.t}
	b.t.Cleanup(func() {
		next.check()
		end()
	})
	next.begin(1200, 800)
	return next
}

// begin makes a page of the size that notes what goes wrong in it.
func (b *tab) begin(width, height int64) {
	b.t.Helper()
	if err := chromedp.Listen(b.Context, b.note); err != nil {
		b.t.Fatalf("start %s: %v", chromium(), err)
	}
	b.do("open a page", func(ctx context.Context, t *chromedp.Target) (chromedp.Void, error) {
		_, err := cdp.Call(ctx, t, network.Enable, network.EnableParams{})
		if err == nil {
			_, err = cdp.Call(ctx, t, cdplog.Enable, cdp.Empty{})
		}
		if err == nil {
			_, err = cdp.Call(ctx, t, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: reportPolicy})
		}
		return chromedp.Void{}, err
	})
	b.resize(width, height)
}

// silent takes what the driver has to say. Its failures are those of steps.
func silent(string, ...any) {}

// reportPolicy tells of what the policy of a page forbids it.
const reportPolicy = `addEventListener("securitypolicyviolation", e =>
	console.error("policy:", e.violatedDirective, e.blockedURI, e.sourceFile, e.lineNumber))`

// resize makes the window as large as that of a desk or of a phone.
func (b *tab) resize(width, height int64) {
	b.t.Helper()
	if width < 500 {
		b.do("resize", chromedp.EmulateViewport(width, height, chromedp.EmulateMobile, chromedp.EmulateTouch))
		return
	}
	b.do("resize", chromedp.EmulateViewport(width, height))
}

// scheme chooses between light and dark.
func (b *tab) scheme(name string) {
	b.t.Helper()
	b.do("choose "+name, func(ctx context.Context, t *chromedp.Target) (chromedp.Void, error) {
		_, err := cdp.Call(ctx, t, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: name}},
		})
		return chromedp.Void{}, err
	})
}

// note keeps what a test may ask for later.
func (b *tab) note(event any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		b.asked = append(b.asked, e.Request.URL)
	case *runtime.EventExceptionThrown:
		text := e.ExceptionDetails.Text
		if e.ExceptionDetails.Exception != nil {
			text += " " + e.ExceptionDetails.Exception.Description
		}
		b.mistakes = append(b.mistakes, text)
	case *runtime.EventConsoleAPICalled:
		if e.Type == runtime.ConsoleAPICalledTypeError || e.Type == runtime.ConsoleAPICalledTypeWarning {
			var words []string
			for _, a := range e.Args {
				words = append(words, string(a.Value)+a.Description)
			}
			b.mistakes = append(b.mistakes, strings.Join(words, " "))
		}
	case *cdplog.EventEntryAdded:
		if e.Entry.Level == cdplog.EntryLevelError || e.Entry.Level == cdplog.EntryLevelWarning {
			b.mistakes = append(b.mistakes, e.Entry.Text+" "+e.Entry.URL)
		}
	}
}

// expect allows complaints that contain one of the words: the browser notes
// every answer that is an error.
func (b *tab) expect(words ...string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.expected = append(b.expected, words...)
}

// check fails for what went wrong in the page.
func (b *tab) check() {
	b.t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
next:
	for _, m := range b.mistakes {
		for _, words := range b.expected {
			if strings.Contains(m, words) {
				continue next
			}
		}
		b.t.Errorf("the browser complains: %s", m)
	}
}

// urls are those that the page has asked for.
func (b *tab) urls() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return append([]string(nil), b.asked...)
}

// pictures keeps pictures of pages, light and dark, if somebody wants some, and
// looks whether the pages fit in the window of a desk and of a phone. places has
// titles by page.
func (b *tab) pictures(name string, places map[string]string) {
	b.t.Helper()
	for page, title := range places {
		b.visit("#/"+page, title)
		b.await("its parts are there", complete)
		file := fileName(name + "-" + title + "-" + path.Base(page))
		b.pictureOf(file)
	}
}

// pictureOf does that with what is shown now.
func (b *tab) pictureOf(name string) {
	b.t.Helper()
	b.fits(name)
	b.shot(name)
	b.scheme("dark")
	b.shot(name + "-dark")
	b.scheme("light")
	b.resize(390, 844)
	b.fits(name)
	b.shot(name + "-phone")
	b.resize(1440, 900)
}

// fileName makes the name of a file of a text.
func fileName(text string) string {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
	return fmt.Sprintf("%.60s", strings.Join(words, "-"))
}

// css names elements of a page.
type css = chromedp.CSS

// step is one thing that a person does, or waits for.
type step = chromedp.Action[chromedp.Void]

// do takes steps one after the other.
func (b *tab) do(what string, steps ...step) {
	b.t.Helper()
	for i, s := range steps {
		ctx, cancel := context.WithTimeout(b.Context, patience)
		err := chromedp.Do(ctx, s)
		cancel()
		if err != nil {
			b.shot("failed-" + strings.ReplaceAll(b.t.Name(), "/", "-"))
			b.t.Fatalf("%s, step %d: %v\nthe page shows:\n%s", what, i+1, err, b.text())
		}
	}
}

// text is what the page shows.
func (b *tab) text() string {
	ctx, cancel := context.WithTimeout(b.Context, 10*time.Second)
	defer cancel()
	text, err := chromedp.Run(ctx, chromedp.Evaluate[string](`document.body.innerText`))
	if err != nil {
		return err.Error()
	}
	return text
}

// eval runs an expression in the page and returns its value.
func eval[T any](b *tab, expression string) T {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.Context, patience)
	defer cancel()
	value, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		b.t.Fatalf("evaluate %s: %v", expression, err)
	}
	return value
}

// await waits until an expression is true in the page.
func (b *tab) await(what, expression string) {
	b.t.Helper()
	b.do("wait until "+what, chromedp.Poll[chromedp.Void]("!!("+expression+")", chromedp.WithPollingInterval(50*time.Millisecond), chromedp.WithPollingTimeout(patience)))
}

// awaitText waits until the page shows a text.
func (b *tab) awaitText(text string) {
	b.t.Helper()
	b.await(fmt.Sprintf("the page shows %q", text), "document.body.innerText.includes("+quote(text)+")")
}

// quote writes a text as JavaScript does.
func quote(text string) string {
	out, err := json.Marshal(text)
	if err != nil {
		panic(err) // a text can always be written
	}
	return string(out)
}

// shot keeps a picture of what can be seen, if somebody wants one.
func (b *tab) shot(name string) {
	b.t.Helper()
	dir := os.Getenv(screenshotsVariable)
	if dir == "" {
		return
	}
	ctx, cancel := context.WithTimeout(b.Context, patience)
	defer cancel()
	picture, err := chromedp.Run(ctx, chromedp.CaptureScreenshot())
	if err == nil {
		if err = os.MkdirAll(dir, 0o755); err == nil {
			err = os.WriteFile(filepath.Join(dir, name+".png"), picture, 0o644)
		}
	}
	if err != nil {
		b.t.Logf("no picture %s: %v", name, err)
	}
}
