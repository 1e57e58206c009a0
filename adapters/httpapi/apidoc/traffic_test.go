package apidoc_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/pb33f/libopenapi"
	validator "github.com/pb33f/libopenapi-validator"
	"github.com/pb33f/libopenapi-validator/config"
	validation "github.com/pb33f/libopenapi-validator/errors"

	"orgd/adapters/httpapi/apidoc"
	"orgd/test/api"
)

const server = "http://127.0.0.1:8080"

// The validator that black-box tests use takes the examples as traffic: it
// finds the operation of every path and accepts its parameters, bodies and
// headers.
func TestExamplesAreTraffic(t *testing.T) {
	d := open(t)
	v := newValidator(t)
	for _, op := range d.operations() {
		requests := d.requests(op)
		for what, r := range requests {
			if ok, errs := v.ValidateHttpRequest(r.Clone(t.Context())); !ok {
				t.Errorf("%s: request %s: %s", op.ID, what, problems(errs))
			}
		}
		request := requests[slices.Sorted(maps.Keys(requests))[0]]
		for what, answer := range d.answers(op) {
			if ok, errs := v.ValidateHttpResponse(request, answer); !ok {
				t.Errorf("%s: answer %s: %s", op.ID, what, problems(errs))
			}
		}
		if op.Method == http.MethodGet {
			head := request.Clone(t.Context())
			head.Method = http.MethodHead
			if ok, errs := v.ValidateHttpRequest(head); !ok {
				t.Errorf("%s: HEAD: %s", op.ID, problems(errs))
			}
		}
	}
}

// It refuses what the document does not promise.
func TestDeviationsAreNoticed(t *testing.T) {
	d := open(t)
	v := newValidator(t)
	ops := map[string]operation{}
	for _, op := range d.operations() {
		ops[op.ID] = op
	}
	request := func(id string) *http.Request {
		for _, r := range d.requests(ops[id]) {
			return r
		}
		return nil
	}
	answer := func(id, status string, change func(*http.Response, string)) *http.Response {
		all := d.answers(ops[id])
		for _, what := range slices.Sorted(maps.Keys(all)) {
			if strings.HasPrefix(what, status+" ") {
				text, _ := io.ReadAll(all[what].Body)
				all[what].Body = io.NopCloser(bytes.NewReader(text))
				change(all[what], string(text))
				return all[what]
			}
		}
		return nil
	}
	body := func(old, replacement string) func(*http.Response, string) {
		return func(r *http.Response, text string) {
			if !strings.Contains(text, old) {
				t.Fatalf("example %s does not hold %s", text, old)
			}
			r.Body = io.NopCloser(strings.NewReader(strings.Replace(text, old, replacement, 1)))
		}
	}
	for what, tt := range map[string]struct {
		id, status string
		change     func(*http.Response, string)
	}{
		"status":         {"agents.get", "200", func(r *http.Response, _ string) { r.StatusCode = http.StatusTeapot }},
		"extra field":    {"agents.get", "200", body(`"role"`, `"colour":"red","role"`)},
		"missing field":  {"agents.get", "200", body(`"revision":7`, `"version":3`)},
		"wrong word":     {"agents.get", "200", body(`"senior"`, `"boss"`)},
		"wrong time":     {"agents.get", "200", body(`.903Z`, `Z`)},
		"missing header": {"agents.get", "200", func(r *http.Response, _ string) { r.Header.Del("ETag") }},
		"unknown code":   {"agents.get", "404", body(`3000`, `3009`)},
		"not enveloped":  {"agents.get", "404", body(`"data":null`, `"date":null`)},
	} {
		if ok, _ := v.ValidateHttpResponse(request(tt.id), answer(tt.id, tt.status, tt.change)); ok {
			t.Errorf("%s: was accepted", what)
		}
	}
}

// problems is what the validator says, one line each.
func problems(errs []*validation.ValidationError) string {
	var lines []string
	for _, e := range errs {
		lines = append(lines, e.Message+": "+e.Reason)
		for _, f := range e.SchemaValidationErrors {
			lines = append(lines, "  "+f.FieldPath+": "+f.Reason)
		}
	}
	return strings.Join(lines, "\n")
}

