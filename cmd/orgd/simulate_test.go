package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"orgd/cmd/orgd/internal/terminal"
)

// playground is a service to play in, and what its clients need to know.
type playground struct {
	*testing.T
	url, token string
	vars       []string
}

func newPlayground(t *testing.T, flags ...string) *playground {
	t.Helper()
	dir := t.TempDir()
	s := serve(t, false, append([]string{"--data-dir", dir}, flags...)...)
	file := filepath.Join(dir, "admin.token")
	return &playground{t, s.url, readSecret(t, file), []string{"ORGD_SERVER=" + s.url, "ORGD_TOKEN_FILE=" + file}}
}

// simulate runs the command, which has to succeed, and returns what it says.
func (g *playground) simulate(args ...string) string {
	g.Helper()
	r := command(g.T, g.vars, append([]string{"simulate"}, args...)...)
	if r.code != exitOK || r.stdout != "" {
		g.Fatalf("orgd simulate %s = %d, %q:\n%s", args, r.code, r.stdout, r.stderr)
	}
	return r.stderr
}

// get decodes the data of an answer into dst and returns the whole answer.
func (g *playground) get(path string, dst any) string {
	g.Helper()
	status, body := call(g.T, "GET", g.url+"/api/v1"+path, g.token, "")
	var answer struct{ Data json.RawMessage }
	err := json.Unmarshal([]byte(body), &answer)
	if err == nil && dst != nil {
		err = json.Unmarshal(answer.Data, dst)
	}
	if status != 200 || err != nil {
		g.Fatalf("GET %s = %d, %v: %s", path, status, err, body)
	}
	return body
}

// count returns how many things a list has, up to 200.
func (g *playground) count(path string) int {
	g.Helper()
	var items []json.RawMessage
	g.get(path+"?limit=200", &items)
	return len(items)
}

// sight returns the path that the command recommends for a reason.
func sight(t *testing.T, said, why string) string {
	t.Helper()
	for line := range strings.Lines(said) {
		if path, ok := strings.CutSuffix(strings.TrimSpace(line), " "+why); ok {
			return strings.TrimSpace(path)
		}
	}
	t.Fatalf("there is nothing to see for %q in:\n%s", why, said)
	return ""
}

// trends counts the agents by where they are heading.
func (g *playground) trends() map[string]int {
	g.Helper()
	var agents []struct{ ID string }
	g.get("/agents?limit=200", &agents)
	trends := map[string]int{}
	for _, a := range agents {
		var health struct{ Performance struct{ Trend string } }
		g.get("/agents/"+a.ID+"/health", &health)
		trends[health.Performance.Trend]++
	}
	return trends
}

// After a simulation every part of the service shows something.
func TestSimulate(t *testing.T) {
	g := newPlayground(t, "--limits", "off")
	said := g.simulate("--agents", "60", "--days", "16", "--seed", "3")

	trends := g.trends()
	if trends["improving"] < 2 || trends["declining"] < 2 || trends["stable"] < 20 {
		t.Errorf("trends of the agents = %v, want some of each and most stable", trends)
	}
	for _, why := range []string{"an agent that improves", "one that declines"} {
		var p struct {
			Cost  any `json:"cost_per_task"`
			Score any `json:"quality_score"`
		}
		if g.get(sight(t, said, why), &p); p.Cost == nil || p.Score == nil {
			t.Errorf("%s has performance %+v, want figures", why, p)
		}
	}
	var health struct {
		Cost        float64 `json:"department_cost_7d"`
		Score       float64 `json:"avg_performance_score"`
		Together    float64 `json:"collaboration_score"`
		Utilization float64 `json:"utilization_percent"`
	}
	g.get("/departments/Engineering/health", &health)
	if health.Cost <= 0 || health.Score <= 0 || health.Together <= 0 || health.Utilization <= 0 || health.Utilization > 100 {
		t.Errorf("health of a department = %+v, want figures", health)
	}
	for _, typ := range []string{
		"hired", "onboarded", "fired", "offboarded", "status_changed", "promoted", "demoted",
		"task_started", "task_completed", "cost_incurred", "tool_used", "delegation_sent", "delegation_received",
	} {
		var events []json.RawMessage
		if g.get("/activities?limit=1&type="+typ, &events); len(events) == 0 {
			t.Errorf("there is no event of type %s", typ)
		}
	}
	for _, why := range []string{"the prompt that made things worse", "a career", "its ceremonies, and where they come from", "what happened last"} {
		g.get(sight(t, said, why), nil)
	}
	if n := g.count("/departments"); n != 8 {
		t.Errorf("%d departments, want 8", n)
	}
	if n := g.count("/projects"); n < 10 {
		t.Errorf("%d projects, want 10 or more", n)
	}
}

var historyLine = regexp.MustCompile(`history +(\d+) events from .* and (\d+) that were known`)

// events reads from what the command says how many events were new and known.
func events(t *testing.T, said string) (fresh, known int) {
	t.Helper()
	m := historyLine.FindStringSubmatch(said)
	if m == nil {
		t.Fatalf("no word of the history in:\n%s", said)
	}
	fresh, _ = strconv.Atoi(m[1]) // digits
	known, _ = strconv.Atoi(m[2])
	return fresh, known
}

