// Package seed has the seed of the random choices that tests make.
//
// A short run has the same choices each time, so that no change is held up by what
// it did not cause. A long run, with ORGD_LONG=1, has new ones. ORGD_SEED sets
// others: a number repeats those of an earlier run, though not its timing, and
// "random" has new ones in a short run too.
package seed

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
)

// fixed is the seed of short runs.
const fixed = 1

// drawn is the seed of a process that has new choices.
var drawn = rand.Uint64()

// Number returns the seed and logs it.
func Number(t testing.TB) uint64 {
	t.Helper()
	n, err := parse(os.Getenv("ORGD_SEED"), os.Getenv("ORGD_LONG") == "1")
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("ORGD_SEED=%d", n)
	return n
}

// Rand returns a source with the seed. Only one goroutine may use it; further ones
// get a source of their own with a number from it as the seed.
func Rand(t testing.TB) *rand.Rand {
	t.Helper()
	return rand.New(rand.NewPCG(Number(t), 0))
}

// parse returns the seed for a text of ORGD_SEED, in a long run or a short one.
func parse(text string, long bool) (uint64, error) {
	switch {
	case text == "random" || text == "" && long:
		return drawn, nil
	case text == "":
		return fixed, nil
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return 0, fmt.Errorf(`ORGD_SEED must be "random" or a number: %w`, err)
	}
	return n, nil
}
