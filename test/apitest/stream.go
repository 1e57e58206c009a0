package apitest

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"

	sse "orgd/test/api"
)

// streamPath is where events are followed.
const streamPath = "/activities/stream"

const eventsType = "text/event-stream"

// firstBlock reads the beginning of a stream, which has no end.
func firstBlock(body io.Reader) ([]byte, error) {
	var read bytes.Buffer
	_, err := sse.NewEvents(io.TeeReader(body, &read)).Next()
	if errors.Is(err, io.EOF) { // the answer to HEAD
		err = nil
	}
	return read.Bytes(), err
}

// stream is an open stream of events.
type stream struct {
	c      *client
	blocks chan sse.Event
	err    error // why there are no more blocks, once blocks is closed
	last   string
	cancel context.CancelFunc
	// known are the ids of events that are passed over: a stream that was just
	// begun may have what another replica has shown already.
	known map[string]bool
}

// without has the stream pass over events that are known.
func (s *stream) without(known []string) *stream {
	s.known = map[string]bool{}
	for _, id := range known {
		s.known[id] = true
	}
	return s
}

// passes reports whether a block is an event that is known.
func (s *stream) passes(b sse.Event) bool {
	if len(s.known) == 0 || b.Data == "" {
		return false
	}
	v, err := decode([]byte(b.Data))
	e, isObject := v.(obj)
	return err == nil && isObject && s.known[idsOf([]obj{e})[0]]
}

// follow opens a stream on the next replica and returns when it has begun. last
// is the id to go on behind, "" for from now on.
func (c *client) follow(path, last string) *stream {
	c.t.Helper()
	s, resp := c.tryFollow(path, last)
	if s == nil {
		c.t.Fatalf("GET %s = %d, want a stream", path, resp.status)
	}
	return s
}

// tryFollow is follow for a request that may be refused.
func (c *client) tryFollow(path, last string) (*stream, *reply) {
	c.t.Helper()
	if last != "" {
		c = c.with("Last-Event-ID", last)
	}
	r, _ := c.request(http.MethodGet, path, nil)
	ctx, cancel := context.WithCancel(c.t.Context())
	endless := *c.http
	endless.Timeout = 0
	resp, err := endless.Do(r.WithContext(ctx))
	if err != nil {
		cancel()
		c.t.Fatalf("GET %s: %v", path, err)
	}
	if resp.StatusCode != http.StatusOK {
		defer cancel()
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		if err != nil {
			c.t.Fatalf("GET %s: read the answer: %v", path, err)
		}
		return nil, &reply{t: c.t, what: "GET " + path, status: resp.StatusCode, header: resp.Header, body: body}
	}
	s := &stream{c: c, blocks: make(chan sse.Event, 10_000), cancel: cancel}
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer resp.Body.Close()
		s.read(sse.NewEvents(resp.Body))
	}()
	c.t.Cleanup(func() {
		cancel()
		<-done
	})
	if b := s.block(); b.ID == "" || b.Data != "" {
		c.t.Errorf("GET %s begins with %+v, want an id", path, b)
	}
	return s, nil
}

func (s *stream) read(events *sse.Events) {
	defer close(s.blocks)
	for {
		b, err := events.Next()
		if err != nil {
			s.err = err
			return
		}
		s.blocks <- b
	}
}

// errQuiet says that nothing came in time.
var errQuiet = errors.New("nothing came in time")

// block returns the next block, which must come soon.
func (s *stream) block() sse.Event {
	s.c.t.Helper()
	b, err := s.wait(within)
	if err != nil {
		s.c.t.Fatalf("waiting for a block: %v", err)
	}
	return b
}

// wait returns the next block, errQuiet if none comes in time, or why there are
// no more.
func (s *stream) wait(d time.Duration) (sse.Event, error) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	for {
		select {
		case b, more := <-s.blocks:
			if !more {
				return sse.Event{}, s.err
			}
			s.last = b.ID
			if !s.passes(b) {
				return b, nil
			}
		case <-timer.C:
			return sse.Event{}, errQuiet
		}
	}
}

// events returns the next n events as they are in the feed.
func (s *stream) events(n int) []obj {
	s.c.t.Helper()
	var all []obj
	for len(all) < n {
		b := s.block()
		if b.Data == "" {
			continue
		}
		v, err := decode([]byte(b.Data))
		e, isObject := v.(obj)
		if b.Type != "" || err != nil || !isObject {
			s.c.t.Fatalf("event %+v: %v, want an object without a type of its own", b, err)
		}
		all = append(all, e)
	}
	return all
}

// ends waits until the service has ended the stream, cleanly and with a remark.
func (s *stream) ends(what string) {
	s.c.t.Helper()
	remark := ""
	for end := time.Now().Add(within); ; {
		b, err := s.wait(time.Until(end))
		switch {
		case errors.Is(err, errQuiet):
			s.c.t.Fatalf("the stream goes on %v after %s", within, what)
		case errors.Is(err, io.EOF) && remark != "":
			return
		case err != nil:
			s.c.t.Fatalf("after %s the stream ended with %v and remark %q, want a clean end with a remark", what, err, remark)
		}
		remark = b.Comment
	}
}

// close is what a client does that leaves.
func (s *stream) close() { s.cancel() }

// idsOf are the ids of events.
func idsOf(events []obj) []string {
	var ids []string
	for _, e := range events {
		id, _ := e["id"].(string)
		ids = append(ids, id)
	}
	return ids
}

func typesOf(events []obj) string {
	var types []string
	for _, e := range events {
		typ, _ := e["event_type"].(string)
		types = append(types, typ)
	}
	return strings.Join(types, " ")
}
