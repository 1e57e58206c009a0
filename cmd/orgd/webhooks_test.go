package main

import (
	"encoding/csv"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"orgd/client"
)

// Webhooks and their deliveries are listed with all that their columns say.
func TestWebhookLists(t *testing.T) {
	o := newOffice(t)
	var hook client.Webhook
	var sent client.Delivery
	read(t, o.admin.can(t, "webhook", "create", "https://example.com/orgd", "--events", "agent.created", "-o", "json"), &hook)
	read(t, o.admin.can(t, "webhook", "test", hook.ID, "-o", "json"), &sent)

	rows := csvRows(t, o.admin.can(t, "get", "webhooks", "-o", "csv"))
	if diff := cmp.Diff([][]string{
		{"ID", "URL", "STATE", "EVENTS", "DEPARTMENTS", "UPDATED"},
		{hook.ID, "https://example.com/orgd", "enabled", "agent.created", "", hook.UpdatedAt.Format(time.RFC3339)},
	}, rows); diff != "" {
		t.Errorf("orgd get webhooks (-want +got):\n%s", diff)
	}
	rows = csvRows(t, o.admin.can(t, "webhook", "deliveries", hook.ID, "-o", "csv"))
	if diff := cmp.Diff([]string{"CREATED", "ID", "EVENT", "STATUS", "ATTEMPT", "ANSWER", "NEXT"}, rows[0]); diff != "" {
		t.Errorf("orgd webhook deliveries has other columns (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{sent.ID, sent.EventID}, rows[1][1:3]); len(rows) != 2 || diff != "" {
		t.Errorf("orgd webhook deliveries = %q (-want +got):\n%s", rows, diff)
	}
}

func read(t *testing.T, text string, v any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), v); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
}

func csvRows(t *testing.T, text string) [][]string {
	t.Helper()
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil || len(rows) < 2 {
		t.Fatalf("%q: %d rows, %v", text, len(rows), err)
	}
	return rows
}
