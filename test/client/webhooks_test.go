package client_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"orgd/client"
)

func checkWebhooks(t *testing.T, c *client.Client) {
	ctx := t.Context()
	made := must1(c.CreateWebhook(ctx, client.WebhookInput{
		URL: "https://hooks.example.com/orgd", EventTypes: []client.EventType{client.EventHired}, Departments: []string{"Design"}, Enabled: new(false),
	}, client.IdempotencyKey("webhook")))(t)
	if !strings.HasPrefix(made.Secret, "whsec_") || made.Enabled || made.ETag == "" || *made.DisabledReason != client.DisabledRequested {
		t.Errorf("CreateWebhook = %+v", made)
	}
	read := must1(c.Webhook(ctx, made.ID))(t)
	if diff := cmp.Diff(made.Webhook, read); diff != "" {
		t.Errorf("Webhook (-created +read):\n%s", diff)
	}
	if _, err := c.Webhook(ctx, made.ID, client.IfNoneMatch(read.ETag)); !errors.Is(err, client.ErrNotModified) {
		t.Errorf("Webhook with its own tag = %v, want ErrNotModified", err)
	}
	on := must1(c.PatchWebhook(ctx, made.ID, client.Object{"enabled": true, "event_types": []string{}}))(t)
	if !on.Enabled || on.DisabledReason != nil || len(on.EventTypes) != 0 || on.Revision != made.Revision+1 {
		t.Errorf("PatchWebhook = %+v", on)
	}
	must1(c.PatchWebhook(ctx, made.ID, client.Object{"url": "https://hooks.example.com/other"}, client.IfMatch(on.ETag)))(t)
	rotated := must1(c.RotateWebhookSecret(ctx, made.ID, client.IfMatch("*"), client.IdempotencyKey("rotate")))(t)
	if rotated.Secret == made.Secret || !strings.HasPrefix(rotated.Secret, "whsec_") || rotated.URL != "https://hooks.example.com/other" {
		t.Errorf("RotateWebhookSecret = %+v", rotated)
	}
	d := must1(c.TestWebhook(ctx, made.ID, client.IfMatch(rotated.ETag), client.IdempotencyKey("test")))(t)
	if d.ID == "" || d.EventID == "" || d.Status == "" || d.CreatedAt.IsZero() {
		t.Errorf("TestWebhook = %+v", d)
	}
	if again, err := c.Redeliver(ctx, made.ID, d.ID, client.IfMatch("*"), client.IdempotencyKey("again")); err != nil || again.ID != d.ID {
		t.Errorf("Redeliver = %+v, %v", again, err)
	}
	must1(c.CreateWebhook(ctx, client.WebhookInput{URL: "https://hooks.example.com/third"}))(t)
	n := 0
	for w, err := range c.Webhooks(ctx, client.PageQuery{Limit: 1}) {
		if err != nil || w.ID == "" {
			t.Fatalf("Webhooks = %+v, %v", w, err)
		}
		n++
	}
	first := must1(c.WebhookPage(ctx, client.PageQuery{Limit: 1}))(t)
	if next := must1(c.WebhookPage(ctx, client.PageQuery{Limit: 1, Cursor: first.Next}))(t); n != 2 || len(next.Items) != 1 {
		t.Errorf("Webhooks = %d, and the second page %+v", n, next)
	}
	for got, err := range c.Deliveries(ctx, made.ID, client.PageQuery{Limit: 1}) {
		if err != nil || got.ID != d.ID {
			t.Errorf("Deliveries = %+v, %v", got, err)
		}
	}
	if _, err := c.DeliveryPage(ctx, made.ID, client.PageQuery{Cursor: "forged"}); !errors.Is(err, client.ErrRequestValidation) {
		t.Errorf("DeliveryPage with a forged cursor = %v, want ErrRequestValidation", err)
	}
	if err := c.DeleteWebhook(ctx, made.ID, client.IfMatch("*")); err != nil {
		t.Errorf("DeleteWebhook = %v", err)
	}
}

func checkOrganization(t *testing.T, c *client.Client) {
	ctx := t.Context()
	o := must1(c.Organization(ctx))(t)
	if o.Format != 1 || o.Company.CompanyName != "Works" || len(o.Departments) != 3 || len(o.Agents) != 3 {
		t.Fatalf("Organization = %+v", o)
	}
	a := must1(c.Agent(ctx, "Ada"))(t)
	for _, got := range o.Agents {
		if got.Name == "Ada" && (!cmp.Equal(got.Personality, a.Personality) || !cmp.Equal(got.Metadata, a.Metadata) || !cmp.Equal(got.Model, a.Model)) {
			t.Errorf("Organization has %+v, Agent %+v", got, a)
		}
		if got.Name == "Bob" && (got.Authority.ReportsTo == nil || *got.Authority.ReportsTo != "Ada") {
			t.Errorf("Bob reports to %v, want Ada by name", got.Authority.ReportsTo)
		}
	}
	checkDocuments(t, c, o)
}

