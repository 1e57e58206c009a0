package client_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"orgd/client"
	"orgd/domain/fault"
)

// feed is a stream that has these pieces and then ends, breaks or hangs.
func feed(end error, pieces ...string) func(*http.Request) (*http.Response, error) {
	return func(r *http.Request) (*http.Response, error) {
		in, out := io.Pipe()
		context.AfterFunc(r.Context(), func() { out.CloseWithError(r.Context().Err()) })
		go func() {
			for _, p := range pieces {
				if _, err := io.WriteString(out, p); err != nil {
					return
				}
			}
			if end != errHangs {
				out.CloseWithError(end)
			}
		}()
		return &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {"text/event-stream"}}, Body: in, Request: r}, nil
	}
}

// errHangs says that nothing comes any more.
var errHangs = errors.New("hangs")

// event is a block with an event.
func event(place, id string) string {
	return fmt.Sprintf("id: %s\ndata: {\"id\":%q,\"event_type\":\"hired\"}\n\n", place, id)
}

// seen is what came of an item.
type seen struct {
	id, place string
	resync    bool
	failed    bool
}

// follow takes n items of a stream.
func follow(ctx context.Context, c *client.Client, q client.StreamQuery, n int) (all []seen) {
	for e, err := range c.StreamActivities(ctx, q) {
		if all = append(all, seen{e.ID, e.Position, e.Resync, err != nil}); len(all) == n {
			break
		}
	}
	return all
}

func (s *script) places() (all []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.requests {
		all = append(all, r.Header.Get("Last-Event-Id"))
	}
	return all
}

func TestStreamResumes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, s := talk(t,
			feed(nil, "retry: 5000\nid: p0\n\n", event("p1", "e1"), ": heartbeat\nid: p2\n\n"),
			feed(io.ErrUnexpectedEOF, "id: p2\r\n\r\n", "event: resync\nid: p3\ndata: {\"reason\":\"old\"}\n\n", "event: gossip\nid: p4\ndata: [\n\n", event("p5", "lost")[:10]),
			feed(errHangs, "data:{\"id\":\"e2\",\ndata: \"event_type\":\"fired\"}\nid:p6\n\n", ":\n\n"),
		)
		begin := time.Now()
		opened := 0
		got := follow(t.Context(), c, client.StreamQuery{
			Type: client.EventHired, Agent: "Ada", Window: client.LastWeek, After: "begin", Opened: func() { opened++ },
		}, 3)
		if opened != 3 {
			t.Errorf("Opened was called %d times, want 3", opened)
		}
		want := []seen{{id: "e1", place: "p1"}, {place: "p3", resync: true}, {id: "e2", place: "p6"}}
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(seen{})); diff != "" {
			t.Errorf("StreamActivities (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff([]string{"begin", "p2", "p4"}, s.places()); diff != "" {
			t.Errorf("Last-Event-ID (-want +got):\n%s", diff)
		}
		if took := time.Since(begin); took < 10*time.Second || took > 12500*time.Millisecond {
			t.Errorf("two connections again took %s, want what the service asked for", took)
		}
		r := s.requests[0]
		if got := r.URL.RequestURI(); got != "/prefix/api/v1/activities/stream?agent_id=Ada&last_n_hours=168&type=hired" {
			t.Errorf("GET %s", got)
		}
		if accept := r.Header.Get("Accept"); !strings.HasPrefix(accept, "text/event-stream") {
			t.Errorf("Accept = %s", accept)
		}
	})
}

func TestStreamNoticesSilence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, s := talk(t, feed(errHangs, event("p1", "e1")), feed(errHangs, event("p2", "e2")))
		begin := time.Now()
		got := follow(t.Context(), c, client.StreamQuery{}, 2)
		if took := time.Since(begin); len(got) != 2 || got[1].id != "e2" || took < 45*time.Second || took > 60*time.Second {
			t.Errorf("StreamActivities = %+v after %s, want another connection after 45 s", got, took)
		}
		if diff := cmp.Diff([]string{"", "p1"}, s.places()); diff != "" {
			t.Errorf("Last-Event-ID (-want +got):\n%s", diff)
		}
	})
}

