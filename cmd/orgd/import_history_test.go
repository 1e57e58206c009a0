package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"orgd/client"
	"orgd/cmd/orgd/internal/terminal"
	"orgd/test/gittest"
	"orgd/test/golden"
	"orgd/test/history"
)

// definition is a file about an agent.
func definition(name, body string) string {
	return "---\nname: " + name + "\ndescription: d\n---\n" + body
}

// past are the versions of an agent in few words, oldest first: what each is and
// why, without the id of the commit.
func (o *registry) past(agent string) (lines []string) {
	o.Helper()
	for v, err := range o.service().Versions(o.Context(), agent, client.PageQuery{}) {
		if err != nil {
			o.Fatal(err)
		}
		line := v.Identity.Name + " of " + v.Identity.Department + ": " + v.Identity.Instructions
		if v.Reason != nil {
			_, subject, _ := strings.Cut(*v.Reason, ": ")
			author, _, _ := strings.Cut(v.SavedBy, " <")
			at := v.SavedAt.Format(time.RFC3339)
			if time.Since(v.SavedAt) < time.Hour { // it follows one that is not imported
				at = "now"
			}
			line += " | " + at + " " + author + ": " + subject
		}
		lines = append(lines, line)
	}
	slices.Reverse(lines)
	return lines
}

// departed are the ids of those who have left, by name.
func (o *registry) departed() map[string][]string {
	o.Helper()
	ids := map[string][]string{}
	for e, err := range o.service().Activities(o.Context(), client.ActivityQuery{Type: client.EventFired}) {
		if err != nil {
			o.Fatal(err)
		}
		ids[e.AgentName] = append(ids[e.AgentName], e.AgentID)
	}
	return ids
}

var firstCommits = []gittest.Commit{
	{Subject: "Begin", Write: map[string]string{"a/ada.md": definition("ada", "one"), "a/bob.md": definition("bob", "b1"), "a/eve.md": definition("..", "e")}},
	{Subject: "Better: much", Author: "Grace H.", Date: time.Date(2025, 7, 2, 9, 0, 0, 0, time.FixedZone("", 2*60*60)), Write: map[string]string{"a/ada.md": definition("ada", "two")}},
	{Subject: "Bob leaves", Delete: []string{"a/bob.md", "a/eve.md"}},
	{Subject: "Moved", Delete: []string{"a/ada.md"}, Write: map[string]string{"b/ada.md": definition("ada", "two")}},
	{Subject: "Bob is back", Write: map[string]string{"b/bob.md": definition("Bob", "b2")}},
}

