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

func listChecks() map[string]check {
	return map[string]check{
		"Pages":        pagesAddUp,
		"Limits":       pageLimits,
		"Cursors":      wrongCursors,
		"Parameters":   wrongParameters,
		"Agents":       agentOrderAndFilters,
		"NamePrefix":   namePrefix,
		"LongNames":    longNames,
		"Summary":      summaries,
		"Departments":  departmentLists,
		"Projects":     projectFilters,
		"Changes":      listsUnderChange,
		"Window":       windowInCursor,
		"FeedFilters":  feedFilters,
		"Empty":        emptyLists,
		"DefaultPages": defaultPages,
	}
}

// pagedList is a list that can be read in pages, and what names its rows.
type pagedList struct{ path, key string }

// full is a world in which every list has several rows.
func newFullWorld(t *testing.T, s *Service) (world, []pagedList) {
	t.Helper()
	w := newWorld(t, s)
	for _, n := range numbered("Agent ", 4) {
		w.hire(n, "Design")
		w.start(n)
		w.found(n)
		w.patch(agentPath(w.ann), obj{"description": n}).want(200)
		w.report(task("Ann", 1, nil), task("Bob", 2, nil)).want(201)
		w.post("/auth/tokens", obj{"subject": "x", "role": "editor"}).want(201)
	}
	ann := agentPath(w.ann)
	eventually(t, "every event in the feed", func() bool { return len(w.get("/activities").items("data")) == 22 })
	return w, []pagedList{
		{"/agents", "id"}, {"/agents?department=design", "id"}, {"/agents?q=a", "id"}, {"/agents?status=active&level=mid", "id"},
		{"/departments", "name"}, {"/projects", "id"}, {"/projects?status=planning", "id"},
		{"/activities", "id"}, {"/activities?last_n_hours=24&type=task_completed", "id"}, {"/activities?agent_id=Ann", "id"},
		{ann + "/activity", "id"}, {ann + "/versions", "version"}, {"/audit", "id"}, {"/audit?actor=admin", "id"}, {"/auth/sessions", "sid"},
	}
}

// plus is a path with more parameters.
func plus(path string, params ...string) string {
	sep := "?"
	if strings.Contains(path, "?") {
		sep = "&"
	}
	return path + sep + strings.Join(params, "&")
}

// Pages of any size add up to the whole list, each row once, and lead to each
// other in two ways.
func pagesAddUp(t *testing.T, s *Service) {
	w, lists := newFullWorld(t, s)
	for _, l := range lists {
		whole := w.get(plus(l.path, "limit=200")).want(200).hasAll("pagination", obj{"limit": 200, "next_cursor": nil, "has_more": false}).
			has("degraded_sources", list{}).column("data", l.key)
		if len(whole) < 4 {
			t.Fatalf("%s has %d rows, want more", l.path, len(whole))
		}
		for _, limit := range []int{1, 2, 3, len(whole) - 1, len(whole)} {
			if limit == 1 && len(whole) > 12 {
				continue
			}
			if got := w.walk(l, limit); !cmp.Equal(got, whole) {
				t.Errorf("%s in pages of %d = %v, want %v", l.path, limit, got, whole)
			}
		}
	}
}

// walk reads a list page by page and returns the keys of its rows.
func (c *client) walk(l pagedList, limit int) []any {
	c.t.Helper()
	var all []any
	next := plus(l.path, fmt.Sprintf("limit=%d", limit))
	for {
		r := c.get(next).want(200).has("pagination.limit", limit)
		all = append(all, r.column("data", l.key)...)
		cursor, more := r.at("pagination.next_cursor").(string)
		r.has("pagination.has_more", more)
		if n := len(r.items("data")); n > limit || more && n < limit {
			c.t.Errorf("%s: a page of %d rows, want %d", next, n, limit)
		}
		link := r.header.Get("Link")
		if !more {
			if link != "" {
				c.t.Errorf("%s: Link %s on the last page", next, link)
			}
			return all
		}
		target, ok := strings.CutSuffix(strings.TrimPrefix(link, "<"), `>; rel="next"`)
		if u, err := url.Parse(target); !ok || err != nil || u.Query().Get("cursor") != cursor {
			c.t.Fatalf("%s: Link = %s, want the cursor %s", next, link, cursor)
		}
		if next = plus(l.path, fmt.Sprintf("limit=%d", limit), "cursor="+cursor); len(all)%2 == 0 {
			next = target
		}
		if len(cursor) > 512 {
			c.t.Errorf("%s: a cursor of %d characters", next, len(cursor))
		}
	}
}

