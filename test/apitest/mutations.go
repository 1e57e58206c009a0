package apitest

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/url"
	"os"
	"strconv"
	"strings"
	"testing"
)

func mutationChecks() map[string]check {
	return map[string]check{"Mutations": mutatedRequests}
}

// manyRequests names how many mutated requests are sent; without it it is
// enough for a look at every operation.
const manyRequests = "APITEST_REQUESTS"

// mutatedRequests sends requests that are nearly right. None of them may be
// answered in a way that is not described, or hurt the service.
func mutatedRequests(t *testing.T, s *Service) {
	n := 3000
	if text := os.Getenv(manyRequests); text != "" {
		var err error
		if n, err = strconv.Atoi(text); err != nil {
			t.Fatalf("%s: %v", manyRequests, err)
		}
	}
	m := random(t)
	w := newWorld(t, s)
	w.sloppy = true
	for i := range n {
		if i%500 == 0 {
			w.refill(i)
		}
		op := s.document.operations[m.IntN(len(s.document.operations))]
		if op.id == "auth.logout" {
			continue
		}
		path, body := w.attemptOn(op)
		c := m.headers(w.client)
		path = m.path(path)
		var text any
		if body != nil || m.IntN(20) == 0 {
			text = m.text(m.json(asJSON(t, body)))
		}
		if r := c.send(op.method, path, text); r.status >= 500 || t.Failed() {
			t.Fatalf("request %d: %s with %v = %d %s", i, r.what, text, r.status, clip(r.body))
		}
	}
	w.get("/company").want(200)
}

// refill makes again what mutated requests may have deleted, revoked or
// renamed.
func (w *world) refill(round int) {
	w.t.Helper()
	w.post("/departments", obj{"name": "Design"})
	w.post("/departments", obj{"name": "Sales"})
	w.ann = w.hire(fmt.Sprint("Ann ", round), "Design")
	w.bob = w.hire(fmt.Sprint("Bob ", round), "Design")
	w.patch(agentPath(w.ann), obj{"description": "Designs"}).want(200)
	w.project = w.start("Alpha")
	w.hook()
}

// mutator changes requests at random.
type mutator struct{ *rand.Rand }

func pick[T any](m mutator, from []T) T { return from[m.IntN(len(from))] }

// odd are texts that programs trip over.
var oddTexts = []string{
	"", " ", "a", "null", "true", "0", "-1", "1e999", "NaN", "$ne", "$where", "a.b", ".", "..", "../..", "%", "%s%n", "\x00", "\n", "\u200b", "\ufeff", "\u202e",
	"é", "e\u0301", "名前", "\U0001F600", "\U0010FFFF", "ﬁ", "İ", "ß", "ᾷ", nobody, strings.ToUpper(nobody), "proj-000000000000", "2026-01-31T12:00:00Z",
	"2026-13-31", "'", `"`, `\`, "<script>", "{{.}}", "${x}", "a/b", "a b", "a+b", "a;b", "a&b=c", "#", "?", "*", `"x"`, `W/"x"`, "active", "Design", "Ann", "full", "junior",
	strings.Repeat("x", 129), strings.Repeat("ä", 128), strings.Repeat("\U0001F600", 300), strings.Repeat("[", 40),
}

var oddValues = []any{
	nil, true, false, json.Number("0"), json.Number("-0"), json.Number("-1"), json.Number("1"), json.Number("0.5"), json.Number("1.0"), json.Number("1e2"),
	json.Number("1e300"), json.Number("-1e-300"), json.Number("9007199254740993"), list{}, list{nil}, list{"a", "a"}, list{obj{}}, obj{},
	obj{"": nil}, obj{"$ne": ""}, obj{"a.b": obj{"$x": list{}}},
}

// json changes a JSON value in zero to three places.
func (m mutator) json(v any) any {
	for range m.IntN(4) {
		v = m.change(v)
	}
	return v
}

func (m mutator) change(v any) any {
	switch x := v.(type) {
	case obj:
		if len(x) > 0 && m.IntN(8) > 0 {
			return m.changeMember(x)
		}
	case list:
		if len(x) > 0 && m.IntN(4) > 0 {
			items := append(list{}, x...)
			i := m.IntN(len(items))
			items[i] = m.change(items[i])
			if m.IntN(6) == 0 {
				items = append(items, items[i])
			}
			return items
		}
	}
	if m.IntN(2) == 0 {
		return pick(m, oddTexts)
	}
	return pick(m, oddValues)
}

// changeMember changes, adds or removes a member.
func (m mutator) changeMember(x obj) obj {
	var names []string
	next := obj{}
	for name, v := range x {
		names, next[name] = append(names, name), v
	}
	name := pick(m, sorted(names))
	switch m.IntN(8) {
	case 0:
		delete(next, name)
	case 1:
		next[pick(m, oddTexts)] = pick(m, oddValues)
	case 2:
		next[strings.ToUpper(name)] = next[name]
	default:
		next[name] = m.change(next[name])
	}
	return next
}

// text is the JSON of a value, sometimes spoilt.
func (m mutator) text(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // every value here came from JSON or goes into it
	}
	switch m.IntN(12) {
	case 0:
		return string(text[:m.IntN(len(text)+1)])
	case 1:
		at := m.IntN(len(text) + 1)
		return string(text[:at]) + pick(m, oddTexts) + string(text[at:])
	case 2:
		text[m.IntN(len(text))] ^= byte(1 << m.IntN(8))
	}
	return string(text)
}

// path changes segments and parameters of a path.
func (m mutator) path(path string) string {
	path, query, _ := strings.Cut(path, "?")
	segments := strings.Split(path, "/")
	if m.IntN(4) == 0 {
		segments[1+m.IntN(len(segments)-1)] = url.PathEscape(pick(m, oddTexts))
	}
	path = strings.Join(segments, "/")
	for m.IntN(3) == 0 {
		name := pick(m, []string{
			"limit", "cursor", "status", "level", "department", "q", "view", "type", "agent_id", "last_n_hours", "lead", "from_version", "to_version",
			"dry_run", "since", "until", "actor", "resource", "other",
		})
		query += "&" + name + "=" + url.QueryEscape(pick(m, append(oddTexts, "1", "2", "50", "24", "summary", "hired", "mid", "planning", "true")))
	}
	if query = strings.TrimPrefix(query, "&"); query == "" {
		return path
	}
	return path + "?" + query
}

// headers adds headers that mean something.
func (m mutator) headers(c *client) *client {
	for m.IntN(3) == 0 {
		name := pick(m, []string{"If-Match", "If-None-Match", "Idempotency-Key", "Content-Type", "Accept", "Change-Reason", "X-Request-Id", "Content-Encoding", "Range"})
		value := strings.Map(func(r rune) rune {
			if r < ' ' {
				return -1 // the client would not send it
			}
			return r
		}, pick(m, append(oddTexts, "application/json", "application/merge-patch+json", "application/problem+json", "application/json-patch+json", "identity")))
		c = c.with(name, strings.Trim(value, " "))
	}
	return c
}
