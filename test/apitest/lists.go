package apitest

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

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
		"LargeRows":    largeRows,
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
		w.hire(n, "Design", obj{"owner": "eve", "tags": list{"a", "b"}})
		w.start(n)
		w.found(n)
		w.patch(agentPath(w.ann), obj{"description": n}).want(200)
		w.report(task("Ann", 1, nil), task("Bob", 2, nil)).want(201)
		w.post("/auth/tokens", obj{"subject": "x", "role": "editor"}).want(201)
		w.hook()
	}
	for i := range 4 {
		w.put(labelPath([]string{w.ann, w.bob, "Agent 1", "Agent 2"}[i], "production"), obj{"version": 1}).want(201)
		w.put(labelPath(w.ann, "canary"), obj{"version": i%2 + 1}).success()
		w.post("/webhooks/"+w.webhook+"/test", nil).want(201)
	}
	ann := agentPath(w.ann)
	eventually(t, "every event in the feed", func() bool { return len(w.get("/activities").items("data")) == 22 })
	return w, []pagedList{
		{"/agents", "id"}, {"/agents?department=design", "id"}, {"/agents?q=a", "id"}, {"/agents?search=agent+", "id"}, {"/agents?search=agent&status=active&view=summary", "id"}, {"/agents?status=active&level=mid", "id"},
		{"/agents?owner=eve", "id"}, {"/agents?tag=a&tag=b", "id"}, {"/agents?tag=b", "id"}, {"/labels/latest/agents?owner=eve&tag=b", "agent_id"},
		{"/departments", "name"}, {"/company/departments/figures", "department_name"}, {"/company/agents/figures", "agent_id"}, {"/company/agents/figures?sort=tasks&window=7d&tag=b", "agent_id"},
		{"/company/agents/figures?sort=success&status=active", "agent_id"}, {"/projects", "id"}, {"/projects?status=planning", "id"},
		{"/activities", "id"}, {"/activities?last_n_hours=24&type=task_completed", "id"}, {"/activities?agent_id=Ann", "id"},
		{ann + "/activity", "id"}, {ann + "/versions", "version"}, {labelPath(w.ann, "canary") + "/history", "at"},
		{"/labels/production/agents", "agent_id"}, {"/labels/latest/agents?department=design&status=active", "agent_id"}, {"/audit", "id"}, {"/audit?actor=admin", "id"}, {"/auth/sessions", "sid"},
		{"/webhooks", "id"}, {"/webhooks/" + w.webhook + "/deliveries", "id"},
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
		for _, limit := range []string{"0", "201", ""} {
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
		"/agents":                   {"department": {"%00", long, w.ann, "."}, "status": {"fired", "ACTIVE", long}, "level": {"boss", "Mid"}, "owner": {long, "%00", "%FF", "+a"}, "q": {long, "%0A"}, "search": {long, "ab", "%F0%9F%98%80", "%FF%FF%FF"}, "view": {"full", "Summary"}},
		"/activities":               {"type": {"fire", "HIRED"}, "agent_id": {long, "%00", "%FF"}, "last_n_hours": {"1", "0", "24.0", "-24", "169", "x", "024"}},
		"/projects":                 {"status": {"done", "ACTIVE", long}, "lead": {long, "%00"}},
		"/audit":                    {"since": {"yesterday", "2026-01-31", "1"}, "until": {"x"}, "actor": {strings.Repeat("x", 1025)}, "resource": {strings.Repeat("x", 513)}},
		"/labels/production/agents": {"department": {"%00", long, w.ann, "."}, "status": {"fired", "ACTIVE", long}, "owner": {long, "%00", "%FF", "a+"}},
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
	for _, path := range []string{"/agents?", "/labels/production/agents?"} {
		w.get(path + strings.Repeat("tag=a&", 16)).want(200)
		for _, tags := range []string{"tag=", "tag=a&tag=", "tag=A", "tag=a&tag=%00", "tag=%FF", "tag=-a", "tag=a,b", "tag=" + long, strings.Repeat("tag=a&", 17)} {
			w.get(path+tags).refused(400, 2001, "tag")
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
			"/agents/%s", "/agents/%s/activity", "/agents/%s/health", "/agents/%s/history", "/agents/%s/performance", "/agents/%s/days", "/agents/%s/versions",
			"/agents/%s/labels", "/agents/%s/labels/x", "/agents/%s/labels/x/history", "/agents/Ann/labels/%s", "/agents/Ann/labels/%s/history", "/labels/%s/agents",
			"/agents/%s/versions/1", "/agents/%s/versions/diff?from_version=1&to_version=2", "/departments/%s", "/departments/%s/health", "/departments/%s/days",
			"/departments/%s/ceremony-policy", "/departments/%s/ceremony-policy/resolved", "/projects/%s", "/webhooks/%s", "/webhooks/%s/deliveries",
		} {
			w.get(strings.Replace(path, "%s", name, 1)).refused(400, 2001)
		}
	}
	w.delete("/auth/sessions/"+long).refused(400, 2001, "sid")
	w.get(agentPath(strings.Repeat("ä", 128))).refused(404, 3000)
}

// A list without rows is a list.
func emptyLists(t *testing.T, s *Service) {
	c := s.admin(t)
	for _, path := range []string{"/agents", "/departments", "/company/departments/figures", "/company/agents/figures", "/projects", "/activities", "/webhooks", "/labels/latest/agents", "/labels/x/agents"} {
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
	for _, path := range []string{"/agents", "/departments", "/projects", "/activities", "/audit", "/auth/sessions", "/webhooks", "/labels/x/agents", "/company/agents/figures"} {
		c.get(path).want(200).has("pagination.limit", 50)
	}
}