func newValidator(t *testing.T) validator.Validator {
	t.Helper()
	closed, err := api.Closed(apidoc.JSON())
	if err != nil {
		t.Fatal(err)
	}
	doc, err := libopenapi.NewDocument(closed)
	if err != nil {
		t.Fatalf("NewDocument = %v", err)
	}
	v, errs := validator.NewValidator(doc, config.WithFormatAssertions(), config.WithStandardBodyDecoders(), config.WithRejectUnsupportedBodyContent())
	if len(errs) > 0 {
		t.Fatalf("NewValidator = %v", errs)
	}
	return v
}

// requests makes one request of every body example of op, or one without body,
// with the examples of all parameters.
func (d document) requests(op operation) map[string]*http.Request {
	path, query, header := op.Path, url.Values{}, http.Header{"Authorization": {"Bearer token"}}
	for _, at := range d.parameters(op) {
		p, _ := d.object(at)
		example, ok := p["example"]
		if !ok {
			continue
		}
		name, text := p["name"].(string), fmt.Sprint(example)
		switch p["in"] {
		case "path":
			path = strings.Replace(path, "{"+name+"}", url.PathEscape(text), 1)
		case "query":
			query.Set(name, text)
		case "header":
			header.Set(name, text)
		}
	}
	target := server + path + "?" + query.Encode()
	all := map[string]*http.Request{}
	for what, body := range d.bodies(op.at + "/requestBody") {
		r, err := http.NewRequestWithContext(d.t.Context(), op.Method, target, bytes.NewReader(body.text))
		if err != nil {
			d.t.Fatalf("NewRequest = %v", err)
		}
		r.Header = header.Clone()
		r.Header.Set("Content-Type", body.media)
		all[what] = r
	}
	if len(all) == 0 {
		r, err := http.NewRequestWithContext(d.t.Context(), op.Method, target, nil)
		if err != nil {
			d.t.Fatalf("NewRequest = %v", err)
		}
		r.Header = header
		all["without body"] = r
	}
	return all
}

// answers makes one response of every example of op.
func (d document) answers(op operation) map[string]*http.Response {
	all := map[string]*http.Response{}
	for status := range op.node["responses"].(node) {
		code, err := strconv.Atoi(status)
		if err != nil {
			d.t.Fatalf("%s: status %s: %v", op.ID, status, err)
		}
		r, at := d.object(op.at + "/responses/" + status)
		header := http.Header{}
		for name := range r["headers"].(node) {
			h, _ := d.object(at + "/headers/" + name)
			header.Set(name, fmt.Sprint(h["example"]))
		}
		for what, body := range d.bodies(at) {
			header := header.Clone()
			header.Set("Content-Type", body.media)
			all[status+" "+what] = &http.Response{
				StatusCode: code, Header: header, Body: io.NopCloser(bytes.NewReader(body.text)),
			}
		}
		if r["content"] == nil {
			all[status+" without body"] = &http.Response{StatusCode: code, Header: header, Body: http.NoBody}
		}
	}
	return all
}

// body is an example as it goes over the wire.
type body struct {
	media string
	text  []byte
}

func (d document) bodies(at string) map[string]body {
	all := map[string]body{}
	if _, ok := d.find(at); !ok {
		return all
	}
	n, at := d.object(at)
	content, _ := n["content"].(node)
	for media := range content {
		m, at := d.object(at + "/content/" + escape(media))
		examples, _ := m["examples"].(node)
		for name := range examples {
			e, _ := d.object(at + "/examples/" + escape(name))
			all[media+" "+name] = body{media: media, text: d.wire(media, e["value"])}
		}
	}
	return all
}

func (d document) wire(media string, v any) []byte {
	d.t.Helper()
	if text, ok := v.(string); ok && !strings.HasSuffix(media, "json") {
		return []byte(text)
	}
	text, err := json.Marshal(v)
	if err != nil {
		d.t.Fatalf("Marshal = %v", err)
	}
	return text
}
