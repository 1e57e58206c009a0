package document

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"
	"pgregory.net/rapid"

	"orgd/cmd/orgd/internal/terminal"
	"orgd/domain/name"
)

// readDirectory joins the files of directories.
func readDirectory(t interface{ Fatal(...any) }, dirs ...string) *collection {
	all, err := documentFlags{File: dirs}.read(&terminal.Terminal{})
	if err != nil {
		t.Fatal(err)
	}
	return join(all)
}

// drawnOrganization is a random document, whose departments come in any order among the
// agents, which write them in any letters, and the names of its agents.
func drawnOrganization(t *rapid.T) (doc map[string]any, agents []name.Key) {
	word := rapid.OneOf(rapid.StringN(0, 20, -1), rapid.SampledFrom([]string{"no", "a: b", "lines\nof text\n", " \tx\n", "\u0085"}))
	object := rapid.MapOfN(word, word.AsAny(), 0, 3)
	called := rapid.OneOf(rapid.SampledFrom([]string{"R&D", "R D", "r.d", "CON", "Übersee", "研究", "..", "-"}), rapid.StringMatching(`[A-Za-z].{0,8}[a-z]`))
	names := rapid.SliceOfNDistinct(called.Filter(func(s string) bool { _, err := name.Parse(s); return err == nil }), 1, 12, func(s string) name.Key {
		n, _ := name.Parse(s)
		return n.Key
	}).Draw(t, "names")
	departments, people := []any{}, []any{}
	homes := rapid.IntRange(1, len(names)).Draw(t, "departments")
	for i, n := range names {
		n, _ := name.Parse(n)
		if i < homes {
			departments = append(departments, map[string]any{"name": n.Text, "description": word.Draw(t, "description"), "policies": object.Draw(t, "policies")})
			continue
		}
		agents = append(agents, n.Key)
		home := departments[rapid.IntRange(0, homes-1).Draw(t, "home")].(map[string]any)["name"].(string)
		if other := rapid.SampledFrom([]string{home, strings.ToUpper(home), strings.ToLower(home)}).Draw(t, "spelling"); name.KeyOf(other) == name.KeyOf(home) {
			home = other
		}
		people = append(people, map[string]any{"name": n.Text, "department": home, "metadata": object.Draw(t, "metadata"), "instructions": word.Draw(t, "instructions")})
	}
	return map[string]any{"format": 1, "company": object.Draw(t, "company"), "departments": departments, "agents": people}, agents
}

// What is written into a directory is, joined, the document that it was made of.
func TestDirectoryIsTheDocument(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		doc, agents := drawnOrganization(t)
		dir, err := os.MkdirTemp("", "directory")
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(dir)
		style := rapid.SampledFrom([]func(*yaml.Node){nil, inline}).Draw(t, "style")
		text := []byte(terminal.JSON(doc))
		if err := exportDirectory(dir, text, style); err != nil {
			t.Fatal(err)
		}
		together := readDirectory(t, dir)
		if len(together.mistakes) > 0 {
			t.Fatalf("mistakes: %v", together.mistakes)
		}
		together.arrange(agents)
		want, _ := decode(text)
		got, err := decode(together.text())
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("joined (-want +got):\n%s", diff)
		}
	})
}

// fileTimes are the times at which the files below a directory were written.
func fileTimes(t *testing.T, dir string) map[string]time.Time {
	t.Helper()
	files, err := documentsIn(dir, map[string]bool{})
	if err != nil {
		t.Fatal(err)
	}
	times := map[string]time.Time{}
	for _, file := range files {
		info, err := os.Stat(file)
		if err != nil {
			t.Fatal(err)
		}
		path, _ := filepath.Rel(dir, file)
		times[filepath.ToSlash(path)] = info.ModTime()
	}
	return times
}

