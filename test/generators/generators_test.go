// Package generators makes clients of the API's description by the generators that people
// use, as it is and without flags that repair something, and runs a program with each.
package generators

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"orgd/test/process"
)

var binary string // the program

func TestMain(m *testing.M) {
	os.Exit(process.Main(m, func(dir string) (err error) {
		binary, err = process.Build(dir)
		return err
	}))
}

// said is what every program prints: it hires five, reads them in pages, changes one of
// them with If-Match, does so again with the same tag, hires a name that is taken, writes a
// ceremony policy, reads what has changed, and sets a budget.
const said = `hired Ann 1
hired Bob 1
hired Cy 1
hired Dee 1
hired Eve 1
page Ann Bob
page Cy Dee
page Eve
changed 2
stale 409 4002
taken 409 4001
policy calendar 0.5 14
diff level "mid" "senior"
budget 20000001.99
`

// unavailable is the exit code of a script whose generator cannot be had.
const unavailable = 77

// TestGenerators runs the scripts of testdata, each in a directory of its own and against a
// new service. testdata/tools.sh says what they may use.
func TestGenerators(t *testing.T) {
	tools := os.Getenv("ORGD_TEST_GENERATORS")
	if tools == "" {
		t.Skip("ORGD_TEST_GENERATORS names no directory for the generators; make generators does")
	}
	scripts, err := filepath.Glob("testdata/*/*/run.sh")
	if err != nil || len(scripts) == 0 {
		t.Fatalf("there are no scripts: %v", err)
	}
	for _, script := range scripts {
		dir := filepath.Dir(script)
		language, name := filepath.Base(filepath.Dir(dir)), filepath.Base(dir)
		only := strings.Fields(os.Getenv("ORGD_TEST_LANGUAGES"))
		if len(only) > 0 && !slices.Contains(only, language) && !slices.Contains(only, language+"/"+name) {
			continue
		}
		t.Run(language+"/"+name, func(t *testing.T) { generate(t, tools, dir, language != "lint") })
	}
}

func generate(t *testing.T, tools, files string, uses bool) {
	dir := t.TempDir()
	for _, from := range []string{filepath.Dir(files), files} { // what all of a language have, and its own
		copyFiles(t, from, dir)
	}
	document, err := filepath.Abs("../../adapters/httpapi/apidoc/openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	shared, err := filepath.Abs("testdata/tools.sh")
	if err != nil {
		t.Fatal(err)
	}
	url, token := serve(t)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "bash", "-c", `. "$0" && . ./run.sh`, shared)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "TOOLS="+tools, "DOCUMENT="+document, "URL="+url, "TOKEN="+token)
	var stdout, stderr strings.Builder
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	cmd.WaitDelay = time.Second // for what a script has left behind
	err = cmd.Run()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.ExitCode() == unavailable {
		t.Skipf("%s cannot be had: %s", strings.TrimPrefix(t.Name(), "TestGenerators/"), lastLine(stdout.String()))
	}
	if err != nil {
		t.Fatalf("%v\n%s%s", err, stdout.String(), tail(stderr.String()))
	}
	if diff := cmp.Diff(said, stdout.String()); uses && diff != "" {
		t.Errorf("the program says (-want +got):\n%s%s", diff, tail(stderr.String()))
	}
}

func lastLine(text string) string {
	text = strings.TrimSpace(text)
	return text[strings.LastIndexByte(text, '\n')+1:]
}

// tail is the end of a long text.
func tail(text string) string { return text[max(0, len(text)-4000):] }

// serve starts a service without limits and returns its URL and a token.
func serve(t *testing.T) (url, token string) {
	data := t.TempDir()
	p, err := process.Start(t.Context(), binary, data)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = p.Terminate() })
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	token, err = process.Token(ctx, binary, data, "root")
	if err != nil {
		t.Fatal(err)
	}
	return p.URL, token
}

// copyFiles copies the files of a directory, and no directories.
func copyFiles(t *testing.T, from, to string) {
	entries, err := os.ReadDir(from)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.IsDir() {
			continue
		}
		text, err := os.ReadFile(filepath.Join(from, e.Name()))
		if err == nil {
			err = os.WriteFile(filepath.Join(to, e.Name()), text, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}
