package apitest

import (
	"net/url"
	"strings"
	"testing"
)

func searchChecks() map[string]check {
	return map[string]check{
		"Matches": searchMatches,
		"Changes": searchChanges,
	}
}

// search searches agents.
func (c *client) search(text string, params ...string) *reply {
	c.t.Helper()
	return c.get(plus("/agents?search="+url.QueryEscape(text), params...)).want(200)
}

func searchMatches(t *testing.T, s *Service) {
	w := newWorld(t, s)
	w.patch(agentPath(w.ann), obj{"role": "Refund clerk", "description": "One.\r\nNo REFUND here.", "instructions": "a\rb\n\nask before a refund\nrefund, refund\n"}).want(200)
	w.patch(agentPath(w.bob), obj{"instructions": strings.Repeat("x", 100<<10) + "\u202eREFUND<script>" + strings.Repeat("😀", 1000)}).want(200)
	all := w.search("refund").hasAll("pagination", obj{"has_more": false, "next_cursor": nil})
	all.hasAll("data.0", obj{"id": w.ann, "role": "Refund clerk", "matches": list{
		obj{"field": "role", "line": 1, "text": "Refund clerk"},
		obj{"field": "description", "line": 2, "text": "No REFUND here."},
		obj{"field": "instructions", "line": 4, "text": "ask before a refund"},
	}})
	all.hasAll("data.1", obj{"id": w.bob, "matches": list{
		obj{"field": "instructions", "line": 1, "text": strings.Repeat("x", 76) + "\u202eREFUND<script>" + strings.Repeat("😀", 69)},
	}})
	w.search("refund", "limit=1").hasAll("data.0", obj{"id": w.ann}).hasAll("pagination", obj{"has_more": true})
	summary := w.search("refund", "view=summary", "department=design", "status=active", "level=mid").hasAll("data.0", obj{"matches.0.field": "role"})
	if _, err := summary.find("data.0.instructions"); err == nil {
		t.Error("a summary has instructions")
	}
	w.patch(agentPath(w.bob), obj{"owner": "refund", "tags": list{"eu", "refund.2"}}).want(200)
	w.search("refund").hasAll("data.1", obj{"id": w.bob, "matches.0": obj{"field": "tags", "line": 1, "text": "refund.2"}, "matches.1.field": "instructions"})
	w.search("refund", "owner=refund", "tag=eu").has("data.0.id", w.bob)
	w.search("refund", "status=terminated").has("data", list{})
	w.search("refund", "department=nowhere").has("data", list{})
	if _, err := w.get("/agents").want(200).find("data.0.matches"); err == nil {
		t.Error("a list without a search has matches")
	}
	w.get("/agents?search=refund&q=a").refused(400, 2000, "search", "q")
	w.get("/agents?search=refund&deleted=true").refused(400, 2000, "search", "deleted")
	w.get("/agents?search=").refused(400, 2001, "search")
	w.get("/agents?search=ab").refused(400, 2001, "search: must be 3 to 128 characters", "2 are enough where")
	w.get("/agents?search=abc&search=abc").refused(400, 2001, "search")
}

// A search finds what agents are now.
func searchChanges(t *testing.T, s *Service) {
	w := newWorld(t, s)
	path := agentPath(w.bob)
	w.patch(path, obj{"instructions": "first words"}).want(200)
	version := w.get(path).number("data.version")
	w.patch(path, obj{"instructions": "second words"}).want(200)
	w.search("first words").has("data", list{})
	w.search("second words").has("data.0.id", w.bob)
	w.post(path+"/versions/rollback", obj{"target_version": version}).want(200)
	w.search("first words").has("data.0.id", w.bob)
	w.delete(path).want(204)
	w.search("first words").has("data", list{})
	// The text stands for itself, also in a URL. What is found otherwise is in domain/search and ports/portstest.
	w.patch(agentPath(w.carl), obj{"instructions": "100% + \"x\" & \\\r\n😀😁"}).want(200)
	w.search("0% + \"X\" & \\\r\n😀").has("data.0.id", w.carl)
	w.patch(agentPath(w.carl), obj{"instructions": "Straße, cafe\u0301, 全額退款"}).want(200)
	for _, text := range []string{"strasse", "CAFÉ", "退款"} {
		w.search(text).has("data.0.id", w.carl)
	}
}
