package httpapi

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"go.uber.org/goleak"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"

	"orgd/adapters/httpapi/internal/protocol"
	"orgd/adapters/memlimit"
	"orgd/adapters/system"
	"orgd/adapters/telemetry"
	"orgd/app"
	"orgd/domain/access"
	"orgd/domain/agent"
	"orgd/domain/company"
	"orgd/domain/department"
	"orgd/domain/idempotency"
	"orgd/domain/money"
	"orgd/domain/name"
	"orgd/domain/session"
	"orgd/ports"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// The parts of a server without storage: it fails, hangs and panics as a test says.

// oneToken accepts the token "good" of an admin.
type oneToken struct{}

func (oneToken) Authenticate(_ context.Context, token string) (session.Session, error) {
	switch token {
	case "good":
		return session.Session{ID: "s1", Issuer: "orgd", Subject: "root", Role: access.Admin, ExpiresAt: time.Now().Add(time.Hour)}, nil
	case "later":
		return session.Session{}, session.ErrIssuerUnavailable.After(3 * time.Second)
	}
	return session.Session{}, session.ErrUnauthorized
}

// noSessions stores no sessions.
type noSessions struct{ ports.SessionStore }

func (noSessions) See(context.Context, session.Session) error { return nil }

func (noSessions) Session(context.Context, string) (session.Record, error) {
	return session.Record{}, session.ErrNotFound
}

// fakeCompany is a company store that does what a test says.
type fakeCompany struct {
	ports.CompanyStore
	do func(context.Context) error
}

func (f fakeCompany) Company(ctx context.Context) (company.Company, error) {
	return company.Default(time.Unix(0, 0)), f.do(ctx)
}

func (f fakeCompany) Update(ctx context.Context, _ func(company.Company, bool) (ports.Change[company.Company], error)) (company.Company, error) {
	return f.Company(ctx)
}

// fakeDepartments is a store of departments that does what a test says.
type fakeDepartments struct {
	ports.DepartmentStore
	do func(context.Context) error
}

func (f fakeDepartments) Departments(ctx context.Context, _ company.OrderKey, _ int) ([]department.Department, error) {
	return nil, f.do(ctx)
}

func (f fakeDepartments) Create(ctx context.Context, _ name.Key, _ func(company.Company, money.Percent) (ports.DepartmentChange, error)) (department.Department, error) {
	return department.Department{}, f.do(ctx)
}

func (f fakeDepartments) Reorder(ctx context.Context, _ name.Key, _ func(department.Department, []agent.Member) (ports.DepartmentChange, error)) (department.Department, error) {
	return department.Department{}, f.do(ctx)
}

// fakeStorage answers every ping with what a test says.
type fakeStorage struct {
	ports.Storage
	ping func(context.Context) error
}

func (f fakeStorage) Ping(ctx context.Context) error { return f.ping(ctx) }
func (fakeStorage) Incarnation() string              { return "" }

// fakeKeys locks every idempotency key, and releases it as a test says.
type fakeKeys struct {
	ports.IdempotencyStore
	release func(context.Context) error
}

func (fakeKeys) Lock(context.Context, idempotency.Lock) (*idempotency.Record, error) {
	return nil, nil
}
func (f fakeKeys) Release(ctx context.Context, _ idempotency.Lock) error { return f.release(ctx) }

// fake is a server whose company store and storage do what do says.
type fake struct {
	*Server
	logs *observer.ObservedLogs
}

func newFake(t *testing.T, do func(context.Context) error, change ...func(*Config, *Parts)) fake {
	t.Helper()
	clock, ids := system.Clock{}, system.IDs{}
	cfg := Default()
	parts := Parts{
		Sessions:   app.NewSessions(clock, ids, system.Random{}, oneToken{}, nil, noSessions{}, nil),
		Company:    app.NewCompany(clock, ids, fakeCompany{do: do}, fakeDepartments{do: do}, nil),
		Activities: app.NewActivities(clock, ids, nil, nil, 0), // refuses what is wrong by itself
		Storage:    fakeStorage{ping: do},
		Limiter:    memlimit.New(memlimit.Uptime()),
		Clock:      clock, IDs: ids,
		Metrics:   telemetry.NewMetrics("v1", "c1"),
		CursorKey: CursorKey(bytes.Repeat([]byte{1}, MinCursorKey)),
		Build:     BuildInfo{Version: "v1", Commit: "c1"},
	}
	for _, c := range change {
		c(&cfg, &parts)
	}
	core, logs := observer.New(zapcore.DebugLevel)
	s, err := New(cfg, parts, zap.New(core))
	if err != nil {
		t.Fatalf("New = %v", err)
	}
	return fake{s, logs}
}

// newRequest returns a request of an admin.
func newRequest(t *testing.T, method, path, body string) *http.Request {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), method, path, bytes.NewBufferString(body))
	r.Header.Set("Authorization", "Bearer good")
	if body != "" {
		r.Header.Set("Content-Type", protocol.JSON)
	}
	return r
}

func (f fake) send(r *http.Request) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	f.Handler().ServeHTTP(w, r)
	return w
}

// detail is what an error answer says, in either form.
type detail struct {
	Detail     string `json:"detail"`
	Code       int    `json:"error_code"`
	RetryAfter *int   `json:"retry_after"`
	Retryable  bool   `json:"retryable"`
	Instance   string `json:"instance"`
}

func detailOf(t *testing.T, w *httptest.ResponseRecorder) detail {
	t.Helper()
	var e struct {
		Detail detail `json:"error_detail"`
	}
	if err := json.Unmarshal(w.Body.Bytes(), &e); err != nil {
		t.Fatalf("answer %d %q: %v", w.Code, w.Body, err)
	}
	return e.Detail
}

var testCursors = protocol.Cursors{Key: bytes.Repeat([]byte{7}, MinCursorKey)}
