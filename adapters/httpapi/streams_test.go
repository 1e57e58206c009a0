package httpapi

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"orgd/adapters/httpapi/internal/protocol"
	"orgd/app"
	"orgd/domain/activity"
	"orgd/ports"
)

// fakeLog is a log of n events that can be cut off and lost.
type fakeLog struct {
	ports.EventStream
	news ports.Broadcast
	mu   sync.Mutex
	n    int
	text string // what each event says
	err  error
	// begin is where the log was cut off.
	begin activity.Seq
}

func (l *fakeLog) set(change func(*fakeLog)) {
	l.mu.Lock()
	change(l)
	l.mu.Unlock()
	l.news.Notify()
}

func (l *fakeLog) add(n int) { l.set(func(l *fakeLog) { l.n += n }) }

func (l *fakeLog) Changed() <-chan struct{} { return l.news.Wait() }

func (l *fakeLog) Head(context.Context) (activity.Seq, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return activity.Seq(l.n), l.err
}

func (l *fakeLog) After(_ context.Context, position activity.Seq, limit int) (page ports.LogPage, _ error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if position < l.begin {
		return page, activity.ErrTooOld
	}
	for p := position + 1; int(p) <= l.n && len(page.Events) < limit; p++ {
		page.Events = append(page.Events, activity.Logged{Seq: p, Event: activity.Event{
			ID: activity.ID(fmt.Sprint(p)), Type: activity.ToolUsed, AgentID: "a", Description: l.text, At: time.Unix(0, 0).UTC(),
		}})
	}
	page.Next, page.More = position+activity.Seq(len(page.Events)), len(page.Events) == limit
	return page, l.err
}

// newStreaming is a server that streams the log, with short times.
func newStreaming(t *testing.T, log *fakeLog) fake {
	t.Helper()
	f := newFake(t, ok, func(c *Config, p *Parts) {
		c.Addr = "127.0.0.1:0"
		p.Streams = app.NewStreams(p.Clock, log, nil, p.Sessions, p.Metrics)
	})
	f.streaming.heartbeat = 50 * time.Millisecond
	return f
}

// following is the answer of a stream, line by line.
type following struct {
	t     *testing.T
	lines *bufio.Reader
	close func() error
}

// follow opens a stream.
func follow(t *testing.T, addr, last string) following {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), "GET", "http://"+addr+"/api/v1/activities/stream", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer good")
	if last != "" {
		r.Header.Set("Last-Event-ID", last)
	}
	resp, err := newClient(t).Do(r)
	if err != nil {
		t.Fatalf("GET stream: %v", err)
	}
	t.Cleanup(func() { resp.Body.Close() })
	if resp.StatusCode != http.StatusOK || resp.Header.Get("Content-Type") != eventsType {
		t.Fatalf("GET stream = %d %v, want a stream", resp.StatusCode, resp.Header)
	}
	return following{t, bufio.NewReader(resp.Body), resp.Body.Close}
}

// until reads to the first line that starts like this, and returns it.
func (f following) until(start string) string {
	f.t.Helper()
	for {
		line, err := f.lines.ReadString('\n')
		if err != nil {
			f.t.Fatalf("waiting for %q: %v", start, err)
		}
		if strings.HasPrefix(line, start) {
			return strings.TrimSpace(line)
		}
	}
}

// rest reads to the end.
func (f following) rest() string {
	f.t.Helper()
	text, err := io.ReadAll(f.lines)
	if err != nil {
		f.t.Fatalf("the end of a stream: %v, after %q", err, text)
	}
	return string(text)
}

func (f fake) id(p activity.Seq) string {
	return sealPosition(f.env.Cursors, "GET /api/v1/activities/stream"+protocol.Separator+"/api/v1/activities/stream"+protocol.Separator+"agent_id=&type=&last_n_hours=&", p, time.Time{})
}

func TestStream(t *testing.T) {
	log := &fakeLog{text: "line\nbreak"}
	f := newStreaming(t, log)
	addr, stop := f.run(t)
	defer stop()
	s := follow(t, addr, "")
	if got := s.until("retry:"); got != "retry: 2000" {
		t.Errorf("the stream begins with %q", got)
	}
	if got := s.until("id:"); got != "id: "+f.id(0) {
		t.Errorf("the first position is %q, want that of the beginning", got)
	}
	s.until(": heartbeat")
	log.add(2)
	for p := activity.Seq(1); p <= 2; p++ {
		data := s.until("data:")
		want := fmt.Sprintf(`data: {"id":"%d","event_type":"tool_used","timestamp":"1970-01-01T00:00:00.000Z","agent_id":"a","agent_name":"","description":"line\nbreak","related_ids":{"agent_id":"a"},"data":null}`, p)
		if data != want {
			t.Errorf("event %d is %s, want %s", p, data, want)
		}
	}
	s.until(": heartbeat")
	if got := s.until("id:"); got != "id: "+f.id(2) {
		t.Errorf("the heartbeat has %q, want the position of the last event", got)
	}
	again := follow(t, addr, f.id(1))
	again.until("data: {\"id\":\"2\"")
	metrics := f.send(newRequest(t, "GET", "/api/v1/metrics", "")).Body.String()
	if !strings.Contains(metrics, "orgd_stream_subscribers 2\n") {
		t.Error("the metrics do not show two subscribers")
	}
}

// TestStreamResync: one event says that others may be missing.
func TestStreamResync(t *testing.T) {
	log := &fakeLog{begin: 5, n: 7}
	f := newStreaming(t, log)
	addr, stop := f.run(t)
	defer stop()
	s := follow(t, addr, f.id(3))
	s.until("event: resync")
	if got := s.until("id:"); got != "id: "+f.id(7) {
		t.Errorf("the resync has %q, want the position of the end", got)
	}
	s.until("data: {")
	log.add(1)
	if got := s.until("data:"); !strings.HasPrefix(got, `data: {"id":"8"`) {
		t.Errorf("after the resync comes %s, want event 8", got)
	}
}

