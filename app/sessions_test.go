package app

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"orgd/domain/access"
	"orgd/domain/session"
	"orgd/ports"
	"orgd/ports/portstest"
)

// countedReads counts the revocations that are read.
type countedReads struct {
	ports.SessionStore
	n int
}

func (c *countedReads) Revoked(ctx context.Context, since, now time.Time) ([]session.Revocation, error) {
	all, err := c.SessionStore.Revoked(ctx, since, now)
	c.n += len(all)
	return all, err
}

// A revocation is seen by the next refresh of every replica, whatever the clock
// of the one that made it says, and refreshes read what is new only.
func TestRevocationsOfOtherClocks(t *testing.T) {
	for _, off := range []time.Duration{0, -time.Second, -10 * time.Minute, -5 * time.Hour, 10 * time.Minute, 5 * time.Hour} {
		t.Run(off.String(), func(t *testing.T) {
			store := &countedReads{SessionStore: portstest.NewMemory().Sessions}
			clocks := []*setClock{{noon}, {noon.Add(off)}}
			var replicas []*Sessions
			for _, c := range clocks {
				replicas = append(replicas, NewSessions(c, &counted{}, nil, nil, nil, store, nil))
			}
			pass := func(d time.Duration) {
				for _, c := range clocks {
					c.now = c.now.Add(d)
				}
			}
			refresh := func() {
				t.Helper()
				for _, r := range replicas {
					if err := r.Refresh(t.Context()); err != nil {
						t.Fatalf("Refresh = %v", err)
					}
				}
			}
			for _, r := range replicas {
				if err := r.Load(t.Context()); err != nil {
					t.Fatalf("Load = %v", err)
				}
			}
			admin := Call{Actor: access.Actor{Subject: "root", Role: access.Admin}}
			ended := 0
			for range 3 {
				for _, by := range []int{1, 0, 1, 1, 0} {
					ended++
					id := fmt.Sprint("s", ended)
					if err := replicas[by].Revoke(t.Context(), admin, id); err != nil {
						t.Fatalf("Revoke = %v", err)
					}
					refresh()
					far := session.Session{ID: id, ExpiresAt: noon.AddDate(1, 0, 0)}
					if err := replicas[1-by].check(far); !errors.Is(err, session.ErrRevoked) {
						t.Errorf("revocation %d, seen by the other replica = %v, want ErrRevoked", ended, err)
					}
					pass(time.Second)
				}
				pass(3 * time.Hour)
			}
			for range 200 {
				pass(time.Second)
				refresh()
			}
			store.n = 0
			if refresh(); store.n > 2 {
				t.Errorf("a refresh of both reads %d revocations that they have", store.n)
			}
		})
	}
}
