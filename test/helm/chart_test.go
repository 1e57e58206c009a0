// Package helm renders the chart in deployments/helm with Helm itself and looks
// at every object that comes out. It is a module of its own, so that orgd needs
// neither Helm nor Kubernetes. `make helm-test` runs it.
package helm

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the generated part of the chart's README anew")

const (
	root  = "../.."
	chart = root + "/deployments/helm/orgd"
)

// helmCommand and orgdCommand are the paths of the two programs.
var helmCommand, orgdCommand string

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(prepared(m))
}

func prepared(m *testing.M) int {
	dir, err := os.MkdirTemp("", "orgd-chart-")
	if err == nil {
		defer os.RemoveAll(dir)
		err = prepare(dir)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

// prepare builds the programs and keeps Helm away from the files of whoever
// runs the tests.
func prepare(dir string) error {
	for _, name := range []string{"HELM_CACHE_HOME", "HELM_CONFIG_HOME", "HELM_DATA_HOME"} {
		if err := os.Setenv(name, filepath.Join(dir, name)); err != nil {
			return err
		}
	}
	tool, err := output(exec.Command("go", "tool", "-n", "helm"))
	if err != nil {
		return err
	}
	helmCommand = strings.TrimSpace(tool)
	if ready := os.Getenv("ORGD_TEST_BINARY"); ready != "" {
		orgdCommand, err = filepath.Abs(ready)
		return err
	}
	orgdCommand = filepath.Join(dir, "orgd")
	build := exec.Command("go", "build", "-tags=nomsgpack", "-o", orgdCommand, "./cmd/orgd")
	build.Dir = root
	_, err = output(build)
	return err
}

// output runs a command and returns what it prints on standard output. The error
// has what it prints on standard error.
func output(cmd *exec.Cmd) (string, error) {
	var problem strings.Builder
	cmd.Stderr = &problem
	out, err := cmd.Output()
	if err != nil {
		return string(out), fmt.Errorf("%s: %w\n%s", filepath.Base(cmd.Path), err, problem.String())
	}
	return string(out), nil
}

// helm runs Helm and returns what it prints.
func helm(args ...string) (string, error) { return output(exec.Command(helmCommand, args...)) }

// template renders the chart as release "people" of namespace "agents".
func template(args ...string) (string, error) {
	return helm(append([]string{"template", "people", chart, "--namespace", "agents"}, args...)...)
}

// A valueSet is one way to install the chart.
type valueSet struct {
	name string
	args []string
}

// valueSets are the defaults, the examples, and what else must work.
func valueSets(t *testing.T) []valueSet {
	t.Helper()
	sets := []valueSet{{name: "default"}}
	for _, pattern := range []string{chart + "/examples/*.yaml", "testdata/*.yaml"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("Glob(%q) = %v, %v, want files", pattern, files, err)
		}
		for _, file := range files {
			sets = append(sets, valueSet{strings.TrimSuffix(filepath.Base(file), ".yaml"), []string{"--values", file}})
		}
	}
	together := []string{"--values", chart + "/examples/agents-100000.yaml", "--values", chart + "/examples/sign-in.yaml"}
	return append(sets, valueSet{"size and sign-in", together})
}

// eachSet runs a test on what each set of values renders.
func eachSet(t *testing.T, test func(*testing.T, objects)) {
	for _, set := range valueSets(t) {
		t.Run(set.name, func(t *testing.T) {
			t.Parallel()
			test(t, render(t, set.args...))
		})
	}
}

func TestLint(t *testing.T) {
	for _, set := range valueSets(t) {
		t.Run(set.name, func(t *testing.T) {
			t.Parallel()
			out, err := helm(append([]string{"lint", "--strict", chart}, set.args...)...)
			if err != nil || strings.Contains(out, "WARNING") {
				t.Errorf("helm lint = %v\n%s", err, out)
			}
		})
	}
}
