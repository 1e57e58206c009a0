package apitest

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func changeChecks() map[string]check {
	return map[string]check{
		"Complete":  completeChanges,
		"Apply":     appliedChanges,
		"NoEffect":  changesWithoutEffect,
		"Filters":   changeFilters,
		"BadAsks":   badChangeFilters,
		"Days":      changesOfDays,
		"Pages":     changePages,
		"Writers":   changesOfManyWriters,
		"OldNames":  changesKeepNames,
		"ManyTexts": manyChangedFields,
	}
}

// changesOf are the parts of entries that can be told beforehand.
func changesOf(entries []any) (told []obj) {
	for _, e := range entries {
		all := e.(obj)
		some := obj{}
		for _, name := range []string{"action", "department", "reason", "from_revision", "to_revision", "from_version", "to_version", "changed_fields", "summary", "label", "way"} {
			some[name] = all[name]
		}
		some["what"] = all["resource"].(obj)["type"].(string) + " " + all["resource"].(obj)["name"].(string)
		told = append(told, some)
	}
	return told
}

// Each kind of change leaves one entry, and the list, streams of all replicas and webhooks
// show the same ones, in the order in which they were made.
func completeChanges(t *testing.T, s *Service) {
	w := newWorld(t, s)
	w.found("Empty")
	hook := receive(t, nil)
	w.post("/webhooks", obj{"url": hook.url, "event_types": list{"agent", "department", "ceremony_policy", "company", "project"}}).want(201)
	kim := s.grant(t, Grant{Subject: "kim", Role: "admin"})
	var streams []*stream
	for range len(s.URLs) + 1 {
		streams = append(streams, w.follow("/changes/stream?actor=kim", ""))
	}
	company := w.get("/company").number("data.revision")
	n := func(i int) json.Number { return json.Number(fmt.Sprint(i)) }
	change := func(action, what string, department, from, to, fromVersion, toVersion any, fields ...string) obj {
		summary := strings.ReplaceAll(strings.SplitN(action, ".", 2)[1], "_", " ")
		switch len(fields) {
		case 0:
		case 1:
			summary = "1 field changed"
		default:
			summary = fmt.Sprintf("%d fields changed", len(fields))
		}
		return obj{
			"action": action, "what": what, "department": department, "reason": "because of " + action,
			"from_revision": from, "to_revision": to, "from_version": fromVersion, "to_version": toVersion,
			"changed_fields": anys(fields), "summary": summary, "label": nil, "way": "direct",
		}
	}
	labeled := func(action string, from, fromVersion, toVersion any) obj {
		rev, _ := from.(json.Number).Int64()
		return with(change(action, "agent Ann", "Design", from, n(int(rev)+1), fromVersion, toVersion), "label", "production")
	}
	var want []obj
	for _, step := range []struct {
		method, path string
		body         any
		change       obj
	}{
		{"PATCH", "/company", obj{"company_name": "X"}, change("company.updated", "company X", nil, n(company), n(company+1), nil, nil, "company_name")},
		{"POST", "/company/reorder-departments", obj{"department_names": list{"Sales", "Design", "Empty"}},
			change("company.departments_reordered", "company X", nil, n(company+1), n(company+2), nil, nil)},
		{"POST", "/departments", obj{"name": "Ops/1"}, change("department.created", "department Ops/1", "Ops/1", nil, n(1), nil, nil)},
		{"PATCH", "/departments/design", obj{"description": "x", "budget_percent": 5},
			change("department.updated", "department Design", "Design", n(1), n(2), nil, nil, "budget_percent", "description")},
		{"PUT", "/departments/Design/ceremony-policy", obj{"x": 1}, change("ceremony_policy.set", "department Design", "Design", n(2), n(3), nil, nil, "ceremony_policy")},
		{"DELETE", "/departments/Design/ceremony-policy", nil,
			change("ceremony_policy.removed", "department Design", "Design", n(3), n(4), nil, nil, "ceremony_policy")},
		{"POST", "/departments/Design/reorder-agents", obj{"agent_names": list{"Bob", "Ann"}},
			change("department.agents_reordered", "department Design", "Design", n(4), n(5), nil, nil)},
		{"DELETE", "/departments/Empty", nil, change("department.deleted", "department Empty", "Empty", n(1), nil, nil, nil)},
		{"POST", "/agents", agentBody("Dora", "Design"), change("agent.created", "agent Dora", "Design", nil, n(1), nil, n(1))},
		{"PATCH", "/agents/Ann", obj{"role": "X", "memory": obj{"retention_days": 9}, "department": "Sales"},
			change("agent.updated", "agent Ann", "Sales", n(2), n(3), n(2), n(3), "department", "memory.retention_days", "role")},
		{"PATCH", "/agents/Ann", obj{"tier": "small", "owner": "eve", "tags": list{"a"}}, change("agent.updated", "agent Ann", "Sales", n(3), n(4), n(3), n(3), "owner", "tags", "tier")},
		{"POST", "/agents/ann/versions/rollback", obj{"target_version": 1},
			change("agent.rolled_back", "agent Ann", "Design", n(4), n(5), n(3), n(4), "department", "description", "memory.retention_days", "role")},
		{"PUT", "/agents/Ann/labels/production", obj{"version": 3}, labeled("agent.label_set", n(5), nil, n(3))},
		{"PUT", "/agents/Ann/labels/production", obj{"version": 4}, labeled("agent.label_set", n(6), n(3), n(4))},
		{"PUT", "/agents/Ann/labels/production", obj{"version": 3}, labeled("agent.label_set", n(7), n(4), n(3))},
		{"DELETE", "/agents/Ann/labels/production", nil, labeled("agent.label_removed", n(8), n(3), nil)},
		{"PUT", "/agents/Ann/labels/release", obj{"version": 1, "fixed": true},
			with(labeled("agent.label_set", n(9), nil, n(1)), "label", "release")},
		{"DELETE", "/agents/Ann", nil, change("agent.deleted", "agent Ann", "Design", n(10), nil, n(4), nil)},
		{"POST", agentPath(w.ann) + "/restore", obj{"name": "Anna"}, change("agent.restored", "agent Anna", "Design", nil, n(12), n(4), n(5), "name")},
		{"DELETE", "/agents/Anna", nil, change("agent.deleted", "agent Anna", "Design", n(12), nil, n(5), nil)},
		{"DELETE", agentPath(w.ann) + "?purge=true", nil, change("agent.purged", "agent Anna", "Design", nil, nil, n(5), nil)},
		{"POST", "/projects", obj{"name": "P"}, change("project.created", "project P", nil, nil, n(1), nil, nil)},
		{"PATCH", "/projects/" + w.project, obj{"name": "Q"}, change("project.updated", "project Q", nil, n(1), n(2), nil, nil, "name")},
		{"DELETE", "/projects/" + w.project, nil, change("project.deleted", "project Q", nil, n(2), nil, nil, nil)},
	} {
		kim.with("Change-Reason", "because of "+step.change["action"].(string)).send(step.method, step.path, step.body).success()
		want = append(want, step.change)
	}
	got := w.get("/changes?actor=kim&limit=200").want(200).items("data")
	slices.Reverse(got)
	if diff := cmp.Diff(want, changesOf(got)); diff != "" {
		t.Fatalf("the change log (-want +got):\n%s", diff)
	}
	for i, e := range got {
		entry := w.get("/audit?limit=200&actor=kim").items("data")[len(got)-1-i].(obj)
		if diff := cmp.Diff(e, entry["change"]); diff != "" || entry["id"] != e.(obj)["id"] {
			t.Errorf("the entry of %s in the audit trail (-changes +audit):\n%s", e.(obj)["action"], diff)
		}
	}
	for i, st := range streams {
		if diff := cmp.Diff(got, anys(st.events(len(want)))); diff != "" {
			t.Errorf("stream %d (-list +stream):\n%s", i, diff)
		}
		if b, err := st.wait(100 * time.Millisecond); !errors.Is(err, errQuiet) {
			t.Errorf("stream %d, after the last change: %+v, %v, want nothing", i, b, err)
		}
	}
	sent := map[any]any{}
	hook.waits(len(want), within)
	for _, m := range hook.messages() {
		v, err := decode(m.body)
		if err != nil {
			t.Fatal(err)
		}
		if v.(obj)["actor"] == "kim" {
			sent[v.(obj)["id"]] = v
		}
		if id := m.header.Get("webhook-id"); id != v.(obj)["id"] {
			t.Errorf("webhook-id = %s, want %s", id, v.(obj)["id"])
		}
	}
	for _, e := range got {
		if diff := cmp.Diff(e, sent[e.(obj)["id"]]); diff != "" {
			t.Errorf("a message (-list +webhook):\n%s", diff)
		}
	}
}