// checkDocuments changes the organization o by documents, and changes it back.
func checkDocuments(t *testing.T, c *client.Client, o client.Organization) {
	ctx := t.Context()
	before := must1(c.OrganizationJSON(ctx))(t)
	whole := client.OrganizationDocument{Text: must1(json.Marshal(o))(t), Prune: true}
	if plan := must1(c.PlanOrganization(ctx, whole, client.IdempotencyKey("plan")))(t); len(plan.Changes) != 0 {
		t.Errorf("PlanOrganization of what there is = %+v, want no changes", plan)
	}
	_, err := c.PlanOrganization(ctx, client.OrganizationDocument{Text: []byte("{\"format\": 1,\n\"agents\": [\n{\"name\": \"Ada\", \"department\": \"Nowhere\"}]}")})
	mistakes := []client.Mistake{{Path: "agents[0].department", Text: "there will be no such department", Line: new(int64(3))}}
	if e, ok := errors.AsType[*client.Error](err); !ok || !cmp.Equal(e.Mistakes, mistakes) {
		t.Errorf("PlanOrganization with a mistake = %+v, want %+v", e, mistakes)
	}
	renamed := client.OrganizationDocument{Text: []byte(`{"format":1,"agents":[{"name":"Ada L","previous_name":"Ada"}]}`)}
	plan := must1(c.PlanOrganization(ctx, renamed))(t)
	want := []client.OrganizationChange{{Path: `agents["Ada"].name`, Action: client.ActionUpdate, Old: json.RawMessage(`"Ada"`), New: json.RawMessage(`"Ada L"`)}}
	if diff := cmp.Diff(want, plan.Changes); diff != "" {
		t.Errorf("PlanOrganization (-want +got):\n%s", diff)
	}
	done := must1(c.ApplyOrganization(ctx, renamed, plan.Hash, client.ChangeReason("married"), client.IdempotencyKey("apply")))(t)
	if done != (client.OrganizationApplied{PlanHash: plan.Hash, Updated: 1}) {
		t.Errorf("ApplyOrganization = %+v", done)
	}
	for v, err := range c.Versions(ctx, "Ada L", client.PageQuery{Limit: 1}) {
		if err != nil || v.Reason == nil || *v.Reason != "married" {
			t.Errorf("the version of the apply = %+v, %v", v, err)
		}
		break
	}
	back := client.OrganizationDocument{Text: []byte(`{"format":1,"agents":[{"name":"Ada","previous_name":"Ada L"}]}`)}
	must1(c.ApplyOrganization(ctx, back, ""))(t)
	must1(c.ApplyOrganization(ctx, whole, ""))(t)
	if after := must1(c.OrganizationJSON(ctx))(t); string(after) != string(before) {
		t.Errorf("OrganizationJSON = %s, want %s", after, before)
	}
}

// checkStream follows what an agent reports, leaves, and goes on where it was.
func checkStream(t *testing.T, c *client.Client) {
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	q := client.StreamQuery{Type: client.EventToolUsed, Agent: "Ada", Window: client.LastDay}
	report := func(tool string) {
		must1(c.ReportActivities(ctx, []client.Report{{Agent: "Ada", Data: client.ToolUsed{Tool: tool, Success: true}}}))(t)
	}
	next := func(q client.StreamQuery) client.StreamEvent {
		for e, err := range c.StreamActivities(ctx, q) {
			if err != nil {
				t.Fatalf("StreamActivities = %v", err)
			}
			return e
		}
		return client.StreamEvent{}
	}
	// The stream begins at some time; reports go on until one is in it.
	reported := make(chan struct{})
	go func() {
		defer close(reported)
		for streaming := true; streaming; {
			if _, err := c.ReportActivities(ctx, []client.Report{{Agent: "Ada", Data: client.ToolUsed{Tool: "first"}}}); err != nil {
				return // the stream has what it wants, or the time is up
			}
			streaming = sleepOr(ctx, 20*time.Millisecond)
		}
	}()
	first := next(q)
	if first.EventType != client.EventToolUsed || first.AgentName != "Ada" || first.Data["tool"] != "first" || first.Position == "" || first.Resync {
		t.Errorf("the first event = %+v", first)
	}
	cancel()
	<-reported
	ctx, cancel = context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	report("second")
	for q.After = first.Position; ; {
		e := next(q)
		if q.After = e.Position; e.Data["tool"] == "second" {
			break
		}
		if e.Data["tool"] != "first" || e.ID == first.ID {
			t.Fatalf("behind the first event comes %+v", e)
		}
	}
	q.After = "forged"
	for _, err := range c.StreamActivities(ctx, q) {
		if !errors.Is(err, client.ErrRequestValidation) {
			t.Errorf("StreamActivities behind a forged position = %v, want ErrRequestValidation", err)
		}
		break
	}
}

func sleepOr(ctx context.Context, d time.Duration) bool {
	select {
	case <-time.After(d):
		return true
	case <-ctx.Done():
		return false
	}
}
