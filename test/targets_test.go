package test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// open are the variables that keep no test from running: by most of them tests talk to
// processes that they have started, and Chromium is looked for.
var open = []string{"AS_PROGRAM", "CHILD_PREFIX", "CHILD_REDIS", "DIR", "EXAMPLES", "FILLED_TOKEN", "FILLED_URL", "ATTACK", "GREEDY", "ROLE"}

// apart are the tests that no change waits for, by their variable: they need minutes of a machine
// that does nothing else.
var apart = map[string]string{"HAPROXY": "make integration", "MONGOBENCH": "make bench-mongo"}

// partly are the packages of which .ci/run runs the most important tests, and what runs all.
var partly = map[string]string{"test/integration": "make integration", "test/mongobench": "make bench-mongo"}

// suite is a row of .ci/suites.
type suite struct {
	lane, name string
	always     bool           // with every landing
	paths      *regexp.Regexp // that bring it; nil for none
}

// brings reports whether a change of a file runs the suite.
func (s suite) brings(path string) bool {
	return s.always || s.paths != nil && s.paths.MatchString(path)
}

// suites reads the table of what .ci/run runs.
func suites(t *testing.T) (all []suite) {
	t.Helper()
	for line := range strings.Lines(text(t, "../.ci/suites")) {
		if fields := strings.Fields(line); len(fields) > 0 && fields[0] != "#" {
			if len(fields) != 3 || !strings.Contains("0123", fields[0]) {
				t.Fatalf(".ci/suites: %q is no lane, suite and paths", line)
			}
			s := suite{lane: fields[0], name: fields[1], always: fields[2] == "*"}
			if !s.always && fields[2] != "-" {
				s.paths = regexp.MustCompile(fields[2])
			}
			all = append(all, s)
		}
	}
	return all
}

// Every suite can be run, and every directory with code brings one, or is known to need none.
func TestSuites(t *testing.T) {
	targets, run := makefile(t), text(t, "../.ci/run")
	all := suites(t)
	for _, s := range all {
		if s.lane != "0" && targets[s.name] == "" && !strings.Contains(run, "\n"+s.name+"() {") {
			t.Errorf("the suite %s is no target of the Makefile and no function of .ci/run", s.name)
		}
	}
	files := slices.Concat(filesBelow(t, "..", ".go"), filesBelow(t, "..", ".yaml"), filesBelow(t, "..", ".md"))
	if len(files) < 1000 {
		t.Fatalf("%d files, want more to be found", len(files))
	}
	for _, file := range files {
		path := filepath.ToSlash(strings.TrimPrefix(file, ".."+string(filepath.Separator)))
		if !strings.HasPrefix(path, ".") && !slices.ContainsFunc(all, func(s suite) bool { return !s.always && s.brings(path) }) {
			t.Errorf("%s brings no suite, and is not known to need none: it belongs to a row of .ci/suites", path)
		}
	}
}

