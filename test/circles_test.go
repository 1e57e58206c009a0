package test

import (
	"go/parser"
	"go/token"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// straight are the packages whose files must not use each other in a circle. A pattern
// ends in /... as those of the go command do.
var straight = []string{".", "./cmd/...", "./app", "./adapters/httpapi/...", "./adapters/telemetry", "./adapters/jwtauth", "./domain/jsondoc"}

// TestNoCircles looks for files of a package that need each other: each uses a
// constant, variable, type or function of the next, and the last one of the first.
// Methods do not count, since they stand beside the type or beside their subject.
func TestNoCircles(t *testing.T) {
	out, err := exec.Command("go", append([]string{"list", "-C", "..", "-f", "{{.Dir}} {{join .GoFiles \" \"}}"}, straight...)...).Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	for line := range strings.Lines(string(out)) {
		words := strings.Fields(line)
		if circle := circleOf(t, words[0], words[1:]); circle != nil {
			t.Errorf("%s: these files use each other: %s", words[0], strings.Join(circle, " → "))
		}
	}
}

// circleOf returns files of a package that use each other in a circle, or nil.
func circleOf(t *testing.T, dir string, files []string) []string {
	t.Helper()
	declaredIn := map[string]string{}
	wanted := map[string][]string{}
	for _, name := range files {
		if name == "wire_gen.go" { // is generated
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(dir, name), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for declared := range file.Scope.Objects {
			declaredIn[declared] = name
		}
		for _, id := range file.Unresolved {
			wanted[name] = append(wanted[name], id.Name)
		}
	}
	uses := map[string][]string{}
	for name, ids := range wanted {
		for _, id := range ids {
			if other := declaredIn[id]; other != "" && !slices.Contains(uses[name], other) {
				uses[name] = append(uses[name], other)
			}
		}
		slices.Sort(uses[name])
	}
	return circle(files, uses)
}

// circle returns the first circle of a graph, or nil.
func circle(nodes []string, next map[string][]string) []string {
	done := map[string]bool{}
	var path []string
	var walk func(string) []string
	walk = func(n string) []string {
		if i := slices.Index(path, n); i >= 0 {
			return append(slices.Clone(path[i:]), n)
		}
		if done[n] {
			return nil
		}
		done[n] = true
		path = append(path, n)
		for _, m := range next[n] {
			if found := walk(m); found != nil {
				return found
			}
		}
		path = path[:len(path)-1]
		return nil
	}
	for _, n := range nodes {
		if found := walk(n); found != nil {
			return found
		}
	}
	return nil
}

func TestCircle(t *testing.T) {
	for _, c := range []struct {
		name string
		next map[string][]string
		want []string
	}{
		{"none", map[string][]string{"a": {"b", "c"}, "b": {"c"}}, nil},
		{"two", map[string][]string{"a": {"b"}, "b": {"a"}}, []string{"a", "b", "a"}},
		{"behind others", map[string][]string{"a": {"b"}, "b": {"c"}, "c": {"b"}}, []string{"b", "c", "b"}},
	} {
		if got := circle([]string{"a", "b", "c"}, c.next); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		}
	}
}
