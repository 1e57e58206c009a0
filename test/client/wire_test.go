package client_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"orgd/client"
)

// What goes over the wire and has no exported type. TestSchemas compares these types with
// the description of the API, TestWire the client with these types.
type (
	problem struct {
		Type       string           `json:"type"`
		Title      string           `json:"title"`
		Detail     string           `json:"detail"`
		Instance   string           `json:"instance"`
		Code       client.Code      `json:"error_code"`
		Category   client.Category  `json:"error_category"`
		Retryable  bool             `json:"retryable"`
		RetryAfter *int64           `json:"retry_after"`
		Errors     []client.Mistake `json:"errors"`
	}
	pagination struct {
		Limit   int64   `json:"limit"`
		Next    *string `json:"next_cursor"`
		HasMore bool    `json:"has_more"`
	}
	entry struct {
		ID          string            `json:"id,omitzero"`
		EventType   client.EventType  `json:"event_type"`
		Agent       string            `json:"agent"`
		Timestamp   time.Time         `json:"timestamp,omitzero"`
		Description string            `json:"description,omitzero"`
		RelatedIDs  map[string]string `json:"related_ids,omitzero"`
		Data        client.Object     `json:"data"`
	}
)

// TestWire: the client reads every field of an error and of a page, and sends every field of
// a report and no others.
func TestWire(t *testing.T) {
	t.Run("problem", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			mistakes := []client.Mistake{{Path: "agents[0].level", Text: "is none", Line: new(int64(3))}}
			body := text(t, map[string]any{"error_detail": problem{"about:blank", "Validation", "wrong", "i-1", 2000, "validation", true, new(int64(7)), mistakes}})
			c, s := talk(t, answer(400, "application/json", body))
			_, err := c.Company(t.Context())
			want := &client.Error{
				Type: "about:blank", Title: "Validation", Detail: "wrong", Instance: "i-1", Code: 2000, Category: "validation",
				Retryable: true, RetryAfter: 7 * time.Second, Mistakes: mistakes,
				Status: 400, Method: "GET", Path: "/company", Attempts: len(s.requests),
			}
			var got *client.Error
			errors.As(err, &got)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("Company (-want +got):\n%s", diff)
			}
		})
	})
	t.Run("pagination", func(t *testing.T) {
		body := text(t, map[string]any{"data": []any{}, "pagination": pagination{2, new("next"), true}})
		c, _ := talk(t, answer(200, "application/json", body))
		want := client.Page[client.Agent]{Items: []client.Agent{}, Limit: 2, Next: "next"}
		got, err := c.AgentPage(t.Context(), client.AgentQuery{})
		if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(want)); diff != "" || err != nil {
			t.Errorf("AgentPage = %v (-want +got):\n%s", err, diff)
		}
	})
	t.Run("entry", func(t *testing.T) {
		at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
		decoder := json.NewDecoder(strings.NewReader(text(t, client.Report{
			ID: "e-1", Agent: "Ada", Timestamp: at, Description: "begins", RelatedIDs: map[string]string{"task": "t-1"}, Data: client.TaskStarted{TaskID: "t-1"},
		})))
		decoder.DisallowUnknownFields()
		want := entry{"e-1", client.EventTaskStarted, "Ada", at, "begins", map[string]string{"task": "t-1"}, client.Object{"task_id": "t-1"}}
		var got entry
		err := decoder.Decode(&got)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("Report as JSON: %v (-want +got):\n%s", err, diff)
		}
	})
}

// text is v as JSON.
func text(t *testing.T, v any) string {
	t.Helper()
	encoded, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(encoded)
}
