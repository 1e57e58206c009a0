package limit

import (
	"fmt"
	"testing"
	"time"
)

func TestReaders(t *testing.T) {
	var r Readers
	now := time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC)
	after := func(d time.Duration) { now = now.Add(d) }
	want := func(subject string, much bool) {
		t.Helper()
		if got := r.HasMuch(subject, now); got != much {
			t.Errorf("HasMuch(%s) = %t, want %t", subject, got, much)
		}
	}
	for range 1000 {
		r.Count("small", smallAnswer, now)
	}
	r.Count("exact", much, now)
	r.Count("more", much, now)
	r.Count("more", smallAnswer+1, now)
	r.Count("most", 100*much, now)
	want("nobody", false)
	want("small", false)
	want("exact", false)
	want("more", true)
	want("most", true)
	after(2 * time.Second)
	want("more", false)
	after(61 * time.Second)
	want("most", true)
	after(2 * time.Second)
	want("most", false)
	r.Count("exact", smallAnswer+1, now) // of what it had before, almost all is forgotten
	want("exact", false)
}

// What is forgotten takes no memory.
func TestReadersAreForgotten(t *testing.T) {
	var r Readers
	now := time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC)
	for i := range 10_000 {
		r.Count(fmt.Sprint(i), 1<<20, now)
		now = now.Add(time.Second)
		if len(r.read) > 100 {
			t.Fatalf("%d subjects are known", len(r.read))
		}
	}
}
