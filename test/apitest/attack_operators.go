package apitest

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// operators are the words with which databases of documents are asked, and what
// else programs take for more than text.
var operators = []string{
	"$ne", "$gt", "$gte", "$lt", "$in", "$nin", "$or", "$and", "$not", "$nor", "$exists", "$type", "$regex", "$options", "$where", "$expr", "$function", "$jsonSchema", "$text", "$search",
	"$set", "$unset", "$inc", "$rename", "$push", "$pull", "$currentDate", "$setOnInsert", "$[]", "$", "$id", "$ref", "$db", "$oid", "$date", "$numberLong", "$binary", "$code", "$undefined", "$minKey",
	"", ".", "..", "a.b", "a.$", "a.0", "_id", "rev", "__proto__", "constructor", "prototype", "toString", "\x00", "a\x00b", "\ufeff", "🙂", "'", `"`, "`", "a b", "A", "0", "-1",
}

// filters are the parameters that choose rows of a list.
var filters = []struct{ path, parameter string }{
	{"/agents", "department"}, {"/agents", "status"}, {"/agents", "level"}, {"/agents", "owner"}, {"/agents", "tag"}, {"/agents", "q"}, {"/agents", "limit"}, {"/agents", "cursor"}, {"/agents", "view"},
	{"/projects", "status"}, {"/projects", "lead"}, {"/activities", "type"}, {"/activities", "agent_id"}, {"/activities", "last_n_hours"},
	{"/audit", "actor"}, {"/audit", "resource"}, {"/audit", "since"}, {"/agents/Ann/versions", "limit"}, {"/agents/Ann/versions/diff?from_version=1&to_version=2", "from_version"},
}

// R16: what a database would understand is data, or an error, and never part of
// a question.
func hostileOperators(t *testing.T, s *Service) {
	w := newWorld(t, s)
	w.hook()
	w.sloppy = true
	m := random(t)
	tries := map[string]func(mutator, int){
		"parameter": w.operatorInParameter, "path": w.operatorInPath, "header": w.operatorInHeader,
		"field": w.operatorInField, "data": w.operatorInData,
	}
	n := size(500, 5000)
	for i := range n {
		tries[pick(m, []string{"parameter", "path", "header", "field", "field", "data", "data"})](m, i)
	}
	t.Logf("R16: %d operators in parameters, paths, headers, fields and free-form objects", n)
	// Nobody was changed, and nothing was revoked.
	w.get("/agents").has("pagination.has_more", false)
	for name, id := range map[string]string{"Ann": w.ann, "Bob": w.bob, "Carl": w.carl} {
		w.get(agentPath(id)).hasAll("data", obj{"name": name, "role": "Worker", "status": "active"})
	}
}

// operator is a text that looks like a question.
func (m mutator) operator() string {
	op := pick(m, operators)
	return pick(m, []string{op, fmt.Sprintf(`{%q:""}`, op), fmt.Sprintf(`{%q:{%q:1}}`, op, pick(m, operators)), fmt.Sprintf(`[%q]`, op), "'||'1'=='1", "' or 1=1--", "this.name==this.name"})
}

// operatorInParameter adds type[$ne]=x, which is no parameter, or type={"$ne":"x"},
// which is no type.
func (w world) operatorInParameter(m mutator, _ int) {
	f := pick(m, filters)
	join := "?"
	if strings.Contains(f.path, "?") {
		join = "&"
	}
	if m.IntN(2) == 0 {
		want := w.get(f.path).want(200)
		got := w.get(f.path + join + url.QueryEscape(f.parameter+"["+pick(m, operators)+"]") + "=" + url.QueryEscape(pick(m, []string{"", "x", "1", "Ann"})))
		if got.status != 200 || !cmp.Equal(got.at("data"), want.at("data")) {
			w.t.Errorf("%s = %d %s, want what it is without the parameter", got.what, got.status, clip(got.body))
		}
		return
	}
	got := w.get(f.path + join + f.parameter + "=" + url.QueryEscape(m.operator()))
	if rows, _ := got.find("data"); !got.is(400, 2001) && (got.status != 200 || !cmp.Equal(rows, any(list{}))) {
		w.t.Errorf("%s = %d %s, want nothing or 400", got.what, got.status, clip(got.body))
	}
}

