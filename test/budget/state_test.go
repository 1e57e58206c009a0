package budget

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
)

type object = map[string]any

// world is a service and what it was filled with.
type world struct {
	*service
	crowd    []string // ids of small agents; the last maxReorder are in a department of their own
	large    []string // names of agents of 0.95 MiB
	projects []string // ids
	hooks    []string // ids of webhooks
	delivery string   // of the first webhook
	receiver string   // where webhooks go
	orders   map[string][]string
}

const (
	// maxReorder is how many agents with the longest names one reorder can name, in the
	// megabyte of a request.
	maxReorder = 1900
	teams      = 64
	members    = 256 // of a team
	wides      = 2   // departments that are as wide as possible: 20 MiB as they are shown, thrice that in memory
	larges     = 68  // a page of them all would have 64 MiB
	versions   = 14  // of the largest agent: 35 MiB
)

var (
	// everybody is how many small agents there are; in the long form so many that no team
	// has a member of another one. What is shown of a department is as large either way.
	everybody = size(2304, teams*members)
	webhooks  = size(40, 220)
)

// The departments, beside those that are as wide as possible.
const (
	crowdName = "crowd"
	restName  = "rest"
	largeName = "large"
	// labelName is a label that all large agents have.
	labelName = "production"
)

func wideName(i int) string { return wide(128, 1000+i) }

// wide is a text of n code points with four bytes each, which no other i has.
func wide(n, i int) string {
	var b strings.Builder
	for range n - 5 {
		b.WriteRune('\U00020000')
	}
	for range 5 {
		b.WriteRune('\U00020000' + rune(i%16))
		i /= 16
	}
	return b.String()
}

func words(n, length int) []string {
	list := make([]string, n)
	for i := range list {
		list[i] = wide(length, i)
	}
	return list
}

// wideTags are as much as an agent can have.
func wideTags() (list []string) {
	for i := range 16 {
		list = append(list, fmt.Sprintf("%s%02d", strings.Repeat("x", 61), i))
	}
	return list
}

// skills have about 1 KiB each, or as much more as their tags have.
func skills(n, from, tags int) []object {
	list := make([]object, n)
	for i := range list {
		list[i] = object{"id": fmt.Sprintf("s%d", from+i), "name": "skill", "description": wide(250, i), "tags": words(tags, 256)}
	}
	return list
}

// parallel does something n times, four at once.
func parallel(n int, do func(i int)) {
	var all sync.WaitGroup
	for worker := range 4 {
		all.Go(func() {
			for i := worker; i < n; i += 4 {
				do(i)
			}
		})
	}
	all.Wait()
}

// fill makes the state.
func fill(s *service) *world {
	s.Helper()
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }))
	s.Cleanup(receiver.Close)
	w := &world{service: s, receiver: receiver.URL + "/", orders: map[string][]string{}}
	w.makeCrowd()
	w.makeLarge()
	parallel(wides, w.makeWide)
	w.makeRest()
	s.must("PATCH", "/company", object{"company_name": wide(256, 1), "communication_pattern": wide(256, 1), "settings": object{"s": strings.Repeat("x", 60<<10)}}, nil)
	return w
}

// makeCrowd hires so many that every team can have members of its own.
func (w *world) makeCrowd() {
	w.Helper()
	agents := make([]object, everybody)
	for i := range agents {
		department := crowdName
		if i >= len(agents)-maxReorder {
			department = restName
		}
		agents[i] = object{"name": wide(128, i), "role": "r", "department": department, "owner": wide(128, 0), "tags": wideTags()}
	}
	departments := []object{{"name": crowdName}, {"name": restName}, {"name": largeName}}
	for i := range 400 {
		departments = append(departments, object{"name": wide(128, i)})
	}
	w.must("POST", "/organization/apply", object{"format": 1, "departments": departments, "agents": agents}, nil)
	for _, department := range []string{crowdName, restName} {
		for _, a := range w.list("/agents?view=summary&limit=200&department=" + department) {
			w.crowd = append(w.crowd, a.ID)
		}
	}
	if len(w.crowd) != len(agents) {
		w.Fatalf("%d agents are listed, want %d", len(w.crowd), len(agents))
	}
}

// row is what every row of a list has.
type row struct{ ID, Name string }

// list reads all pages of a list.
func (w *world) list(path string) (all []row) {
	w.Helper()
	for next := path; ; {
		var page struct {
			Data       []row
			Pagination struct {
				NextCursor *string `json:"next_cursor"`
			}
		}
		w.must("GET", next, nil, &page)
		all = append(all, page.Data...)
		if page.Pagination.NextCursor == nil {
			return all
		}
		next = path + "&cursor=" + url.QueryEscape(*page.Pagination.NextCursor)
	}
}

