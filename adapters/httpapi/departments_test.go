package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"orgd/adapters/httpapi/internal/request"
	"orgd/app"
	"orgd/domain/agent"
	"orgd/domain/department"
	"orgd/domain/name"
	"orgd/ports"
)

// wideDepartment refers to more agents than a page has bytes for.
type wideDepartment struct{ ports.DepartmentStore }

const wide = 64 * 256

func (wideDepartment) Department(context.Context, name.Key) (department.Department, error) {
	d := department.Department{ID: "d", Name: name.Name{Text: "Ops", Key: "ops"}, Teams: make([]department.Team, 64)}
	for i := range wide {
		team := &d.Teams[i/256]
		team.Members = append(team.Members, fmt.Sprint("agent", i))
	}
	return d, nil
}

// longNames names the first of many agents.
type longNames struct {
	ports.AgentStore
	known int64
	asked *atomic.Int64
}

func (n longNames) Names(_ context.Context, ids []agent.ID) (map[agent.ID]string, error) {
	if n.asked.Add(int64(len(ids))) > n.known {
		return nil, ports.ErrStorage
	}
	names := map[agent.ID]string{}
	for _, id := range ids {
		names[id] = string(id) + strings.Repeat("x", 400)
	}
	return names, nil
}

func serveWide(t *testing.T, known int64) (url string, asked *atomic.Int64) {
	t.Helper()
	asked = new(atomic.Int64)
	f := newFake(t, ok, func(_ *Config, p *Parts) {
		p.Departments = app.NewDepartments(p.Clock, p.IDs, wideDepartment{}, longNames{known: known, asked: asked}, fakeCompany{do: ok})
	})
	srv := httptest.NewServer(f.Handler())
	t.Cleanup(srv.Close)
	return srv.URL + request.Prefix + "/departments/ops", asked
}

// A department that is longer than LongBytes is sent whole, reads every name once, and has
// a tag that no other answer has.
func TestLongDepartment(t *testing.T) {
	url, asked := serveWide(t, wide)
	var answer struct {
		Data struct {
			Name  string
			Teams []struct{ Members []string }
		}
		Success bool
	}
	resp, body := getMany(t, url, "")
	if err := json.Unmarshal(body, &answer); err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("GET = %d, %d bytes, %v", resp.StatusCode, len(body), err)
	}
	teams := answer.Data.Teams
	if len(teams) != 64 || len(teams[63].Members) != 256 || !strings.HasPrefix(teams[63].Members[255], "agent16383x") || !answer.Success || asked.Load() != wide {
		t.Errorf("%d teams after %d agents were asked for, want 64 after %d", len(teams), asked.Load(), wide)
	}
	if policy, _ := getMany(t, url+"/ceremony-policy", ""); policy.StatusCode != http.StatusOK || asked.Load() != wide {
		t.Errorf("the ceremony policy = %d after %d agents were asked for, want 200 after none more", policy.StatusCode, asked.Load())
	}
	asked.Store(0)
	tag := resp.Header.Get("ETag")
	again, _ := getMany(t, url, tag)
	if got := again.Header.Get("ETag"); again.StatusCode != http.StatusOK || tag == "" || got == "" || got == tag {
		t.Errorf("with the tag %s = %d with %s, want 200 with another one", tag, again.StatusCode, got)
	}
}

// A long department whose agents cannot be read to the end is cut, so that no client
// takes it for whole.
func TestLongDepartmentFails(t *testing.T) {
	url, _ := serveWide(t, 10_000)
	resp, body, err := tryMany(t, url, "")
	if resp.StatusCode != http.StatusOK || len(body) == 0 || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("GET = %d, %d bytes, %v, want 200 and %v", resp.StatusCode, len(body), err, io.ErrUnexpectedEOF)
	}
}