func TestImportHistory(t *testing.T) {
	o := openRegistry(t, "")
	dir := gittest.Repository(t, firstCommits...)
	r := o.run(exitOK, "", "import", "agents", "--history", "--plan", "--yes", dir)
	said := r.stdout + strings.ReplaceAll(r.stderr, dir, "DIR")
	for i, id := range strings.Fields(gittest.Git(t, dir, nil, "log", "--reverse", "--format=%h", "--abbrev=12")) {
		said = strings.ReplaceAll(said, id, fmt.Sprintf("COMMIT-%d", i+1))
	}
	golden.File(t, "testdata/import_history.txt", "$ orgd import agents --history --plan --yes .\n"+took.ReplaceAllString(said, "in TIME"))

	wantAda := []string{
		"ada of a: one | 2025-07-01T12:00:00Z Ada: Begin",
		"ada of a: two | 2025-07-02T07:00:00Z Grace H.: Better: much",
		"ada of b: two | 2025-07-02T07:00:00Z Ada: Moved",
	}
	if diff := cmp.Diff(wantAda, o.past("ada")); diff != "" {
		t.Errorf("versions of ada (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"Bob of b: b2 | 2025-07-01T12:04:00Z Ada: Bob is back"}, o.past("bob")); diff != "" {
		t.Errorf("versions of bob (-want +got):\n%s", diff)
	}
	var saved []string
	for v, err := range o.service().Versions(t.Context(), "ada", client.PageQuery{}) {
		if err != nil {
			t.Fatal(err)
		}
		saved = append(saved, fmt.Sprintf("%s %s %t %s", v.SavedAt.Format(time.RFC3339), v.SavedBy, v.Imported, v.Identity.HiringDate))
	}
	wantSaved := []string{ // the third commit is dated before the second one
		"2025-07-02T07:00:00Z Ada <someone@example.org> true 2025-07-01",
		"2025-07-02T07:00:00Z Grace H. <someone@example.org> true 2025-07-01",
		"2025-07-01T12:00:00Z Ada <someone@example.org> true 2025-07-01",
	}
	if diff := cmp.Diff(wantSaved, saved); diff != "" {
		t.Errorf("when and by whom versions of ada were saved (-want +got):\n%s", diff)
	}
	if _, err := o.service().Department(t.Context(), "a"); !errors.Is(err, client.ErrNotFound) {
		t.Errorf("department a, which everybody has left, = %v, want none", err)
	}
	reasons := map[string]string{}
	for e, err := range o.service().Changes(t.Context(), client.ChangeQuery{}) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Action == client.ActionAgentDeleted || e.Action == client.ActionDepartmentCreated {
			reasons[string(e.Action)+" "+e.Resource.Name] = terminal.Word(e.Reason)
		}
	}
	for what, want := range map[string]string{"agent.deleted bob": ": Bob leaves", "department.created a": "imported from files by orgd import agents"} {
		if got := reasons[what]; !strings.HasSuffix(got, want) {
			t.Errorf("the reason of %s = %q, want %q", what, got, want)
		}
	}
	gone := o.departed()["bob"]
	if len(gone) != 1 {
		t.Fatalf("bob left as %v, want once", gone)
	}
	if diff := cmp.Diff([]string{"bob of a: b1 | 2025-07-01T12:00:00Z Ada: Begin"}, o.past(gone[0])); diff != "" {
		t.Errorf("versions of the first bob (-want +got):\n%s", diff)
	}

	again := func(says string) {
		t.Helper()
		if r := o.run(exitOK, "", "import", "agents", "--history", "--yes", dir); !strings.Contains(r.stderr, says) {
			t.Errorf("orgd import --history again says %q, want %q", r.stderr, says)
		}
	}
	again("Nothing to change")
	gittest.Add(t, dir, len(firstCommits),
		gittest.Commit{Subject: "More", Write: map[string]string{"b/ada.md": definition("ada", "three"), "b/cy.md": definition("cy", "c")}},
		gittest.Commit{Subject: "No bob", Delete: []string{"b/bob.md"}})
	again("1 agents to hire, 1 to delete; 2 versions.")
	if diff := cmp.Diff(append(wantAda, "ada of b: three | 2025-07-02T07:00:00Z Ada: More"), o.past("ada")); diff != "" {
		t.Errorf("versions of ada after another commit (-want +got):\n%s", diff)
	}
	again("Nothing to change")
	if n := len(o.departed()["Bob"]); n != 1 {
		t.Errorf("Bob has left %d times under this name, want once", n)
	}
}

// took is how long a replay took.
var took = regexp.MustCompile(`in \d+s`)

