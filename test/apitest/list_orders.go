package apitest

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// Agents come in the organization's order: a reorder permutes the places of
// one department, a move keeps the place, a new agent comes last.
func agentOrderAndFilters(t *testing.T, s *Service) {
	w := newWorld(t, s)
	w.hire("Dora", "Design", obj{"level": "senior", "status": "on_leave", "owner": "eve", "tags": list{"eu", "b"}})
	w.hire("Emil", "Sales", obj{"level": "senior", "owner": "https://idp.example.com|Zoë", "tags": list{"b", "eu.west"}})
	order := func(query string, want ...string) {
		t.Helper()
		if got := w.get("/agents"+query).want(200).column("data", "name"); !cmp.Equal(got, anys(want)) {
			t.Errorf("/agents%s = %v, want %v", query, got, want)
		}
	}
	order("", "Ann", "Bob", "Carl", "Dora", "Emil")
	w.post("/departments/Design/reorder-agents", obj{"agent_names": list{"dora", w.ann, "BOB"}}).want(201)
	order("", "Dora", "Ann", "Carl", "Bob", "Emil")
	w.patch(agentPath(w.ann), obj{"department": "Sales"}).want(200)
	order("", "Dora", "Ann", "Carl", "Bob", "Emil")
	order("?department=Sales", "Ann", "Carl", "Emil")
	order("?department=DESIGN", "Dora", "Bob")
	order("?department=None")
	order("?level=senior", "Dora", "Emil")
	order("?status=on_leave", "Dora")
	order("?status=active&level=senior", "Emil")
	order("?department=sales&level=mid", "Ann", "Carl")
	order("?owner=eve", "Dora")
	order("?owner=Eve")
	order("?owner="+url.QueryEscape("https://idp.example.com|Zoë"), "Emil")
	order("?tag=b", "Dora", "Emil")
	order("?tag=eu", "Dora")
	order("?tag=b&tag=eu", "Dora")
	order("?tag=eu&tag=b&tag=eu", "Dora")
	order("?tag=b&tag=other")
	order("?tag=b&owner=eve&department=design&level=senior&status=on_leave&q=d", "Dora")
	order("?tag=b&search=work", "Dora", "Emil")
	w.patch("/agents/Dora", obj{"owner": nil, "tags": list{"b"}}).want(200)
	order("?owner=eve")
	order("?tag=eu")
	w.post("/departments/Sales/reorder-agents", obj{"agent_names": list{"Emil", "Ann", "Carl"}}).want(201)
	order("", "Dora", "Emil", "Ann", "Bob", "Carl")
	w.delete(agentPath(w.ann)).want(204)
	w.hire("Ann", "Design")
	order("", "Dora", "Emil", "Bob", "Carl", "Ann")
}

// With a prefix agents come in the order of their names' keys.
func namePrefix(t *testing.T, s *Service) {
	c := s.admin(t)
	c.found("D")
	const clone = "0198f3a2-7c41-7d0e-9b52-3f6a1c8e4d70 again" // a name, though it begins with an id
	for _, n := range []string{clone, ".net", "émile", "Zoe", "Anna", "Straße", "annika", "ANNE", "Ann", "an", "strasse 2", "Éric", "a%b", "a_b", "A b"} {
		c.hire(n, "D")
	}
	for q, want := range map[string][]string{
		"an": {"an", "Ann", "Anna", "ANNE", "annika"}, "ANN": {"Ann", "Anna", "ANNE", "annika"}, "z": {"Zoe"}, "b": {},
		"STRASS": {"Straße", "strasse 2"}, "straße": {"Straße", "strasse 2"}, "é": {"émile", "Éric"}, "e\u0301": {"émile", "Éric"}, "a%": {"a%b"}, "a_": {"a_b"},
		".": {".net"}, clone[:36]: {clone},
		"a ": {"A b", "a%b", "a_b", "an", "Ann", "Anna", "ANNE", "annika"},
	} {
		got := c.get("/agents?q="+url.QueryEscape(q)).want(200).column("data", "name")
		if !cmp.Equal(got, anys(want)) {
			t.Errorf("q=%q = %v, want %v", q, got, want)
		}
		if walked := c.walk(pagedList{"/agents?q=" + url.QueryEscape(q), "name"}, 1); len(want) > 0 && !cmp.Equal(walked, anys(want)) {
			t.Errorf("q=%q in pages of 1 = %v, want %v", q, walked, want)
		}
	}
}

