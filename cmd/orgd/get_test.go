package main

import (
	"context"
	"encoding/json"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"orgd/client"
	"orgd/cmd/orgd/internal/terminal"
	"orgd/test/faultproxy"
	"orgd/test/golden"
)

// office is a service with somebody who talks to it.
type office struct {
	*testing.T
	user  // an editor
	admin user
	data  string // its directory
	*client.Client
}

// newOffice starts a service that is empty.
func newOffice(t *testing.T) *office {
	t.Helper()
	dir := t.TempDir()
	s := serve(t, false, "--data-dir", dir, "--limits", "off")
	token := newToken(t, dir, "ann")
	c, err := client.New(client.Config{BaseURL: s.url, Token: client.StaticToken(token)})
	if err != nil {
		t.Fatal(err)
	}
	as := func(token string) user { return user{vars: []string{"ORGD_SERVER=" + s.url, "ORGD_TOKEN=" + token}} }
	return &office{t, as(token), as(readSecret(t, filepath.Join(dir, "admin.token"))), dir, c}
}

// staff hires Ada and Hal, who have done something, and gives them a project.
func (o *office) staff() {
	o.Helper()
	ctx := o.Context()
	done := func(_ any, err error) {
		o.Helper()
		if err != nil {
			o.Fatal(err)
		}
	}
	for _, d := range []client.DepartmentInput{{Name: "Engineering", BudgetPercent: "40", Description: "Makes things."}, {Name: "Design"}} {
		done(o.CreateDepartment(ctx, d))
	}
	for _, a := range []client.AgentInput{
		{Name: "Ada", Role: "Reviewer", Department: "Engineering", Instructions: "Review kindly.\nSay why.\n", HiringDate: "2026-01-02",
			Model: &client.Model{Provider: "aurora", ModelID: "aurora-large-3"}, Tools: client.Tools{Allowed: []string{"git"}}},
		{Name: "Hal", Role: "Designer", Department: "Design", Level: client.LevelLead, HiringDate: "2026-03-04"},
	} {
		done(o.CreateAgent(ctx, a))
	}
	done(o.PatchAgent(ctx, "Ada", client.Object{"level": client.LevelSenior, "instructions": "Review strictly.\nSay why.\n"},
		client.ChangeReason("found nothing")))
	done(o.CreateProject(ctx, client.ProjectInput{Name: "Checkout", Lead: "Hal", Team: []string{"Ada"}, Budget: "2500"}))
	done(o.report("Ada", "T-1"))
}

// report tells that an agent has completed a task.
func (o *office) report(agent, task string) (client.ReportResult, error) {
	return o.ReportActivities(o.Context(), []client.Report{{Agent: agent, Data: client.TaskCompleted{TaskID: task, Success: true}}})
}