// What others did to agents of the history, or with their names, stays; nothing
// comes twice.
func TestImportHistoryOfOthers(t *testing.T) {
	o := openRegistry(t, "format: 1\ndepartments: [{name: a}]\nagents:\n- {name: ada, role: Chief, department: a, level: vp}\n- {name: bob, role: bob, department: a, description: d, instructions: b1}\n")
	dir := gittest.Repository(t,
		gittest.Commit{Subject: "1", Write: map[string]string{"a/ada.md": definition("ada", "one"), "a/bob.md": definition("bob", "b1"), "a/cy.md": definition("cy", "c1"), "a/dee.md": definition("dee", "d1")}},
		gittest.Commit{Subject: "2", Write: map[string]string{"a/ada.md": definition("ada", "two"), "a/dee.md": definition("dee", "d2")}},
	)
	sync := func() string {
		t.Helper()
		return o.run(exitOK, "", "import", "agents", "--history", "--yes", dir).stderr
	}
	sync()
	// Nothing can be put before what was there.
	if diff := cmp.Diff([]string{"ada of a: ", "ada of a: two | now Ada: 2"}, o.past("ada")); diff != "" {
		t.Errorf("versions of ada (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"bob of a: b1"}, o.past("bob")); diff != "" {
		t.Errorf("versions of bob (-want +got):\n%s", diff)
	}
	if a := o.agent("ada"); a.Level != client.LevelVP {
		t.Errorf("ada is %s, want vp as before", a.Level)
	}
	if said := sync(); !strings.Contains(said, "Nothing to change") {
		t.Errorf("the second import says %q", said)
	}

	// A change by hand stays until a commit says something else.
	c := o.service()
	if _, err := c.PatchAgent(t.Context(), "cy", client.Object{"instructions": "by hand"}); err != nil {
		t.Fatal(err)
	}
	if err := c.DeleteAgent(t.Context(), "dee"); err != nil {
		t.Fatal(err)
	}
	if said := sync(); !strings.Contains(said, "1 agents to hire, 0 to delete; 1 versions.") {
		t.Errorf("the import after a deletion by hand says %q", said)
	}
	if diff := cmp.Diff([]string{"dee of a: d2 | 2025-07-01T12:01:00Z Ada: 2"}, o.past("dee")); diff != "" {
		t.Errorf("versions of dee (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"cy of a: c1 | 2025-07-01T12:00:00Z Ada: 1", "cy of a: by hand"}, o.past("cy")); diff != "" {
		t.Errorf("versions of cy (-want +got):\n%s", diff)
	}
	gittest.Add(t, dir, 2, gittest.Commit{Subject: "3", Write: map[string]string{"a/cy.md": definition("cy", "c3")}})
	sync()
	if got := o.past("cy"); len(got) != 3 || got[2] != "cy of a: c3 | now Ada: 3" {
		t.Errorf("versions of cy = %q, want a third of the commit", got)
	}
	if said := sync(); !strings.Contains(said, "Nothing to change") {
		t.Errorf("the last import says %q", said)
	}
}

// An import without the history says that there is one, and afterwards the truth about it.
func TestImportAsksForHistory(t *testing.T) {
	commits := []gittest.Commit{
		{Subject: "1", Write: map[string]string{"a/ada.md": definition("ada", "one")}},
		{Subject: "2", Write: map[string]string{"a/ada.md": definition("ada", "two"), "a/bob.md": definition("bob", "b")}},
	}
	dir := gittest.Repository(t, commits...)
	o := openRegistry(t, "")
	r := o.run(exitOK, "", "import", "agents", "--yes", dir)
	if !strings.Contains(r.stderr, "has 2 commits in Git: --history imports also") {
		t.Errorf("orgd import of a repository says nothing of its history:\n%s", r.stderr)
	}
	r = o.run(exitOK, "", "import", "agents", "--history", "--yes", dir)
	if !strings.Contains(r.stderr, "1 agents are here without their history") || !strings.Contains(r.stderr, "Nothing to change") {
		t.Errorf("orgd import --history over an import without it says:\n%s", r.stderr)
	}
	for answers, versions := range map[string]int{"y\ny\n": 2, "n\ny\n": 1} {
		o := openRegistry(t, "")
		o.interactive = true
		r := o.run(exitOK, answers, "import", "agents", dir)
		if got := o.past("ada"); len(got) != versions || !strings.Contains(r.stderr, "Import also what the agents were before?") {
			t.Errorf("with answers %q ada has versions %q, and orgd says:\n%s", answers, got, r.stderr)
		}
	}
}

func TestImportHistoryMistakes(t *testing.T) {
	o := openRegistry(t, "")
	before := o.export()
	dir := gittest.Repository(t,
		gittest.Commit{Write: map[string]string{"a/ada.md": definition("ada", "one")}},
		gittest.Commit{Write: map[string]string{"a/ada.md": "---\nname: ada\ntools: [\n---\n", "a/bob.md": "---\nname: bob\nmodel: {}\n---\n"}},
	)
	want := filepath.Join(dir, "a/ada.md") + ":3: tools: is not YAML: a bracket or quotes without their end, or a list with tabs\n" +
		filepath.Join(dir, "a/bob.md") + ":3: model: must be a text\norgd: " + dir + " has 2 mistakes; nothing was changed\n"
	if r := o.run(exitFailure, "", "import", "agents", "--history", "--yes", dir); r.stdout+r.stderr != want {
		t.Errorf("orgd import --history of mistakes says\n%s\nwant\n%s", r.stdout+r.stderr, want)
	}
	if r := o.run(exitFailure, "", "import", "agents", "--history", "--yes", t.TempDir()); !strings.Contains(r.stderr, "not a git repository") {
		t.Errorf("orgd import --history without Git says %q", r.stderr)
	}
	if diff := cmp.Diff(before, o.export()); diff != "" {
		t.Errorf("something has changed (-before +after):\n%s", diff)
	}
}

// Limits are waited for, and who sits at a terminal sees how far it is.
func TestImportHistoryWaits(t *testing.T) {
	t.Parallel() // it waits
	dir := t.TempDir()
	s := serve(t, false, "--data-dir", dir, "--limit", "agents.create=3/1s")
	o := &registry{T: t, url: s.url, token: readSecret(t, filepath.Join(dir, "admin.token"))}
	o.vars = []string{"ORGD_SERVER=" + s.url, "ORGD_TOKEN=" + o.token}
	files := map[string]string{}
	for i := range 8 {
		name := fmt.Sprint("agent-", i)
		files["a/"+name+".md"] = definition(name, "x")
	}
	var out output
	code := run(t.Context(), []string{"import", "agents", "--history", "--yes", gittest.Repository(t, gittest.Commit{Subject: "All", Write: files})},
		terminal.Terminal{Getenv: env(o.vars...), Stdin: strings.NewReader(""), Stdout: &out, Stderr: &out, StderrIsTerminal: true})
	if code != exitOK || !strings.Contains(out.String(), "\rreplaying") {
		t.Errorf("orgd import = %d:\n%s", code, &out)
	}
	for i := range 8 {
		o.agent(fmt.Sprint("agent-", i))
	}
}

// A run that is cut short is finished by the next one, as if it had not been cut.
func TestImportHistoryInterrupted(t *testing.T) {
	commits := slices.Clone(firstCommits)
	for i := range 12 {
		commits = append(commits, gittest.Commit{Subject: fmt.Sprint("Change ", i), Write: map[string]string{"b/ada.md": definition("ada", fmt.Sprint(i))}})
	}
	dir := gittest.Repository(t, commits...)
	whole := openRegistry(t, "")
	whole.run(exitOK, "", "import", "agents", "--history", "--yes", dir)

	o := openRegistry(t, "")
	runs := 0
	for cut := true; cut; runs++ {
		if runs == 50 {
			t.Fatal("the import does not come to an end")
		}
		cut = o.cutImport(dir, 2)
	}
	if runs < 8 {
		t.Errorf("%d runs, want 8 or more", runs)
	}
	if diff := cmp.Diff(whole.export(), o.export()); diff != "" {
		t.Errorf("the organization (-in one run +in many):\n%s", diff)
	}
	for _, agent := range []string{"ada", "bob"} {
		if diff := cmp.Diff(whole.past(agent), o.past(agent)); diff != "" {
			t.Errorf("versions of %s (-in one run +in many):\n%s", agent, diff)
		}
	}
	one, many := whole.departed(), o.departed()
	if len(many) != 1 || len(many["bob"]) != 1 {
		t.Fatalf("departed = %v, want as in %v", many, one)
	}
	if diff := cmp.Diff(whole.past(one["bob"][0]), o.past(many["bob"][0])); diff != "" {
		t.Errorf("versions of the first bob (-in one run +in many):\n%s", diff)
	}
}

// cutImport imports a history until the service has carried out some changes; the
// answer to the last of them does not arrive. It reports whether it has cut the
// import short.
func (o *registry) cutImport(dir string, changes int64) (cut bool) {
	o.Helper()
	target, err := url.Parse(o.url)
	if err != nil {
		o.Fatal(err)
	}
	ctx, stop := context.WithCancel(o.Context())
	defer stop()
	var count atomic.Int64
	proxy := httputil.NewSingleHostReverseProxy(target)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer := httptest.NewRecorder()
		proxy.ServeHTTP(answer, r.WithContext(context.WithoutCancel(r.Context())))
		if r.Method != http.MethodGet && count.Add(1) == changes {
			stop()
			<-r.Context().Done()
			return
		}
		maps.Copy(w.Header(), answer.Header())
		w.WriteHeader(answer.Code)
		w.Write(answer.Body.Bytes())
	}))
	defer srv.Close()
	var out output
	code := run(ctx, []string{"import", "agents", "--history", "--yes", "--server", srv.URL, dir},
		terminal.Terminal{Getenv: env(o.vars...), Stdin: strings.NewReader(""), Stdout: &out, Stderr: &out})
	if cut = ctx.Err() != nil; cut && (code != 130 || !strings.Contains(out.String(), "the same command does the rest")) || !cut && code != exitOK {
		o.Fatalf("orgd import, cut short %t = %d:\n%s", cut, code, &out)
	}
	return cut
}

