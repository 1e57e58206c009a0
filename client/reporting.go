package client

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"
)

// Report takes events to be reported in the background, and returns how many: those that
// find no room are dropped. It waits for the disk and not for the network. What lacks an id
// or a time gets it. What is no event is an error, and nothing is taken then.
func (r *Runtime) Report(events ...Report) (int, error) {
	all := make([]event, len(events))
	for i, e := range events {
		var err error
		if all[i], err = stamp(e); err != nil {
			return 0, fmt.Errorf("client: events[%d]: %w", i, err)
		}
	}
	return r.sender.add(all), nil
}

// stamp gives an event what it lacks.
func stamp(e Report) (event, error) {
	if e.Agent == "" {
		return event{}, errors.New("a report needs Agent")
	}
	stamped := e.Timestamp.IsZero()
	if stamped {
		e.Timestamp = time.Now()
	}
	e.Timestamp = e.Timestamp.UTC().Truncate(time.Millisecond)
	if e.ID == "" {
		e.ID = newUUID()
	}
	text, err := encode(e)
	if err != nil {
		return event{}, err
	}
	fields, err := event{Event: text}.fields()
	if err != nil || fields["data"][0] != '{' || len(fields["event_type"]) <= len(`""`) {
		return event{}, errors.New("a report needs a type, and Data that is an object")
	}
	return event{text, stamped}, nil
}

func newUUID() string {
	var b [16]byte
	rand.Read(b[:]) // never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// Flush has what is reported sent now, and waits until all is accepted or ctx ends. It
// returns how many events are still pending.
func (r *Runtime) Flush(ctx context.Context) int {
	s := r.sender
	select {
	case <-s.scanned:
	case <-ctx.Done():
	}
	s.endPauses()
	for {
		s.mu.Lock()
		count, fewer := s.count, s.fewer
		s.mu.Unlock()
		if count == 0 {
			return 0
		}
		select {
		case <-fewer:
		case <-ctx.Done():
			return count
		}
	}
}