func writeFile(t *testing.T, path, text string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

const twoDepartments = `{"format":1,"departments":[{"name":"R&D"},{"name":"r d"},{"name":"Aux"}],"agents":[{"name":"Ann","department":"R&D"}]}`

// An export into a directory writes what has changed, keeps the names of files, and
// removes what it has written before, and nothing else.
func TestExportDirectoryAgain(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "o[r]g")
	export := func(text string) {
		t.Helper()
		if err := exportDirectory(dir, []byte(text), nil); err != nil {
			t.Fatal(err)
		}
	}
	export(twoDepartments)
	before := fileTimes(t, dir)
	want := []string{"company.yaml", "departments/department-aux.yaml", "departments/r-d-2.yaml", "departments/r-d.yaml"}
	if got := sortedKeys(before); !slices.Equal(got, want) {
		t.Fatalf("files = %q, want %q", got, want)
	}
	other := writeFile(t, filepath.Join(dir, "departments", "README.md"), "ours")
	time.Sleep(20 * time.Millisecond)
	export(strings.Replace(strings.Replace(twoDepartments, `{"name":"R&D"},{"name":"r d"}`, `{"name":"r d"}`, 1), `"agents"`, `"x"`, 1))
	after := fileTimes(t, dir)
	if want := []string{"company.yaml", "departments/department-aux.yaml", "departments/r-d-2.yaml"}; !slices.Equal(sortedKeys(after), want) {
		t.Errorf("files = %q, want %q", sortedKeys(after), want)
	}
	if file := "departments/r-d-2.yaml"; !after[file].Equal(before[file]) {
		t.Errorf("%s was written again", file)
	}
	if _, err := os.Stat(other); err != nil {
		t.Error(err)
	}

	writeFile(t, filepath.Join(dir, "departments", "sales.yaml"), "format: 1\n")
	err := exportDirectory(dir, []byte(`{"format":1,"departments":[{"name":"Sales"}]}`), nil)
	if err == nil || !strings.Contains(err.Error(), "sales.yaml: was not written by orgd export") {
		t.Errorf("over a file of somebody else = %v", err)
	}
	if now := fileTimes(t, dir); len(now) != len(after)+1 {
		t.Errorf("a refused export has left %q", sortedKeys(now))
	}
}

// A department that was made again in other letters keeps its file, with the agents that came
// back into it. What belongs nowhere is not left out without a word.
func TestExportDirectoryByKeys(t *testing.T) {
	dir := t.TempDir()
	export := func(text string) error { return exportDirectory(dir, []byte(text), nil) }
	if err := export(`{"format":1,"departments":[{"name":"Straße"}],"agents":[]}`); err != nil {
		t.Fatal(err)
	}
	files := sortedKeys(fileTimes(t, dir))
	if err := export(`{"format":1,"departments":[{"name":"STRASSE"}],"agents":[{"name":"Ann","department":"Straße"}]}`); err != nil {
		t.Fatal(err)
	}
	if now := sortedKeys(fileTimes(t, dir)); !slices.Equal(now, files) {
		t.Errorf("files = %q, want %q", now, files)
	}
	if text := string(readDirectory(t, dir).text()); !strings.Contains(text, `"Ann"`) {
		t.Errorf("the documents have no Ann: %s", text)
	}
	before := fileTimes(t, dir)
	err := export(`{"format":1,"departments":[{"name":"Ops"}],"agents":[{"name":"Ann","department":"Sales"},{"name":"Cleo","department":"ops"}]}`)
	const want = `the agent "Ann" is in the department "Sales", which the service has not sent, because it was made or deleted meanwhile; nothing was written: export again`
	if err == nil || err.Error() != want {
		t.Errorf("an export of agents without their department = %v, want %s", err, want)
	}
	if diff := cmp.Diff(before, fileTimes(t, dir)); diff != "" {
		t.Errorf("a refused export has written (-before +now):\n%s", diff)
	}
}

func sortedKeys(times map[string]time.Time) (names []string) {
	for file := range times {
		names = append(names, file)
	}
	slices.Sort(names)
	return names
}

// A ConfigMap that is mounted has its files behind two symbolic links. What is hidden,
// and the schema for editors, are no documents.
func TestDocumentsInMountedDirectory(t *testing.T) {
	dir := t.TempDir()
	for _, file := range []string{"..2026/company.yaml", "..2026/backend.yml", "..2026/orgd.schema.json", ".hidden.yaml", "notes.txt"} {
		writeFile(t, filepath.Join(dir, file), "format: 1\n")
	}
	for link, to := range map[string]string{"..data": "..2026", "company.yaml": "..data/company.yaml", "backend.yml": "..data/backend.yml", "again": "."} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Skip(err)
		}
	}
	got, err := documentsIn(dir, map[string]bool{})
	if want := []string{filepath.Join(dir, "company.yaml"), filepath.Join(dir, "backend.yml")}; err != nil || !slices.Equal(got, want) {
		t.Errorf("documentsIn = %q, %v, want %q", got, err, want)
	}
}

