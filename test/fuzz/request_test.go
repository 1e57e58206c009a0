package fuzz

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// request is what is sent, in the form that can be changed and printed.
type request struct {
	operation string // that it was made for
	method    string
	target    string // path and query, escaped
	headers   []header
	body      string // "" for none
	head      bool   // asked once more with HEAD, to compare
}

type header struct{ name, value string }

// generator makes requests from the description.
type generator struct {
	values
	token string // of an administrator, which is never revoked
	turn  []int  // indices of operations, each as often as it is wanted
	keys  string // how Idempotency-Keys begin that are used again
	last  request
}

// weights say how often operations are asked for that are neither everyday nor
// cheap; the others have the weight 10.
var weights = map[string]int{
	"openapi.json": 1, "openapi.yaml": 1, "metrics": 1, "healthz": 1, "readyz": 1, "capabilities": 1, "activities.stream": 2, "changes.stream": 2,
	"agents.create": 30, "agents.update": 50, "agents.get": 20, "agents.rollback": 20, "agents.restore": 20, "departments.create": 15, "departments.update": 20,
	"agents.delete": 5, "departments.delete": 5, "webhooks.delete": 8, "projects.delete": 8, "activities.ingest": 20, "labels.set": 20, "labels.remove": 5,
	"organization.export": 4, "organization.plan": 6, "organization.apply": 4, "auth.tokens": 5, "auth.logout": 2, "auth.revoke_session": 2, "auth.renew": 3,
}

func newGenerator(v values, token string) *generator {
	g := &generator{values: v, token: token, keys: fmt.Sprintf("%08x-", v.Uint32())}
	for i, op := range v.doc.operations {
		n, ok := weights[op.id]
		if !ok {
			n = 10
		}
		for range n {
			g.turn = append(g.turn, i)
		}
	}
	return g
}

// next makes a request for any operation, or the one before once more. One in
// three is as the description wants it, the others have mistakes, few or many.
func (g *generator) next() request {
	if g.IntN(25) > 0 || g.last.method == "" {
		g.spoil = pick(g.Rand, []int{0, 10, 100})
		g.last = g.request(g.doc.operations[pick(g.Rand, g.turn)])
	}
	return g.last
}

func (g *generator) request(op operation) request {
	g.pool.operation = op.id
	r := request{operation: op.id, method: op.method, target: g.target(op)}
	if op.method == http.MethodGet {
		r.head = g.IntN(20) == 0
	}
	if g.chance(g.spoil / 10) {
		r.head, r.method = false, pick(g.Rand, []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "FROBNICATE"})
	}
	r.headers = append(r.headers, g.authorization(op)...)
	for _, p := range op.parameters {
		if p.In == "header" {
			r.headers = append(r.headers, g.header(p, r.target)...)
		}
	}
	if g.IntN(4) == 0 && !strings.HasPrefix(op.id, "auth.oidc_") { // whose errors are pages for browsers
		r.headers = append(r.headers, header{"Accept", pick(g.Rand, accepted)})
	}
	if g.chance(g.spoil) {
		r.headers = append(r.headers, header{pick(g.Rand, otherHeaders), sendable(pick(g.Rand, oddTexts))})
	}
	if op.body != nil || g.chance(g.spoil/4) {
		g.addBody(&r, op.body)
	}
	return r
}

var accepted = []string{
	"application/json", "application/problem+json", "*/*", "application/yaml", "text/event-stream", "application/json-patch+json", "application/*;q=0.5, text/html",
	"application/json;q=0", "application/problem+json;q=0.1, application/json;q=0.2", "", ",", "nonsense", "application/json; charset=utf-16", ";q=2",
}

var otherHeaders = []string{"Range", "If-Modified-Since", "If-None-Match", "If-Match", "Content-Encoding", "X-Forwarded-For", "Origin", "Cookie", "X-Http-Method-Override", "Accept-Encoding", "Accept-Language"}

// sendable is a text without what a client refuses to send in a header.
func sendable(text string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return -1
		}
		return r
	}, text))
}

// target is the path of an operation with something in place of its parameters,
// and a query.
func (g *generator) target(op operation) string {
	var query []string
	path := op.path
	for _, p := range op.parameters {
		switch p.In {
		case "path":
			path = strings.Replace(path, "{"+p.Name+"}", url.PathEscape(g.inPath(p)), 1)
		case "query":
			if p.Required && !g.chance(g.spoil) || g.IntN(4) == 0 {
				query = append(query, g.inQuery(p)...)
			}
		}
	}
	if g.chance(g.spoil / 4) {
		query = append(query, pick(g.Rand, []string{"other=1", "&&", "=", "a;b", "%zz", "limit[$gt]=1", "a=%00", "Limit=1"}))
	}
	if len(query) == 0 {
		return path
	}
	return path + "?" + strings.Join(query, "&")
}