// changing finds what is different in each run.
var changing = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z|[0-9a-f]{8}-[0-9a-f-]{27}|proj-[0-9a-f]{12}|[0-9a-f]{64}`)

// same puts placeholders of the same length there.
func same(text string) string {
	return changing.ReplaceAllStringFunc(text, func(found string) string {
		word := "id"
		switch {
		case strings.HasSuffix(found, "Z"):
			found, word = "2006-01-02T15:04:05Z", "time"
		case len(found) == 64:
			word = "hash"
		}
		return "<" + word + strings.Repeat(".", len(found)-len(word)-2) + ">"
	})
}

// session runs command lines, which have to succeed, one after the other and
// returns what a user sees.
func (o *office) session(lines ...[]string) string {
	o.Helper()
	var seen strings.Builder
	for _, line := range lines {
		seen.WriteString("$ orgd " + same(quoted(line)) + "\n" + o.sees("", line) + "\n")
	}
	return seen.String()
}

// pipe is a session of one line with input.
func (o *office) pipe(input string, line ...string) string {
	o.Helper()
	return "$ echo '" + input + "' | orgd " + quoted(line) + "\n" + o.sees(input, line) + "\n"
}

func (o *office) sees(input string, line []string) string {
	o.Helper()
	r := o.types(o.T, input, line...)
	if r.code != exitOK {
		o.Errorf("orgd %q = %d:\n%s", line, r.code, r.stderr)
	}
	return same(r.stderr + r.stdout)
}

// quoted is a line as one types it.
func quoted(words []string) string {
	var all []string
	for _, w := range words {
		if w == "" || strings.ContainsAny(w, " \n") {
			w = `"` + w + `"`
		}
		all = append(all, w)
	}
	return strings.Join(all, " ")
}

// lines makes command lines of words.
func lines(all ...string) (words [][]string) {
	for _, line := range all {
		words = append(words, strings.Fields(line))
	}
	return words
}

func TestGet(t *testing.T) {
	o := newOffice(t)
	empty := o.session(lines("get agents", "get projects -o json", "get departments -o yaml")...)
	o.staff()
	golden.File(t, "testdata/get.txt", empty+o.session(lines(
		"get agents",
		"get agents --department Design",
		"get agents --status on_leave",
		"get agents --level senior --limit 1",
		"get agents --name-prefix h",
		"get agents --sort tasks",
		"get agents --window 7d --department Design -o json",
		"get departments",
		"get departments -o json --limit 1",
		"get projects",
		"get projects --status active --lead Hal",
		"get activities --limit 4",
		"get activities --agent Hal --type hired --last-n-hours 24",
		"get activities --type task_completed -o json",
	)...))
	for line, want := range map[string]struct {
		code   int
		stderr string
	}{
		"get agents --sort age":                  {exitUsage, "--sort"},
		"get agents --window 8d":                 {exitUsage, "--window"},
		"get agents --sort cost --deleted":       {exitUsage, "--sort and --window do not go with"},
		"get agents --window 7d --watch":         {exitUsage, "--sort and --window do not go with"},
		"get agents --sort name --name-prefix h": {exitUsage, "--sort and --window do not go with"},
	} {
		if r := o.types(t, "", strings.Fields(line)...); r.code != want.code || !strings.Contains(r.stderr, want.stderr) {
			t.Errorf("orgd %s = %d %q, want %d %q", line, r.code, r.stderr, want.code, want.stderr)
		}
	}
}

func TestSearch(t *testing.T) {
	o := newOffice(t)
	o.staff()
	_, err := o.CreateAgent(t.Context(), client.AgentInput{Name: "Eve", Role: "Writer", Department: "Design", HiringDate: "2026-03-05",
		Description: "Strictly\u202e private", Instructions: "1\r2\r\n\t\x1b[31mStrictly in short sentences. " + strings.Repeat("x", 200)})
	if err != nil {
		t.Fatal(err)
	}
	golden.File(t, "testdata/search.txt", o.session(lines(
		"search STRICTLY",
		"search strictly --department Design --status active --level mid",
		"search kindly",
	)...))
	if got := o.can(t, "search", "strictly", "--limit", "1", "-o", "json"); strings.Count(got, `"matches": [`) != 1 {
		t.Errorf("orgd search -o json prints\n%s", got)
	}
}

// Who changed what is for administrators.
func TestGetAudit(t *testing.T) {
	o := newOffice(t)
	o.staff()
	for line, want := range map[string]struct {
		code   int
		stderr string
	}{
		"get audit --last tomorrow":               {code: exitUsage, stderr: "--last: must be a time"},
		"get audit --since beginning":             {code: exitUsage, stderr: "--since: goes with --watch only"},
		"get audit --watch --last 24h":            {code: exitUsage, stderr: "--last: does not go with --watch"},
		"get audit --agent Ada --resource agents": {code: exitUsage, stderr: "--agent and --resource"},
	} {
		if r := o.types(t, "", strings.Fields(line)...); r.code != want.code || !strings.Contains(r.stderr, want.stderr) {
			t.Errorf("orgd %s = %d %q, want %d %q", line, r.code, r.stderr, want.code, want.stderr)
		}
	}
	o.user = o.admin
	golden.File(t, "testdata/get_audit.txt", o.session(lines(
		"get audit --limit 4",
		"get audit --agent Ada --last 24h",
		"get audit --actor ann --resource departments/Design",
		"get audit --actor nobody -o json",
		"get audit --limit 1 --reports",
	)...))
}

// Who follows the audit trail goes on behind the last line that it has printed.
func TestFollowAudit(t *testing.T) {
	o := newOffice(t)
	o.staff()
	o.user = o.admin
	var ids []string
	follow := func(position string, lines string) (last string) {
		t.Helper()
		r := o.start(t, "get", "audit", "--watch", "--since", position, "--limit", lines, "-o", "json")
		r.ends(exitOK)
		for line := range strings.Lines(r.stdout.String()) {
			var e struct{ ID, Position string }
			if err := json.Unmarshal([]byte(line), &e); err != nil || e.Position == "" {
				t.Fatalf("a line is %s, %v", line, err)
			}
			if last = e.Position; !slices.Contains(ids, e.ID) {
				ids = append(ids, e.ID)
			}
		}
		return last
	}
	follow(follow("beginning", "2"), "3") // which begins with the page that was not read to its end
	var listed []struct{ ID string }
	if err := json.Unmarshal([]byte(o.types(t, "", "get", "audit", "--limit", "0", "-o", "json").stdout), &listed); err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, e := range slices.Backward(listed) {
		want = append(want, e.ID)
	}
	if len(ids) != 4 || !slices.Equal(ids, want[:4]) {
		t.Errorf("followed are %v, want the first four of %v", ids, want)
	}
	table := o.start(t, "get", "audit", "--watch")
	table.shows(table.stderr, "Watching")
	table.shows(table.stdout, "REVISION")
	o.types(t, "", "agent", "update", "Ada", "--role", "Chief")
	table.shows(table.stdout, "agent.updated")
}

// What was changed is for everybody.
func TestGetChanges(t *testing.T) {
	o := newOffice(t)
	o.staff()
	for line, want := range map[string]string{
		"get changes --last tomorrow": "--last: must be a time",
		"get changes --last 1h -w":    "--last: does not go with --watch",
		"get changes --after p0":      "--after: goes with --watch only",
	} {
		if r := o.types(t, "", strings.Fields(line)...); r.code == 0 || !strings.Contains(r.stderr, want) {
			t.Errorf("orgd %s = %d %q, want %q", line, r.code, r.stderr, want)
		}
	}
	golden.File(t, "testdata/get_changes.txt", o.session(lines(
		"agent update Hal --role Artist --level lead --autonomy full --description Draws. --tools pen --reason growth",
		"get changes --limit 3",
		"get changes --agent Ada --last 24h",
		"get changes --department Design --action agent.updated",
		"get changes --actor nobody -o json",
	)...))
	if r := o.can(t, "get", "changes", "--limit", "0", "-o", "json"); strings.Count(r, `"action"`) < 5 {
		t.Errorf("orgd get changes --limit 0 prints\n%s", r)
	}
}

// What is kept of an agent that was deleted is found by its id.
func TestDeletedAgentIsFound(t *testing.T) {
	o := newOffice(t)
	o.staff()
	o.user = o.admin
	ada, err := o.Agent(t.Context(), "Ada")
	if err != nil {
		t.Fatal(err)
	}
	o.can(t, "agent", "delete", "Ada", "--yes")
	for line, want := range map[string]string{
		"get audit --agent ID":      "agent.deleted",
		"get changes --agent ID":    "agent.deleted",
		"get activities --agent ID": "fired as Reviewer",
		"agent versions ID":         "found nothing",
		"agent history ID":          "fired",
		"agent diff ID":             "instructions",
		"agent show ID --version 1": "Review kindly.",
	} {
		line = strings.ReplaceAll(line, "ID", ada.ID)
		if got := o.can(t, strings.Fields(line)...); !strings.Contains(got, want) {
			t.Errorf("orgd %s prints no %q:\n%s", line, want, got)
		}
	}
	if r := o.types(t, "", "get", "audit", "--agent", "Ada"); r.code != exitFailure || !strings.Contains(r.stderr, "not found") {
		t.Errorf("orgd get audit of a deleted name = %+v", r)
	}
}

// A list is read to its end, or to its limit, through as many pages as it takes.
func TestGetReadsAllPages(t *testing.T) {
	o := newOffice(t)
	if _, err := o.CreateDepartment(t.Context(), client.DepartmentInput{Name: "Design"}); err != nil {
		t.Fatal(err)
	}
	var reports []client.Report
	for range 450 {
		reports = append(reports, client.Report{Agent: "Hal", Data: client.TaskStarted{TaskID: "T"}})
	}
	if _, err := o.CreateAgent(t.Context(), client.AgentInput{Name: "Hal", Role: "Designer", Department: "Design"}); err != nil {
		t.Fatal(err)
	}
	if _, err := o.ReportActivities(t.Context(), reports); err != nil {
		t.Fatal(err)
	}
	for limit, want := range map[string]int{"0": 452, "1": 1, "201": 201, "": 50} {
		line := []string{"get", "activities", "-o", "json"}
		if limit != "" {
			line = append(line, "--limit", limit)
		}
		var events []json.RawMessage
		if err := json.Unmarshal([]byte(o.can(t, line...)), &events); err != nil || len(events) != want {
			t.Errorf("orgd %s shows %d events, %v, want %d", line, len(events), err, want)
		}
	}
}

// running is a command that goes on.
type running struct {
	*testing.T
	stdout, stderr *output
	code           chan int
	interrupt      context.CancelFunc
}

// start begins a command line.
func (u user) start(t *testing.T, args ...string) *running {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	r := &running{t, &output{}, &output{}, make(chan int, 1), cancel}
	go func() {
		r.code <- run(ctx, args, terminal.Terminal{Getenv: env(u.vars...), Stdin: strings.NewReader(""), Stdout: r.stdout, Stderr: r.stderr, Interactive: u.interactive, UserDir: u.dir})
	}()
	t.Cleanup(cancel)
	return r
}

// shows waits until the command has written a text.
func (r *running) shows(out *output, want string) {
	r.Helper()
	for end := time.Now().Add(30 * time.Second); !strings.Contains(out.String(), want); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			r.Fatalf("the command does not write %q:\n%s%s", want, r.stdout, r.stderr)
		}
	}
}

// ends waits for the exit code.
func (r *running) ends(want int) {
	r.Helper()
	select {
	case got := <-r.code:
		if got != want {
			r.Errorf("the command = %d, want %d:\n%s", got, want, r.stderr)
		}
	case <-time.After(30 * time.Second):
		r.Fatalf("the command does not end:\n%s%s", r.stdout, r.stderr)
	}
}

func TestWatchActivities(t *testing.T) {
	o := newOffice(t)
	o.staff()
	table := o.start(t, "get", "activities", "--watch", "--agent", "Ada")
	lines := o.start(t, "get", "activities", "--watch", "--type", "task_completed", "-o", "json", "--limit", "2")
	table.shows(table.stderr, "Watching")
	lines.shows(lines.stderr, "Watching")
	for _, agent := range []string{"Ada", "Hal"} {
		if _, err := o.report(agent, "T-2"); err != nil {
			t.Fatal(err)
		}
	}
	lines.ends(exitOK) // as it has shown two
	var first, second struct {
		Position string
		Agent    string `json:"agent_name"`
	}
	d := json.NewDecoder(strings.NewReader(lines.stdout.String()))
	if err := d.Decode(&first); err != nil || first.Agent != "Ada" || strings.Count(lines.stdout.String(), "\n") != 2 {
		t.Errorf("orgd get activities --watch -o json writes, %v:\n%s", err, lines.stdout)
	}
	again := o.start(t, "get", "activities", "--watch", "--type", "task_completed", "-o", "json", "--limit", "1", "--after="+first.Position) // which may begin with a dash
	again.ends(exitOK)
	if err := json.Unmarshal([]byte(again.stdout.String()), &second); err != nil || second.Agent != "Hal" {
		t.Errorf("behind %s comes %s, %v, want the event of Hal", first.Position, again.stdout, err)
	}

	table.shows(table.stdout, "task_completed")
	table.interrupt()
	table.ends(130)
	if out := table.stdout.String(); strings.Count(out, "\n") != 2 || !strings.HasPrefix(out, "TIME ") {
		t.Errorf("orgd get activities --watch writes a header and one event, got:\n%s", out)
	}
}

// A connection that breaks is made again, and what happened meanwhile is shown.
func TestWatchGoesOn(t *testing.T) {
	t.Parallel() // it waits
	o := newOffice(t)
	o.staff()
	server := strings.TrimPrefix(o.vars[0], "ORGD_SERVER=")
	way := faultproxy.Start(t, strings.TrimPrefix(server, "http://"))
	u := user{vars: []string{"ORGD_SERVER=http://" + way.Addr(), o.vars[1]}}
	r := u.start(t, "get", "activities", "--watch")
	r.shows(r.stderr, "Watching")
	if _, err := o.report("Ada", "T-2"); err != nil {
		t.Fatal(err)
	}
	r.shows(r.stdout, "Ada")
	way.Cut()
	if _, err := o.report("Hal", "T-3"); err != nil {
		t.Fatal(err)
	}
	way.Pass()
	r.shows(r.stdout, "Hal")
	r.interrupt()
	r.ends(130)
	if out := r.stdout.String(); strings.Count(out, "task_completed") != 2 {
		t.Errorf("every event is shown once, got:\n%s", out)
	}
}

func TestWatchChanges(t *testing.T) {
	o := newOffice(t)
	o.staff()
	table := o.start(t, "get", "changes", "--watch", "--agent", "Ada")
	lines := o.start(t, "get", "changes", "--watch", "--action", "agent", "-o", "json", "--limit", "2")
	table.shows(table.stderr, "Watching")
	lines.shows(lines.stderr, "Watching")
	for _, agent := range []string{"Ada", "Hal"} {
		o.can(t, "agent", "update", agent, "--role", "Other", "--reason", "to see it")
	}
	lines.ends(exitOK) // as it has shown two
	var first, second watchedChange
	d := json.NewDecoder(strings.NewReader(lines.stdout.String()))
	if err := d.Decode(&first); err != nil || first.Resource.Name != "Ada" || first.Position == "" || strings.Count(lines.stdout.String(), "\n") != 2 {
		t.Errorf("orgd get changes --watch -o json writes, %v:\n%s", err, lines.stdout)
	}
	again := o.start(t, "get", "changes", "--watch", "--action", "agent", "-o", "json", "--limit", "1", "--after="+first.Position)
	again.ends(exitOK)
	if err := json.Unmarshal([]byte(again.stdout.String()), &second); err != nil || second.Resource.Name != "Hal" {
		t.Errorf("behind %s comes %s, %v, want the change of Hal", first.Position, again.stdout, err)
	}
	table.shows(table.stdout, "to see it")
	table.interrupt()
	table.ends(130)
	if out := table.stdout.String(); strings.Count(out, "\n") != 2 || !strings.Contains(out, "role") {
		t.Errorf("orgd get changes --watch writes a header and one change, got:\n%s", out)
	}
}

// watchedChange is a line of orgd get changes --watch -o json.
type watchedChange struct {
	Position string
	client.ChangeEvent
}

func TestWatchEndsWithTheSession(t *testing.T) {
	o := newOffice(t)
	u := user{vars: []string{o.vars[0], "ORGD_TOKEN=nonsense"}}
	r := u.start(t, "get", "activities", "--watch")
	r.ends(exitFailure)
	if !strings.Contains(r.stderr.String(), "does not accept the token of ORGD_TOKEN") {
		t.Errorf("orgd get activities --watch with a bad token says:\n%s", r.stderr)
	}
}

func TestWatchAgents(t *testing.T) {
	o := newOffice(t)
	o.staff()
	r := o.start(t, "get", "agents", "--watch", "--department", "Engineering")
	all := o.start(t, "get", "agents", "--watch", "-o", "json")
	tagged := o.start(t, "get", "agents", "--watch", "--owner", "eve", "--tag", "eu")
	r.shows(r.stdout, "senior")
	all.shows(all.stdout, "Hal")
	tagged.shows(tagged.stdout, "OWNER")
	for agent, level := range map[string]client.AgentLevel{"Hal": client.LevelDirector, "Ada": client.LevelPrincipal} {
		if _, err := o.PatchAgent(t.Context(), agent, client.Object{"level": level}); err != nil {
			t.Fatal(err)
		}
	}
	r.shows(r.stdout, "principal")
	all.shows(all.stdout, `"level":"director"`) // or the next change of Hal is printed with this one
	tag := client.Object{"owner": "eve", "tags": []string{"a", "eu"}}
	if _, err := o.PatchAgent(t.Context(), "Hal", tag); err != nil {
		t.Fatal(err)
	}
	tagged.shows(tagged.stdout, "a, eu")
	all.shows(all.stdout, `"a","eu"`)
	if err := o.DeleteAgent(t.Context(), "Ada"); err != nil {
		t.Fatal(err)
	}
	r.shows(r.stdout, "fired")
	all.shows(all.stdout, "agent.deleted")
	for _, w := range []*running{r, all, tagged} {
		w.interrupt()
		w.ends(130)
	}
	if out := r.stdout.String(); strings.Contains(out, "Hal") || strings.Count(out, "\n") != 4 {
		t.Errorf("orgd get agents --watch --department Engineering writes a header, Ada, Ada promoted, Ada fired, got:\n%s", out)
	}
	if out := all.stdout.String(); strings.Count(out, "\n") != 6 {
		t.Errorf("orgd get agents --watch -o json writes two agents and four changes, got:\n%s", out)
	}
	if out := tagged.stdout.String(); strings.Contains(out, "Ada") || strings.Count(out, "\n") != 2 {
		t.Errorf("orgd get agents --watch --owner eve --tag eu writes a header and Hal, got:\n%s", out)
	}
}
