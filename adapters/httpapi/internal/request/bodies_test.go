package request

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// body is one that takes memory in a test.
type body struct {
	*hold
	gone atomic.Bool // it was told to give way
}

func (p *pool) body(subject string) *body {
	b := new(body)
	b.hold = p.hold(subject, func() { b.gone.Store(true) })
	return b
}

// must has the body grow at once.
func (b *body) must(t *testing.T, bytes int64) {
	t.Helper()
	begin := time.Now()
	if err := b.grow(t.Context(), bytes); err != nil || time.Since(begin) != 0 {
		t.Fatalf("grow(%d) of %s = %v after %v, want nil at once", bytes, b.subject, err, time.Since(begin))
	}
}

// later has the body grow when it can. The result is of what came of it, and when.
func (b *body) later(ctx context.Context, bytes int64) <-chan string {
	begin, done := time.Now(), make(chan string, 1)
	go func() { done <- fmt.Sprint(b.grow(ctx, bytes), " after ", time.Since(begin)) }()
	synctest.Wait()
	return done
}

func wantLater(t *testing.T, what string, got <-chan string, want string) {
	t.Helper()
	synctest.Wait()
	select {
	case g := <-got:
		if g != want {
			t.Errorf("%s: %s, want %s", what, g, want)
		}
	default:
		t.Errorf("%s still waits, want %s", what, want)
	}
}

func testPool() *pool { return &pool{all: 10 * weight, each: 6 * weight} }

func (p *pool) wantEmpty(t *testing.T) {
	t.Helper()
	if p.taken != 0 || len(p.arriving) != 0 || len(p.waiting) != 0 {
		t.Errorf("the pool has %d bytes, %d arriving, %d waiting, want nothing", p.taken, len(p.arriving), len(p.waiting))
	}
	for subject := range p.subjects {
		if a := p.has(subject); a.taken != 0 {
			t.Errorf("%s has %d bytes, want none", subject, a.taken)
		}
	}
}

// What is given back goes to who waits, and a subject has its part at most.
func TestPool(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := testPool()
		a, b := p.body("ann"), p.body("ann")
		a.must(t, 2)
		a.must(t, 1) // it has it
		b.must(t, 4)
		if err := errors.Join(a.stay(), b.stay()); err != nil {
			t.Fatal(err)
		}
		third, other := p.body("ann"), p.body("bob")
		waits := third.later(t.Context(), 1)
		other.must(t, 4) // does not wait behind one whose subject may have no more
		time.Sleep(3 * time.Second)
		a.release()
		wantLater(t, "the third of ann's", waits, "<nil> after 3s")
		for _, h := range []*body{b, third, other} {
			h.release()
		}
		p.wantEmpty(t)
	})
}

// Who waits is refused after a while, or when the client leaves. Bodies that have arrived
// do not give way.
func TestPoolRefuses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := testPool()
		a, b := p.body("ann"), p.body("bob")
		a.must(t, 6)
		b.must(t, 4)
		if err := errors.Join(a.stay(), b.stay()); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		refused, left := p.body("cyd").later(t.Context(), 1), p.body("dan").later(ctx, 1)
		time.Sleep(bodyWait / 2)
		cancel()
		wantLater(t, "one who leaves", left, "context canceled after 5s")
		time.Sleep(bodyWait / 2)
		wantLater(t, "one who waits", refused, ErrBodies.Msg+" after 10s")
		a.release()
		b.release()
		p.wantEmpty(t)
	})
}