// A document that is applied leaves one entry for each thing that it changes.
func appliedChanges(t *testing.T, s *Service) {
	w := newWorld(t, s)
	kim := s.grant(t, Grant{Subject: "kim", Role: "admin"})
	kim.with("Change-Reason", "by document").apply(obj{
		"format": 1, "company": obj{"company_name": "Z"},
		"departments": list{obj{"name": "Ops"}, obj{"name": "Design", "description": "y"}},
		"agents":      list{with(agentBody("Ed", "Ops"), "instructions", "x"), obj{"name": "Ann", "role": "R"}},
	}).want(200)
	var got []string
	for _, e := range w.get("/changes?actor=kim").want(200).items("data") {
		c := e.(obj)
		got = append(got, fmt.Sprintf("%s %s %s %v", c["action"], c["resource"].(obj)["name"], c["reason"], c["changed_fields"]))
	}
	slices.Sort(got)
	want := []string{
		"agent.created Ed by document []",
		"agent.updated Ann by document [role]",
		"company.departments_reordered Z by document []",
		"company.updated Z by document [company_name]",
		"department.agents_reordered Design by document []",
		"department.agents_reordered Ops by document []",
		"department.created Ops by document []",
		"department.updated Design by document [description]",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("changes of a document (-want +got):\n%s", diff)
	}
}

