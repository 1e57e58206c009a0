package main

import (
	"fmt"
	"slices"

	"orgd/adapters/httpapi/apidoc/fields"
)

// refusals returns the answers with errors. Both forms have the same examples.
func refusals() []byte {
	var w writer
	for _, r := range fields.Refusals {
		w.line(4, "%s:", r.Name)
		w.line(6, "description: %s", text(r.Doc))
		w.line(6, "headers:")
		headers := append([]string{"X-Request-Id"}, r.Headers...)
		if !r.Unlimited {
			headers = append(headers, "RateLimit-Policy", "RateLimit")
		}
		for _, h := range headers {
			w.line(8, "%s: {$ref: '#/components/headers/%s'}", h, h)
		}
		w.line(6, "content:")
		for _, form := range [][3]string{{"application/json", "ErrorEnvelope", "error"}, {"application/problem+json", "ProblemDetail", "problem"}} {
			w.line(8, "%s:", form[0])
			w.line(10, "schema: {$ref: '#/components/schemas/%s'}", form[1])
			w.line(10, "examples:")
			for _, name := range r.Examples {
				w.line(12, "%s: {$ref: '#/components/examples/%s_%s'}", name, form[2], name)
			}
		}
	}
	return w.Bytes()
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

func (w *writer) mistakes(indent int, all []fields.Mistake) {
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