// Mistakes of several files are named where they are.
func TestMistakesOfJoinedFiles(t *testing.T) {
	dir := t.TempDir()
	for file, text := range map[string]string{
		"a.yaml": "format: 1\ncompany: {currency: EUR}\ndepartments:\n- name: Design\n  head: Ann\nagents:\n- name: Ann\n  role: x\n",
		"b.json": "{\"format\": 1,\n \"company\": {\"currency\": \"USD\"},\n \"departments\": [{\"name\": \"DESIGN\",\n \"head\": null}]}",
		"c.yaml": "format: 1\nagents:\n- role: y\n  name: ann\n",
		"d.yaml": "format: 2\nagnts: []\ndepartments: {}\n",
		"e.yaml": "format: 1\nagents:\n- *x\n",
		"f.yaml": "format: 1\n---\nformat: 1\n",
		"g.yaml": "format: 1\nagents: [\n",
		"h.yaml": "",
	} {
		writeFile(t, filepath.Join(dir, file), text)
	}
	var got []string
	for _, m := range readDirectory(t, dir).mistakes {
		got = append(got, strings.ReplaceAll(m.String(), dir+string(filepath.Separator), ""))
	}
	want := []string{
		"b.json:2: company.currency: is also in a.yaml:2",
		"b.json:4: departments[0].head: is also in a.yaml:5",
		"c.yaml:3: agents[0].role: is also in a.yaml:8",
		"c.yaml:4: agents[0].name: is also in a.yaml:7",
		"d.yaml:1: format: must be 1",
		"d.yaml:2: agnts: unknown field",
		"d.yaml:3: departments: must be an array of objects",
		"e.yaml:3: aliases are not allowed",
		"f.yaml:2: only one document is allowed",
		"g.yaml:2: this is not YAML, or something before it is not closed",
		"h.yaml: format: must be 1",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("mistakes (-want +got):\n%s", diff)
	}
}

// A mistake that the service finds is named in the file that has the field.
func TestLocateInJoinedFiles(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "a.yaml"), "format: 1\ndepartments:\n- name: X\n- name: Design\nagents:\n- name: Ann\n")
	writeFile(t, filepath.Join(dir, "b.yaml"), "format: 1\ndepartments:\n- name: Design\n  teams:\n  - name: T\nagents:\n- name: Bob\n  tools:\n    allowed: [a,\n      b]\n")
	together := readDirectory(t, dir)
	together.arrange([]name.Key{"bob", "ann"})
	for path, want := range map[string]string{
		"departments[1].teams[0].size": "b.yaml:5 departments[0].teams[0].size",
		"departments[1].name":          "a.yaml:4 departments[1].name",
		"agents[0].tools.allowed[1]":   "b.yaml:10 agents[0].tools.allowed[1]",
		"agents[1]":                    "a.yaml:6 agents[0]",
		"":                             "the documents:0 ",
	} {
		file, line, field := together.locate(path, 1)
		if got := fmt.Sprintf("%s:%d %s", strings.TrimPrefix(file, dir+string(filepath.Separator)), line, field); got != want {
			t.Errorf("locate(%q) = %s, want %s", path, got, want)
		}
	}
}

// Agents of several files keep the places that they have, in the order of their file.
func TestArrange(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "a.yaml"), "format: 1\nagents: [{name: a2}, {name: new}, {name: a1}, {name: last}]\n")
	writeFile(t, filepath.Join(dir, "b.yaml"), "format: 1\nagents: [{name: b1}, {name: b3, previous_name: b2}]\n")
	together := readDirectory(t, dir)
	together.arrange([]name.Key{"b1", "a1", "b2", "other", "a2"})
	if got, want := string(together.text()), `{"format":1,"agents":[{"name":"b1"},{"name":"a2"},{"name":"b3","previous_name":"b2"},{"name":"new"},{"name":"a1"},{"name":"last"}]}`; got != want {
		t.Errorf("arranged = %s, want %s", got, want)
	}
}
