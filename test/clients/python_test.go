package clients

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// pythonSource is the package as it lies in the repository.
const pythonSource = "../../clients/python"

// pythonTools returns the Python that has the tools of drivers/python/requirements.txt, in a
// directory that all runs share.
func pythonTools(t *testing.T) string {
	t.Helper()
	tools := os.Getenv("ORGD_TEST_CLIENTS")
	if tools == "" {
		t.Skip("SKIPPED: ORGD_TEST_CLIENTS NAMES NO DIRECTORY FOR TOOLS: THE PYTHON CLIENT WAS NOT TRIED")
	}
	script, err := filepath.Abs("../generators/testdata/tools.sh")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "bash", "-c", `. "$0" && python_tools`, script)
	cmd.Dir, cmd.Env = "drivers/python", append(os.Environ(), "TOOLS="+tools)
	out, err := cmd.CombinedOutput()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.ExitCode() == 77 {
		t.Skipf("SKIPPED: TOOLS FOR PYTHON CANNOT BE HAD, ITS CLIENT WAS NOT TRIED: %s", out)
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return filepath.Join(tools, "python", "bin", "python")
}

// pythonDriver is how the driver in Python is started.
func pythonDriver(t *testing.T) []string {
	t.Helper()
	source, err := filepath.Abs(filepath.Join(pythonSource, "src"))
	if err != nil {
		t.Fatal(err)
	}
	return []string{"env", "PYTHONPATH=" + source, pythonTools(t), "drivers/python/driver.py"}
}

// The wheel is small, is imported quickly without what it needs later, and the program of
// its page works with it.
func TestPython(t *testing.T) {
	t.Parallel()
	python := pythonTools(t)
	dir := t.TempDir()
	run := func(t *testing.T, name string, args ...string) string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), name, args...)
		cmd.Dir = pythonSource
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Errorf("%s: %v\n%s", strings.Join(args, " "), err, out)
		}
		return string(out)
	}
	for name, args := range map[string][]string{
		"mypy":    {"mypy", "--cache-dir", filepath.Join(dir, "mypy")},
		"pyright": {"pyright", "--pythonpath", python},
		"ruff":    {"ruff", "check", "--no-cache", ".", "../../test/clients/drivers/python"},
		"format":  {"ruff", "format", "--no-cache", "--check", ".", "../../test/clients/drivers/python"},
		"pytest":  {"pytest", "-q", "-p", "no:cacheprovider", "tests"},
	} {
		t.Run(name, func(t *testing.T) { run(t, python, append([]string{"-B", "-m"}, args...)...) })
	}
	run(t, python, "-m", "hatchling", "build", "-t", "wheel", "-d", dir)
	wheels, err := filepath.Glob(filepath.Join(dir, "orgd-*-py3-none-any.whl"))
	if err != nil || len(wheels) != 1 {
		t.Fatalf("the wheels are %q, %v, want one", wheels, err)
	}
	if info, err := os.Stat(wheels[0]); err != nil || info.Size() > 45_000 {
		t.Errorf("the wheel has %d bytes, %v, want at most 45000", info.Size(), err)
	}
	installed := filepath.Join(dir, "installed")
	run(t, python, "-m", "pip", "install", "-q", "--no-deps", "--no-index", "--target", installed, wheels[0])
	t.Run("import", func(t *testing.T) { importsQuickly(t, python, installed) })
	t.Run("page", func(t *testing.T) { pageOfPython(t, python, installed) })
}

// importsQuickly measures the time of the processor that an import takes.
func importsQuickly(t *testing.T, python, installed string) {
	best := time.Hour
	for range 5 {
		cmd := exec.Command(python, "-c", "import time; began = time.process_time(); import orgd; print(time.process_time() - began)")
		cmd.Env = append(os.Environ(), "PYTHONPATH="+installed)
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		took := must(time.ParseDuration(strings.TrimSpace(string(out)) + "s"))(t)
		best = min(best, took)
	}
	wantQuick(t, best)
}

// pythonBlock is a block of code of a page.
var pythonBlock = regexp.MustCompile("(?ms)^```python\n(.*?)^```$")

// pageOfPython runs the program of the page, and what else it shows, one after the other.
func pageOfPython(t *testing.T, python, installed string) {
	page, err := os.ReadFile("../../docs/python.md")
	if err != nil {
		t.Fatal(err)
	}
	s := serve(t, 0)
	s.hire(t, "Ada", "Engineering", 0)
	dir := t.TempDir()
	var rest strings.Builder
	rest.WriteString("import orgd\nclient = orgd.Client()\n")
	for i, block := range pythonBlock.FindAllSubmatch(page, -1) {
		if i > 0 {
			rest.Write(block[1])
		} else if err := os.WriteFile(filepath.Join(dir, "agent.py"), block[1], 0o600); err != nil {
			t.Fatal(err)
		}
	}
	token := filepath.Join(dir, "reporter.token")
	for name, text := range map[string]string{token: s.token(t, "reporter", ""), filepath.Join(dir, "rest.py"): rest.String()} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for file, want := range map[string]string{
		"agent.py": "version 1: following 'version 1'\n",
		"rest.py":  "Ada active 1\nBob no_agent None\n0 events are pending\n1\n1\n3000 agent \"Zoe\" not found\n",
	} {
		cmd := exec.CommandContext(t.Context(), python, file, "Ada")
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "PYTHONPATH="+installed, "ORGD_SERVER="+s.url, "ORGD_TOKEN_FILE="+token)
		out, err := cmd.Output()
		if err != nil || string(out) != want {
			t.Errorf("%s says %q, %v, want %q", file, out, err, want)
		}
	}
	tools, _, err := s.tools(t.Context())
	if err != nil || tools["search"] != 1 {
		t.Errorf("the service has %v, %v, want one event of search", tools, err)
	}
}
