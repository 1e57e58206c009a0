package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// manyAgents is a document with agents of several departments in turn.
func manyAgents(n int) string {
	var b strings.Builder
	b.WriteString("format: 1\ndepartments: [{name: Design}, {name: Research, head: Agent 001}, {name: R&D}]\nagents:\n")
	for i := range n {
		fmt.Fprintf(&b, "- {name: Agent %03d, role: r, department: %s}\n", i, []string{"Design", "Research", "R&D"}[i%3])
	}
	return b.String()
}

// A directory means what a single document means: nothing to change at first, and one
// change after one line was edited.
func TestExportOfDirectory(t *testing.T) {
	o := openRegistry(t, manyAgents(158))
	for _, args := range [][]string{nil, {"--sparse"}} {
		dir := filepath.Join(t.TempDir(), "organization")
		o.run(exitOK, "", append([]string{"export", dir + "/"}, args...)...)
		o.run(exitOK, "", "plan", "--prune", "-f", dir)
		file := filepath.Join(dir, "departments", "r-d.yaml")
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		edited := strings.Replace(string(text), "role: r\n", "role: Chemist\n", 1)
		if err := os.WriteFile(file, []byte(edited), 0o600); err != nil {
			t.Fatal(err)
		}
		r := o.run(exitPlanned, "", "plan", "--prune", "-f", dir)
		if want := "~ agent \"Agent 002\"\n    role: \"r\" -> \"Chemist\"\n"; r.stdout != want || !strings.Contains(r.stderr, "Plan: 0 to create, 1 to update, 0 to delete, 0 to reorder.") {
			t.Errorf("orgd plan of an edited line = %s%s, want %s", r.stdout, r.stderr, want)
		}
		o.run(exitOK, "", append([]string{"export", dir}, args...)...)
		if again, err := os.ReadFile(file); err != nil || string(again) != string(text) {
			t.Errorf("exported again = %v, %s", err, cmp.Diff(string(text), string(again)))
		}
		if r := o.run(exitUsage, "", "export", "-o", "json", dir); !strings.Contains(r.stderr, "a directory is written as YAML") {
			t.Errorf("orgd export -o json DIR says %q", r.stderr)
		}
	}
}

// What is left out of a sparse document is what an empty service has anyway.
func TestExportSparse(t *testing.T) {
	from, to := openRegistry(t, startDocument), openRegistry(t, "")
	for _, format := range []string{"yaml", "json"} {
		sparse := from.export("--sparse", "-o", format)
		if lines, full := strings.Count(sparse, "\n"), strings.Count(from.export("-o", format), "\n"); lines*3 > full {
			t.Errorf("a sparse document has %d lines, the full one %d", lines, full)
		}
		from.run(exitOK, sparse, "plan", "--prune", "-f", "-")
		to.run(exitOK, sparse, "apply", "--yes", "-f", "-")
		if diff := cmp.Diff(from.export(), to.export()); diff != "" {
			t.Errorf("the copy of a sparse document (-want +got):\n%s", diff)
		}
	}
	r := to.run(exitOK, "", "export", "--sparse")
	if want := "    tools: {allowed: [pen, paper, glue]}\n"; !strings.Contains(r.stdout, want) {
		t.Errorf("a sparse document is\n%s\nwithout %s", r.stdout, want)
	}
}

// Several files are one document, and nothing is done if one of them has a mistake.
func TestPlanOfSeveralFiles(t *testing.T) {
	o := openRegistry(t, startDocument)
	one := o.file("one.yaml", "format: 1\nagents:\n- name: Bob\n  level: lead\n")
	two := o.file("two.yaml", "format: 1\ndepartments:\n- name: Design\n  head: Bob\nagents:\n- name: Cleo\n  levle: x\n")
	if r := o.run(exitFailure, "", "plan", "-f", one, "-f", two); !strings.HasPrefix(r.stderr, two+":7: agents[0].levle: unknown field") {
		t.Errorf("orgd plan says\n%s", r.stderr)
	}
	two = o.file("two.yaml", "format: 1\ndepartments:\n- name: Design\n  head: Bob\n")
	if r := o.run(exitOK, "", "apply", "--yes", "-f", one, "-f", two); !strings.Contains(r.stderr, "Done: 0 created, 2 updated") {
		t.Errorf("orgd apply says\n%s", r.stderr)
	}
	if r := o.run(exitUsage, "", "plan", "-f", "-", "-f", "-"); !strings.Contains(r.stderr, "- can be given once") {
		t.Errorf("orgd plan -f - -f - says\n%s", r.stderr)
	}
	if r := o.run(exitFailure, "", "plan", "-f", t.TempDir()); !strings.Contains(r.stderr, "has no documents") {
		t.Errorf("orgd plan of an empty directory says\n%s", r.stderr)
	}
}
