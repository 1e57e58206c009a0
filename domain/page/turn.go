package page

import (
	"context"
	"time"

	"orgd/domain/fault"
)

// SmallBytes is up to how many bytes an answer is small. What is larger takes much
// processor time, so it is read and made by few at once, which take turns: then what is
// small need not wait for it.
const SmallBytes = 128 << 10

// MaxWait is how long a read waits for its turn at most.
const MaxWait = 2 * time.Second

// ErrLarge refuses a read of more than [SmallBytes] that has no turn.
var ErrLarge = fault.New(fault.ConcurrencyLimited, "others are reading as much; try again, or ask for less")

type smallOnly struct{}

// WithoutTurn returns a context in which a read ends with [ErrLarge] as soon as it turns
// out to be large.
func WithoutTurn(ctx context.Context) context.Context {
	return context.WithValue(ctx, smallOnly{}, true)
}

// WithTurn returns a context in which it does not.
func WithTurn(ctx context.Context) context.Context { return context.WithValue(ctx, smallOnly{}, false) }

// Allow returns [ErrLarge] if so many bytes are large and ctx has no turn for them.
func Allow(ctx context.Context, size int) error {
	if size > SmallBytes && ctx.Value(smallOnly{}) == true {
		return ErrLarge.After(MaxWait)
	}
	return nil
}
