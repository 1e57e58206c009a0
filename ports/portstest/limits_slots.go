package portstest

import (
	"context"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"orgd/domain/fault"
	"orgd/domain/limit"
	"orgd/ports"
)

// limiterSlot asks for a slot and nothing else.
func limiterSlot(cap int) limit.Ask {
	return limit.Ask{Subject: "s", Slot: &limit.Slot{Name: "op", Key: "k", Cap: cap}}
}

// limiterFree asks until a slot has become free, as it must within a second.
func limiterFree(t *testing.T, l ports.Limiter, ask limit.Ask) limit.Grant {
	t.Helper()
	deadline := time.Now().Add(20 * time.Second) // all but one for a slow machine
	for {
		g := limiterAdmit(t, l, ask)
		if g.Denied == nil {
			return g
		}
		if time.Now().After(deadline) {
			t.Fatal("no slot became free after Release")
		}
		time.Sleep(2 * time.Millisecond)
	}
}

// limiterStaysFull expects that no slot is free and none becomes free.
func limiterStaysFull(t *testing.T, l ports.Limiter, ask limit.Ask) {
	t.Helper()
	for range 20 {
		g := limiterExpect(t, l, ask, ask.Slot.Name)
		if f := fault.Of(g.Denied.Err()); f.Code != fault.ConcurrencyLimited || f.RetryAfter != time.Second {
			t.Fatalf("Err() = code %d after %v, want 5002 after 1 s", f.Code, f.RetryAfter)
		}
		g.Release() // of a refusal: frees nothing
		time.Sleep(5 * time.Millisecond)
	}
}

func limiterSlots(t *testing.T, l ports.Limiter) {
	const cap = 3
	var running, admitted atomic.Int32
	var wg sync.WaitGroup
	for i := range uint64(100) {
		wg.Go(func() {
			random := rand.New(rand.NewPCG(1, i))
			for range 20 {
				g, err := l.Admit(t.Context(), limiterSlot(cap))
				if err != nil {
					t.Errorf("Admit = %v, want a decision", err)
					return
				}
				if g.Denied == nil {
					admitted.Add(1)
					if n := running.Add(1); n > cap {
						t.Errorf("%d run at once, want at most %d", n, cap)
					}
					time.Sleep(time.Duration(random.IntN(2000)) * time.Microsecond)
					running.Add(-1)
				}
				g.Release()
			}
		})
	}
	wg.Wait()
	if n := admitted.Load(); n < cap {
		t.Errorf("%d were admitted, want at least %d", n, cap)
	}
	for range cap {
		limiterFree(t, l, limiterSlot(cap))
	}
	limiterStaysFull(t, l, limiterSlot(cap))
}

func limiterReleaseOnce(t *testing.T, l ports.Limiter) {
	ask := limiterSlot(2)
	first := limiterExpect(t, l, ask, "")
	limiterExpect(t, l, ask, "")
	limiterStaysFull(t, l, ask)

	var wg sync.WaitGroup
	for range 10 {
		wg.Go(first.Release)
	}
	wg.Wait()
	limiterFree(t, l, ask)
	limiterStaysFull(t, l, ask)
	first.Release() // again, when somebody else has the slot
	limiterStaysFull(t, l, ask)
}

func limiterReleaseLater(t *testing.T, l ports.Limiter) {
	ctx, cancel := context.WithCancel(t.Context())
	g, err := l.Admit(ctx, limiterSlot(1))
	if err != nil || g.Denied != nil {
		t.Fatalf("Admit = %v, %v, want admitted", g.Denied, err)
	}
	cancel()
	limiterStaysFull(t, l, limiterSlot(1))
	g.Release()
	limiterFree(t, l, limiterSlot(1))
}

func limiterDeniedNoSlot(t *testing.T, l ports.Limiter) {
	full, wide := limiterWindow("full", 1, time.Minute), limiterWindow("wide", 2, time.Minute)
	limiterExpect(t, l, byAddress("a", full), "")
	limiterExpect(t, l, bySubject("s", full), "")

	byWindow := limiterSlot(1) // refused by a window of its own group
	byWindow.SubjectWindows = []limit.Window{full}
	limiterExpect(t, l, byWindow, "full")
	byOther := limiterSlot(1) // refused by the other group
	byOther.Address, byOther.AddressWindows = "a", []limit.Window{full}
	limiterExpect(t, l, byOther, "full")

	limiterExpect(t, l, limiterSlot(1), "")
	bySlot := limiterSlot(1) // refused by the slot: counts in no window of the group
	bySlot.SubjectWindows = []limit.Window{wide}
	for range 5 {
		limiterExpect(t, l, bySlot, "op")
	}
	limiterExpect(t, l, bySubject("s", wide), "")
	limiterExpect(t, l, bySubject("s", wide), "")
	limiterExpect(t, l, bySubject("s", wide), "wide")
}
