package main

import (
	"fmt"
	"slices"

	"orgd/adapters/httpapi/apidoc/fields"
	"orgd/domain/fault"
)

// refusals returns the answers with errors. Both forms have the same examples.
func refusals() []byte {
	var w writer
	for _, r := range fields.Refusals {
		w.response(r.Name, r.Doc, r.Headers, r.Unlimited)
		for _, form := range [][3]string{{"application/json", "ErrorEnvelope", "error_"}, {"application/problem+json", "ProblemDetail", "problem_"}} {
			w.body(form[0], form[1], form[2], r.Examples)
		}
	}
	return w.Bytes()
}

// successes returns the answers of success that are JSON.
func successes() []byte {
	var w writer
	for _, s := range fields.Successes {
		w.response(s.Name, s.Doc, s.Headers, false)
		w.body("application/json", s.Schema, "", s.Examples)
	}
	return w.Bytes()
}

// response writes how an answer begins.
func (w *writer) response(name, doc string, headers []string, unlimited bool) {
	w.line(4, "%s:", name)
	w.line(6, "description: %s", text(doc))
	w.line(6, "headers:")
	headers = append([]string{"X-Request-Id"}, headers...)
	if !unlimited {
		headers = append(headers, "RateLimit-Policy", "RateLimit")
	}
	for _, h := range headers {
		w.line(8, "%s: {$ref: '#/components/headers/%s'}", h, h)
	}
	w.line(6, "content:")
}

// body writes a form of an answer. The names of its examples have a prefix.
func (w *writer) body(media, schema, prefix string, examples []string) {
	w.line(8, "%s:", media)
	w.line(10, "schema: {$ref: '#/components/schemas/%s'}", schema)
	w.line(10, "examples:")
	for _, name := range examples {
		w.line(12, "%s: {$ref: '#/components/examples/%s%s'}", name, prefix, name)
	}
}

// examples returns the examples of errors, each in both forms.
func examples() []byte {
	var w writer
	for _, e := range fields.Errors {
		category, retry := e.Code.Category(), "null"
		if e.RetryAfter > 0 {
			retry = fmt.Sprint(e.RetryAfter)
		}
		detail := [][2]string{
			{"type", "https://orgd.invalid/errors#" + category.Name},
			{"title", category.Title},
			{"detail", quoted(e.Detail)},
			{"instance", quoted(fields.Instance)},
			{"error_code", fmt.Sprint(int(e.Code))},
			{"error_category", category.Name},
			{"retryable", fmt.Sprint(e.Code.Retryable())},
			{"retry_after", retry},
		}
		w.line(4, "error_%s:", e.Name)
		w.line(6, "summary: %s", text(e.Summary))
		w.line(6, "value:")
		w.line(8, "data: null")
		w.line(8, "error: %s", quoted(e.Detail))
		w.line(8, "error_detail:")
		w.members(10, detail)
		w.mistakes(10, e.Mistakes)
		w.line(8, "success: false")
		w.line(4, "problem_%s:", e.Name)
		w.line(6, "summary: %s", text(e.Summary))
		w.line(6, "value:")
		w.members(8, slices.Insert(detail, 2, [2]string{"status", fmt.Sprint(e.Status)}))
		w.mistakes(8, e.Mistakes)
	}
	return w.Bytes()
}

func (w *writer) members(indent int, pairs [][2]string) {
	for _, pair := range pairs {
		w.line(indent, "%s: %s", pair[0], pair[1])
	}
}

func (w *writer) mistakes(indent int, all []fault.Mistake) {
	if len(all) == 0 {
		return
	}
	w.line(indent, "errors:")
	for _, m := range all {
		line := "null"
		if m.Line > 0 {
			line = fmt.Sprint(m.Line)
		}
		w.line(indent, "  - path: %s", quoted(m.Path))
		w.line(indent, "    text: %s", quoted(m.Text))
		w.line(indent, "    line: %s", line)
	}
}
