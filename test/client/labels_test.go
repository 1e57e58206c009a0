package client_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"orgd/client"
)

func checkLabels(t *testing.T, c *client.Client) {
	ctx := t.Context()
	before := must1(c.Agent(ctx, "Ada"))(t)
	set := must1(c.SetLabel(ctx, "Ada", "production", client.LabelInput{Version: 1, Reason: "first"}, client.IfMatch(before.ETag), client.ChangeReason("not this")))(t)
	want := client.Label{Name: "production", Version: 1, SetBy: "admin", SetAt: set.SetAt, Reason: new("first"), ETag: set.ETag}
	if diff := cmp.Diff(want, set); diff != "" || set.ETag == "" || set.ETag == before.ETag {
		t.Errorf("SetLabel (-want +got):\n%s", diff)
	}
	moved := must1(c.SetLabel(ctx, "Ada", "production", client.LabelInput{Version: 2, Fixed: new(true)}, client.ChangeReason("better")))(t)
	if !moved.Fixed || moved.Version != 2 || moved.Reason == nil || *moved.Reason != "better" {
		t.Errorf("SetLabel = %+v", moved)
	}
	slash := must1(c.SetLabel(ctx, "Cleo/2", "production", client.LabelInput{Version: 1}))(t)
	var names []string
	for _, l := range must1(c.Labels(ctx, "Ada"))(t) {
		names = append(names, l.Name)
	}
	if diff := cmp.Diff([]string{client.LabelLatest, "production"}, names); diff != "" {
		t.Errorf("Labels (-want +got):\n%s", diff)
	}
	checkResolve(t, c)
	if err := c.RemoveLabel(ctx, "Cleo/2", "production", client.IfMatch(slash.ETag), client.ChangeReason("no use")); err != nil {
		t.Errorf("RemoveLabel = %v", err)
	}
	var moves []client.LabelMove
	for m, err := range c.LabelHistory(ctx, "Cleo/2", "production", client.PageQuery{Limit: 1}) {
		if err != nil {
			t.Fatalf("LabelHistory = %v", err)
		}
		moves = append(moves, m)
	}
	wantMoves := []client.LabelMove{
		{FromVersion: new(int64(1)), By: "admin", Reason: new("no use"), Way: client.WayDirect}, {Version: new(int64(1)), By: "admin", Way: client.WayDirect},
	}
	if diff := cmp.Diff(wantMoves, moves, cmpopts.IgnoreFields(client.LabelMove{}, "At")); diff != "" {
		t.Errorf("LabelHistory (-want +got):\n%s", diff)
	}
	page := must1(c.LabelHistoryPage(ctx, "Cleo/2", "production", client.PageQuery{Limit: 1}))(t)
	if next := must1(c.LabelHistoryPage(ctx, "Cleo/2", "production", client.PageQuery{Cursor: page.Next}))(t); len(next.Items) != 1 || next.Next != "" {
		t.Errorf("the second page = %+v", next)
	}
}

// checkResolve reads what labels name, of one agent and of all.
func checkResolve(t *testing.T, c *client.Client) {
	t.Helper()
	ctx := t.Context()
	version := must1(c.Version(ctx, "Ada", 2))(t)
	got := must1(c.Resolve(ctx, "Ada", "production"))(t)
	want := client.ResolvedAgent{
		AgentID: version.EntityID, Name: "Ada", Department: "Engineering", Status: client.AgentActive,
		Label: "production", Version: 2, ContentHash: version.ContentHash, Identity: version.Identity, ETag: got.ETag,
	}
	if diff := cmp.Diff(want, got); diff != "" || got.ETag == "" {
		t.Errorf("Resolve (-want +got):\n%s", diff)
	}
	if _, err := c.Resolve(ctx, "Ada", "production", client.IfNoneMatch(got.ETag)); !errors.Is(err, client.ErrNotModified) {
		t.Errorf("Resolve with its own tag = %v, want ErrNotModified", err)
	}
	if page := must1(c.LabeledPage(ctx, "production", client.LabeledQuery{Owner: "nobody", Tags: []string{"eu"}}))(t); len(page.Items) != 0 {
		t.Errorf("LabeledPage of nobody's agents = %+v", page.Items)
	}
	q := client.LabeledQuery{Department: "engineering", Status: client.AgentActive, PageQuery: client.PageQuery{Limit: 1}}
	var names []string
	for a, err := range c.Labeled(ctx, "production", q) {
		if err != nil {
			t.Fatalf("Labeled = %v", err)
		}
		names = append(names, a.Name)
	}
	if diff := cmp.Diff([]string{"Ada", "Cleo/2"}, names); diff != "" {
		t.Errorf("Labeled (-want +got):\n%s", diff)
	}
	page := must1(c.LabeledPage(ctx, "production", q))(t)
	if _, err := c.LabeledPage(ctx, "production", q, client.IfNoneMatch(page.ETag)); !errors.Is(err, client.ErrNotModified) {
		t.Errorf("LabeledPage with its own tag = %v, want ErrNotModified", err)
	}
	q.Cursor = page.Next
	if next := must1(c.LabeledPage(ctx, "production", q))(t); next.Items[0].Name != "Cleo/2" || next.ETag == page.ETag {
		t.Errorf("the second page = %+v", next)
	}
}
