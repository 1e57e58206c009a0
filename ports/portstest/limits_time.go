package portstest

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"orgd/domain/limit"
	"orgd/ports"
)

// limiterAnyPeriod lets several goroutines try all the time, for more than two
// periods, and looks at every period of the window's length: no more than the cap
// is admitted in it, and nothing is refused unless 99 % of the cap were.
func limiterAnyPeriod(t *testing.T, l ports.Limiter) {
	const (
		cap    = 200
		length = time.Second
	)
	ask := bySubject("s", limiterWindow("w", cap, length))
	admitted, refused := attempts(t, l, ask, 32, 5*length/2)
	if n := mostWithin(admitted, length); n > cap {
		t.Errorf("%d requests were admitted within %v, want at most %d", n, length, cap)
	}
	for _, r := range refused {
		if n := overlapping(admitted, span{r.from - length - length/100, r.to}); n < cap*99/100 {
			t.Fatalf("a request was refused when %d at most had been admitted within %v, want 99 %% of %d", n, length, cap)
		}
	}
	if len(admitted) <= cap || len(refused) == 0 {
		t.Errorf("%d requests were admitted and %d refused, want more than %d and some", len(admitted), len(refused), cap)
	}
}

// span is when a request was decided: not before from and not after to.
type span struct{ from, to time.Duration }

// attempts asks from n goroutines, with short random pauses, and returns the
// spans of the requests.
func attempts(t *testing.T, l ports.Limiter, ask limit.Ask, n int, during time.Duration) (admitted, refused []span) {
	var (
		start = time.Now()
		wg    sync.WaitGroup
		mu    sync.Mutex
	)
	for i := range n {
		wg.Go(func() {
			random := rand.New(rand.NewPCG(1, uint64(i)))
			for time.Since(start) < during {
				s := span{from: time.Since(start)}
				g, err := l.Admit(t.Context(), ask)
				s.to = time.Since(start)
				if err != nil {
					t.Errorf("Admit = %v, want a decision", err)
					return
				}
				mu.Lock()
				if g.Denied == nil {
					admitted = append(admitted, s)
				} else {
					refused = append(refused, s)
				}
				mu.Unlock()
				time.Sleep(time.Duration(random.IntN(2000)) * time.Microsecond)
			}
		})
	}
	wg.Wait()
	return admitted, refused
}

// overlapping returns the number of requests that may have been decided within
// the span.
func overlapping(spans []span, within span) int {
	n := 0
	for _, s := range spans {
		if s.to >= within.from && s.from <= within.to {
			n++
		}
	}
	return n
}

// mostWithin returns the greatest number of requests that were certainly decided
// within one period.
func mostWithin(spans []span, length time.Duration) int {
	most := 0
	for _, first := range spans {
		n := 0
		for _, s := range spans {
			if s.from >= first.from && s.to <= first.from+length {
				n++
			}
		}
		most = max(most, n)
	}
	return most
}

// limiterManyAtOnce lets 100 goroutines start together, many times.
func limiterManyAtOnce(t *testing.T, l ports.Limiter) {
	const cap = 37
	for round := range 20 {
		key := fmt.Sprint("round ", round)
		ask := limit.Ask{
			Address: key, AddressWindows: []limit.Window{limiterWindow("wide", 1000, time.Minute)},
			Subject: key, SubjectWindows: []limit.Window{limiterWindow("wide", 100, time.Minute), limiterWindow("w", cap, time.Minute)},
		}
		if n := admittedOf(t, l, ask, 100); n != cap {
			t.Errorf("%d of 100 parallel requests were admitted, want %d", n, cap)
		}
	}
}

// admittedOf returns how many of n requests are admitted that start together.
func admittedOf(t *testing.T, l ports.Limiter, ask limit.Ask, n int) int {
	var admitted atomic.Int64
	var wg sync.WaitGroup
	start := make(chan struct{})
	for range n {
		wg.Go(func() {
			<-start
			g, err := l.Admit(t.Context(), ask)
			if err != nil {
				t.Errorf("Admit = %v, want a decision", err)
			} else if g.Denied == nil {
				admitted.Add(1)
			}
		})
	}
	close(start)
	wg.Wait()
	return int(admitted.Load())
}