// life is what an agent was, one definition after the other.
type life struct {
	versions []client.AgentInput
	reasons  []string // when, by whom and why
	last     time.Time
	fired    bool
}

// told applies an entry to what an agent was before.
func told(a client.AgentInput, e history.Entry) client.AgentInput {
	set := func(dst *string, value *string) {
		if value != nil {
			*dst = *value
		}
	}
	a.Name = e.Name
	set(&a.Department, e.Department)
	set(&a.Description, e.Description)
	set(&a.Instructions, e.Instructions)
	set(&a.ModelID, e.Model)
	if e.Tools != nil {
		a.Tools.Allowed = *e.Tools
	}
	return a
}

// file is a definition as a file, in one dialect or another.
func file(a client.AgentInput, dialect int) string {
	quoted := func(text string) string {
		b, err := json.Marshal(text)
		if err != nil {
			panic(err) // texts can be written
		}
		return string(b)
	}
	description, tools, end := a.Description, strings.Join(a.Tools.Allowed, ", "), "\n"
	switch dialect % 4 {
	case 0: // as the collection has them: often no YAML
		if !strings.Contains(description, ": ") {
			description = quoted(description)
		}
	case 1:
		description, tools = quoted(description), quoted(tools)
	case 2:
		description, tools, end = quoted(description), "["+quoted(strings.Join(a.Tools.Allowed, "\x00"))+"]", "\r\n"
		tools = strings.ReplaceAll(tools, `\u0000`, `", "`)
		if len(a.Tools.Allowed) == 0 {
			tools = "[]"
		}
	case 3:
		description = quoted(description)
		tools = ""
		for _, tool := range a.Tools.Allowed {
			tools += "\n  - " + quoted(tool)
		}
	}
	text := "---\nname: " + a.Name + "\ndescription: " + description + "\ntools: " + tools + "\n"
	if a.ModelID != "" || dialect%2 == 0 {
		text += "model: " + a.ModelID + "\n"
	}
	return strings.ReplaceAll(text+"---\n\n"+a.Instructions+"\n", "\n", end)
}

