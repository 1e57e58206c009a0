package httpapi

import (
	"context"
	"runtime"

	"golang.org/x/sync/semaphore"

	"orgd/domain/limit"
)

// turns are waited for by reads that are or may be large, so that small ones need not
// wait for them. One fewer has a turn at once than there are processors: the last one is
// for everybody else.
type turns struct {
	// large have those who read much, before they wait for one of all. So there are no more
	// of them before anybody else than have turns.
	large, all *semaphore.Weighted
	long       *limit.Places // of answers that are sent while they are made
	readers    limit.Readers
	denied     func(limiter string) // is called for each read that is refused
}

func newTurns(denied func(limiter string)) *turns {
	n := int64(max(1, runtime.GOMAXPROCS(0)-1))
	return &turns{large: semaphore.NewWeighted(n), all: semaphore.NewWeighted(n), long: limit.LongAnswers(), denied: denied}
}

// acquire waits for the turn of somebody who reads much.
func (t *turns) acquire(ctx context.Context) error {
	if err := t.large.Acquire(ctx, 1); err != nil {
		return err
	}
	err := t.all.Acquire(ctx, 1)
	if err != nil {
		t.large.Release(1)
	}
	return err
}

func (t *turns) release() {
	t.all.Release(1)
	t.large.Release(1)
}
