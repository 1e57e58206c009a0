package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"orgd/adapters/httpapi/internal/request"
	"orgd/app"
	"orgd/domain/company"
	"orgd/domain/department"
	"orgd/domain/name"
	"orgd/ports"
)

// manyDepartments has more departments than a page has bytes for.
type manyDepartments struct{ ports.DepartmentStore }

const many = 6000 // of 1 KiB

func (manyDepartments) Departments(_ context.Context, after company.OrderKey, limit int) ([]department.Department, error) {
	if after == "" {
		after = "0"
	}
	first, err := strconv.Atoi(string(after))
	if err != nil {
		return nil, err
	}
	var found []department.Department
	for i := first + 1; i <= min(first+limit, many); i++ {
		text := fmt.Sprintf("%08d", i)
		found = append(found, department.Department{
			Name: name.Name{Text: text, Key: name.Key(text)}, OrderKey: company.OrderKey(text),
			Description: strings.Repeat("x", 1024),
		})
	}
	return found, nil
}

// fewDepartments fails after the first thousands of them.
type fewDepartments struct{ manyDepartments }

func (f fewDepartments) Departments(ctx context.Context, after company.OrderKey, limit int) ([]department.Department, error) {
	if after > "00005000" {
		return nil, ports.ErrStorage
	}
	return f.manyDepartments.Departments(ctx, after, limit)
}

func serveMany(t *testing.T, departments ports.DepartmentStore) (url string) {
	t.Helper()
	f := newFake(t, ok, func(_ *Config, p *Parts) {
		p.Company = app.NewCompany(p.Clock, p.IDs, fakeCompany{do: ok}, departments, nil)
	})
	srv := httptest.NewServer(f.Handler())
	t.Cleanup(srv.Close)
	return srv.URL + request.Prefix
}

func getMany(t *testing.T, url, tag string) (*http.Response, []byte) {
	t.Helper()
	resp, body, err := tryMany(t, url, tag)
	if err != nil {
		t.Fatal(err)
	}
	return resp, body
}

// tryMany returns the error of reading the body.
func tryMany(t *testing.T, url, tag string) (*http.Response, []byte, error) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer good")
	if tag != "" {
		r.Header.Set("If-None-Match", tag)
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	return resp, body, err
}

// What is longer than LongBytes is whole all the same, and has a tag that no other answer
// has.
func TestLongList(t *testing.T) {
	url := serveMany(t, manyDepartments{})
	var answer struct {
		Data struct {
			Departments []struct{ Name string }
			Revision    *int64
		}
		Success bool
	}
	resp, body := getMany(t, url+"/company", "")
	if err := json.Unmarshal(body, &answer); err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("GET /company = %d, %d bytes, %v", resp.StatusCode, len(body), err)
	}
	all := answer.Data.Departments
	if len(all) != many || all[0].Name != "00000001" || all[many-1].Name != "00006000" || answer.Data.Revision == nil || !answer.Success {
		t.Errorf("%d departments, want %d", len(all), many)
	}
	tag := resp.Header.Get("ETag")
	again, _ := getMany(t, url+"/company", tag)
	if got := again.Header.Get("ETag"); again.StatusCode != http.StatusOK || tag == "" || got == "" || got == tag {
		t.Errorf("with the tag %s = %d with %s, want 200 with another one", tag, again.StatusCode, got)
	}
	var list struct{ Data []json.RawMessage }
	resp, body = getMany(t, url+"/company/departments", "")
	if err := json.Unmarshal(body, &list); err != nil || len(list.Data) != many || resp.Header.Get("ETag") != "" {
		t.Errorf("GET /company/departments = %d, %d departments, %v, want %d", resp.StatusCode, len(list.Data), err, many)
	}
}

// A long list that cannot be read to its end is cut, so that no client takes it for whole.
func TestLongListFails(t *testing.T) {
	resp, body, err := tryMany(t, serveMany(t, fewDepartments{})+"/company", "")
	if resp.StatusCode != http.StatusOK || len(body) == 0 || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("GET /company = %d, %d bytes, %v, want 200 and %v", resp.StatusCode, len(body), err, io.ErrUnexpectedEOF)
	}
}