// A body that takes too long to arrive gives way: one of the subject that has most, and
// only if somebody waits who gets what it has.
func TestPoolGivesWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := testPool()
		slow, slower, honest := p.body("ann"), p.body("ann"), p.body("bob")
		slow.must(t, 3)
		time.Sleep(time.Millisecond)
		honest.must(t, 4)
		slower.must(t, 3)
		time.Sleep(time.Hour)
		own := p.body("ann").later(t.Context(), 1)
		if slow.gone.Load() || slower.gone.Load() || honest.gone.Load() {
			t.Fatal("a body gave way to one whose subject may have no more")
		}
		first := p.body("cyd")
		gets := first.later(t.Context(), 2)
		if !slow.gone.Load() || slower.gone.Load() || honest.gone.Load() {
			t.Fatalf("gave way: %v, %v, %v, want the first of who has most", slow.gone.Load(), slower.gone.Load(), honest.gone.Load())
		}
		if err := slow.stay(); !errors.Is(err, ErrBodies) {
			t.Errorf("stay = %v, want ErrBodies", err)
		}
		slow.release()
		wantLater(t, "cyd's", gets, "<nil> after 0s")
		wantLater(t, "ann's next", own, "<nil> after 0s")
		if err := honest.grow(t.Context(), 4); err != nil {
			t.Errorf("the body of somebody else = %v", err)
		}
	})
}

// A body has a second to arrive, and more if it is large, however many wait.
func TestPoolLease(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for size, want := range map[int64]time.Duration{1: time.Second, 1 << 20: time.Second, 8 << 20: 2 * time.Second} {
			p := &pool{all: size * weight, each: size * weight}
			slow := p.body("ann")
			slow.must(t, size)
			got := p.body("bob").later(t.Context(), 1)
			time.Sleep(want - time.Millisecond)
			synctest.Wait()
			if slow.gone.Load() {
				t.Errorf("a body of %d bytes gave way before %v", size, want)
			}
			time.Sleep(time.Millisecond)
			synctest.Wait()
			if !slow.gone.Load() {
				t.Errorf("a body of %d bytes did not give way after %v", size, want)
			}
			slow.release()
			wantLater(t, "bob's", got, fmt.Sprintf("<nil> after %v", want))
		}
	})
}

// However many of somebody's wait, one who has had nothing is the next when something is
// given back.
func TestPoolTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &pool{all: 4 * weight, each: 4 * weight}
		var greedy []<-chan string
		first := []*body{p.body("ann"), p.body("bob")}
		for _, b := range first {
			b.must(t, 2)
		}
		var next []*body
		for range 4 {
			for _, subject := range []string{"ann", "bob"} {
				b := p.body(subject)
				next = append(next, b)
				greedy = append(greedy, b.later(t.Context(), 2))
			}
		}
		last := p.body("cyd")
		honest := last.later(t.Context(), 4)
		time.Sleep(time.Second)
		synctest.Wait()
		if !first[0].gone.Load() && !first[1].gone.Load() {
			t.Fatal("nobody gave way to one who has nothing")
		}
		for _, b := range first {
			b.release()
		}
		wantLater(t, "cyd", honest, "<nil> after 1s")
		last.release()
		wantLater(t, "ann's second", greedy[0], "<nil> after 1s")
		wantLater(t, "bob's second", greedy[1], "<nil> after 1s")
		for _, waits := range greedy[2:] {
			if len(waits) > 0 {
				t.Errorf("a third got %s", <-waits)
			}
		}
		for _, b := range next {
			synctest.Wait()
			b.release()
		}
		p.wantEmpty(t)
	})
}

// Whose subject has least, and has had nothing for longest, is the next, and of several who
// came first. Who wants more than there is keeps others from overtaking him.
func TestPoolOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := testPool()
		greedy, whole := p.body("ann"), p.body("bob")
		greedy.must(t, 4)
		whole.must(t, 6)
		if err := errors.Join(greedy.stay(), whole.stay()); err != nil {
			t.Fatal(err)
		}
		more := p.body("ann").later(t.Context(), 2)
		large := p.body("cyd").later(t.Context(), 6)
		small := p.body("dan").later(t.Context(), 1)
		greedy.release()
		synctest.Wait()
		for what, waits := range map[string]<-chan string{"ann": more, "cyd": large, "dan": small} {
			if len(waits) > 0 {
				t.Errorf("%s got %s before there was enough for cyd", what, <-waits)
			}
		}
		whole.release()
		wantLater(t, "ann", more, "<nil> after 0s")
		wantLater(t, "cyd", large, "<nil> after 0s")
		wantLater(t, "dan", small, "<nil> after 0s")
	})
}
