package apitest

import (
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"strconv"
	"strings"

	"github.com/google/go-cmp/cmp"
)

// check returns everything that is wrong with an answer, whatever was asked.
func (r *reply) check(doc *document, req *http.Request, sent []byte, sloppy bool) []error {
	errs := []error{r.checkHeaders(), r.checkBody(req)}
	if req.Header.Get("Cookie") != "" && r.status < http.StatusBadRequest {
		req.Header.Set("Authorization", "Bearer x") // the description is for programs
	}
	if op, ok := doc.find(req.Method, req.URL.EscapedPath()); ok {
		errs = append(errs, doc.check(op, req, sent, sloppy, r))
	} else if !strings.HasPrefix(req.URL.Path, "/console") && req.URL.Path != "/docs/errors" && req.URL.Path != "/" {
		errs = append(errs, r.checkRouter())
	}
	if r.status >= http.StatusBadRequest && req.Method != http.MethodHead {
		errs = append(errs, r.checkError(), r.checkMistakes(req))
	}
	return deleteNil(errs)
}

func deleteNil(errs []error) []error {
	var some []error
	for _, err := range errs {
		if err != nil {
			some = append(some, err)
		}
	}
	return some
}

// checkHeaders looks at the headers that every answer has.
func (r *reply) checkHeaders() error {
	cache := "private, no-cache"
	if r.status >= http.StatusBadRequest || r.header.Get("Set-Cookie") != "" || strings.HasPrefix(string(r.body), `{"data":{"token":`) || strings.HasPrefix(string(r.body), `{"data":{"code":`) || strings.Contains(string(r.body), `"secret":"whsec_`) {
		cache = "no-store"
	}
	return errors.Join(
		r.header1("X-Content-Type-Options", "nosniff"),
		r.header1("Cache-Control", cache),
		unless(len(r.header["X-Request-Id"]) == 1 && r.header.Get("X-Request-Id") != "", "X-Request-Id is missing"),
		unless(r.header.Get("Location") == "" || r.status == http.StatusCreated, "Location beside status %d", r.status),
		unless((r.header.Get("WWW-Authenticate") == "Bearer") == (r.status == http.StatusUnauthorized), "WWW-Authenticate = %q", r.header.Get("WWW-Authenticate")),
	)
}

func (r *reply) header1(name, want string) error {
	got := r.header.Values(name)
	return unless(len(got) == 1 && got[0] == want, "%s = %q, want %q", name, got, want)
}

func unless(ok bool, format string, args ...any) error {
	if ok {
		return nil
	}
	return fmt.Errorf(format, args...)
}

// checkBody looks at how the body is sent.
func (r *reply) checkBody(req *http.Request) error {
	switch r.status {
	case http.StatusNoContent, http.StatusNotModified:
		return errors.Join(
			unless(len(r.body) == 0, "a body beside status %d", r.status),
			unless(r.header.Get("Content-Type") == "", "Content-Type beside status %d", r.status))
	}
	if req.Method == http.MethodHead {
		return unless(len(r.body) == 0, "a body in answer to HEAD")
	}
	typ, _, err := mime.ParseMediaType(r.header.Get("Content-Type"))
	if err != nil {
		return fmt.Errorf("Content-Type: %w", err)
	}
	if typ == "application/json" || strings.HasSuffix(typ, "+json") {
		return unless(json.Valid(r.body), "the body is not JSON")
	}
	return nil
}

// checkRouter looks at an answer to a request that the description does not
// have: once the limits are passed it is 404 or 405.
func (r *reply) checkRouter() error {
	status, code := r.codes()
	switch status {
	case http.StatusTooManyRequests:
		return nil
	case http.StatusMethodNotAllowed:
		return unless((code == 2001 || len(r.body) == 0) && r.header.Get("Allow") != "", "405 with code %d and Allow %q", code, r.header.Get("Allow"))
	}
	return unless(status == http.StatusNotFound && (code == 3002 || len(r.body) == 0), "an answer that is not described")
}

// problem is an error answer in either of its forms.
type problem struct {
	Type       string    `json:"type"`
	Title      string    `json:"title"`
	Status     int       `json:"status"`
	Detail     string    `json:"detail"`
	Instance   string    `json:"instance"`
	Code       int       `json:"error_code"`
	Category   string    `json:"error_category"`
	Retryable  bool      `json:"retryable"`
	RetryAfter *int      `json:"retry_after"`
	Errors     []mistake `json:"errors"`
}

