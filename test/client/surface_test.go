package client_test

import (
	"bytes"
	"context"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/pb33f/libopenapi"
	validator "github.com/pb33f/libopenapi-validator"
	"github.com/pb33f/libopenapi-validator/config"

	"orgd/adapters/httpapi/apidoc"
	"orgd/client"
)

// TestSurface uses every method on the real service. The description of the API
// is what it is measured by: each operation is used, with every parameter that
// it takes, and no request is other than described.
func TestSurface(t *testing.T) {
	seen := watch(t)
	s := serve(t)
	c := s.as(t, client.RoleAdmin, seen.around)
	for _, check := range []struct {
		name string
		run  func(*testing.T, *client.Client)
	}{ // in this order, because they build on each other
		{"operational", checkOperational},
		{"departments", checkDepartments},
		{"ceremonies", checkCeremonies},
		{"company", checkCompany},
		{"agents", checkAgents},
		{"versions", checkVersions},
		{"labels", checkLabels},
		{"activities", checkActivities},
		{"figures", checkFigures},
		{"projects", checkProjects},
		{"orders", checkOrders},
		{"organization", checkOrganization},
		{"stream", checkStream},
		{"webhooks", checkWebhooks},
		{"changes", checkChanges},
		{"audit", checkAudit},
		{"deletions", checkDeletions},
		{"sessions", func(t *testing.T, c *client.Client) { checkSessions(t, c, s, seen) }},
	} {
		if !t.Run(check.name, func(t *testing.T) { check.run(t, c) }) {
			return // what follows builds on it
		}
	}
	seen.missed(t)
}

// witness keeps what requests were made of.
type witness struct {
	t          *testing.T
	operations []operation
	validator  validator.Validator

	mu   sync.Mutex
	seen map[string]map[string]bool // by operation: its parameters
}

func watch(t *testing.T) *witness {
	t.Helper()
	doc, err := libopenapi.NewDocument(apidoc.JSON())
	if err != nil {
		t.Fatalf("NewDocument = %v", err)
	}
	v, errs := validator.NewValidator(doc, config.WithFormatAssertions(), config.WithStandardBodyDecoders())
	if len(errs) > 0 {
		t.Fatalf("NewValidator = %v", errs)
	}
	return &witness{t: t, operations: openDocument(t).operations(), validator: v, seen: map[string]map[string]bool{}}
}

func (w *witness) around(via http.RoundTripper) http.RoundTripper {
	return roundTrip(func(r *http.Request) (*http.Response, error) {
		w.see(r)
		return via.RoundTrip(r)
	})
}

func (w *witness) see(r *http.Request) {
	op, ok := find(w.operations, r.Method, r.URL.EscapedPath())
	if !ok {
		w.t.Errorf("%s %s is not described", r.Method, r.URL.Path)
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.seen[op.ID] == nil {
		w.seen[op.ID] = map[string]bool{}
	}
	for name := range r.URL.Query() {
		w.seen[op.ID][name] = true
	}
	for name := range r.Header {
		w.seen[op.ID][name] = true
	}
	like := r.Clone(context.Background())
	if r.GetBody != nil {
		body, err := r.GetBody()
		if err != nil {
			w.t.Errorf("%s: GetBody = %v", op.ID, err)
			return
		}
		text, err := io.ReadAll(body)
		if err != nil {
			w.t.Errorf("%s: read the request: %v", op.ID, err)
		}
		like.Body = io.NopCloser(bytes.NewReader(text))
	}
	if ok, errs := w.validator.ValidateHttpRequestSync(like); !ok {
		for _, e := range errs {
			w.t.Errorf("%s: %s: %s", op.ID, e.Message, e.Reason)
			for _, f := range e.SchemaValidationErrors {
				w.t.Errorf("%s:   %s: %s", op.ID, f.FieldPath, f.Reason)
			}
		}
	}
}

// missed reports what the description has and no request had.
func (w *witness) missed(t *testing.T) {
	t.Helper()
	for _, op := range w.operations {
		if strings.HasPrefix(op.ID, "auth.oidc_") {
			continue // browsers navigate there
		}
		if w.seen[op.ID] == nil {
			t.Errorf("the client has no method for %s, or TestSurface does not use it", op.ID)
			continue
		}
		for _, name := range slices.Concat(op.query, op.header) {
			if !w.seen[op.ID][name] {
				t.Errorf("%s: nothing has sent %s, only %q", op.ID, name, slices.Sorted(maps.Keys(w.seen[op.ID])))
			}
		}
	}
}
