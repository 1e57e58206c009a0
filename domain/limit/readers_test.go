package limit

import (
	"fmt"
	"testing"
	"time"

	"orgd/domain/page"
)

func TestReaders(t *testing.T) {
	var r Readers
	now := time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC)
	after := func(d time.Duration) { now = now.Add(d) }
	want := func(subject string, want Appetite) {
		t.Helper()
		if got := r.Appetite(subject, now); got != want {
			t.Errorf("Appetite(%s) = %d, want %d", subject, got, want)
		}
	}
	for range 1000 {
		r.Count("small", page.SmallBytes, now)
	}
	r.Count("exact", much, now)
	r.Count("more", much, now)
	r.Count("more", page.SmallBytes+1, now)
	r.Count("most", 100*much, now)
	want("nobody", Unknown)
	want("small", Small)
	want("exact", Small)
	want("more", Large)
	want("most", Large)
	after(7 * time.Second)
	want("more", Large)
	after(2 * time.Second)
	want("more", Small)
	after(214 * time.Second)
	want("most", Large)
	after(2 * time.Second)
	want("most", Small)
	r.Count("exact", much, now) // what it had before is forgotten
	want("exact", Small)
	for range 3 {
		after(4 * time.Minute)
		r.Count("small", 1, now)
	}
	want("small", Small)
	want("more", Unknown)
}

// Who reads no more takes no memory.
func TestReadersAreForgotten(t *testing.T) {
	var r Readers
	now := time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC)
	for i := range 10_000 {
		r.Count(fmt.Sprint(i), 1<<20, now)
		now = now.Add(time.Second)
		if len(r.read) > 700 {
			t.Fatalf("%d subjects are known", len(r.read))
		}
	}
}