// Who simulates twice has one organization, with what has happened since.
func TestSimulateTwice(t *testing.T) {
	g := newPlayground(t, "--limits", "off")
	first, _ := events(t, g.simulate("--agents", "40", "--days", "5"))
	look := func() (text string) {
		for _, path := range []string{"/agents", "/departments", "/projects"} {
			text += g.get(path+"?limit=200", nil)
		}
		return text
	}
	before := look()
	said := g.simulate()
	fresh, known := events(t, said)
	if known == 0 || fresh > first/10 {
		t.Errorf("the second run has %d events that are new and %d that were known, after %d", fresh, known, first)
	}
	if after := look(); after != before {
		t.Errorf("the organization after the second run:\n%s\nwant\n%s", after, before)
	}
	if !strings.Contains(said, "40 agents, 5 days") {
		t.Errorf("the second run does not say what it goes on with:\n%s", said)
	}
	r := command(t, g.vars, "simulate", "--agents", "41")
	if r.code != exitFailure || !strings.Contains(r.stderr, "--seed 1 --agents 40 --days 5") {
		t.Errorf("another simulation on the same organization = %+v, want 1 and what there is", r)
	}
}

// Nobody's organization is written into by mistake.
func TestSimulateLeavesOthersAlone(t *testing.T) {
	g := newPlayground(t, "--limits", "off")
	post := func(path, body string) {
		t.Helper()
		if status, answer := call(t, "POST", g.url+"/api/v1"+path, g.token, body); status != 201 {
			t.Fatalf("POST %s = %d %s", path, status, answer)
		}
	}
	post("/departments", `{"name":"Production","budget_percent":90}`)
	post("/agents", `{"name":"Ann","role":"Operator","department":"Production"}`)
	company := g.get("/company", nil)
	r := command(t, g.vars, "simulate", "--agents", "3", "--days", "1")
	if r.code != exitFailure || !strings.Contains(r.stderr, "1 departments, 1 agents") || !strings.Contains(r.stderr, "--force") {
		t.Errorf("orgd simulate = %+v, want 1 and why", r)
	}
	if now := g.get("/company", nil); now != company || g.count("/agents") != 1 {
		t.Errorf("the company after a refusal = %s, want %s", now, company)
	}

	ann := g.get("/agents/Ann", nil)
	g.simulate("--agents", "6", "--days", "1", "--force")
	var c struct {
		Name string `json:"company_name"`
	}
	if g.get("/company", &c); c.Name != "Company" || g.get("/agents/Ann", nil) != ann {
		t.Errorf("company %q and Ann %s after --force, want both as they were", c.Name, g.get("/agents/Ann", nil))
	}
	if n := g.count("/departments"); n != 2 {
		t.Errorf("%d departments after --force, want 2", n)
	}
	g.simulate() // without --force, since it is known now
}

func TestSimulateRefusesTakenNames(t *testing.T) {
	g := newPlayground(t, "--limits", "off")
	if status, answer := call(t, "POST", g.url+"/api/v1/departments", g.token, `{"name":"engineering"}`); status != 201 {
		t.Fatalf("POST /departments = %d %s", status, answer)
	}
	r := command(t, g.vars, "simulate", "--agents", "3", "--days", "1", "--force")
	if r.code != exitFailure || !strings.Contains(r.stderr, "has Engineering already") || g.count("/agents") != 0 {
		t.Errorf("orgd simulate --force = %+v, want 1 and the name", r)
	}
}

// A limit is waited for as long as it asks.
func TestSimulateWaitsForLimits(t *testing.T) {
	t.Parallel() // it waits
	g := newPlayground(t, "--limit", "agents.create=4/1s")
	g.simulate("--agents", "9", "--days", "1")
	if n := g.count("/agents"); n < 8 {
		t.Errorf("%d agents, want all of them", n)
	}
}

// A run that is cut short says how to go on, and the next one does.
func TestSimulateInterrupted(t *testing.T) {
	t.Parallel() // it waits
	g := newPlayground(t, "--limit", "agents.create=2/1s")
	ctx, stop := context.WithCancel(t.Context())
	stderr := &output{}
	code := make(chan int, 1)
	go func() {
		code <- run(ctx, []string{"simulate", "--agents", "7", "--days", "1"}, terminal.Terminal{Getenv: env(g.vars...), Stdout: stderr, Stderr: stderr})
	}()
	for end := time.Now().Add(deadline); g.count("/agents") < 2; time.Sleep(2 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("no agents after %s:\n%s", deadline, stderr)
		}
	}
	stop()
	if got := <-code; got != 130 || !strings.Contains(stderr.String(), "run the same command to go on") {
		t.Errorf("orgd simulate, interrupted = %d:\n%s", got, stderr)
	}
	g.simulate()
	if n := g.count("/agents"); n < 6 {
		t.Errorf("%d agents, want all of them", n)
	}
}

func TestSimulateLive(t *testing.T) {
	t.Parallel() // it waits
	g := newPlayground(t, "--limits", "off")
	began := time.Now()
	said := g.simulate("--agents", "3", "--days", "0", "--rate", "40", "--for", "3s")
	m := regexp.MustCompile(`live +(\d+) events`).FindStringSubmatch(said)
	if m == nil || m[1] == "0" {
		t.Fatalf("no word of live events in:\n%s", said)
	}
	var events []struct{ Timestamp time.Time }
	g.get("/activities?type=task_completed&limit=200", &events)
	if len(events) == 0 || events[0].Timestamp.Before(began.Add(-time.Second)) {
		t.Errorf("live events = %+v, want some of now", events)
	}
}

// Any size of organization works.
func TestSimulateSizes(t *testing.T) {
	for i, agents := range []int{1, 4, 20} {
		t.Run(fmt.Sprint(agents), func(t *testing.T) {
			g := newPlayground(t, "--limits", "off")
			said := g.simulate("--agents", fmt.Sprint(agents), "--days", fmt.Sprint(1+i), "--seed", fmt.Sprint(i))
			for line := range strings.Lines(said) {
				if path := strings.Fields(line); len(path) > 1 && strings.HasPrefix(path[0], "/") {
					if _, err := url.Parse(path[0]); err != nil {
						t.Errorf("%s: %v", path[0], err)
					}
					g.get(path[0], nil)
				}
			}
		})
	}
}