// largeAgent is one of 0.95 MiB.
func largeAgent(name string) object {
	return object{
		"name": name, "role": "r", "department": largeName, "description": wide(8192, 0),
		"instructions": strings.Repeat("\U00020000", 32<<10), "skills": object{"primary": skills(256, 0, 0), "secondary": skills(256, 256, 0)},
		"personality": object{"traits": words(230, 256)}, "metadata": object{"m": strings.Repeat("x", 16<<10-16)}, "owner": wide(128, 0), "tags": wideTags(),
	}
}

// makeLarge hires agents of 0.95 MiB, and lets the first one grow with each change to
// more than twice of that.
func (w *world) makeLarge() {
	w.Helper()
	for i := range larges {
		w.large = append(w.large, wide(128, 1<<16+i))
	}
	parallel(larges, func(i int) {
		w.must("POST", "/agents", largeAgent(w.large[i]), nil)
		w.must("PUT", "/agents/"+url.PathEscape(w.large[i])+"/labels/"+labelName, object{"version": 1}, nil)
		if 0 < i && i < calls {
			w.must("PATCH", "/agents/"+url.PathEscape(w.large[i]), object{"role": "grown"}, nil)
		}
	})
	at := "/agents/" + url.PathEscape(w.large[0])
	w.must("PATCH", at, object{"skills": object{"primary": skills(256, 1000, 2)}}, nil)
	w.must("PATCH", at, object{"skills": object{"secondary": skills(256, 2000, 2)}}, nil)
	for i := range versions {
		w.must("PATCH", at, object{"role": fmt.Sprintf("role %d", i)}, nil)
	}
}

// wideTeams are as many teams as there can be, of which each refers to somebody else.
// Those of another i have other members.
func (w *world) wideTeams(i int) (all []object) {
	for t := range teams {
		first := t * members % len(w.crowd)
		all = append(all, object{"name": wide(128, t), "lead": w.crowd[t], "members": w.crowd[first : first+members-i]})
	}
	return all
}

// makeWide makes a department with as much as one has.
func (w *world) makeWide(i int) {
	w.Helper()
	var lines, chains []object
	for j := range 256 {
		lines = append(lines, object{"subordinate": w.crowd[j], "supervisor": w.crowd[len(w.crowd)-1-j]})
	}
	for j := range 3 {
		chains = append(chains, object{"action_type": wide(256, j), "approvers": words(256, 256)})
	}
	w.must("POST", "/departments", object{"name": wideName(i), "description": wide(2048, i), "teams": w.wideTeams(0)}, nil)
	at := "/departments/" + url.PathEscape(wideName(i))
	w.must("PATCH", at, object{"reporting_lines": lines}, nil)
	w.must("PATCH", at, object{"policies": object{"approval_chains": chains}}, nil)
	w.must("PATCH", at, object{"policies": object{"review_requirements": object{"required_reviewer_roles": words(256, 256)}}}, nil)
	w.must("PUT", at+"/ceremony-policy", object{"other": strings.Repeat("x", 63<<10)}, nil)
}

// event is one with as much as an event has, about 150 KiB.
func event(agent string) object {
	related := object{}
	for i := range 64 {
		related[wide(250, i)] = wide(256, i)
	}
	return object{
		"event_type": "task_completed", "agent": agent, "description": wide(1024, 1), "related_ids": related,
		"data": object{"task_id": "t", "success": true, "x": strings.Repeat("x", 16<<10-100)},
	}
}

// report reports n events.
func (w *world) report(n int) {
	w.Helper()
	w.must("POST", "/activities", object{"events": slices.Repeat([]object{event(w.large[0])}, n)}, nil)
}

// made is the answer to what has an id.
type made struct {
	Data struct {
		ID, Sid, Token, Code string
	}
}

// makeRest makes projects, webhooks and events.
func (w *world) makeRest() {
	w.Helper()
	w.projects, w.hooks = make([]string, 4*calls), make([]string, webhooks)
	parallel(len(w.projects), func(i int) {
		var p made
		w.must("POST", "/projects", object{"name": wide(256, i), "description": wide(4096, i), "lead": w.crowd[i], "team": w.crowd[i : i+50]}, &p)
		w.must("PATCH", "/projects/"+p.Data.ID, object{"task_ids": words(1000, 250)}, nil)
		w.projects[i] = p.Data.ID
	})
	parallel(len(w.hooks), func(i int) {
		var hook made
		w.must("POST", "/webhooks", object{"url": w.receiver + strings.Repeat("u", 2000), "departments": words(256, 128)}, &hook)
		w.hooks[i] = hook.Data.ID
	})
	w.must("POST", "/webhooks/"+w.hooks[0]+"/test", nil, nil)
	if all := w.list("/webhooks/" + w.hooks[0] + "/deliveries?limit=1"); len(all) > 0 {
		w.delivery = all[0].ID
	}
	parallel(5, func(int) { w.report(45) })
}