// Names of the greatest length, in any script, have a place in a list.
func longNames(t *testing.T, s *Service) {
	c := s.admin(t)
	c.found("D")
	var want []any
	for _, r := range []string{"a", "ä", "ᾷ", "名", "😀"} {
		for _, end := range []string{"1", "2", "3"} {
			name := strings.Repeat(r, 127) + end
			c.hire(name, "D")
			want = append(want, name)
		}
	}
	if got := c.walk(pagedList{"/agents", "name"}, 1); !cmp.Equal(got, want) {
		t.Errorf("agents = %v, want %v", got, want)
	}
	for _, r := range []string{"a", "ä", "ᾷ", "名", "😀"} {
		q := "/agents?q=" + url.QueryEscape(r)
		if got := c.walk(pagedList{q, "name"}, 1); len(got) != 3 {
			t.Errorf("agents with %s = %v, want 3", r, got)
		}
	}
}

// A summary leaves out the instructions, and nothing else.
func summaries(t *testing.T, s *Service) {
	w := newWorld(t, s)
	w.patch(agentPath(w.ann), obj{"instructions": "Be nice."}).want(200)
	whole := w.get("/agents").at("data.0").(obj)
	short := w.get("/agents?view=summary").at("data.0").(obj)
	if whole["instructions"] != "Be nice." {
		t.Errorf("instructions = %v", whole["instructions"])
	}
	delete(whole, "instructions")
	if diff := cmp.Diff(whole, short); diff != "" {
		t.Errorf("view=summary (-want +got):\n%s", diff)
	}
	cursor := w.get("/agents?view=summary&limit=1").text("pagination.next_cursor")
	w.get("/agents?limit=1&cursor="+cursor).refused(400, 2001)
}

// Departments come in the company's order, everywhere.
func departmentLists(t *testing.T, s *Service) {
	c := s.admin(t)
	c.found("C", "A", "B", "é")
	check := func(want ...string) {
		t.Helper()
		for path, at := range map[string]string{"/departments": "data", "/company/departments": "data", "/company": "data.departments"} {
			if got := c.get(path).column(at, "name"); !cmp.Equal(got, anys(want)) {
				t.Errorf("%s = %v, want %v", path, got, want)
			}
		}
		if got := c.walk(pagedList{"/departments", "name"}, 1); !cmp.Equal(got, anys(want)) {
			t.Errorf("departments in pages of 1 = %v, want %v", got, want)
		}
	}
	check("C", "A", "B", "é")
	c.post("/company/reorder-departments", obj{"department_names": list{"É", "b", "a", "c"}}).want(200)
	check("é", "B", "A", "C")
	c.delete("/departments/B").want(204)
	c.found("B")
	check("é", "A", "C", "B")
}

func projectFilters(t *testing.T, s *Service) {
	w := newWorld(t, s)
	b := w.post("/projects", obj{"name": "B", "lead": "Ann"}).want(201).text("data.id")
	c := w.post("/projects", obj{"name": "C", "lead": w.ann, "team": list{"Bob"}}).want(201).text("data.id")
	w.patch("/projects/"+c, obj{"status": "active"}).want(200)
	check := func(query string, want ...string) {
		t.Helper()
		slices.Sort(want)
		if got := w.get("/projects"+query).want(200).column("data", "id"); !cmp.Equal(got, anys(want)) {
			t.Errorf("/projects%s = %v, want %v", query, got, want)
		}
	}
	check("", w.project, b, c)
	check("?status=planning", w.project, b)
	check("?lead=Ann", b, c)
	check("?lead="+w.ann, b, c)
	check("?lead=ANN&status=active", c)
	check("?lead=Bob")
	check("?lead=nobody")
	check("?lead=" + nobody)
	w.delete(agentPath(w.ann)).want(204)
	check("?lead=Ann")
	check("?lead=" + w.ann)
	check("", w.project, b, c)
}

// Rows that come and go while a list is read neither repeat nor hide others.
func listsUnderChange(t *testing.T, s *Service) {
	c := s.admin(t)
	c.found("D")
	names := numbered("Agent ", 9)
	for _, n := range names {
		c.hire(n, "D")
	}
	for _, path := range []string{"/agents?limit=2", "/agents?limit=2&q=agent"} {
		first := c.get(path).want(200)
		got := first.column("data", "name")
		c.delete(agentPath(got[1].(string))).want(204) // the row that the cursor stands on
		c.delete(agentPath("Agent 4")).want(204)
		c.hire("Agent 0", "D") // before it where names decide, last where places do
		c.hire("Agent 99", "D")
		for next := first; ; {
			cursor, more := next.at("pagination.next_cursor").(string)
			if !more {
				break
			}
			next = c.get(path + "&cursor=" + cursor).want(200)
			got = append(got, next.column("data", "name")...)
		}
		for _, n := range names {
			count := 0
			for _, g := range got {
				if g == n {
					count++
				}
			}
			if gone := n == "Agent 4"; count != 1 && !gone || gone && count != 0 {
				t.Errorf("%s: %s comes %d times in %v", path, n, count, got)
			}
		}
		for _, n := range []string{got[1].(string), "Agent 4"} {
			c.hire(n, "D")
		}
		c.delete(agentPath("Agent 0")).want(204)
		c.delete(agentPath("Agent 99")).want(204)
	}
	// Versions that are made meanwhile come before the first page.
	for _, n := range names {
		c.patch(agentPath("Agent 1"), obj{"description": n}).want(200)
	}
	r := c.get(agentPath("Agent 1")+"/versions?limit=4").want(200).has("data.3.version", 7)
	c.patch(agentPath("Agent 1"), obj{"description": "new"}).want(200)
	c.get(agentPath("Agent 1")+"/versions?limit=4&cursor="+r.text("pagination.next_cursor")).want(200).has("data.0.version", 6)
}

