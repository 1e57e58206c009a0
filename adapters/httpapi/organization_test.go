package httpapi

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"orgd/adapters/httpapi/internal/protocol"
	"orgd/adapters/httpapi/internal/request"
	"orgd/app"
	"orgd/domain/company"
	"orgd/domain/department"
	"orgd/domain/name"
	"orgd/ports"
)

// endlessDepartments has departments of 1 KiB, page after page, until after says
// that it fails.
type endlessDepartments struct {
	ports.DepartmentStore
	fail func(after company.OrderKey) error
}

func (s endlessDepartments) Departments(_ context.Context, after company.OrderKey, limit int) ([]department.Department, error) {
	if err := s.fail(after); err != nil {
		return nil, err
	}
	page := make([]department.Department, limit)
	for i := range page {
		text := fmt.Sprintf("%s%d", after, i)
		page[i] = department.Department{Name: name.Name{Text: text, Key: name.Key(text)}, Description: strings.Repeat("x", 1024), OrderKey: company.OrderKey(text)}
	}
	return page, nil
}

func exportOf(t *testing.T, fail func(company.OrderKey) error) fake {
	return newFake(t, ok, func(_ *Config, p *Parts) {
		p.Documents = app.NewDocuments(p.Clock, p.IDs, nil, endlessDepartments{fail: fail}, fakeCompany{do: ok}, nil)
	})
}

// An export that cannot begin is an error as any other.
func TestExportThatCannotBegin(t *testing.T) {
	f := exportOf(t, func(company.OrderKey) error { return ports.ErrUnavailable })
	if w := f.send(newRequest(t, http.MethodGet, "/api/v1/organization", "")); w.Code != 503 || detailOf(t, w).Code != 8001 {
		t.Errorf("answer = %d %s, want 503/8001", w.Code, w.Body)
	}
}

// One that cannot end is cut, so that no client takes it for the whole.
func TestExportThatCannotEnd(t *testing.T) {
	f := exportOf(t, func(after company.OrderKey) error {
		if after == "" {
			return nil
		}
		return errors.New("the storage is on fire")
	})
	srv := httptest.NewServer(f.Handler())
	defer srv.Close()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, srv.URL+"/api/v1/organization", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer good")
	resp, err := srv.Client().Do(r)
	if err != nil {
		t.Fatalf("GET = %v", err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if resp.StatusCode != 200 || !errors.Is(err, io.ErrUnexpectedEOF) || len(text) < request.FlushAt {
		t.Errorf("answer = %d, %d bytes, %v, want 200 that is cut", resp.StatusCode, len(text), err)
	}
	if n := f.logs.FilterMessage("request failed").Len(); n != 1 {
		t.Errorf("%d lines tell of the failure, want 1", n)
	}
}

// A head needs no more than the beginning.
func TestExportHead(t *testing.T) {
	asked := 0
	f := exportOf(t, func(company.OrderKey) error { asked++; return nil })
	w := f.send(newRequest(t, http.MethodHead, "/api/v1/organization", ""))
	if w.Code != 200 || w.Body.Len() > 0 || asked != 1 {
		t.Errorf("answer = %d with %d bytes after %d pages, want 200 after 1", w.Code, w.Body.Len(), asked)
	}
}

// TestDocumentsAtOnce holds plans whose bodies stop halfway: a third one of the
// subject is refused, until one has ended.
func TestDocumentsAtOnce(t *testing.T) {
	f := exportOf(t, func(company.OrderKey) error { return ports.ErrUnavailable })
	plan := func(body io.Reader) *httptest.ResponseRecorder {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/api/v1/organization/plan", body)
		r.Header.Set("Authorization", "Bearer good")
		r.Header.Set("Content-Type", protocol.JSON)
		return f.send(r)
	}
	var running sync.WaitGroup
	var bodies []*io.PipeWriter
	for range 2 { // see limit.Documents
		r, w := io.Pipe()
		bodies = append(bodies, w)
		running.Go(func() {
			if w := plan(r); w.Code != 400 {
				t.Errorf("a plan whose body ends early = %d %s, want 400", w.Code, w.Body)
			}
		})
		if _, err := w.Write([]byte(`{"format":1,`)); err != nil { // now it is being read
			t.Fatal(err)
		}
	}
	if w := plan(strings.NewReader("{}")); w.Code != 429 || detailOf(t, w).Code != 5002 || w.Header().Get("Retry-After") == "" {
		t.Errorf("one more = %d %s, want 429/5002 with Retry-After", w.Code, w.Body)
	}
	for _, w := range bodies {
		w.CloseWithError(io.ErrUnexpectedEOF)
	}
	running.Wait()
	if w := f.send(newRequest(t, http.MethodGet, "/api/v1/organization", "")); w.Code != 503 {
		t.Errorf("after that = %d %s, want 503", w.Code, w.Body)
	}
}
