package system

import (
	"regexp"
	"slices"
	"sync"
	"testing"
	"time"
)

func TestClock(t *testing.T) {
	before := time.Now()
	got := Clock{}.Now()
	if got.Location() != time.UTC || got.Nanosecond()%int(time.Millisecond) != 0 {
		t.Errorf("Now = %v, want UTC and whole milliseconds", got)
	}
	if early := before.Sub(got); early > time.Millisecond || early < -time.Minute {
		t.Errorf("Now = %v, want about %v", got, before)
	}
}

func TestThisBuild(t *testing.T) {
	if b := ThisBuild(); b.Commit != "unknown" || b.Committed != "" {
		t.Errorf("ThisBuild of a test = %+v, want an unknown commit without a time", b)
	}
	commit, committed = "c0ffee", "2026-01-02T03:04:05Z"
	t.Cleanup(func() { commit, committed = "", "" })
	if b := ThisBuild(); b.Commit != commit || b.Committed != committed {
		t.Errorf("ThisBuild of an image = %+v, want what its build has set", b)
	}
}

func TestNewID(t *testing.T) {
	form := regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)
	last := ""
	for range 10_000 {
		id := IDs{}.NewID()
		if !form.MatchString(id) || id <= last {
			t.Fatalf("NewID = %q after %q, want an ascending UUIDv7", id, last)
		}
		last = id
	}
}

func TestNewIDParallel(t *testing.T) {
	const goroutines, each = 8, 1000
	made := make([][]string, goroutines)
	var running sync.WaitGroup
	for g := range made {
		running.Go(func() {
			for range each {
				made[g] = append(made[g], IDs{}.NewID())
			}
		})
	}
	running.Wait()
	var all []string
	for _, ids := range made {
		if !slices.IsSorted(ids) {
			t.Error("NewID does not ascend within a goroutine")
		}
		all = append(all, ids...)
	}
	slices.Sort(all)
	if n := len(slices.Compact(all)); n != goroutines*each {
		t.Errorf("NewID made %d different ids, want %d", n, goroutines*each)
	}
}
