package test

import (
	"go/parser"
	"go/token"
	"maps"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// inCircles is how many files of a package are in circles, where any are. The numbers only fall:
// who is below one writes it down.
var inCircles = map[string]int{
	"adapters/filelock":                    2, // one for each system
	"adapters/mcpserver":                   8,
	"adapters/memlimit":                    3,
	"adapters/mongostore":                  6, // the writer with its batches
	"adapters/redislimit":                  6,
	"adapters/sqlitestore/internal/engine": 4, // the writer
	"deployments/internal/supplychain":     3,
	"domain/access":                        2,
	"domain/activity":                      4,
	"domain/agent":                         6,
	"domain/archive":                       2,
	"domain/decimal":                       3,
	"domain/fault":                         2,
	"domain/identity":                      7,
	"domain/limit":                         2,
	"domain/organization":                  6,
	"domain/performance":                   2,
	"domain/session":                       3,
}

// maxFiles is how many files a package of the product has at most.
const maxFiles = 46

// TestCircles looks in each package of the product for files that need each other: each uses a
// constant, variable, type or function of the next, and the last one of the first.
// Methods do not count, since they stand beside the type or beside their subject.
func TestCircles(t *testing.T) {
	out, err := exec.Command("go", "list", "-C", "..", "-f", "{{.ImportPath}} {{.Dir}} {{join .GoFiles \" \"}}", "./...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	known := maps.Clone(inCircles)
	for line := range strings.Lines(string(out)) {
		words := strings.Fields(line)
		name, dir, files := strings.TrimPrefix(words[0], module+"/"), words[1], words[2:]
		if strings.HasPrefix(name, "test") || name == "ports/portstest" {
			continue
		}
		if len(files) > maxFiles {
			t.Errorf("%s has %d files, want at most %d", name, len(files), maxFiles)
		}
		if found := circling(usesOf(t, dir, files)); len(found) != known[name] {
			t.Errorf("%s: %d files are in circles, want %d: %s", name, len(found), known[name], strings.Join(found, ", "))
		}
		delete(known, name)
	}
	for name := range known {
		t.Errorf("there is no package %s", name)
	}
}

// usesOf returns which files of a package each file uses.
func usesOf(t *testing.T, dir string, files []string) map[string][]string {
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
			if other := declaredIn[id]; other != "" {
				uses[name] = append(uses[name], other)
			}
		}
	}
	return uses
}

// circling returns the nodes of a graph that are reached from themselves.
func circling(next map[string][]string) (found []string) {
	for n := range next {
		reached := map[string]bool{}
		for todo := slices.Clone(next[n]); len(todo) > 0; {
			m := todo[0]
			if todo = todo[1:]; !reached[m] {
				reached[m] = true
				todo = append(todo, next[m]...)
			}
		}
		if reached[n] {
			found = append(found, n)
		}
	}
	slices.Sort(found)
	return found
}

func TestCircling(t *testing.T) {
	for what, c := range map[string]struct {
		next map[string][]string
		want []string
	}{
		"none":          {map[string][]string{"a": {"b", "c"}, "b": {"c"}}, nil},
		"two":           {map[string][]string{"a": {"b"}, "b": {"a"}}, []string{"a", "b"}},
		"behind others": {map[string][]string{"a": {"b"}, "b": {"c"}, "c": {"b"}}, []string{"b", "c"}},
		"two circles":   {map[string][]string{"a": {"b"}, "b": {"a", "c"}, "c": {"d"}, "d": {"c"}}, []string{"a", "b", "c", "d"}},
	} {
		if got := circling(c.next); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %v, want %v", what, got, c.want)
		}
	}
}
