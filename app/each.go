package app

import "orgd/domain/organization"

const (
	// writesAtOnce is how many agents are stored at the same time. Stores commit them
	// in batches.
	writesAtOnce = 32
	// bytesAtOnce bounds the sizes of these agents, unless it is one. A change of an
	// agent takes several times as much memory.
	bytesAtOnce = 2 << 20
)

// each runs operations, several at the same time, and starts no more after one has
// failed. It asks before for each of them whether it may start. It returns how many
// were done, and the first error.
func each(ops []organization.Operation, before, run func(organization.Operation) error) (done int, err error) {
	type result struct {
		size int
		err  error
	}
	var (
		results        = make(chan result)
		running, bytes int
		first          error
	)
	wait := func() {
		r := <-results
		running, bytes = running-1, bytes-r.size
		if r.err == nil {
			done++
		} else if first == nil {
			first = r.err
		}
	}
	for _, op := range ops {
		for running == writesAtOnce || running > 0 && bytes+op.Size > bytesAtOnce {
			wait()
		}
		if first == nil {
			first = before(op)
		}
		if first != nil {
			break
		}
		running, bytes = running+1, bytes+op.Size
		go func() { results <- result{op.Size, run(op)} }()
	}
	for running > 0 {
		wait()
	}
	return done, first
}