// What has no effect, what is refused and what is only reported is no change.
func changesWithoutEffect(t *testing.T, s *Service) {
	w := newWorld(t, s)
	w.put(labelPath(w.ann, "kept"), obj{"version": 1}).want(201)
	before := w.get("/changes").at("data")
	w.report(task("Ann", 1, nil)).want(201)
	w.changesNothing()
	w.post("/organization/plan", obj{"format": 1, "agents": list{obj{"name": "Ann", "role": "Y"}}}).want(200)
	w.post("/webhooks", obj{"url": nowhere}).want(201)
	w.post("/auth/tokens", obj{"subject": "x", "role": "editor"}).want(201)
	w.with("Change-Reason", "%ff").patch("/company", obj{"company_name": "X"}).refused(400, 2001, "Change-Reason")
	w.get("/changes").has("data", before)
}

// The list and the stream have the same filters; they hold together.
func changeFilters(t *testing.T, s *Service) {
	w := newWorld(t, s)
	kim := s.grant(t, Grant{Subject: "kim", Role: "editor"})
	streams := map[string]*stream{}
	for filter := range map[string]bool{
		"action=agent": true, "action=agent.updated": true, "department=sales": true, "agent_id=Bob": true, "agent_id=" + w.ann: true,
		"actor=kim&action=department": true, "last_n_hours=24&department=Design&action=agent": true, "agent_id=Nobody": true, "department=None": true,
	} {
		streams[filter] = w.follow("/changes/stream?"+filter, "")
	}
	begun := map[string]bool{}
	for filter := range streams {
		for _, id := range w.get("/changes?limit=200&"+filter).want(200).column("data", "id") {
			begun[filter+id.(string)] = true
		}
	}
	kim.patch("/agents/Ann", obj{"role": "A"}).want(200)
	kim.patch("/departments/Sales", obj{"description": "s"}).want(200)
	kim.patch("/agents/Bob", obj{"role": "B"}).want(200)
	w.patch("/agents/Bob", obj{"department": "Sales"}).want(200)
	w.delete("/agents/Bob").want(204)
	kim.post("/departments", obj{"name": "New"}).want(201)
	for filter, st := range streams {
		want := []any{}
		for _, e := range w.get("/changes?limit=200&" + filter).want(200).items("data") {
			if !begun[filter+e.(obj)["id"].(string)] {
				want = append([]any{e}, want...)
			}
		}
		if filter == "agent_id=Bob" && len(want) > 0 {
			t.Errorf("%s finds the changes of an agent that is gone by its name", filter)
		}
		if wantAny := filter != "agent_id=Nobody" && filter != "department=None" && filter != "agent_id=Bob"; wantAny && len(want) == 0 {
			t.Errorf("%s selects nothing", filter)
		}
		if filter == "agent_id=Bob" {
			continue // its stream was begun while it was there
		}
		got := anys(st.without(idsIn(begun, filter)).events(len(want)))
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-list +stream):\n%s", filter, diff)
		}
	}
	if got := typesIn(streams["agent_id=Bob"].without(idsIn(begun, "agent_id=Bob")).events(3)); got != "agent.updated agent.updated agent.deleted" {
		t.Errorf("the stream of Bob has %s", got)
	}
}

