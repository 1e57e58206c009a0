package apitest

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/pb33f/libopenapi"
	validator "github.com/pb33f/libopenapi-validator"
	"github.com/pb33f/libopenapi-validator/config"
	validation "github.com/pb33f/libopenapi-validator/errors"

	testapi "orgd/test/api"
)

// document is the API description that a service serves.
type document struct {
	operations []operation
	validator  validator.Validator

	// The validator's cache of compiled schemas races: an entry is read by one
	// goroutine while another one makes it.
	validating sync.Mutex

	mu   sync.Mutex
	seen map[string]bool // "agents.get 404"
}

// operation is one method of one path of the document.
type operation struct {
	method, path, id string
	segments         []string
	statuses         []string // that its answers may have
	// example is the path with an example in place of every parameter.
	example string
}

// documents keeps the descriptions that services have served: making a
// validator takes longer than most checks.
type documents struct {
	mu    sync.Mutex
	known map[string]*document
}

func newDocuments() *documents { return &documents{known: map[string]*document{}} }

// of returns the description that s serves.
func (d *documents) of(t *testing.T, s *Service) *document {
	t.Helper()
	resp, err := http.Get(s.URLs[0] + "/api/v1/openapi.json")
	if err != nil {
		t.Fatalf("GET /openapi.json = %v", err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("GET /openapi.json = %d, %v", resp.StatusCode, err)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.known[string(text)] == nil {
		doc, err := parseDocument(text)
		if err != nil {
			t.Fatalf("the description: %v", err)
		}
		d.known[string(text)] = doc
	}
	return d.known[string(text)]
}

// missed is [document.missed] of every description, unless only some of the
// checks were run.
func (d *documents) missed(t *testing.T, wanted func(status string) bool) {
	if flag.Lookup("test.run").Value.String() != "" || t.Failed() {
		return
	}
	for _, doc := range d.known {
		doc.missed(t, wanted)
	}
}

func parseDocument(text []byte) (*document, error) {
	text, err := testapi.Closed(text)
	if err != nil {
		return nil, err
	}
	doc, err := libopenapi.NewDocument(text)
	if err != nil {
		return nil, err
	}
	v, errs := validator.NewValidator(doc, config.WithFormatAssertions(), config.WithStandardBodyDecoders(), config.WithRejectUnsupportedBodyContent())
	if len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	operations, err := readOperations(text)
	return &document{validator: v, operations: operations, seen: map[string]bool{}}, err
}

func readOperations(text []byte) ([]operation, error) {
	var doc struct {
		Paths map[string]map[string]json.RawMessage
	}
	if err := json.Unmarshal(text, &doc); err != nil {
		return nil, err
	}
	var all []operation
	for path, item := range doc.Paths {
		for method, raw := range item {
			if method == "parameters" {
				continue
			}
			var op struct {
				OperationID string
				Responses   map[string]any
			}
			if err := json.Unmarshal(raw, &op); err != nil {
				return nil, fmt.Errorf("%s %s: %w", method, path, err)
			}
			all = append(all, operation{
				method: strings.ToUpper(method), path: path, id: op.OperationID,
				segments: strings.Split(path, "/"), example: examplePath(path),
				statuses: slices.Sorted(maps.Keys(op.Responses)),
			})
		}
	}
	// A literal segment is closer than a parameter.
	slices.SortFunc(all, func(a, b operation) int {
		return strings.Compare(strings.ReplaceAll(a.path, "{", "\x7f"), strings.ReplaceAll(b.path, "{", "\x7f"))
	})
	return all, nil
}

func examplePath(path string) string {
	return strings.NewReplacer(
		"{agent_name}", "ann", "{agent_id}", "ann", "{name}", "design", "{version_num}", "1", "{label}", "production",
		"{project_id}", "proj-0123456789ab", "{sid}", "s1", "{id}", nobody, "{delivery_id}", nobody,
	).Replace(path)
}

// find returns the operation that a request is for. HEAD is answered as GET is.
func (d *document) find(method, escapedPath string) (operation, bool) {
	if method == http.MethodHead {
		method = http.MethodGet
	}
	for _, op := range d.at(escapedPath) {
		if op.method == method {
			return op, true
		}
	}
	return operation{}, false
}

// at returns the operations of a path. A path that is literally in the description is
// not one that only fits a parameter: versions/rollback is no version.
func (d *document) at(escapedPath string) []operation {
	segments := strings.Split(escapedPath, "/")
	var all []operation
	literal := 0 // segments of the paths of all
	for _, op := range d.operations {
		n := op.literal()
		if !op.matches(segments) || n < literal {
			continue
		}
		if n > literal {
			all, literal = nil, n
		}
		all = append(all, op)
	}
	return all
}

func (op operation) matches(segments []string) bool {
	if len(segments) != len(op.segments) {
		return false
	}
	for i, s := range op.segments {
		if s != segments[i] && !(strings.HasPrefix(s, "{") && segments[i] != "") {
			return false
		}
	}
	return true
}

// methods lists the methods that a path answers, sorted.
func (d *document) methods(escapedPath string) []string {
	var all []string
	for _, op := range d.at(escapedPath) {
		all = append(all, op.method)
		if op.method == http.MethodGet {
			all = append(all, http.MethodHead)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// literal returns how many segments of the path are no parameters.
func (op operation) literal() (n int) {
	for _, s := range op.segments {
		if !strings.HasPrefix(s, "{") {
			n++
		}
	}
	return n
}

// check compares an exchange with the description: the answer always, the
// request if it was accepted, unless sloppy requests are wanted.
func (d *document) check(op operation, r *http.Request, sent []byte, sloppy bool, answer *reply) error {
	d.mu.Lock()
	d.seen[op.id+" "+strconv.Itoa(answer.status)] = true
	d.mu.Unlock()
	if r.Method == http.MethodHead {
		return nil // its headers are compared with those of GET
	}
	if !fits(answer.body) {
		return nil
	}
	like := r.Clone(r.Context())
	like.URL.Path, like.URL.RawPath = op.example, ""
	like.Header = withoutNumbers(r.Header)
	like.Body = io.NopCloser(bytes.NewReader(sent))
	resp := &http.Response{
		StatusCode: answer.status, Header: withoutNumbers(answer.header),
		Body: io.NopCloser(bytes.NewReader(answer.body)), Request: like,
	}
	d.validating.Lock()
	defer d.validating.Unlock()
	if ok, errs := d.validator.ValidateHttpResponse(like, resp); !ok {
		return fmt.Errorf("the answer is not as described: %s", problems(errs))
	}
	if answer.status >= http.StatusBadRequest || sloppy || !fits(sent) || strings.Contains(r.URL.RawQuery, "%5B") {
		return nil // the validator takes type[x] for type
	}
	like.Body = io.NopCloser(bytes.NewReader(sent))
	if ok, errs := d.validator.ValidateHttpRequestSync(like); !ok {
		return fmt.Errorf("the request was accepted and is not as described: %s", problems(errs))
	}
	return nil
}

// withoutNumbers replaces the free texts among headers that the validator would
// take for something else than a text.
func withoutNumbers(h http.Header) http.Header {
	h = h.Clone()
	for _, name := range []string{"X-Request-Id", "Idempotency-Key", "Change-Reason"} {
		if json.Valid([]byte(h.Get(name))) {
			h.Set(name, "text")
		}
	}
	return h
}

// fits reports whether the validator can read a body: it knows no numbers
// beyond those of a float64, which free-form objects may well have.
func fits(body []byte) bool {
	var v any
	var tooLarge *json.UnmarshalTypeError
	return !errors.As(json.Unmarshal(body, &v), &tooLarge)
}

// notCaused are answers that are described but that no check can bring about:
// project ids are made by the service, the tokens of the checks are its own, and a plan is
// begun anew until others have overtaken it again and again.
var notCaused = map[string]bool{"projects.create 409": true, "auth.renew 403": true, "organization.plan 409": true}

// missed reports the described answers below 500 for which wanted holds and
// which no check has had.
func (d *document) missed(t *testing.T, wanted func(status string) bool) {
	t.Helper()
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, op := range d.operations {
		for _, status := range op.statuses {
			if what := op.id + " " + status; status < "500" && wanted(status) && !d.seen[what] && !notCaused[what] && !op.withProvider() {
				t.Errorf("no check had the answer %s", what)
			}
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