// operatorInPath asks for what has an operator in the place of its name.
func (w world) operatorInPath(m mutator, _ int) {
	name := url.PathEscape(m.operator() + "$")
	read := w.get(pick(m, []string{
		"/agents/" + name, "/agents/" + name + "/versions", "/agents/Ann/versions/" + name, "/departments/" + name, "/departments/" + name + "/health",
		"/projects/" + name, "/webhooks/" + name, "/webhooks/" + w.webhook + "/deliveries?cursor=" + name,
	}))
	gone := w.delete(pick(m, []string{"/agents/" + name, "/departments/" + name, "/projects/" + name, "/webhooks/" + name}))
	if r := w.delete("/auth/sessions/" + name); r.status != 204 && !r.is(400, 2001) {
		w.t.Errorf("%s = %d %s, want 204, as for every session that nobody has, or 400", r.what, r.status, clip(r.body))
	}
	for _, r := range []*reply{read, gone} {
		if r.status != 404 && !r.is(400, 2001) {
			w.t.Errorf("%s = %d %s, want 404 or 400", r.what, r.status, clip(r.body))
		}
	}
}

// operatorInHeader sends it where headers become part of what is stored or
// compared.
func (w world) operatorInHeader(m mutator, i int) {
	text := strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return -1
		}
		return r
	}, fmt.Sprint(m.operator(), "$", i)) // a key is used once
	name := pick(m, []string{"If-Match", "Idempotency-Key", "Change-Reason", "X-Request-Id"})
	r := w.with(name, strings.TrimSpace(text)).post("/agents", agentBody(fmt.Sprint("Header ", i), "Sales"))
	if r.status == http.StatusCreated {
		if name == "Change-Reason" {
			reason, err := url.PathUnescape(strings.TrimSpace(text))
			w.get(agentPath(r.text("data.id"))+"/versions/1").has("data.reason", reason)
			if err != nil {
				w.t.Errorf("Change-Reason %q was accepted", text)
			}
		}
		w.delete(agentPath(r.text("data.id"))).want(204)
		return
	}
	r.refused(400, 2001)
}

// operatorInField sends it in the place of a text, a number or an array.
func (w world) operatorInField(m mutator, _ int) {
	op := pick(m, w.writes())
	body := obj{}
	for name, v := range op.good {
		body[name] = v
	}
	for _, name := range slices.Sorted(maps.Keys(body)) {
		if name != "format" && (m.IntN(2) == 0 || len(body) == 1) {
			body[name] = obj{pick(m, operators): pick(m, []any{"", "x", 1, list{}, obj{"$gt": ""}})}
			r := w.send(op.method, op.path, body)
			if !r.is(400, 2001) && !(strings.HasPrefix(op.path, "/organization") && r.is(400, 2000)) {
				w.t.Errorf("%s with %v = %d %s, want 400", r.what, body, r.status, clip(r.body))
			}
			return
		}
	}
}

// operatorInData stores it in a free-form object, from where it comes back.
func (w world) operatorInData(m mutator, i int) {
	data := m.free(4)
	switch m.IntN(5) {
	case 0:
		r := w.post("/agents", agentBody(fmt.Sprint("Data ", i), "Sales", obj{"metadata": data, "model_requirement": data})).want(201)
		w.get(agentPath(r.text("data.id"))).has("data.metadata", data).has("data.model_requirement", data)
		w.get(agentPath(r.text("data.id"))+"/versions/1").has("data.snapshot.metadata", data)
		w.delete(agentPath(r.text("data.id"))).want(204)
	case 1:
		w.put("/departments/Design/ceremony-policy", obj{"strategy": "hybrid", "other": data}).want(200)
		w.get("/departments/Design").has("data.ceremony_policy", obj{"strategy": "hybrid", "other": data})
		w.get("/departments/Design/ceremony-policy/resolved").has("data.other.value", data)
	case 2:
		name := fmt.Sprint("k", i)
		w.patch("/company", obj{"settings": obj{name: data}}).want(200).has("data.settings."+name, data)
		w.get("/company").has("data.settings."+name, data)
		w.patch("/company", obj{"settings": obj{name: nil}}).want(200)
	case 3:
		w.report(task("Bob", i, obj{"other": data})).want(201)
		w.get("/agents/Bob/activity?limit=1").has("data.0.data.other", data)
	case 4:
		doc := obj{"format": 1, "departments": list{obj{"name": "Design", "ceremony_policy": data}}}
		w.post("/organization/apply", doc).want(200)
		w.get("/departments/Design/ceremony-policy").has("data", data)
	}
}

// free makes a free-form object without nulls, which merging would drop.
func (m mutator) free(levels int) obj {
	o := obj{}
	for range 1 + m.IntN(4) {
		var v any = pick(m, []any{"", "x", true, false, 0, -7, "$ne", "a.b", "{}", list{}, list{nil, "$", obj{"$ne": ""}}})
		if levels > 0 && m.IntN(3) == 0 {
			v = m.free(levels - 1)
		}
		o[pick(m, operators)] = v
	}
	return o
}