func pageLimits(t *testing.T, s *Service) {
	w, lists := newFullWorld(t, s)
	for _, l := range lists {
		for _, limit := range []string{"0", "201", "-1", "x", "", "1.0", "01", "%2B1", "1e1", "0x1", "99999999999999999999", "null"} {
			w.get(plus(l.path, "limit="+limit)).refused(400, 2001, "limit")
		}
		w.get(plus(l.path, "limit=1", "limit=1")).refused(400, 2001, "limit")
		w.get(plus(l.path, "limit=1")).want(200).has("pagination.limit", 1)
	}
}

// A cursor is good for the list that gave it out, with the same filters, and
// for nothing else.
func wrongCursors(t *testing.T, s *Service) {
	w, lists := newFullWorld(t, s)
	cursors := map[string]string{}
	for _, l := range lists {
		cursors[l.path] = w.get(plus(l.path, "limit=1")).text("pagination.next_cursor")
	}
	for _, l := range lists {
		own := cursors[l.path]
		for _, bad := range []string{
			"", "x", own[:len(own)-1], own + "A", own[1:], strings.ToUpper(own), strings.Repeat("A", 512), strings.Repeat("A", 513),
			own + "%0A", "%20" + own, own + "%3D", "null", "0",
		} {
			w.get(plus(l.path, "cursor="+bad)).refused(400, 2001, "cursor")
		}
		w.get(plus(l.path, "cursor="+own, "cursor="+own)).refused(400, 2001, "cursor")
		for other, cursor := range cursors {
			if other != l.path {
				w.get(plus(l.path, "cursor="+cursor)).refused(400, 2001, "cursor")
			}
		}
		w.get(plus(l.path, "cursor="+own, "limit=200", "unknown=1")).want(200)
	}
	w.get(agentPath(w.bob)+"/versions?cursor="+cursors[agentPath(w.ann)+"/versions"]).refused(400, 2001, "cursor")
	w.get("/departments/x?cursor=x").refused(404, 3000) // not paged: not known
}