// The window of a feed is that of its first page, however long reading takes.
func windowInCursor(t *testing.T, s *Service) {
	w := newWorld(t, s)
	old := time.Now().Add(-24*time.Hour + 400*time.Millisecond).UTC()
	event := with(task("Ann", 1, nil), "timestamp", old.Format("2006-01-02T15:04:05.000Z07:00"))
	w.report(event).want(201)
	const feed = "/activities?last_n_hours=24&agent_id=Ann"
	var cursor string
	eventually(t, "the event in the feed", func() bool {
		r := w.get(feed + "&limit=2").want(200)
		cursor, _ = r.at("pagination.next_cursor").(string)
		return cursor != ""
	})
	eventually(t, "the end of the window", func() bool { return len(w.get(feed).items("data")) == 2 })
	w.get(feed+"&limit=2&cursor="+cursor).want(200).has("data.0.event_type", "task_completed")
	w.get("/activities?agent_id=Ann&last_n_hours=48").want(200).has("data.2.event_type", "task_completed")
	w.get("/activities?agent_id=Ann&last_n_hours=48&cursor="+cursor).refused(400, 2001, "cursor")
}

func feedFilters(t *testing.T, s *Service) {
	w := newWorld(t, s)
	w.report(task("Ann", 1, nil), task("Carl", 2, nil)).want(201)
	w.patch(agentPath(w.carl), obj{"status": "on_leave"}).want(200)
	check := func(query string, want ...string) {
		t.Helper()
		eventually(t, "/activities"+query, func() bool {
			return cmp.Equal(w.get("/activities"+query).want(200).column("data", "event_type"), anys(want))
		})
	}
	check("?agent_id=Carl", "status_changed", "task_completed", "onboarded", "hired")
	check("?agent_id="+w.carl+"&type=hired", "hired")
	check("?type=task_completed", "task_completed", "task_completed")
	check("?type=fired")
	check("?agent_id=nobody")
	check("?agent_id=" + nobody)
	check("?agent_id="+w.bob+"&last_n_hours=168", "onboarded", "hired")
	w.delete(agentPath(w.bob)).want(204)
	check("?agent_id="+w.bob, "fired", "onboarded", "hired")
	check("?agent_id=Bob") // nobody has that name now
}

// A page of very large rows ends early; who goes on misses nothing.
func largeRows(t *testing.T, s *Service) {
	const rows, page = 40, 1 << 20
	w := newWorld(t, s)
	related := obj{}
	for i := range 64 {
		related[fmt.Sprintf("%02d%s", i, strings.Repeat("\U0001f600", 254))] = strings.Repeat("\U0001f600", 256)
	}
	w.report(slices.Repeat([]obj{with(event("tool_used", "Ann", obj{"tool": "t", "success": true}), "related_ids", related)}, rows)...).want(201)
	feed := "/activities?type=tool_used&limit=200"
	seen := map[any]bool{}
	next, pages := feed, 0
	for {
		r := w.get(next).want(200)
		one := len(r.body) / len(r.items("data"))
		cursor, more := r.at("pagination.next_cursor").(string)
		if n := len(r.body); n > page+2*one || more && n < page {
			t.Errorf("a page of %d bytes in %d rows, more to come: %t", n, len(r.items("data")), more)
		}
		for _, id := range r.column("data", "id") {
			seen[id] = true
		}
		if pages++; !more {
			break
		}
		if !strings.Contains(r.header.Get("Link"), url.QueryEscape(cursor)) {
			t.Errorf("Link is %q, want the cursor %q in it", r.header.Get("Link"), cursor)
		}
		next = feed + "&cursor=" + cursor
	}
	if len(seen) != rows || pages < 2 {
		t.Errorf("%d of %d events in %d pages", len(seen), rows, pages)
	}
}
