package client_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"orgd/client"
)

func checkActivities(t *testing.T, c *client.Client) {
	ctx := t.Context()
	at := time.Now().UTC().Add(-time.Hour).Truncate(time.Millisecond)
	completed := client.TaskCompleted{
		TaskID: "t-1", Success: true, DurationSeconds: "1.5", QualityScore: "9.25", Cost: "0.000000001", Tokens: 12,
		Other: client.Object{"n": json.Number("18446744073709551616")},
	}
	reports := []client.Report{
		{Agent: "Ada", Data: client.TaskStarted{TaskID: "t-1"}, Timestamp: at, Description: "began", RelatedIDs: map[string]string{"pr": "7"}},
		{Agent: "Ada", Data: completed, ID: "0190a5c4-0000-7000-8000-00000000000a"},
		{Agent: "Ada", Data: client.CostIncurred{Amount: "0.10", Model: "m", InputTokens: 1, OutputTokens: 2}},
		{Agent: "Ada", Data: client.ToolUsed{Tool: "git", Success: false}},
		{Agent: "Bob", Data: client.DelegationSent{TaskID: "t-2", Counterpart: "Ada", Score: "7"}},
		{Agent: "Ada", Data: client.DelegationReceived{TaskID: "t-2", Other: client.Object{"by": "Bob"}}},
	}
	result := must1(c.ReportActivities(ctx, reports, client.IdempotencyKey("batch")))(t)
	if result.Accepted != 6 || result.Duplicates != 0 || len(result.Warnings) != 1 || !strings.Contains(result.Warnings[0], `"Ada"`) {
		t.Errorf("ReportActivities = %+v", result)
	}
	if again := must1(c.ReportActivities(ctx, reports[1:2]))(t); again.Accepted != 0 || again.Duplicates != 1 {
		t.Errorf("ReportActivities of a known event = %+v", again)
	}
	if _, err := c.ReportActivities(ctx, []client.Report{{Agent: "Ada"}}); err == nil {
		t.Error("ReportActivities without data succeeded")
	}
	if _, err := c.ReportActivities(ctx, []client.Report{{Agent: "Ada", Data: client.ToolUsed{Other: client.Object{"tool": "x"}}}}); err == nil {
		t.Error("ReportActivities with a key twice succeeded")
	}
	var got []client.EventType
	for e, err := range c.Activities(ctx, client.ActivityQuery{Agent: "Ada", Window: client.LastDay, PageQuery: client.PageQuery{Limit: 2}}) {
		if err != nil {
			t.Fatalf("Activities = %v", err)
		}
		got = append(got, e.EventType)
		if e.EventType == client.EventTaskCompleted {
			var data client.TaskCompleted
			if err := e.Data.Decode(&data); err != nil || !cmp.Equal(completed, data) {
				t.Errorf("Decode = %v (-want +got):\n%s", err, cmp.Diff(completed, data))
			}
		}
	}
	if len(got) < 7 || got[len(got)-1] != client.EventTaskStarted {
		t.Errorf("Activities = %q", got)
	}
	started := must1(c.ActivityPage(ctx, client.ActivityQuery{Type: client.EventTaskStarted}))(t).Items
	want := []client.ActivityEvent{{
		EventType: client.EventTaskStarted, Timestamp: at, AgentName: "Ada", Description: "began",
		RelatedIDs: map[string]string{"pr": "7", "task_id": "t-1"}, Data: client.Object{"task_id": "t-1"},
	}}
	if len(started) == 1 {
		want[0].ID, want[0].AgentID = started[0].ID, started[0].AgentID
		want[0].RelatedIDs["agent_id"] = started[0].AgentID
	}
	if diff := cmp.Diff(want, started); diff != "" {
		t.Errorf("ActivityPage (-want +got):\n%s", diff)
	}
	var own int
	for e, err := range c.AgentActivity(ctx, "Bob", client.PageQuery{Limit: 1}) {
		if err != nil || e.AgentName != "Bob" {
			t.Fatalf("AgentActivity = %+v, %v", e, err)
		}
		if own++; e.EventType == client.EventHired && (e.Data != nil || e.RelatedIDs["actor"] != "admin") {
			t.Errorf("a lifecycle event = %+v", e)
		}
	}
	if page := must1(c.AgentActivityPage(ctx, "Bob", client.PageQuery{}))(t); own != len(page.Items) || own < 3 {
		t.Errorf("AgentActivity had %d events, a page %d", own, len(page.Items))
	}
}

