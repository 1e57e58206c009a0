package clients

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"orgd/client"
)

// typescriptSource is the package as it lies in the repository.
const typescriptSource = "../../clients/typescript"

// typescript is a copy of the package that is built once, with the tools that it is built with.
var typescript struct {
	once sync.Once
	dir  string
	out  []byte
	err  error
}

// typescriptPackage returns the directory of the built package.
func typescriptPackage(t *testing.T) string {
	t.Helper()
	if os.Getenv("ORGD_TEST_CLIENTS") == "" {
		t.Skip("SKIPPED: ORGD_TEST_CLIENTS NAMES NO DIRECTORY FOR TOOLS: THE TYPESCRIPT CLIENT WAS NOT TRIED")
	}
	typescript.once.Do(func() { typescript.out, typescript.err = buildTypeScript() })
	if exit, ok := errors.AsType[*exec.ExitError](typescript.err); ok && exit.ExitCode() == 77 {
		t.Skipf("SKIPPED: TOOLS FOR TYPESCRIPT CANNOT BE HAD, ITS CLIENT WAS NOT TRIED: %s", typescript.out)
	}
	if typescript.err != nil {
		t.Fatalf("%v\n%s", typescript.err, typescript.out)
	}
	return typescript.dir
}

func buildTypeScript() ([]byte, error) {
	dir := filepath.Dir(goDriver)
	typescript.dir = filepath.Join(dir, "typescript")
	return exec.Command(filepath.Join(typescriptSource, "pack"), "0.0.0", dir).CombinedOutput()
}

// typescriptDriver is how the driver in TypeScript is started.
func typescriptDriver(t *testing.T) []string {
	t.Helper()
	index := filepath.Join(typescriptPackage(t), "dist", "index.js")
	return []string{"env", "ORGD_TEST_TYPESCRIPT=" + index, "node", "drivers/typescript/driver.mjs"}
}

