package clients

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/zap"

	"orgd"
	"orgd/adapters/system"
	"orgd/client"
	"orgd/domain/access"
	"orgd/domain/limit"
	"orgd/domain/name"
)

// service is the real service with an empty organization, without limits.
type service struct {
	cfg   orgd.Config
	url   string
	app   *orgd.App
	stop  func()
	admin *client.Client
	ahead time.Duration
	ids   []string // of the tokens that were made, newest last
}

// ahead is a clock that is wrong.
type ahead struct {
	system.Clock
	by time.Duration
}

func (a ahead) Now() time.Time { return a.Clock.Now().Add(a.by) }

// serve starts a service whose clock is ahead, for pages of these origins, until the test ends.
func serve(t *testing.T, by time.Duration, origins ...string) *service {
	t.Helper()
	s := &service{cfg: orgd.Default(), ahead: by, stop: func() {}}
	s.cfg.SQLite.Dir = filepath.Join(t.TempDir(), "data")
	s.cfg.Limits = limit.Off()
	s.cfg.HTTP.Addr, s.cfg.HTTP.CORSOrigins = "127.0.0.1:0", origins
	t.Cleanup(func() { s.stop() })
	s.start(t)
	s.admin = must(client.New(client.Config{BaseURL: s.url, Token: client.StaticToken(s.app.AdminToken())}))(t)
	must(s.admin.CreateDepartment(t.Context(), client.DepartmentInput{Name: "Engineering"}))(t)
	must(s.admin.CreateDepartment(t.Context(), client.DepartmentInput{Name: "Sales"}))(t)
	return s
}

// start starts the service, again on the same address.
func (s *service) start(t *testing.T) {
	t.Helper()
	app, closeStorage, err := orgd.BuildAt(context.Background(), s.cfg, zap.NewNop(), ahead{by: s.ahead})
	if err != nil {
		t.Fatalf("Build = %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	at, done := make(chan net.Addr, 1), make(chan error, 1)
	go func() { done <- app.Run(ctx, func(a net.Addr) { at <- a }) }()
	s.app = app
	s.stop = sync.OnceFunc(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("Run = %v", err)
		}
		closeStorage()
	})
	select {
	case a := <-at:
		s.cfg.HTTP.Addr, s.url = a.String(), "http://"+a.String()
	case err := <-done:
		cancel()
		closeStorage()
		t.Fatalf("Run = %v", err)
	}
}

// rekey gives the service another cursor key.
func (s *service) rekey(t *testing.T) {
	t.Helper()
	s.stop()
	if err := os.Remove(filepath.Join(s.cfg.SQLite.Dir, "cursor.key")); err != nil {
		t.Fatal(err)
	}
	s.start(t)
}

// must returns what is not an error.
func must[T any](v T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// token makes a token of a day. A department bounds it.
func (s *service) token(t *testing.T, role, department string) string {
	t.Helper()
	in := orgd.TokenRequest{Subject: "runtime", Role: access.Role(role), TTL: 24 * time.Hour}
	if department != "" {
		in.Departments = []name.Name{must(name.Parse(department))(t)}
	}
	token, session, err := s.app.NewToken(in)
	if err != nil {
		t.Fatal(err)
	}
	s.ids = append(s.ids, session.ID)
	return token
}

// revoke revokes all tokens that were made.
func (s *service) revoke(t *testing.T) {
	t.Helper()
	for _, id := range s.ids {
		if err := s.admin.RevokeSession(t.Context(), id); err != nil {
			t.Fatal(err)
		}
	}
	s.ids = nil
}

// hire makes an agent whose label production names its first version. Its instructions have
// at least so many bytes.
func (s *service) hire(t *testing.T, name, department string, bytes int) {
	t.Helper()
	must(s.admin.CreateAgent(t.Context(), client.AgentInput{
		Name: name, Role: "Reviewer", Department: department, Instructions: "version 1" + strings.Repeat(" and", bytes/4),
	}))(t)
	s.label(t, name, 1)
}

func (s *service) label(t *testing.T, agent string, version int64) {
	t.Helper()
	must(s.admin.SetLabel(t.Context(), agent, "production", client.LabelInput{Version: version}))(t)
}

// reported checks that the service has so many events, each once. If they are recent they are
// of the last minute.
func (s *service) reported(ctx context.Context, want int, recent bool) error {
	tools, last, err := s.tools(ctx)
	if err != nil {
		return err
	}
	n := 0
	for tool, count := range tools {
		if n += count; count > 1 {
			return fmt.Errorf("the service has the event of %s %d times", tool, count)
		}
	}
	if n != want {
		return fmt.Errorf("the service has %d events, want %d", n, want)
	}
	if off := time.Since(last.Add(-s.ahead)); recent && off.Abs() > time.Minute {
		return fmt.Errorf("the newest event is %s old", off)
	}
	return nil
}

// tools returns how often the service has the event of each tool, and the newest time.
func (s *service) tools(ctx context.Context) (tools map[string]int, last time.Time, err error) {
	tools = map[string]int{}
	for e, err := range s.admin.Activities(ctx, client.ActivityQuery{Type: client.EventToolUsed}) {
		var used client.ToolUsed
		if err == nil {
			err = e.Data.Decode(&used)
		}
		if err != nil {
			return nil, last, err
		}
		tools[used.Tool]++
		if e.Timestamp.After(last) {
			last = e.Timestamp
		}
	}
	return tools, last, nil
}