func checkFigures(t *testing.T, c *client.Client) {
	ctx := t.Context()
	var reports []client.Report
	for day := range 6 {
		for _, score := range []client.Decimal{"5", "6.5"} {
			reports = append(reports, client.Report{
				Agent: "Ada", Timestamp: time.Now().AddDate(0, 0, -day),
				Data: client.TaskCompleted{TaskID: "t", Success: true, QualityScore: score, Cost: "0.25"},
			})
		}
	}
	must1(c.ReportActivities(ctx, reports))(t)
	p := must1(c.AgentPerformance(ctx, "Ada"))(t)
	if p.TasksCompletedTotal != 13 || p.QualityScore == nil || p.CostPerTask == nil || len(p.Windows) != 3 || len(p.Trends) != 9 ||
		p.Windows[0].Size != client.Window7d || p.Windows[0].SuccessRate == nil || p.Trends[0].Direction == "" {
		t.Errorf("AgentPerformance = %+v", p)
	}
	h := must1(c.AgentHealth(ctx, "Ada"))(t)
	if h.AgentName != "Ada" || h.Status != client.AgentActive || h.LastActiveAt == nil || h.Trust.Level != client.ToolsCustom || h.Performance == nil || h.Performance.QualityScore == nil {
		t.Errorf("AgentHealth = %+v", h)
	}
	if h := must1(c.AgentHealth(ctx, "Cleo/2"))(t); h.Performance != nil {
		t.Errorf("AgentHealth without data = %+v", h)
	}
	d := must1(c.DepartmentHealth(ctx, "Engineering"))(t)
	if d.AgentCount != 3 || d.Cost7d != "3.000000001" || d.CostTrend[6].Value != "0.500000001" || d.AvgPerformanceScore == nil {
		t.Errorf("DepartmentHealth = %+v", d)
	}
	var busiest []string
	for f, err := range c.AgentFigures(ctx, client.FiguresQuery{PageQuery: client.PageQuery{Limit: 1}, Window: client.Window7d, Sort: client.SortByTasks, Department: "Engineering"}) {
		if err != nil {
			t.Fatalf("AgentFigures = %v", err)
		}
		busiest = append(busiest, f.Name)
		if f.Department != "Engineering" || f.AgentID == "" || f.Role == "" || f.LastActiveAt == nil || (f.Name == "Ada") != (f.TasksCompleted == 13 && f.QualityScore != nil) {
			t.Errorf("AgentFigures = %+v", f)
		}
	}
	if len(busiest) != 3 || busiest[0] != "Ada" {
		t.Errorf("AgentFigures are those of %v, want Ada before two others", busiest)
	}
	none := must1(c.AgentFiguresPage(ctx, client.FiguresQuery{Status: client.AgentActive, Level: client.LevelSenior, Owner: "nobody", Tags: []string{"none"}}))(t)
	if len(none.Items) != 0 {
		t.Errorf("AgentFigures of nobody are %+v", none.Items)
	}
	costs := map[string]client.Decimal{}
	for f, err := range c.DepartmentFigures(ctx, client.PageQuery{Limit: 1}) {
		if err != nil {
			t.Fatalf("DepartmentFigures = %v", err)
		}
		costs[f.DepartmentName] = f.Cost
		if f.Currency == "" || f.CostBefore != "0" {
			t.Errorf("DepartmentFigures = %+v", f)
		}
	}
	if len(costs) < 2 || costs["Engineering"] != "3.000000001" {
		t.Errorf("DepartmentFigures cost %v, want 3.000000001 in Engineering and more departments", costs)
	}
	for name, days := range map[string]client.DailyFigures{
		"CompanyDays":    must1(c.CompanyDays(ctx, 2))(t),
		"DepartmentDays": must1(c.DepartmentDays(ctx, "Engineering", 2))(t),
		"AgentDays":      must1(c.AgentDays(ctx, "Ada", 2))(t),
	} {
		if len(days.Days) != 2 || days.Days[1].TasksCompleted == 0 || days.Days[1].Date <= days.Days[0].Date || days.FirstDate == nil || days.Currency == "" {
			t.Errorf("%s = %+v", name, days)
		}
	}
	if days := must1(c.AgentDays(ctx, "Cleo/2", 0))(t); len(days.Days) != 90 || days.FirstDate != nil {
		t.Errorf("AgentDays without data = %+v", days)
	}
}