// The package is small, is imported quickly, and works with its page and in a browser.
func TestTypeScript(t *testing.T) {
	t.Parallel()
	dir := typescriptPackage(t)
	for name, command := range map[string][]string{
		"eslint": {"node_modules/.bin/eslint", "--max-warnings", "0", "src"},
		"tests":  {"node", "--test", "test/"},
		"types":  {"node_modules/.bin/tsc", "--project", "test"},
	} {
		t.Run(name, func(t *testing.T) {
			cmd := exec.CommandContext(t.Context(), command[0], command[1:]...)
			cmd.Dir = dir
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
	packed := filepath.Join(filepath.Dir(dir), "orgd-0.0.0.tgz")
	if info, err := os.Stat(packed); err != nil || info.Size() > 45_000 {
		t.Errorf("the package has %d bytes, %v, want at most 45000", info.Size(), err)
	}
	t.Run("import", func(t *testing.T) { modulesLoadQuickly(t, dir) })
	t.Run("page", func(t *testing.T) { pageOfTypeScript(t, packed) })
	t.Run("browser", func(t *testing.T) { worksInBrowser(t, dir) })
}

// modulesLoadQuickly measures how long an import takes.
func modulesLoadQuickly(t *testing.T, dir string) {
	best := time.Hour
	for range 5 {
		const program = `const began = performance.now(); await import("./dist/index.js"); console.log(performance.now() - began)`
		cmd := exec.CommandContext(t.Context(), "node", "--input-type=module", "-e", program)
		cmd.Dir = dir
		out := must(cmd.Output())(t)
		best = min(best, must(time.ParseDuration(strings.TrimSpace(string(out))+"ms"))(t))
	}
	wantQuick(t, best)
}

var (
	// typescriptBlock is a block of code of a page, and importLine a line of it.
	typescriptBlock = regexp.MustCompile("(?ms)^```ts\n(.*?)^```$")
	importLine      = regexp.MustCompile(`(?m)^import .*;\n`)
)

// pageOfTypeScript runs the program of the page, and what else it shows, one after the other.
func pageOfTypeScript(t *testing.T, packed string) {
	page := must(os.ReadFile("../../docs/typescript.md"))(t)
	s := serve(t, 0)
	s.hire(t, "Ada", "Engineering", 0)
	dir := t.TempDir()
	modules := filepath.Join(dir, "node_modules", "orgd")
	untar := `mkdir -p "$1" && tar -xzf "$0" -C "$1" --strip-components 1`
	if out, err := exec.Command("bash", "-c", untar, packed, modules).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	programs := typescriptBlock.FindAllStringSubmatch(string(page), -1)
	rest := "import { Client } from \"orgd\";\nconst client = new Client();\n"
	for _, block := range programs[1:] {
		rest = strings.Join(importLine.FindAllString(block[1], -1), "") + rest + "{\n" + importLine.ReplaceAllString(block[1], "") + "}\n"
	}
	token := filepath.Join(dir, "reporter.token")
	for name, text := range map[string]string{
		token: s.token(t, "reporter", ""), filepath.Join(dir, "agent.mjs"): programs[0][1], filepath.Join(dir, "rest.mjs"): rest,
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for file, want := range map[string]string{
		"agent.mjs": "version 1: following version 1\n",
		"rest.mjs": "Ada active 1\nBob no_agent undefined\n0 events are pending\n" +
			"[ 'gen_ai.agent.id', 'gen_ai.prompt.name', 'gen_ai.prompt.version' ]\nAda\n3000 agent \"Zoe\" not found\n",
	} {
		cmd := exec.CommandContext(t.Context(), "node", file, "Ada")
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "ORGD_SERVER="+s.url, "ORGD_TOKEN_FILE="+token)
		out, err := cmd.Output()
		if err != nil || string(out) != want {
			t.Errorf("%s says %q, %v, want %q", file, out, err, want)
		}
	}
	if tools, _, err := s.tools(t.Context()); err != nil || tools["search"] != 1 {
		t.Errorf("the service has %v, %v, want one event of search", tools, err)
	}
}

// browserPage says what it has resolved, reports, and is left with an event in memory.
const browserPage = `<!doctype html><title>orgd</title><script type="module">
	const say = (text) => fetch("/said", { method: "POST", body: text });
	try {
		const { Client } = await import("/dist/index.js");
		const client = new Client({ server: %q, token: %q, directory: "there are no files", maxAge: 0.2 });
		const event = (tool) => ({ agent: "Ada", event_type: "tool_used", data: { tool, success: true } });
		for await (const { state, instructions } of client.watch("Ada")) {
			await say(state + " " + instructions);
			if (state === "inactive") break;
		}
		await client.report({ ...event("first"), timestamp: new Date() });
		await client.report(event("second"));
		await say(await client.flush() + " pending");
		await client.report(event("last"));
		location.href = "/gone";
	} catch (error) {
		await say(String(error));
	}
</script>`

// worksInBrowser has a page of another origin use the service.
func worksInBrowser(t *testing.T, dir string) {
	browser := chromium()
	if browser == "" {
		t.Skip("SKIPPED: THERE IS NO CHROMIUM: THE TYPESCRIPT CLIENT WAS NOT TRIED IN A BROWSER")
	}
	said := make(chan string, 10)
	mux := http.NewServeMux()
	mux.Handle("GET /dist/", http.FileServer(http.Dir(dir)))
	mux.HandleFunc("GET /gone", func(http.ResponseWriter, *http.Request) {})
	mux.HandleFunc("POST /said", func(_ http.ResponseWriter, r *http.Request) {
		text, _ := io.ReadAll(r.Body) // what is missing is noticed
		said <- string(text)
	})
	pages := httptest.NewServer(mux)
	t.Cleanup(pages.Close)
	s := serve(t, 0, pages.URL)
	s.hire(t, "Ada", "Engineering", 0)
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, browserPage, s.url, s.token(t, "editor", ""))
	})
	cmd := exec.Command(browser, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
		"--remote-debugging-port=0", "--user-data-dir="+t.TempDir(), pages.URL)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // its processes have a group
		_ = cmd.Wait()
	})
	says := func(want string) {
		t.Helper()
		select {
		case text := <-said:
			if text != want {
				t.Fatalf("the page says %q, want %q", text, want)
			}
		case <-time.After(answerWait):
			t.Fatalf("the page does not say %q", want)
		}
	}
	says("active version 1")
	must(s.admin.PatchAgent(t.Context(), "Ada", client.Object{"status": "on_leave"}))(t)
	says("inactive version 1")
	says("0 pending")
	for deadline := time.Now().Add(answerWait); ; time.Sleep(100 * time.Millisecond) {
		tools, _, err := s.tools(t.Context())
		if err == nil && tools["first"] == 1 && tools["second"] == 1 && tools["last"] == 1 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("the service has %v, %v, want first, second and last", tools, err)
		}
	}
}

// chromium is the path of a browser, "" without one.
func chromium() string {
	if path := os.Getenv("ORGD_TEST_CHROMIUM"); path != "" {
		return strings.TrimPrefix(path, "off")
	}
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}
