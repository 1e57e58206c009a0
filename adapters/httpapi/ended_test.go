package httpapi

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"orgd/adapters/httpapi/internal/request"
	"orgd/adapters/system"
	"orgd/app"
	"orgd/domain/access"
	"orgd/domain/agent"
	"orgd/domain/company"
	"orgd/domain/name"
	"orgd/ports"
	"orgd/ports/portstest"
)

// laterClock is the system's clock with time that a test has let pass.
type laterClock struct{ passed *atomic.Int64 }

func (c laterClock) Now() time.Time { return system.Clock{}.Now().Add(time.Duration(c.passed.Load())) }

// endings are what ends the session of the token "good" while a request runs.
var endings = map[string]struct {
	end  func(context.Context, *app.Sessions, *atomic.Int64) error
	code int
	says string
}{
	"revoked": {func(ctx context.Context, s *app.Sessions, _ *atomic.Int64) error {
		return s.Revoke(ctx, app.Call{Actor: access.Actor{Subject: "root", Role: access.Admin}}, "s1")
	}, 1002, "the session was logged out or revoked; "},
	"expired": {func(_ context.Context, _ *app.Sessions, passed *atomic.Int64) error {
		passed.Store(int64(2 * time.Hour))
		return nil
	}, 1000, "the token has expired; "},
}

// endingAgents calls created after each new agent.
type endingAgents struct {
	ports.AgentStore
	created func()
}

func (s endingAgents) Create(ctx context.Context, asked name.Name, hire func(name.Name) (ports.AgentChange, error)) (agent.Agent, error) {
	a, err := s.AgentStore.Create(ctx, asked, hire)
	s.created()
	return a, err
}

// An apply stops before its next step when its session ends, and says how far it came.
func TestApplyEndsWithItsSession(t *testing.T) {
	for what, tt := range endings {
		t.Run(what, func(t *testing.T) {
			stores, passed := portstest.NewMemory(), new(atomic.Int64)
			var sessions *app.Sessions
			var hired atomic.Int64
			hook := func() {
				if hired.Add(1) == 5 {
					if err := tt.end(t.Context(), sessions, passed); err != nil {
						t.Errorf("end the session = %v", err)
					}
				}
			}
			f := newFake(t, ok, func(_ *Config, p *Parts) {
				sessions = app.NewSessions(laterClock{passed}, p.IDs, system.Random{}, oneToken{}, nil, stores.Sessions, nil)
				p.Sessions = sessions
				p.Documents = app.NewDocuments(p.Clock, p.IDs, endingAgents{stores.Agents, hook}, stores.Departments, stores.Company, nil)
			})
			var doc strings.Builder
			doc.WriteString(`{"format":1,"departments":[{"name":"D"}],"agents":[`)
			const agents = 500
			for i := range agents {
				if i > 0 {
					doc.WriteString(",")
				}
				fmt.Fprintf(&doc, `{"name":"a%d","role":"r","department":"D"}`, i)
			}
			doc.WriteString("]}")
			w := f.send(newRequest(t, http.MethodPost, "/api/v1/organization/apply", doc.String()))
			want := fmt.Sprintf("%s%d of %d changes were made, and the next is agents[", tt.says, hired.Load()+1, agents+1)
			if d := detailOf(t, w); w.Code != 401 || d.Code != tt.code || !strings.HasPrefix(d.Detail, want) || !strings.HasSuffix(d.Detail, "; sign in and run it again") {
				t.Errorf("apply = %d %s, want 401/%d and %q", w.Code, w.Body, tt.code, want)
			}
			if n := hired.Load(); n >= agents {
				t.Errorf("%d agents were hired", n)
			}
		})
	}
}

// An export, and every other answer that is sent while it is made, is cut when its
// session ends.
func TestLongAnswersEndWithTheirSession(t *testing.T) {
	for what, tt := range endings {
		t.Run(what, func(t *testing.T) {
			passed := new(atomic.Int64)
			var sessions *app.Sessions
			var pages atomic.Int64
			read := func(after company.OrderKey) error {
				switch pages.Add(1) {
				case 3:
					return tt.end(t.Context(), sessions, passed)
				case 100:
					return errors.New("it goes on")
				}
				return nil
			}
			f := newFake(t, ok, func(_ *Config, p *Parts) {
				sessions = app.NewSessions(laterClock{passed}, p.IDs, system.Random{}, oneToken{}, nil, portstest.NewMemory().Sessions, nil)
				p.Sessions = sessions
				p.Documents = app.NewDocuments(p.Clock, p.IDs, nil, endlessDepartments{fail: read}, fakeCompany{do: ok}, nil)
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
			if resp.StatusCode != 200 || !errors.Is(err, io.ErrUnexpectedEOF) || len(text) < request.FlushAt || pages.Load() > 4 {
				t.Errorf("answer = %d, %d bytes, %v after %d pages, want 200 that is cut at once", resp.StatusCode, len(text), err, pages.Load())
			}
		})
	}
}