func checkChanges(t *testing.T, c *client.Client) {
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	if _, err := c.PatchAgent(ctx, "Ada", client.Object{"role": "Changed"}, client.ChangeReason("to be seen")); err != nil {
		t.Fatal(err)
	}
	a := must1(c.Agent(ctx, "Ada"))(t)
	filter := client.ChangeFilter{Action: client.ActionAgentUpdated, Agent: "Ada", Department: a.Department, Actor: "admin", Window: client.LastDay}
	page := must1(c.ChangePage(ctx, client.ChangeQuery{PageQuery: client.PageQuery{Limit: 1}, ChangeFilter: filter}))(t)
	if len(page.Items) != 1 {
		t.Fatalf("ChangePage has %d changes, want 1", len(page.Items))
	}
	want := client.ChangeEvent{
		ID: page.Items[0].ID, Timestamp: a.UpdatedAt, Action: client.ActionAgentUpdated,
		Resource: client.ChangedResource{Type: "agent", ID: a.ID, Name: a.Name}, Department: &a.Department, Actor: "admin", Reason: new("to be seen"),
		FromRevision: new(a.Revision - 1), ToRevision: new(a.Revision), FromVersion: new(a.Version - 1), ToVersion: new(a.Version),
		ChangedFields: []string{"role"}, Summary: "1 field changed", Way: client.WayDirect,
	}
	if diff := cmp.Diff(want, page.Items[0]); diff != "" {
		t.Errorf("ChangePage (-want +got):\n%s", diff)
	}
	var all int
	before := client.ChangeQuery{Since: time.Now().Add(-48 * time.Hour), Until: time.Now().Add(-24 * time.Hour)}
	if page := must1(c.ChangePage(ctx, before))(t); len(page.Items) != 0 {
		t.Errorf("the changes of another day are %v, want none", page.Items)
	}
	for e, err := range c.Changes(ctx, client.ChangeQuery{PageQuery: client.PageQuery{Limit: 1}, ChangeFilter: client.ChangeFilter{Action: "agent"}}) {
		if err != nil || e.Resource.Type != "agent" {
			t.Fatalf("Changes = %+v, %v", e, err)
		}
		all++
	}
	if all < 2 {
		t.Errorf("Changes are %d, want those of all agents", all)
	}

	q := client.ChangeStreamQuery{ChangeFilter: filter}
	q.Opened = func() {
		if q.After == "" {
			if _, err := c.PatchAgent(ctx, "Ada", client.Object{"role": "First"}); err != nil {
				t.Error(err)
			}
		}
	}
	for _, role := range []string{"Second", "Third"} {
		for e, err := range c.StreamChanges(ctx, q) {
			if err != nil || e.Resource.Name != "Ada" || e.Resync || e.Position == "" {
				t.Fatalf("StreamChanges = %+v, %v", e, err)
			}
			q.After = e.Position
			break
		}
		if _, err := c.PatchAgent(ctx, "Ada", client.Object{"role": role}); err != nil {
			t.Fatal(err)
		}
	}
}

func checkAudit(t *testing.T, c *client.Client) {
	ctx := t.Context()
	a := must1(c.Agent(ctx, "Ada"))(t)
	q := client.AuditQuery{
		Actor: "admin", Resource: "agents/" + a.ID, Since: time.Now().Add(-time.Hour), Until: time.Now().Add(time.Hour), PageQuery: client.PageQuery{Limit: 1},
		WithoutReports: true,
	}
	var last client.AuditEntry
	for e, err := range c.Audit(ctx, q) {
		if err != nil {
			t.Fatalf("Audit = %v", err)
		}
		last = e
	}
	if last.RequestID != "req-ada" || last.RevisionFrom != nil || last.RevisionTo == nil || *last.RevisionTo != 1 || last.Actor != "admin" ||
		last.Action == nil || *last.Action != client.ActionAgentCreated || last.Change == nil || last.Change.Resource.Name != "Ada" {
		t.Errorf("the oldest entry = %+v", last)
	}
	if page := must1(c.AuditPage(ctx, client.AuditQuery{Until: time.Now().Add(-time.Hour)}))(t); len(page.Items) != 0 {
		t.Errorf("AuditPage of an hour ago = %+v", page)
	}
	checkFollowAudit(t, c)
}

