package apitest

import (
	"os"
	"sync"
	"testing"

	"orgd/test/seed"
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

// random returns a source of random choices.
func random(t *testing.T) mutator { return mutator{seed.Rand(t)} }

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
