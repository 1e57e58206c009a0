package request

import (
	"context"
	"runtime"

	"golang.org/x/sync/semaphore"

	"orgd/domain/limit"
)

// Turns limit how many large reads run at once, so that small reads need not wait for
// them. There is one turn less than there are processors: the last one is for all other
// requests.
type Turns struct {
	// A large read acquires Large before All. So no more large reads wait for All than
	// there are turns, and any other read waits for these at most.
	Large, All *semaphore.Weighted
	// Long bounds the answers that are sent while they are made.
	Long *limit.Places
	// Readers counts the bytes that each subject reads.
	Readers limit.Readers
	// Denied is called with the name of the limit for each read that is refused.
	Denied func(limiter string)
}

// NewTurns returns the turns of a server.
func NewTurns(denied func(limiter string)) *Turns {
	n := int64(max(1, runtime.GOMAXPROCS(0)-1))
	return &Turns{Large: semaphore.NewWeighted(n), All: semaphore.NewWeighted(n), Long: limit.LongAnswers(), Denied: denied}
}

// acquire waits for the turn of a large read.
func (t *Turns) acquire(ctx context.Context) error {
	if err := t.Large.Acquire(ctx, 1); err != nil {
		return err
	}
	err := t.All.Acquire(ctx, 1)
	if err != nil {
		t.Large.Release(1)
	}
	return err
}

func (t *Turns) release() {
	t.All.Release(1)
	t.Large.Release(1)
}