// checkFollowAudit follows the trail, goes on behind an entry, and waits for one that comes.
func checkFollowAudit(t *testing.T, c *client.Client) {
	opened := 0
	take := func(q client.AuditFollow, n int, then func()) (taken []client.FollowedEntry) {
		t.Helper()
		q.Opened = func() { opened++ }
		for e, err := range c.FollowAudit(t.Context(), q) {
			if err != nil {
				t.Fatalf("FollowAudit = %v", err)
			}
			if taken = append(taken, e); len(taken) == n {
				break
			}
			then()
		}
		return taken
	}
	first := take(client.AuditFollow{WithoutReports: true}, 3, func() {})
	again := take(client.AuditFollow{After: first[1].Position}, 1, func() {})
	if opened != 2 || first[0].ID > first[1].ID || again[0].ID > first[2].ID {
		t.Errorf("FollowAudit = %+v, then %+v, opened %d times", first, again, opened)
	}
	anew := take(client.AuditFollow{After: "b2YtYW5vdGhlci1rZXk", WithoutReports: true}, 3, func() {})
	for i, e := range anew {
		if e.ID != first[i].ID {
			t.Errorf("FollowAudit after a position of another key = %+v, want %+v", anew, first)
		}
	}
	now := client.AuditFollow{Since: time.Now().Add(-time.Minute), Actor: "admin"}
	made := false
	for e, err := range c.FollowAudit(t.Context(), now) {
		if err != nil {
			t.Fatalf("FollowAudit = %v", err)
		}
		if !made {
			made = true
			must1(c.CreateProject(t.Context(), client.ProjectInput{Name: "followed"}))(t)
		}
		if e.Change != nil && e.Change.Resource.Name == "followed" {
			return
		}
	}
	t.Error("FollowAudit ends, want what is committed meanwhile")
}

func checkSessions(t *testing.T, c *client.Client, s service, seen *witness) {
	ctx := t.Context()
	issued := must1(c.IssueToken(ctx, client.TokenInput{
		Subject: "bob", Role: client.RoleDepartmentAdmin, Departments: []string{"Design"}, Label: "nightly reports", TTLSeconds: 600,
	}, client.IdempotencyKey("bob")))(t)
	token := issued.Token
	bob := connect(t, client.Config{
		BaseURL: s.url + "/", Token: func(context.Context) (string, error) { return token, nil },
		HTTPClient: &http.Client{Transport: seen.around(&http.Transport{DisableKeepAlives: true})},
	})
	me := must1(bob.Me(ctx))(t)
	label := "nightly reports"
	want := client.Caller{
		SID: issued.SID, Issuer: "orgd", Subject: "bob", Role: client.RoleDepartmentAdmin, Departments: []string{"Design"},
		IssuedAt: me.IssuedAt, ExpiresAt: issued.ExpiresAt,
		Label: &label, Kind: client.SessionByToken,
	}
	if diff := cmp.Diff(want, me); diff != "" {
		t.Errorf("Me (-want +got):\n%s", diff)
	}
	renewed := must1(bob.RenewToken(ctx, client.IdempotencyKey("renew")))(t)
	if renewed.SID != issued.SID || renewed.Token == issued.Token {
		t.Errorf("RenewToken = %+v", renewed)
	}
	token = renewed.Token
	link := must1(bob.MakeSignInLink(ctx, client.IdempotencyKey("link")))(t)
	signedIn := must1(bob.SignIn(ctx, link.Code))(t)
	if signedIn.SID == issued.SID || !link.ExpiresAt.After(time.Now()) {
		t.Errorf("SignIn = %+v, by the link %+v", signedIn, link)
	}
	all := map[string]client.Session{}
	for s, err := range c.Sessions(ctx, client.PageQuery{Limit: 1}) {
		if err != nil {
			t.Fatalf("Sessions = %v", err)
		}
		all[s.SID] = s
	}
	if own := must1(bob.SessionPage(ctx, client.PageQuery{}))(t); len(all) != 3 || all[issued.SID].Subject != "bob" || len(own.Items) != 2 {
		t.Errorf("Sessions = %+v, of bob himself %+v", all, own)
	}
	if s := all[signedIn.SID]; s.Kind != client.SessionBySignIn || s.Label != nil {
		t.Errorf("the session of a sign-in link = %+v", s)
	}
	theirs := must1(c.MakeSignInLinkFor(ctx, client.TokenInput{Subject: "kim", Role: client.RoleViewer, TTLSeconds: 60}))(t)
	if theirs.URL != nil || time.Until(theirs.ExpiresAt) > time.Minute {
		t.Errorf("MakeSignInLinkFor = %+v, want a code for a minute", theirs)
	}
	must1(c.SignIn(ctx, theirs.Code))(t)
	if _, err := c.SignInBound(ctx, theirs.Code, "the-verifier-of-another-program-of-43-letters"); !errors.Is(err, client.ErrUnauthorized) {
		t.Errorf("SignInBound by a used code = %v, want ErrUnauthorized", err)
	}
	if err := c.RevokeSession(ctx, issued.SID); err != nil {
		t.Errorf("RevokeSession = %v", err)
	}
	if err := c.Logout(ctx, client.IdempotencyKey("logout")); err != nil {
		t.Errorf("Logout = %v", err)
	}
	if _, err := c.Me(ctx); !errors.Is(err, client.ErrSessionRevoked) {
		t.Errorf("Me after Logout = %v, want ErrSessionRevoked", err)
	}
}