// The suites of .ci/run run every test of every package, and open whatever
// keeps a test from running.
func TestEveryTestIsRun(t *testing.T) {
	script := text(t, "../.ci/run")
	for _, s := range suites(t) {
		script += "\nmake " + s.name + "\n"
	}
	called := calledBy(script, makefile(t)) + text(t, "servers/mongodb.go") + text(t, "servers/redis.go")
	stores := strings.Fields(variable(t, "STORES"))
	tested := testedPackages(t)
	for _, name := range slices.Concat(words(t, "ALONE"), words(t, "UNCACHED")) {
		if !slices.Contains(tested, name) {
			t.Errorf("%s, which the Makefile names, is no package with tests", name)
		}
	}
	for _, name := range words(t, "ALONE") {
		if !whole("./"+name).MatchString(called) && !slices.Contains(stores, "./"+name) && partly[name] == "" {
			t.Errorf("make test leaves %s out, and no suite runs all of it", name)
		}
	}
	for name, recipe := range map[string]string{
		"all packages but those":      `"$$(go list -f '$(TESTED)' $(ALL) | grep -vE '^orgd/($(ALONE)|$(UNCACHED))$$')" -p 4 -parallel 4 -timeout 20m -skip '^($(OF_PAGES))$$'`,
		"what that skips":             `./cmd/orgd -run '^($(OF_PAGES))$$'`,
		"what asks other programs":    `"$$(go list -f '$(TESTED)' $(ALL) | grep -E '^orgd/($(UNCACHED))$$')"`,
		"the store on MongoDB":        "'$(STORES)'",
		"the other half of the races": "'$(SHARED)' $(RACEFLAGS) -short",
	} {
		if !whole(recipe).MatchString(called) {
			t.Errorf("no suite runs %s: %s", name, recipe)
		}
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

// Each planted mistake fails the landing that its path brings: one of these suites runs the test that notices it.
func TestMistakesFailTheirLanding(t *testing.T) {
	targets := makefile(t)
	directories := map[string]bool{}
	for _, file := range filesBelow(t, "planted/bugs", ".patch") {
		pkg, test, path := find(t, `(?m)^Package: (?:\./)?(.*)$`, file)[0], find(t, `(?m)^Test: (\w+)`, file)[0], find(t, `(?m)^--- a/(.*)$`, file)[0]
		directories[filepath.Dir(path)] = true
		noticed := !slices.Contains(words(t, "ALONE"), pkg) || // by make test
			slices.Contains(strings.Fields(variable(t, "STORES")), "./"+pkg) // by make stores
		for _, s := range suites(t) {
			noticed = noticed || s.brings(path) && whole("./"+pkg).MatchString(targets[s.name])
		}
		if !noticed {
			t.Errorf("%s: no suite that %s brings runs %s of %s", file, path, test, pkg)
		}
	}
	if len(directories) < 10 {
		t.Errorf("mistakes are planted in %d directories, want 10 at least", len(directories))
	}
}

// The tests that the Makefile names are there.
func TestTestsOfTheMakefileExist(t *testing.T) {
	for name, dir := range map[string]string{"SHORT_FAULTS": "faults", "WALKS": "browser", "OF_PAGES": "../cmd/orgd"} {
		tests := strings.Join(filesBelow(t, dir, "_test.go"), " ")
		for _, test := range words(t, name) {
			found := false
			for file := range strings.FieldsSeq(tests) {
				found = found || strings.Contains(text(t, file), "func "+test+"(t *testing.T)")
			}
			if !found {
				t.Errorf("%s of the Makefile names %s, which %s does not have", name, test, dir)
			}
		}
	}
}

// A result is taken from the cache only if Go knows what it depends on. So no test that may be taken from
// there starts the go command, and the programs that it starts are named by variables, which their target sets.
func TestCachedTestsDependOnNothingElse(t *testing.T) {
	builds := map[string]string{"process.Build(": "ORGD_TEST_BINARY", "process.BuildFailing(": "ORGD_TEST_FAILING", "identity.Build(": "ORGD_TEST_PROVIDER"}
	n := 0
	for target, lines := range makefile(t) {
		for _, dir := range cached(t, lines) {
			files, err := filepath.Glob("../" + dir + "/*_test.go")
			if err != nil || len(files) == 0 {
				t.Errorf("make %s runs %s, which has no tests: %v", target, dir, err)
			}
			for _, path := range files {
				n++
				if slices.Contains(programs(t, path), "go") {
					t.Errorf("%s starts the go command, and make %s takes its result from the cache: %s belongs to UNCACHED in the Makefile", path, target, dir)
				}
				for call, variable := range builds {
					if strings.Contains(text(t, path), call) && !strings.Contains(lines, variable) {
						t.Errorf("%s calls %s), and make %s does not set %s", path, call, target, variable)
					}
				}
			}
		}
	}
	if n < 300 {
		t.Errorf("%d files, want more to be found", n)
	}
}

// cached returns the packages that the lines of a target take from the cache.
func cached(t *testing.T, lines string) (dirs []string) {
	t.Helper()
	for _, recipe := range regexp.MustCompile(`(?m)^\t\.ci/gotest --cached ('[^']*'|"[^"]*"|\S+)`).FindAllStringSubmatch(lines, -1) {
		packages := strings.Trim(recipe[1], `'"`)
		if strings.HasPrefix(packages, "$$(go list") { // all but those
			anew := slices.Concat(words(t, "ALONE"), words(t, "UNCACHED"))
			dirs = slices.DeleteFunc(testedPackages(t), func(dir string) bool { return slices.Contains(anew, dir) })
			continue
		}
		if name, ok := strings.CutPrefix(packages, "$("); ok {
			packages = variable(t, strings.TrimSuffix(name, ")"))
		}
		for dir := range strings.FieldsSeq(packages) {
			dirs = append(dirs, strings.TrimPrefix(dir, "./"))
		}
	}
	return dirs
}

// variable returns what a variable of the Makefile is, and words its parts.
func variable(t *testing.T, name string) string {
	t.Helper()
	return find(t, `(?m)^`+name+` := (.*)$`, "../Makefile")[0]
}

func words(t *testing.T, name string) []string {
	t.Helper()
	return strings.Split(variable(t, name), "|")
}

// testedPackages returns the directories of the packages that have tests.
func testedPackages(t *testing.T) (all []string) {
	t.Helper()
	out, err := exec.Command("go", "list", "-C", "..", "-f", variable(t, "TESTED"), variable(t, "ALL")).Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	for path := range strings.FieldsSeq(string(out)) {
		all = append(all, strings.TrimPrefix(strings.TrimPrefix(path, module), "/"))
	}
	return all
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
	return regexp.MustCompile(`(?m)^\t(?:CGO_ENABLED=\$\(if \$\(RACE\),1,0\) )?\.ci/gotest (?:--cached )?` + regexp.QuoteMeta(packages) + `( -(p|parallel|timeout) \w+| \$\(RACE\))*( \$\(TESTFLAGS\))?$|ORGD_TEST_IMAGE=orgd:ci \.ci/gotest ` + regexp.QuoteMeta(packages) + `; `)
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
	alone := regexp.MustCompile(`^\.\./(` + variable(t, "ALONE") + `|test/helm|test/compat)/`)
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