// mistake is one of those that an error lists.
type mistake struct {
	Path string `json:"path"`
	Text string `json:"text"`
	Line *int   `json:"line"`
}

// listMistakes are the requests whose 400s list their mistakes.
var listMistakes = map[string]bool{
	"POST /api/v1/organization/plan": true, "POST /api/v1/organization/apply": true, "POST /api/v1/activities": true,
}

// checkMistakes looks at the list of mistakes: the message says the same.
func (r *reply) checkMistakes(req *http.Request) error {
	p, err := r.problem()
	if err != nil {
		return nil // reported already
	}
	if !listMistakes[req.Method+" "+req.URL.Path] || r.status != http.StatusBadRequest {
		return unless(p.Errors == nil, "the error lists mistakes: %v", p.Errors)
	}
	errs := []error{unless(len(p.Errors) > 0, "the error lists no mistakes")}
	for i, m := range p.Errors {
		entry := m.Path[:strings.IndexByte(m.Path+"]", ']')]
		errs = append(errs, unless(strings.Contains(p.Detail, m.Text) || i >= 20 && strings.Contains(p.Detail, entry),
			"mistake %q of %q is not in the message", m.Text, m.Path))
	}
	return errors.Join(errs...)
}

// category is what is the same for all errors of a code's first digit.
type category struct {
	name, title string
	statuses    []int
}

var categories = map[int]category{
	1: {"auth", "Authentication Error", []int{401, 403}},
	2: {"validation", "Validation Error", []int{400, 405}},
	3: {"not_found", "Resource Not Found", []int{404}},
	4: {"conflict", "Resource Conflict", []int{409}},
	5: {"rate_limit", "Rate Limit Exceeded", []int{429}},
	8: {"internal", "Internal Server Error", []int{500, 503}},
}

var statusOfCode = map[int]int{
	1000: 401, 1001: 403, 1002: 401, 2000: 400, 3000: 404, 3001: 404, 3002: 404,
	4000: 409, 4001: 409, 4002: 409, 5000: 429, 5001: 429, 5002: 429, 8000: 500, 8001: 503, 8002: 500,
}

// checkError looks at an error: its parts must agree with each other and with
// the status and the headers.
func (r *reply) checkError() error {
	p, err := r.problem()
	if err != nil {
		return err
	}
	want := problem{
		Status: r.status, Code: p.Code, Detail: p.Detail, Instance: r.header.Get("X-Request-Id"),
		Category: categories[p.Code/1000].name, Title: categories[p.Code/1000].title,
		Type:       p.Type[:strings.IndexByte(p.Type+"#", '#')] + "#" + categories[p.Code/1000].name,
		Retryable:  p.Code/1000 == 5 || p.Code == 8001,
		RetryAfter: retryAfter(r.header),
		Errors:     p.Errors,
	}
	if status, ok := statusOfCode[p.Code]; ok {
		want.Status = status
	}
	return errors.Join(
		unless(cmp.Equal(want, p), "error (-want +got):\n%s", cmp.Diff(want, p)),
		unless(p.Detail != "", "no detail"),
		unless(r.status != 429 && r.status != 503 || p.RetryAfter != nil, "no retry_after"),
	)
}

// problem reads an error in the form that it has.
func (r *reply) problem() (problem, error) {
	if r.header.Get("Content-Type") == "application/problem+json" {
		var p problem
		return p, json.Unmarshal(r.body, &p)
	}
	var e struct {
		Data    any
		Error   string
		Detail  problem `json:"error_detail"`
		Success bool
	}
	if err := json.Unmarshal(r.body, &e); err != nil {
		return problem{}, err
	}
	e.Detail.Status = r.status
	return e.Detail, errors.Join(
		unless(r.header.Get("Content-Type") == "application/json", "Content-Type of an error = %q", r.header.Get("Content-Type")),
		unless(e.Error == e.Detail.Detail, "error %q, detail %q", e.Error, e.Detail.Detail))
}

func retryAfter(h http.Header) *int {
	n, err := strconv.Atoi(h.Get("Retry-After"))
	if err != nil {
		return nil
	}
	return &n
}