// Every known parameter stands once, is not empty, and has a value that it may
// have.
func wrongParameters(t *testing.T, s *Service) {
	w, _ := newFullWorld(t, s)
	long := strings.Repeat("x", 129)
	for path, params := range map[string]map[string][]string{
		"/agents":     {"department": {"%00", long, w.ann, "."}, "status": {"fired", "ACTIVE", long}, "level": {"boss", "Mid"}, "q": {long, "%0A"}, "view": {"full", "Summary"}},
		"/activities": {"type": {"fire", "HIRED"}, "agent_id": {long, "%00", "%FF"}, "last_n_hours": {"1", "0", "24.0", "-24", "169", "x", "024"}},
		"/projects":   {"status": {"done", "ACTIVE", long}, "lead": {long, "%00"}},
		"/audit":      {"since": {"yesterday", "2026-01-31", "1"}, "until": {"x"}, "actor": {strings.Repeat("x", 1025)}, "resource": {strings.Repeat("x", 513)}},
		agentPath(w.ann) + "/versions/diff?from_version=1&to_version=2": {"from_version": {}, "to_version": {}},
	} {
		for name, bad := range params {
			if !strings.Contains(path, "?") {
				w.get(path+"?"+name+"=").refused(400, 2001, name)
			}
			w.get(plus(path, name+"=1", name+"=1")).refused(400, 2001, name)
			for _, v := range bad {
				w.get(path+"?"+name+"="+v).refused(400, 2001)
			}
		}
	}
	diff := agentPath(w.ann) + "/versions/diff?"
	for _, query := range []string{"", "from_version=1", "to_version=2", "from_version=0&to_version=1", "from_version=x&to_version=2", "from_version=1&to_version=", "from_version=01&to_version=2", "from_version=-1&to_version=2"} {
		w.get(diff+query).refused(400, 2001)
	}
	for _, n := range []string{"0", "-1", "01", "1.0", "x", "%2B1", "99999999999999999999", "1e1", "latest"} {
		w.get(agentPath(w.ann)+"/versions/"+n).refused(400, 2001, "version_num")
	}
	for _, name := range []string{long, strings.Repeat("%C3%A4", 129)} {
		for _, path := range []string{
			"/agents/%s", "/agents/%s/activity", "/agents/%s/health", "/agents/%s/history", "/agents/%s/performance", "/agents/%s/versions",
			"/agents/%s/versions/1", "/agents/%s/versions/diff?from_version=1&to_version=2", "/departments/%s", "/departments/%s/health",
			"/departments/%s/ceremony-policy", "/departments/%s/ceremony-policy/resolved", "/projects/%s",
		} {
			w.get(strings.Replace(path, "%s", name, 1)).refused(400, 2001)
		}
	}
	w.delete("/auth/sessions/"+long).refused(400, 2001, "sid")
	w.get(agentPath(strings.Repeat("ä", 128))).refused(404, 3000)
}

// Agents come in the organization's order: a reorder permutes the places of
// one department, a move keeps the place, a new agent comes last.
func agentOrderAndFilters(t *testing.T, s *Service) {
	w := newWorld(t, s)
	w.hire("Dora", "Design", obj{"level": "senior", "status": "on_leave"})
	w.hire("Emil", "Sales", obj{"level": "senior"})
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
	for _, n := range []string{"émile", "Zoe", "Anna", "Straße", "annika", "ANNE", "Ann", "an", "strasse 2", "Éric", "a%b", "a_b", "A b"} {
		c.hire(n, "D")
	}
	for q, want := range map[string][]string{
		"an": {"an", "Ann", "Anna", "ANNE", "annika"}, "ANN": {"Ann", "Anna", "ANNE", "annika"}, "z": {"Zoe"}, "b": {},
		"STRASS": {"Straße", "strasse 2"}, "straße": {"Straße", "strasse 2"}, "é": {"émile", "Éric"}, "e\u0301": {"émile", "Éric"}, "a%": {"a%b"}, "a_": {"a_b"},
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

// A list without rows is a list.
func emptyLists(t *testing.T, s *Service) {
	c := s.admin(t)
	for _, path := range []string{"/agents", "/departments", "/projects", "/activities"} {
		c.get(path).want(200).has("data", list{}).hasAll("pagination", obj{"next_cursor": nil, "has_more": false})
	}
	c.get("/company/departments").want(200).has("data", list{})
	c.post("/company/reorder-departments", obj{"department_names": list{}}).want(200).has("data", list{})
}

// A list that is asked for without a limit has 50 rows, versions 20.
func defaultPages(t *testing.T, s *Service) {
	c := s.admin(t)
	c.found("D")
	id := c.hire("Ann", "D")
	for _, n := range numbered("", 21) {
		c.patch(agentPath(id), obj{"description": n}).want(200)
	}
	c.get(agentPath(id)+"/versions").hasAll("pagination", obj{"limit": 20, "has_more": true}).has("data.19.version", 3)
	var events []obj
	for i := range 60 {
		events = append(events, task("Ann", i, nil))
	}
	c.report(events...).want(201).hasAll("data", obj{"accepted": 60, "duplicates": 0})
	c.get(agentPath(id)+"/activity").hasAll("pagination", obj{"limit": 50, "has_more": true})
	for _, path := range []string{"/agents", "/departments", "/projects", "/activities", "/audit", "/auth/sessions"} {
		c.get(path).want(200).has("pagination.limit", 50)
	}
}