// TestDrainEndsStreams: streams end with a comment, before the drain waits for anything.
func TestDrainEndsStreams(t *testing.T) {
	log := &fakeLog{}
	f := newStreaming(t, log)
	addr, stop := f.run(t)
	var streams []following
	for range 3 {
		s := follow(t, addr, "")
		s.until("id:")
		streams = append(streams, s)
	}
	begun := time.Now()
	if err := stop(); err != nil {
		t.Errorf("Run = %v, want nil", err)
	}
	if d := time.Since(begun); d > 15*time.Second { // half of what requests may take
		t.Errorf("the drain took %v", d)
	}
	for _, s := range streams {
		if text := s.rest(); !strings.HasSuffix(text, ": the service shuts down\n\n") {
			t.Errorf("the stream ended with %q, want that the service shuts down", text)
		}
	}
	if w := f.send(newRequest(t, "GET", "/api/v1/activities/stream", "")); w.Code != 503 || detailOf(t, w).Code != 8001 {
		t.Errorf("a stream of a server that drains = %d %s, want 503/8001", w.Code, w.Body)
	}
	metrics := f.send(newRequest(t, "GET", "/api/v1/metrics", "")).Body.String()
	for _, want := range []string{"orgd_stream_subscribers 0\n", `orgd_stream_ends_total{reason="drain"} 3` + "\n"} {
		if !strings.Contains(metrics, want) {
			t.Errorf("the metrics lack %s", want)
		}
	}
}

// TestStreamFails: a log that is lost for long ends the stream with one line in
// the log. The client does not see the cause.
func TestStreamFails(t *testing.T) {
	log := &fakeLog{}
	f := newStreaming(t, log)
	addr, stop := f.run(t)
	defer stop()
	s := follow(t, addr, "")
	s.until(": heartbeat")
	log.set(func(l *fakeLog) { l.err = ports.ErrUnavailable.Because(errors.New("secret host")) })
	if text := s.rest(); !strings.HasSuffix(text, ": the service cannot go on\n\n") || strings.Contains(text, "secret") {
		t.Errorf("the stream ended with %q", text)
	}
	if n := f.logs.FilterMessage("stream failed").Len(); n != 1 {
		t.Errorf("%d lines about the failure, want 1", n)
	}
	if w := f.send(newRequest(t, "GET", "/api/v1/activities/stream", "")); w.Code != 503 || detailOf(t, w).Code != 8001 {
		t.Errorf("a new stream = %d %s, want 503/8001", w.Code, w.Body)
	}
}

// TestClientReadsNothing: the stream of a client that does not read its events ends, and
// others are served meanwhile.
func TestClientReadsNothing(t *testing.T) {
	log := &fakeLog{text: strings.Repeat("x", 16<<10)}
	f := newStreaming(t, log)
	f.streaming.write = 3 * time.Second // the good one reads in time
	addr, stop := f.run(t)
	defer stop()
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, "GET /api/v1/activities/stream HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer good\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	good := follow(t, addr, "")
	good.until("id:")
	subscribers := func(n int) bool {
		return strings.Contains(f.send(newRequest(t, "GET", "/api/v1/metrics", "")).Body.String(), fmt.Sprintf("orgd_stream_subscribers %d\n", n))
	}
	waitFor(t, "two subscribers", func() bool { return subscribers(2) })
	const events = 3000 // 48 MB, more than any buffer holds
	for range events / 100 {
		log.add(100)
		for range 100 {
			good.until("data:")
		}
	}
	waitFor(t, "one subscriber", func() bool { return subscribers(1) })
	log.add(1)
	good.until("data:")
}

func waitFor(t *testing.T, what string, done func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !done(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("there are not %s", what)
		}
	}
}

// TestStreamOutlivesTimeouts of the server and of requests.
func TestStreamOutlivesTimeouts(t *testing.T) {
	log := &fakeLog{}
	f := newStreaming(t, log)
	f.env.Timeout = 500 * time.Millisecond
	f.streaming.write = 500 * time.Millisecond
	addr, stop := f.run(t)
	defer stop()
	s := follow(t, addr, "")
	for end := time.Now().Add(time.Second); time.Now().Before(end); {
		s.until(": heartbeat")
	}
	log.add(1)
	s.until("data:")
	if err := s.close(); err != nil {
		t.Errorf("close = %v", err)
	}
	waitFor(t, "reasons of the end", func() bool {
		return strings.Contains(f.send(newRequest(t, "GET", "/api/v1/metrics", "")).Body.String(), `orgd_stream_ends_total{reason="client"} 1`)
	})
}

// A Last-Event-ID is the id of a position that was sent, or is refused.
func FuzzLastEventID(f *testing.F) {
	f.Add("stream", sealPosition(testCursors, "stream", 42, time.UnixMilli(7)))
	f.Add("stream", testCursors.Seal("stream", protocol.Position{"?", "?"}))
	f.Add("", "")
	f.Fuzz(func(t *testing.T, scope, id string) {
		p, since, err := openPosition(testCursors, scope, id)
		if err != nil {
			if !errors.Is(err, errPosition) {
				t.Errorf("openPosition(%q, %q) = %v, want errPosition", scope, id, err)
			}
			return
		}
		if again := sealPosition(testCursors, scope, p, since); again != id {
			t.Errorf("openPosition(%q, %q) = %d, %v, which seals to %q", scope, id, p, since, again)
		}
	})
}