// limiterDeniedNotCounted keeps knocking at a full window: it opens in time
// nevertheless, a hundredth of the period late at most.
func limiterDeniedNotCounted(t *testing.T, l ports.Limiter) {
	const length = time.Second
	ask := byAddress("a", limiterWindow("w", 5, length))
	limiterExpect(t, l, ask, "")
	counted := time.Now() // or earlier
	for range 4 {
		limiterExpect(t, l, ask, "")
	}
	for {
		asked := time.Now()
		if limiterAdmit(t, l, ask).Denied == nil {
			return
		}
		if late := asked.Sub(counted) - length; late > length/100 {
			t.Fatalf("the window is still full %v after the request that made room has left it", late)
		}
		time.Sleep(2 * time.Millisecond)
	}
}

// limiterRetryAfter compares RetryAfter with when the window really opens.
func limiterRetryAfter(t *testing.T, l ports.Limiter) {
	for n := range 100 {
		if retryAfterIsRight(t, l, bySubject(fmt.Sprint("s", n), limiterWindow("w", 2, retryLength))) {
			return
		}
	}
	t.Fatal("the window has always opened before it was asked")
}

const retryLength = 1500 * time.Millisecond

// retryAfterIsRight reports false if the machine was so busy that the window was
// open again before it was asked.
func retryAfterIsRight(t *testing.T, l ports.Limiter, ask limit.Ask) bool {
	const length = retryLength
	start := time.Now()
	limiterExpect(t, l, ask, "")
	counted := time.Since(start)
	time.Sleep(300 * time.Millisecond) // so that RetryAfter has a fraction to round up
	limiterExpect(t, l, ask, "")

	asked := time.Since(start)
	third := limiterAdmit(t, l, ask)
	answered := time.Now()
	if third.Denied == nil && answered.Sub(start) >= length {
		return false
	}
	if third.Denied == nil || third.Denied.Name != "w" {
		t.Fatalf("Admit = %+v, want refused by w", third)
	}
	after := third.Denied.RetryAfter
	// The first request was counted between 0 and counted, the third decided
	// between asked and answered.
	if latest := counted + length + length/100 - asked + time.Second; after > latest {
		t.Errorf("RetryAfter = %v, want at most %v", after, latest)
	}
	if after%time.Second != 0 || after <= 0 {
		t.Errorf("RetryAfter = %v, want whole seconds", after)
	}
	time.Sleep(time.Until(answered.Add(after)))
	limiterExpect(t, l, ask, "")
	return true
}

// limiterLongestWait fills three windows and expects the wait of the longest,
// whoever of its group or of the other group refuses first.
func limiterLongestWait(t *testing.T, l ports.Limiter) {
	short, long := limiterWindow("short", 1, 20*time.Second), limiterWindow("long", 1, time.Minute)
	limiterExpect(t, l, bySubject("s", short, long), "")
	g := limiterExpect(t, l, bySubject("s", short, long), "long")
	limiterIsAboutAMinute(t, g)

	limiterExpect(t, l, byAddress("a", short), "")
	g = limiterAdmit(t, l, limit.Ask{
		Address: "a", AddressWindows: []limit.Window{short},
		Subject: "s", SubjectWindows: []limit.Window{long},
	})
	limiterIsAboutAMinute(t, g)

	// The refused request may itself fill the window of the other group.
	g = limiterAdmit(t, l, limit.Ask{
		Address: "b", AddressWindows: []limit.Window{long},
		Subject: "s", SubjectWindows: []limit.Window{short},
	})
	if g.Denied == nil {
		t.Fatal("Admit: admitted, want refused by short")
	}
	if full := g.Usages[0].Remaining == 0; full {
		limiterIsAboutAMinute(t, g)
	}
}

func limiterIsAboutAMinute(t *testing.T, g limit.Grant) {
	t.Helper()
	if g.Denied == nil {
		t.Fatal("Admit: admitted, want refused")
	}
	if after := g.Denied.RetryAfter; after < 30*time.Second || after > 62*time.Second {
		t.Errorf("RetryAfter = %v, want about a minute", after)
	}
}