// rebuild makes a repository of the real history, and the lives that it tells.
func rebuild(t *testing.T) (dir string, lives []*life) {
	t.Helper()
	entries, err := history.ReadFile(history.Real)
	if errors.Is(err, fs.ErrNotExist) {
		t.Skipf("SKIPPED: there is no %s, the history of a real collection", history.Real)
	}
	if err != nil {
		t.Fatal(err)
	}
	var commits []gittest.Commit
	now := map[string]*life{}
	for i, e := range entries {
		if n := len(commits); n == 0 || commits[n-1].Subject != e.Commit {
			commits = append(commits, gittest.Commit{
				Subject: e.Commit, Author: "Somebody", Date: e.Date, Write: map[string]string{"README.md": fmt.Sprint("Commit ", n)},
			})
		}
		c := &commits[len(commits)-1]
		var before client.AgentInput
		l := now[e.Name]
		if e.Op == history.Hire {
			l = &life{}
			now[e.Name] = l
			lives = append(lives, l)
		} else {
			before = l.versions[len(l.versions)-1]
			c.Delete = append(c.Delete, "categories/"+before.Department+"/"+e.Name+".md")
		}
		if e.Op == history.Fire {
			l.fired = true
			continue
		}
		a := told(before, e)
		c.Write["categories/"+a.Department+"/"+a.Name+".md"] = file(a, i)
		if a.ModelID == "inherit" {
			a.ModelID = ""
		}
		l.versions = append(l.versions, a)
		if l.last.Before(e.Date) {
			l.last = e.Date
		}
		l.reasons = append(l.reasons, l.last.UTC().Format(time.RFC3339)+" Somebody <someone@example.org> "+e.Commit)
	}
	return gittest.Repository(t, commits...), lives
}

