package apitest_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"orgd/domain/limit"
	"orgd/test/apitest"
)

// The answer of a reorder is whole and in order though it is sent while it is read; it
// is not kept for its key, and the reorder is not made twice.
func TestLongReorder(t *testing.T) {
	s := embedded(t, limit.Off())
	token, err := s.Mint(apitest.Grant{Subject: "root", Role: "admin", TTL: time.Hour})
	if err != nil {
		t.Fatalf("Mint = %v", err)
	}
	do := func(method, path, key, body string, want int) (http.Header, map[string]any) {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), method, s.URLs[0]+"/api/v1"+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+token)
		req.Header.Set("Content-Type", "application/json")
		if key != "" {
			req.Header.Set("Idempotency-Key", key)
		}
		res, err := http.DefaultTransport.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		var answer map[string]any
		if err := json.NewDecoder(res.Body).Decode(&answer); err != nil || res.StatusCode != want {
			t.Fatalf("%s %s = %d, %v, want %d", method, path, res.StatusCode, err, want)
		}
		return res.Header, answer
	}
	defer http.DefaultTransport.(*http.Transport).CloseIdleConnections()
	do("POST", "/departments", "", `{"name":"Ops"}`, 201)
	large := largeMembers()
	var want []any
	var quoted []string
	for i := range 8 {
		name := fmt.Sprintf("Agent %d", 7-i)
		want, quoted = append(want, name), append(quoted, `"`+name+`"`)
		do("POST", "/agents", "", fmt.Sprintf(`{"name":"Agent %d","role":"r","department":"Ops","level":"mid",%s}`, i, large), 201)
	}
	order := `{"agent_names":[` + strings.Join(quoted, ",") + `]}`
	for _, key := range []string{"k", ""} { // the second changes nothing
		h, answer := do("POST", "/departments/Ops/reorder-agents", key, order, 201)
		var got []any
		for _, a := range answer["data"].([]any) {
			got = append(got, a.(map[string]any)["name"])
		}
		if !slices.Equal(got, want) || answer["success"] != true {
			t.Errorf("the key %q: reordered to %v, want %v", key, got, want)
		}
		now, _ := do("GET", "/departments/Ops", "", "", 200)
		if h.Get("ETag") != now.Get("ETag") || h.Get("Location") != "/api/v1/departments/Ops" || h.Get("Content-Type") != "application/json" {
			t.Errorf("the key %q: ETag %s, want %s; Location %s", key, h.Get("ETag"), now.Get("ETag"), h.Get("Location"))
		}
	}
	_, answer := do("POST", "/departments/Ops/reorder-agents", "k", order, 409)
	if code := answer["error_detail"].(map[string]any)["error_code"]; code != 4000.0 {
		t.Errorf("the same key again = %v, want 4000", answer)
	}
}

// largeMembers are members of an agent of about 970 kB.
func largeMembers() string {
	words := make([]string, 240)
	for i := range words {
		words[i] = fmt.Sprintf("%05d%s", i, strings.Repeat("\U0001f600", 250))
	}
	list := `["` + strings.Join(words, `","`) + `"]`
	return fmt.Sprintf(`"personality":{"traits":%s},"tools":{"allowed":%[1]s,"mcp_capabilities":%[1]s},"authority":{"can_approve":%[1]s}`, list)
}