// TestStreamWaitsForTheLoop: a loop that is busy is no silence.
func TestStreamWaitsForTheLoop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, s := talk(t, feed(errHangs, event("p1", "e1"), event("p2", "e2")))
		n := 0
		for _, err := range c.StreamActivities(t.Context(), client.StreamQuery{}) {
			if err != nil {
				t.Errorf("StreamActivities = %v", err)
			}
			time.Sleep(time.Hour)
			if n++; n == 2 {
				break
			}
		}
		if len(s.requests) != 1 {
			t.Errorf("%d connections, want 1", len(s.requests))
		}
	})
}

// TestStreamThatCannotBeOpened tells so, and tries again if the loop goes on.
func TestStreamThatCannotBeOpened(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, s := talk(t, broken, broken, broken, failure(fault.Unauthorized, 0), answer(200, "text/html", "<h1>Hello</h1>"),
			feed(errHangs, "id: p0\n\n", "id: p1\ndata: [\n\n", event("p2", "e2")))
		begin := time.Now()
		got := follow(t.Context(), c, client.StreamQuery{}, 5)
		want := []seen{{failed: true}, {failed: true}, {failed: true}, {place: "p1", failed: true}, {id: "e2", place: "p2"}}
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(seen{})); diff != "" {
			t.Errorf("StreamActivities (-want +got):\n%s", diff)
		}
		// 3 s between the three attempts, then 4 s, 8 s and 16 s, and the jitter.
		if took := time.Since(begin); len(s.requests) != 6 || took < 31*time.Second || took > 40*time.Second {
			t.Errorf("%d requests in %s, want 6 in 31 s and a little", len(s.requests), took)
		}
	})
}

// A position is kept longer than the key that it was signed with.
func TestStreamBeginsAnewWhenItsPositionIsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, s := talk(t, feed(nil, event("p1", "e1")), failure(fault.RequestValidation, 0), feed(errHangs, event("p2", "e2")))
		got := follow(t.Context(), c, client.StreamQuery{}, 3)
		want := []seen{{id: "e1", place: "p1"}, {resync: true}, {id: "e2", place: "p2"}}
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(seen{})); diff != "" {
			t.Errorf("StreamActivities (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff([]string{"", "p1", ""}, s.places()); diff != "" {
			t.Errorf("Last-Event-ID (-want +got):\n%s", diff)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		c, s := talk(t, failure(fault.RequestValidation, 0), feed(errHangs, event("p2", "e2")))
		got := follow(t.Context(), c, client.StreamQuery{After: "p1"}, 3)
		want := []seen{{failed: true}, {resync: true}, {id: "e2", place: "p2"}}
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(seen{})); diff != "" {
			t.Errorf("StreamActivities after a position of another key (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff([]string{"p1", ""}, s.places()); diff != "" {
			t.Errorf("Last-Event-ID (-want +got):\n%s", diff)
		}
	})
}

func TestStreamEndsWithItsContext(t *testing.T) {
	for name, answers := range map[string][]func(*http.Request) (*http.Response, error){
		"while it is open": {feed(errHangs, event("p1", "e1"))},
		"while it waits":   {feed(nil, event("p1", "e1")), failure(fault.Unavailable, 100)},
	} {
		synctest.Test(t, func(t *testing.T) {
			c, _ := talk(t, answers...)
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
			defer cancel()
			var last error
			n := 0
			for _, err := range c.StreamActivities(ctx, client.StreamQuery{}) {
				n, last = n+1, err
			}
			if !errors.Is(last, context.DeadlineExceeded) {
				t.Errorf("%s: the last of %d items is %v, want the end of the context", name, n, last)
			}
		})
	}
}

// TestStreamBoundsEvents: an event without end ends the connection.
func TestStreamBoundsEvents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, s := talk(t, feed(errHangs, event("p1", "e1"), "data: "+strings.Repeat("x", 2<<20)), feed(errHangs, strings.Repeat("data: "+strings.Repeat("x", 1000)+"\n", 2000)), feed(errHangs, event("p2", "e2")))
		if got := follow(t.Context(), c, client.StreamQuery{}, 2); len(got) != 2 || got[1].id != "e2" || len(s.requests) != 3 {
			t.Errorf("StreamActivities = %+v after %d connections", got, len(s.requests))
		}
	})
}