// changesOfDays checks that a list can be cut on both sides, by times that pages share.
func changesOfDays(t *testing.T, s *Service) {
	w := newWorld(t, s)
	for i := range 5 {
		w.patch("/agents/Ann", obj{"role": fmt.Sprint("R", i)}).want(200)
	}
	all := w.get("/changes?limit=200&action=agent.updated").want(200).items("data")
	at := func(i int) string { return all[i].(obj)["timestamp"].(string) }
	pick := func(fits func(when string) bool) (some []any) {
		for _, e := range all {
			if fits(e.(obj)["timestamp"].(string)) {
				some = append(some, e)
			}
		}
		return some
	}
	for query, want := range map[string][]any{
		"since=" + at(3):                      pick(func(when string) bool { return when >= at(3) }),
		"until=" + at(1):                      pick(func(when string) bool { return when < at(1) }),
		"since=" + at(3) + "&until=" + at(1):  pick(func(when string) bool { return when >= at(3) && when < at(1) }),
		"since=" + at(3) + "&last_n_hours=24": pick(func(when string) bool { return when >= at(3) }),
		"until=" + at(4):                      pick(func(when string) bool { return when < at(4) }),
	} {
		got, cursor := []any{}, ""
		for {
			page := w.get("/changes?limit=1&action=agent.updated&" + query + cursor).want(200)
			got = append(got, page.items("data")...)
			if page.at("pagination.has_more") != true {
				break
			}
			cursor = "&cursor=" + page.text("pagination.next_cursor")
		}
		if diff := cmp.Diff(append([]any{}, want...), got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", query, diff)
		}
	}
	w.get("/changes?since=yesterday").refused(400, 2001, "since")
}

func idsIn(begun map[string]bool, filter string) (ids []string) {
	for key := range begun {
		if id, ok := strings.CutPrefix(key, filter); ok {
			ids = append(ids, id)
		}
	}
	return ids
}

func typesIn(changes []obj) string {
	var actions []string
	for _, c := range changes {
		actions = append(actions, c["action"].(string))
	}
	return strings.Join(actions, " ")
}

func badChangeFilters(t *testing.T, s *Service) {
	w := newWorld(t, s)
	for _, path := range []string{"/changes", "/changes/stream"} {
		for query, says := range map[string]string{
			"action=nothing": "action", "action=agent.": "action", "action=session": "action", "action=": "action", "last_n_hours=25": "last_n_hours",
			"actor=" + strings.Repeat("x", 1025): "actor", "department=%00": "department", "action=agent&action=company": "action",
		} {
			w.get(path+"?"+query).refused(400, 2001, says)
		}
	}
	w.get("/changes?limit=0").refused(400, 2001, "limit")
}

// A list is read page by page, while it grows, without missing or repeating what was there.
func changePages(t *testing.T, s *Service) {
	w := newWorld(t, s)
	for i := range 7 {
		w.patch("/agents/Ann", obj{"role": fmt.Sprint("R", i)}).want(200)
	}
	all := w.get("/changes?limit=200").want(200).column("data", "id")
	var got []any
	query := "/changes?limit=3"
	for cursor := any(""); cursor != nil; {
		r := w.get(query).want(200)
		got = append(got, r.column("data", "id")...)
		cursor = r.at("pagination.next_cursor")
		query = fmt.Sprintf("/changes?limit=3&cursor=%v", cursor)
		w.patch("/agents/Bob", obj{"role": fmt.Sprint("S", len(got))}).want(200)
	}
	if diff := cmp.Diff(all, got); diff != "" {
		t.Errorf("pages (-whole +pages):\n%s", diff)
	}
}