// identityIn is what a version says of what files define.
func identityIn(i client.AgentIdentity) client.AgentInput {
	a := client.AgentInput{
		Name: i.Name, Department: i.Department, Description: i.Description, Instructions: strings.TrimSuffix(strings.TrimPrefix(i.Instructions, "\n"), "\n"),
		Tools: client.Tools{Allowed: i.Tools.Allowed},
	}
	if i.Model != nil {
		a.ModelID = i.Model.ModelID
	}
	return a
}

// The history of a real collection, rebuilt as files in several dialects and as
// commits, comes out version by version.
func TestImportHistoryReal(t *testing.T) {
	t.Parallel() // it waits
	dir, lives := rebuild(t)
	o := openRegistry(t, "")
	r := o.run(exitOK, "", "import", "agents", "--history", "--yes", dir)
	gone := o.departed()
	employed, versions := 0, 0
	for _, l := range lives {
		last := l.versions[len(l.versions)-1]
		id := last.Name
		if l.fired {
			if len(gone[id]) != 1 {
				t.Fatalf("%s left as %v, want once", id, gone[id])
			}
			id = gone[id][0]
		} else {
			employed++
		}
		var got []client.AgentInput
		var reasons []string
		for v, err := range o.service().Versions(t.Context(), id, client.PageQuery{Limit: 200}) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, identityIn(v.Identity))
			_, subject, _ := strings.Cut(*v.Reason, ": ")
			reasons = append(reasons, v.SavedAt.Format(time.RFC3339)+" "+v.SavedBy+" "+subject)
			if !v.Imported || v.Identity.Role != last.Name {
				t.Errorf("%s version %d is imported %t with role %s", last.Name, v.Number, v.Imported, v.Identity.Role)
			}
		}
		slices.Reverse(got)
		slices.Reverse(reasons)
		versions += len(got)
		if diff := cmp.Diff(l.versions, got, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("versions of %s (-want +got):\n%s", last.Name, diff)
		}
		if diff := cmp.Diff(l.reasons, reasons); diff != "" {
			t.Errorf("reasons of %s (-want +got):\n%s", last.Name, diff)
		}
	}
	agents := 0
	for _, err := range o.service().Agents(t.Context(), client.AgentQuery{Summary: true, PageQuery: client.PageQuery{Limit: 200}}) {
		if err != nil {
			t.Fatal(err)
		}
		agents++
	}
	t.Logf("%d commits: %d agents, %d departed, %d versions", strings.Count(gittest.Git(t, dir, nil, "log", "--format=%h"), "\n"), agents, len(gone), versions)
	if agents != employed || agents != 158 || versions != 889 {
		t.Errorf("%d agents with %d versions, want 158 (of the history %d) with 889; the command says\n%s", agents, versions, employed, r.stderr)
	}
	before := o.export()
	for _, args := range [][]string{{"--history"}, nil} {
		if r := o.run(exitOK, "", append([]string{"import", "agents", "--yes", dir}, args...)...); !strings.Contains(r.stderr, "Nothing to change") {
			t.Errorf("orgd import agents %s again says %q", args, r.stderr)
		}
	}
	if o.export() != before {
		t.Error("another import has changed something")
	}

	// The files as they are, without their history, are the same organization.
	plain := openRegistry(t, "")
	plain.run(exitOK, "", "import", "agents", "--yes", dir)
	for _, l := range lives {
		if last := l.versions[len(l.versions)-1]; !l.fired {
			if diff := cmp.Diff(last, identityIn(plain.agent(last.Name).AgentIdentity), cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("%s imported without history (-want +got):\n%s", last.Name, diff)
			}
		}
	}
}
