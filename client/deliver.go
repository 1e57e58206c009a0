package client

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"time"
)

// item is an event of a batch.
type item struct {
	event
	of *bundle
}

// deliver sends events until each is accepted, rejected, or refused because of its agent. It
// returns the refused ones, and all that are left when ctx ends.
func (s *sender) deliver(ctx context.Context, items []item) (left []item) {
	if len(items) == 0 {
		return nil
	}
	key := IdempotencyKey(rand.Text())
	var body []json.RawMessage // always the same with this key
	for {
		err := s.askTime(ctx, items)
		if err == nil {
			if body == nil {
				body = s.corrected(items)
			}
			err = s.post(ctx, body, key)
		}
		if isTokenRefused(err) {
			s.runtime.event("refused", map[string]any{"detail": err.Error()})
		}
		e, _ := errors.AsType[*Error](err)
		switch {
		case err == nil:
			s.failures = 0
			s.lessen(len(items))
			return nil
		case e != nil && (e.Status == http.StatusBadRequest && e.Code != 0 || e.Status == http.StatusRequestEntityTooLarge):
			return s.divide(ctx, items, e)
		case e != nil && e.Code == ErrForbidden:
			return s.byAgent(ctx, items)
		case !s.pause(ctx, err):
			return items
		}
	}
}

// post sends a batch once.
func (s *sender) post(ctx context.Context, body []json.RawMessage, key Option) error {
	var result ReportResult
	err := s.runtime.timed(ctx, "report", 6*s.runtime.cfg.Timeout, func(ctx context.Context) (err error) {
		result, err = post[ReportResult](ctx, s.runtime.client, path("activities"), map[string]any{"events": body}, []Option{key})
		return err
	})
	if err == nil {
		s.runtime.event("reported", map[string]any{"accepted": int(result.Accepted), "duplicates": int(result.Duplicates)})
		s.warn(result.Warnings)
	}
	return err
}

// place is where in a batch the service has found what it warns of.
var place = regexp.MustCompile(`^events\[\d+\]\.`)

// warn tells the hook of each warning once, wherever in a batch that was found.
func (s *sender) warn(warnings []string) {
	for _, text := range warnings {
		text = place.ReplaceAllString(text, "")
		if slices.Contains(s.warnings, text) {
			continue
		}
		s.warnings = append(s.warnings[max(0, len(s.warnings)+1-maxWarnings):], text)
		s.runtime.event("warning", map[string]any{"detail": text})
	}
}

// divide rejects the events that the answer names and sends the others. If it names none, it
// looks for them in both halves.
func (s *sender) divide(ctx context.Context, items []item, e *Error) (left []item) {
	bad := map[int]string{}
	for _, m := range e.Mistakes {
		var i int
		if n, _ := fmt.Sscanf(m.Path, "events[%d]", &i); n == 1 && bad[i] == "" {
			bad[i] = m.Path + ": " + m.Text
		}
	}
	if len(bad) == 0 && len(items) == 1 {
		bad[0] = e.Detail
	}
	if len(bad) == 0 {
		half := len(items) / 2
		return append(s.deliver(ctx, items[:half]), s.deliver(ctx, items[half:])...)
	}
	var others []item
	for i, it := range items {
		if bad[i] == "" {
			others = append(others, it)
			continue
		}
		var object Object
		_ = decode(it.Event, &object) // it was read before
		s.runtime.event("rejected", map[string]any{"event": object, "detail": bad[i]})
		s.lessen(1)
	}
	return s.deliver(ctx, others)
}

// byAgent sends the events of each agent alone, as the token may be allowed to report about
// some. Those of one agent are left.
func (s *sender) byAgent(ctx context.Context, items []item) (left []item) {
	var agents []string
	of := map[string][]item{}
	for _, it := range items {
		fields, _ := it.fields() // it was read before
		agent := string(fields["agent"])
		if of[agent] == nil {
			agents = append(agents, agent)
		}
		of[agent] = append(of[agent], it)
	}
	if len(agents) == 1 {
		return items
	}
	for _, agent := range agents {
		left = append(left, s.deliver(ctx, of[agent])...)
	}
	return left
}

// askTime makes sure that the service's clock is known if times are of the clock here.
func (s *sender) askTime(ctx context.Context, items []item) error {
	_, known := s.runtime.clock.offset()
	if known || s.asked || !slices.ContainsFunc(items, func(i item) bool { return i.Stamped }) {
		return nil
	}
	err := s.runtime.timed(ctx, "clock", s.runtime.cfg.Timeout, func(ctx context.Context) error {
		_, err := s.runtime.client.Me(ctx)
		return err
	})
	if f, ok := errors.AsType[*Failure](err); ok && f.Lost || errors.As(err, new(errToken)) {
		return err
	}
	s.asked = true // any other answer has the time, or none ever has
	return nil
}

// corrected returns the events as they are sent.
func (s *sender) corrected(items []item) (all []json.RawMessage) {
	ahead, _ := s.runtime.clock.offset()
	for _, it := range items {
		if it.Stamped && ahead.Abs() > maxOffset {
			it.move(ahead)
		}
		all = append(all, it.Event)
	}
	return all
}

// move changes the time of an event.
func (e *event) move(by time.Duration) {
	fields, err := e.fields()
	var at time.Time
	if err != nil || json.Unmarshal(fields["timestamp"], &at) != nil {
		return
	}
	fields["timestamp"], _ = json.Marshal(at.Add(by)) // it is within bounds, or the event is rejected
	if text, err := encode(fields); err == nil {
		e.Event = text
	}
}

// pause waits after a failure, longer from one to the next. It reports whether to go on.
func (s *sender) pause(ctx context.Context, err error) bool {
	asked := time.Now().Add(retryAfterOf(err))
	wait := times(min(time.Second<<min(s.failures, 5), maxSendPause), jitter())
	s.failures++
	select {
	case <-time.After(max(wait, time.Until(asked))):
	case <-s.hurry:
		sleep(ctx, time.Until(asked))
	case <-ctx.Done():
	}
	return ctx.Err() == nil
}