// While many change things, whoever reads the log from its beginning gets every entry that
// was there once, and in the end list and stream have all of them.
func changesOfManyWriters(t *testing.T, s *Service) {
	w := newWorld(t, s)
	const writers, each = 32, 6
	for i := range writers {
		w.hire(fmt.Sprint("Writer ", i), "Design")
	}
	updates := pagedList{"/changes?action=agent.updated", "id"}
	before := w.walk(updates, 50)
	st := w.follow("/changes/stream?action=agent.updated", "").without(textsOf(before))
	done := make(chan *reply, writers)
	for i := range writers {
		go func() {
			var r *reply
			for n := range each {
				if r = w.patch(fmt.Sprint("/agents/Writer%20", i), obj{"role": fmt.Sprint("Role ", n)}); r.status != 200 {
					break
				}
			}
			done <- r
		}()
	}
	seen := len(before)
	for left := writers; left > 0; {
		ids := textsOf(w.walk(updates, 20))
		if n := len(slices.Compact(sorted(slices.Clone(ids)))); n != len(ids) || n < seen {
			t.Errorf("a walk has %d entries, %d of them different, want at least the %d of the walk before", len(ids), n, seen)
		}
		seen = len(ids)
		for finished := true; finished && left > 0; {
			select {
			case r := <-done:
				r.want(200)
				left--
			default:
				finished = false
			}
		}
	}
	all := textsOf(w.walk(updates, 200))
	var followed []string
	revisions := map[any]string{}
	for _, e := range st.events(writers * each) {
		followed = append(followed, e["id"].(string))
		agent, from := e["resource"].(obj)["id"], fmt.Sprint(e["from_revision"])
		if last, ok := revisions[agent]; ok && last != from {
			t.Errorf("the stream goes on from revision %s of an agent behind %s", from, last)
		}
		revisions[agent] = fmt.Sprint(e["to_revision"])
	}
	if diff := cmp.Diff(sorted(all), sorted(append(textsOf(before), followed...))); diff != "" {
		t.Errorf("entries (-list +stream):\n%s", diff)
	}
}

func textsOf(values []any) (texts []string) {
	for _, v := range values {
		texts = append(texts, v.(string))
	}
	return texts
}

// An entry has the name that something had then, and a deleted agent's are found by its id.
func changesKeepNames(t *testing.T, s *Service) {
	w := newWorld(t, s)
	w.patch("/agents/Ann", obj{"name": "Anna"}).want(200)
	w.delete("/agents/Anna").want(204)
	w.hire("Ann", "Sales")
	r := w.get("/changes?agent_id=" + w.ann).want(200)
	if diff := cmp.Diff(anys([]string{"Anna", "Anna"}), r.column("data", "resource.name")[:2]); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
	r.has("data.0.action", "agent.deleted").has("data.1.changed_fields", list{"name"})
	w.get("/changes?agent_id=Ann").want(200).has("data.0.action", "agent.created").has("data.0.department", "Sales")
}

// At most 64 fields are named, and the summary counts all.
func manyChangedFields(t *testing.T, s *Service) {
	w := newWorld(t, s)
	metadata := obj{}
	for i := range 50 {
		metadata[fmt.Sprintf("key%02d", i)] = i
	}
	w.patch("/agents/Ann", obj{"metadata": metadata}).want(200)
	for name := range metadata {
		metadata[name] = nil
	}
	for i := range 50 {
		metadata[fmt.Sprintf("new%02d", i)] = i
	}
	w.patch("/agents/Ann", obj{"metadata": metadata}).want(200)
	r := w.get("/changes?agent_id=Ann&limit=1").want(200).has("data.0.summary", "100 fields changed").has("data.0.changed_fields.63", "metadata.new13")
	if n := len(r.items("data.0.changed_fields")); n != 64 {
		t.Errorf("%d fields are named, want 64", n)
	}
}
