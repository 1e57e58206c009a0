package httpapi

import (
	"context"
	"errors"
	"net/http"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"orgd/app"
	"orgd/domain/company"
	"orgd/domain/idempotency"
	"orgd/ports"
)

// countingKeys counts how often a lock is renewed and released.
type countingKeys struct {
	ports.IdempotencyStore
	renewed, released atomic.Int64
	err               error
}

func (*countingKeys) Lock(context.Context, idempotency.Lock) (*idempotency.Record, error) {
	return nil, nil
}

func (l *countingKeys) Renew(context.Context, idempotency.Lock, time.Time) error {
	l.renewed.Add(1)
	return l.err
}

func (l *countingKeys) Release(context.Context, idempotency.Lock) error {
	l.released.Add(1)
	return nil
}

// A request that takes longer than a lease keeps its lock until it ends, also if a
// renewal fails.
func TestLongRequestsRenewTheirKeys(t *testing.T) {
	for _, failing := range []error{nil, errors.New("the storage is lost")} {
		synctest.Test(t, func(t *testing.T) {
			keys := &countingKeys{err: failing}
			f := newFake(t, ok, func(_ *Config, p *Parts) {
				slow := fakeCompany{do: func(ctx context.Context) error {
					select {
					case <-time.After(3 * idempotency.Lease):
					case <-ctx.Done():
						return ctx.Err()
					}
					return nil
				}}
				p.Idempotency = keys
				p.Documents = app.NewDocuments(p.Clock, p.IDs, nil, endlessDepartments{fail: func(company.OrderKey) error { return ports.ErrStorage }}, slow, nil)
			})
			r := newRequest(t, http.MethodPost, "/api/v1/organization/apply", `{"format":1}`)
			r.Header.Set("Idempotency-Key", "k")
			w := f.send(r)
			if w.Code != 500 || detailOf(t, w).Code != 8002 {
				t.Errorf("answer = %d %s, want 500/8002 at the end", w.Code, w.Body)
			}
			want := int64(3 * idempotency.Lease / idempotency.Renewal)
			if n := keys.renewed.Load(); n < want-1 || n > want {
				t.Errorf("the key was renewed %d times, want %d", n, want)
			}
			if keys.released.Load() != 1 {
				t.Errorf("the key was released %d times, want once", keys.released.Load())
			}
		})
	}
}

// Other requests end before their keys have to be renewed.
func TestShortRequestsRenewNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		keys := &countingKeys{}
		f := newFake(t, ok, func(_ *Config, p *Parts) {
			p.Idempotency = keys
			slow := fakeDepartments{do: func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }}
			p.Departments = app.NewDepartments(p.Clock, p.IDs, slow, nil, nil)
		})
		r := newRequest(t, http.MethodPost, "/api/v1/departments", `{"name":"Sales"}`)
		r.Header.Set("Idempotency-Key", "k")
		if w := f.send(r); w.Code < 500 || keys.renewed.Load() != 0 || keys.released.Load() != 1 {
			t.Errorf("answer = %d after %d renewals", w.Code, keys.renewed.Load())
		}
	})
}
