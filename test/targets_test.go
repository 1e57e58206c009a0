package test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// open are the variables that keep no test from running: by most of them tests talk to
// processes that they have started, and Chromium is looked for.
var open = []string{"AS_PROGRAM", "CHILD_PREFIX", "CHILD_REDIS", "CHROMIUM", "DIR", "EXAMPLES", "FILLED_TOKEN", "FILLED_URL", "ATTACK", "GREEDY", "ROLE"}

// apart are the tests that no change waits for, by their variable: they need minutes of a machine
// that does nothing else.
var apart = map[string]string{"HAPROXY": "make integration", "MONGOBENCH": "make bench-mongo"}

// The targets that .ci/run calls run every test of every package, and open whatever
// keeps a test from running.
func TestEveryTestIsRun(t *testing.T) {
	called := calledBy(text(t, "../.ci/run"), makefile(t)) + text(t, "servers/mongodb.go") + text(t, "servers/redis.go")
	alone := strings.Split(strings.TrimSpace(find(t, `(?m)^ALONE := (.*)$`, "../Makefile")[0]), "|")
	for _, name := range alone {
		if !whole("./test/" + name).MatchString(called) {
			t.Errorf("make test leaves ./test/%s out, and .ci/run calls no target that runs all of it", name)
		}
		if files, err := filepath.Glob(name + "/*_test.go"); err != nil || len(files) == 0 {
			t.Errorf("make test leaves ./test/%s out, where there are no tests: %v", name, err)
		}
	}
	if all := find(t, `(?m)^ALL := (.*)$`, "../Makefile")[0]; all != module+"/..." ||
		!whole(`"$$(go list -f '$(TESTED)' $(ALL) | grep -vE '/test/($(ALONE))$$')"`).MatchString(called) {
		t.Error(".ci/run does not run make test, or that leaves out more than ALONE")
	}
	for _, file := range filesBelow(t, "..", ".go") {
		for _, name := range find(t, `"ORGD_TEST_([A-Z_]+)"`, file) {
			_, later := apart[name]
			if !later && !slices.Contains(open, name) && !strings.Contains(called, "ORGD_TEST_"+name) {
				t.Errorf("%s asks for ORGD_TEST_%s, which no target sets that .ci/run calls", file, name)
			}
		}
	}
}

// calledBy returns a script with the targets that it calls, and those that these call.
func calledBy(script string, targets map[string]string) string {
	calls := regexp.MustCompile(`(?m)\bmake ([a-z-]+)|\$\(MAKE\) --no-print-directory ([a-z-]+)`)
	seen := map[string]bool{}
	for all := calls.FindAllStringSubmatch(script, -1); len(all) > 0; all = all[1:] {
		if name := all[0][1] + all[0][2]; !seen[name] {
			seen[name] = true
			script += targets[name]
			all = append(all, calls.FindAllStringSubmatch(targets[name], -1)...)
		}
	}
	return script
}

// whole matches the recipe that runs all tests of these packages, in their full form.
func whole(packages string) *regexp.Regexp {
	return regexp.MustCompile(`(?m)^\t\.ci/gotest ` + regexp.QuoteMeta(packages) + `( -(p|parallel|timeout) \w+)* \$\(TESTFLAGS\)$`)
}

var ruleLine = regexp.MustCompile(`^([a-z][a-z -]*):`)

// makefile returns the targets of the Makefile with their recipes and variables.
func makefile(t *testing.T) map[string]string {
	t.Helper()
	targets := map[string]string{}
	var names []string
	for line := range strings.Lines(text(t, "../Makefile")) {
		if rule := ruleLine.FindStringSubmatch(line); rule != nil {
			names = strings.Fields(rule[1])
		}
		for _, name := range names {
			targets[name] += line
		}
	}
	if len(targets) < 20 {
		t.Fatalf("only %d targets were found", len(targets))
	}
	return targets
}

func text(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// What make test runs uses nothing but Go and a shell, whatever is installed: other
// programs have a variable that names them.
func TestProgramsAreNamed(t *testing.T) {
	alone := regexp.MustCompile(`^\.\./test/(` + find(t, `(?m)^ALONE := (.*)$`, "../Makefile")[0] + `|helm|compat)/`)
	n := 0
	for _, path := range filesBelow(t, "..", "_test.go") {
		if alone.MatchString(path) {
			continue
		}
		for _, name := range programs(t, path) {
			switch n++; {
			case slices.Contains([]string{"go", "bash", "sh"}, name):
			case variableAsked.MatchString(text(t, path)):
			default:
				t.Errorf("%s starts %s, which no variable names", path, name)
			}
		}
	}
	if n < 10 {
		t.Errorf("only %d programs were found", n)
	}
}

// variableAsked matches where a file reads a variable, or calls what does.
var variableAsked = regexp.MustCompile(`"ORGD_TEST_\w+"|\b(gittest\.Need|needDocker)\(`)

// programs returns the programs that a file names where it looks for them or starts them.
func programs(t *testing.T, path string) (all []string) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		f, ok := call.Fun.(*ast.SelectorExpr)
		if !ok || !slices.Contains([]string{"Command", "CommandContext", "LookPath"}, f.Sel.Name) {
			return true
		}
		if from, ok := f.X.(*ast.Ident); !ok || from.Name != "exec" {
			return true
		}
		for _, arg := range call.Args[:min(2, len(call.Args))] {
			if text, ok := arg.(*ast.BasicLit); ok {
				name, _ := strconv.Unquote(text.Value)
				all = append(all, name)
				break
			}
		}
		return true
	})
	return all
}
