package client_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"orgd/client"
)

// A sequence that is used again, as by a program that retries, begins at its beginning.
func TestListsBeginAgain(t *testing.T) {
	first := answer(200, "application/json", `{"data":[{"name":"Ada"}],"pagination":{"limit":1,"next_cursor":"n","has_more":true}}`)
	last := answer(200, "application/json", `{"data":[{"name":"Bob"}],"pagination":{"limit":1,"next_cursor":null,"has_more":false}}`)
	c, s := talk(t, first, last, first, last)
	agents := c.Agents(t.Context(), client.AgentQuery{PageQuery: client.PageQuery{Limit: 1, Cursor: "c"}})
	var got []string
	for range 2 {
		for a, err := range agents {
			if got = append(got, a.Name); err != nil {
				t.Fatalf("Agents = %v", err)
			}
		}
	}
	for _, r := range s.requests {
		got = append(got, r.URL.RawQuery)
	}
	want := []string{"Ada", "Bob", "Ada", "Bob", "cursor=c&limit=1", "cursor=n&limit=1", "cursor=c&limit=1", "cursor=n&limit=1"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Agents, twice (-want +got):\n%s", diff)
	}
}
