package apitest

import (
	"math/rand/v2"
	"os"
	"strconv"
	"sync"
	"testing"
	"time"
)

// attackChecks try in bulk what somebody might try who means harm, or whose
// program is broken. Where tests are to be short, as with the race detector, only
// what happens at the same time is tried.
func attackChecks() map[string]check {
	if testing.Short() {
		return map[string]check{"Orders": parallelOrders}
	}
	return map[string]check{
		"Bodies":    hostileBodies,
		"Names":     hostileNames,
		"Operators": hostileOperators,
		"Orders":    parallelOrders,
	}
}

// size is short, or long if ORGD_LONG=1. Where tests are to be small, as with the
// race detector, a fifth is enough.
func size(short, long int) int {
	switch {
	case os.Getenv("ORGD_LONG") == "1":
		return long
	case testing.Short():
		return short / 5
	}
	return short
}

// random returns a source of random choices, the same in each short run, so that
// no change is held up by what it did not cause. ORGD_SEED repeats those of a
// long one.
func random(t *testing.T) mutator {
	t.Helper()
	seed := uint64(size(1, int(time.Now().UnixNano())))
	if text := os.Getenv("ORGD_SEED"); text != "" {
		var err error
		if seed, err = strconv.ParseUint(text, 10, 64); err != nil {
			t.Fatalf("ORGD_SEED: %v", err)
		}
	}
	t.Logf("ORGD_SEED=%d", seed)
	return mutator{rand.New(rand.NewPCG(seed, 0))}
}

// workers is how many goroutines attack at once.
const workers = 8

// inParallel calls work from as many goroutines as there are workers.
func inParallel(work func(worker int)) {
	var all sync.WaitGroup
	for i := range workers {
		all.Go(func() { work(i) })
	}
	all.Wait()
}