// inPath is a value for a parameter of the path, which must not be empty.
func (g *generator) inPath(p *parameter) string {
	name := p.Name
	if kind, ok := pathKinds[name]; ok {
		name = kind
	}
	return cmp.Or(textOf(g.value(name, p.Schema)), "x")
}

// inQuery is a parameter of the query, now and then twice, empty or with an
// operator.
func (g *generator) inQuery(p *parameter) []string {
	one := p.Name + "=" + url.QueryEscape(textOf(g.value(p.Name, p.Schema)))
	if !g.chance(g.spoil) {
		return []string{one}
	}
	return pick(g.Rand, [][]string{
		{one, one}, {one, p.Name + "=" + url.QueryEscape(pick(g.Rand, oddTexts))}, {p.Name + "="}, {p.Name}, {p.Name + "[$ne]=x"}, {strings.ToUpper(one)},
		{p.Name + "=" + url.QueryEscape(pick(g.Rand, oddTexts))},
	})
}

// textOf is a value as a parameter has it.
func textOf(v any) string {
	switch x := v.(type) {
	case string:
		return x
	case object, list:
		text, err := json.Marshal(x)
		if err != nil {
			panic(err) // all of it was made here
		}
		return string(text)
	}
	return fmt.Sprint(v)
}

// authorization is the header of somebody who may do most things, of somebody
// else, or of nobody.
func (g *generator) authorization(op operation) []header {
	token := g.token
	if known, ok := g.pool.pick(g.Rand, "token"); ok && (g.IntN(5) == 0 || op.id == "auth.logout") {
		token = known
	} else if op.id == "auth.logout" {
		return nil // the administrator is needed until the end
	}
	value := "Bearer " + token
	if g.chance(g.spoil/4 + 2) {
		value = pick(g.Rand, []string{"", "Bearer", "Bearer ", "Basic YTpi", "bearer " + token, "Bearer " + token + "x", "Bearer a.b.c", token, "Bearer  " + token, "Bearer \xff"})
		if g.IntN(4) == 0 {
			return []header{{"Authorization", value}, {"Authorization", "Bearer " + token}}
		}
	}
	return []header{{"Authorization", value}}
}

// header is a header that the operation knows, or none.
func (g *generator) header(p *parameter, target string) []header {
	if g.IntN(3) > 0 {
		return nil
	}
	value := textOf(g.value(p.Name, p.Schema))
	path, _, _ := strings.Cut(target, "?")
	switch p.Name {
	case "If-Match", "If-None-Match":
		value = g.tag(path)
	case "Change-Reason":
		value = url.PathEscape(g.letters(1 + g.IntN(20)))
	case "Idempotency-Key":
		value = pick(g.Rand, []string{value, g.keys + "1", g.keys + "2", strings.Repeat("k", 255)})
	}
	if g.chance(g.spoil) {
		value = pick(g.Rand, oddTexts)
	}
	if g.chance(g.spoil / 4) {
		return []header{{p.Name, sendable(value)}, {p.Name, sendable(value)}}
	}
	return []header{{p.Name, sendable(value)}}
}

// tag is the latest entity tag of a path, or something else that may stand in
// its place.
func (g *generator) tag(path string) string {
	known, ok := g.pool.tagOf(path)
	if ok && g.IntN(4) > 0 {
		return `"` + known + `"`
	}
	stale, _ := g.pool.pick(g.Rand, "tag")
	return pick(g.Rand, []string{"*", `"` + stale + `"`, `"x", "` + known + `"`, `W/"` + known + `"`, `"x"`, `""`, `"`, known, `*, "x"`, strings.Repeat(`"x", `, 800) + `"y"`})
}

// addBody adds a body as an operation wants it, or any if it wants none.
func (g *generator) addBody(r *request, body *requestBody) {
	media, v := "application/json", g.anything(2)
	if body != nil {
		media = pick(g.Rand, slices.Sorted(maps.Keys(body.Content)))
		v = g.value("", body.Content[media].Schema)
	}
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // all of it was made here
	}
	r.body = string(text)
	// A mistake in the text of a URL could make it lead elsewhere.
	if g.chance(g.spoil) && !strings.Contains(r.body, "http") {
		r.body = g.spoiltText(r.body)
	}
	if g.chance(g.spoil) {
		media = pick(g.Rand, []string{
			"application/json; charset=utf-8", "application/json; charset=latin1", "application/json;charset", "text/plain", "", "application/xml",
			"application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "application/merge-patch+json", "application/yaml", "APPLICATION/JSON", "application/json, text/plain", "/",
		})
	}
	r.headers = append(r.headers, header{"Content-Type", media})
	if g.chance(g.spoil / 4) {
		r.headers = append(r.headers, header{"Content-Type", "application/json"})
	}
}
