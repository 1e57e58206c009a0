package faults

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"sync"
	"testing"
	"time"

	"orgd/test/api"
	"orgd/test/seed"
)

// maxStop is how long a service may take to end that has only short requests.
var maxStop = size(30*time.Second, 5*time.Second)

// maker is a client that makes projects and notes which were answered.
type maker struct {
	id               int
	answered, failed []string
}

// run makes projects until the service is gone.
func (m *maker) run(ctx context.Context, c *api.Client, gone <-chan struct{}) error {
	for n := 0; ; n++ {
		name := fmt.Sprintf("maker %d project %d", m.id, n)
		a, err := c.Do(ctx, api.Request{Method: http.MethodPost, Path: "/projects", Body: map[string]any{"name": name}})
		switch {
		case err != nil:
			m.failed = append(m.failed, name)
		case a.Status != http.StatusCreated:
			return fmt.Errorf("%s: %w", name, a.Err())
		default:
			m.answered = append(m.answered, name)
		}
		select {
		case <-gone:
			return nil
		default:
		}
		if err != nil {
			time.Sleep(time.Millisecond) // the listener is closed
		}
	}
}

// TestStopUnderLoad asks the service to end while clients make things. Whatever
// it has taken on it answers; what it does not answer it has not done.
func TestStopUnderLoad(t *testing.T) {
	t.Parallel() // it waits
	rng := seed.Rand(t)
	for _, test := range []struct {
		name  string
		flags []string
		conns int
	}{
		{"a connection for each request", nil, 0},
		{"connections are kept", nil, workers},
		{"readiness is refused first", []string{"--drain-delay", "2s"}, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			var sum outcomes
			for range size(2, 20) {
				sum.add(stopUnderLoad(t, rng, test.conns, test.flags...))
			}
			t.Logf("%d requests answered, %d too late, %d done without an answer", sum.answered, sum.failed, sum.unanswered)
		})
	}
}

// outcomes count what became of requests: answered, not answered, and, of
// these, done all the same.
type outcomes struct{ answered, failed, unanswered int }

func (o *outcomes) add(other outcomes) {
	o.answered += other.answered
	o.failed += other.failed
	o.unanswered += other.unanswered
}

func stopUnderLoad(t *testing.T, rng *rand.Rand, conns int, flags ...string) outcomes {
	t.Helper()
	s := serve(t)
	s.terminate()
	s.start(flags...)
	c := api.New(s.URL, s.token, conns)
	defer c.Close()
	crew := make([]*maker, workers)
	gone := make(chan struct{})
	var wg sync.WaitGroup
	for i := range crew {
		m := &maker{id: i}
		crew[i] = m
		wg.Go(func() {
			if err := m.run(context.WithoutCancel(t.Context()), c, gone); err != nil {
				t.Errorf("maker %d: %v", i, err)
			}
		})
	}
	if len(flags) > 0 {
		wg.Go(func() {
			if err := refusesReadiness(t.Context(), s.URL, s.Ended()); err != nil {
				t.Error(err)
			}
		})
	}
	time.Sleep(loadTime(rng))
	begin := time.Now()
	s.terminate()
	if took := time.Since(begin); took > maxStop {
		late(t, nil, took, "ended %s after SIGTERM, want at most %s", took, maxStop)
	}
	close(gone)
	wg.Wait()
	s.start()
	return wantMade(t, s.client(1), crew, conns > 0)
}

// wantMade checks that what was answered is there, and nothing else.
//
// With kept connections a request may meet the closing of its connection. The
// client cannot know then what became of it, as HTTP has it, and repeats it
// with its key.
func wantMade(t *testing.T, c *api.Client, crew []*maker, kept bool) (o outcomes) {
	t.Helper()
	n := made(t, c)
	for _, m := range crew {
		o.answered += len(m.answered)
		o.failed += len(m.failed)
		for _, name := range m.answered {
			if n[name] != 1 {
				t.Errorf("%s: answered with 201, and there %d times", name, n[name])
			}
		}
		for _, name := range m.failed {
			if n[name] == 0 {
				continue
			}
			if o.unanswered++; !kept {
				t.Errorf("%s: done but not answered", name)
			}
		}
	}
	return o
}

// TestStopAtRate asks the service to end under a steady load, on connections that
// are kept and on fresh ones. Nobody notices until the delay is over; what is not
// answered then has not been done.
func TestStopAtRate(t *testing.T) {
	t.Parallel() // it waits
	const delay = time.Second
	stops := size(2, 60)
	s := serve(t)
	var answered, refused int
	for stop := range stops {
		s.terminate()
		s.start("--drain-delay", delay.String())
		clients := []*api.Client{api.New(s.URL, s.token, trafficConns), api.New(s.URL, s.token, 0)}
		tr := startTraffic(t, clients, rollingRate, func(n int) api.Request {
			if n%4 != 1 { // which has a connection of its own
				return looking(n)
			}
			return api.Request{Method: http.MethodPost, Path: "/projects", Body: map[string]any{"name": fmt.Sprintf("stop %d project %d", stop, n)}}
		})
		time.Sleep(time.Second)
		told := time.Since(tr.begin)
		s.terminate()
		all := tr.end()
		all.want(t, func(v visit) bool { return succeeded(v) || v.err != nil && v.begun+v.took >= told+delay })
		answered += all.count(succeeded)
		refused += len(all) - all.count(succeeded)
		s.start()
		if _, unanswered := wantAcknowledged(t, s.client(1), all); unanswered > 0 {
			t.Errorf("%d projects were made without an answer", unanswered)
		}
	}
	t.Logf("R11: %d stops of the embedded service, at %d requests a second: %d answered, %d refused when the delay was over, none of them done",
		stops, rollingRate, answered, refused)
}

// refusesReadiness asks for readiness until the service has ended and wants to
// hear of the end before.
func refusesReadiness(ctx context.Context, url string, ended <-chan struct{}) error {
	c := api.New(url, "", 0)
	defer c.Close()
	for refused := 0; ; {
		a, err := c.Do(ctx, api.Request{Method: http.MethodGet, Path: "/readyz"})
		switch {
		case err == nil && a.Status == http.StatusServiceUnavailable && a.Code() == 8001:
			refused++
		case err == nil && (a.Status != http.StatusOK || refused > 0):
			return fmt.Errorf("readiness = %w, want 200 and then only 503/8001", a.Err())
		}
		select {
		case <-ended:
			if refused == 0 {
				return errors.New("the service ended without refusing readiness first")
			}
			return nil
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// TestStopWaitsForSlowRequest asks the service to end while a client is still
// sending. The client is answered, then the service ends.
func TestStopWaitsForSlowRequest(t *testing.T) {
	const pause = 300 * time.Millisecond
	s := serve(t)
	begun, send := io.Pipe()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+"/api/v1/projects", begun)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+s.token)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Expect", "100-continue") // the body is sent once the service reads it
	var wg sync.WaitGroup
	wg.Go(func() {
		client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true, ExpectContinueTimeout: time.Minute}}
		resp, err := client.Do(req)
		if err != nil {
			t.Errorf("POST = %v, want an answer", err)
			return
		}
		if err := resp.Body.Close(); err != nil || resp.StatusCode != http.StatusCreated {
			t.Errorf("POST = %d, %v, want 201", resp.StatusCode, err)
		}
	})
	sendPart(t, send, `{"name": "taken `)
	wg.Go(func() {
		time.Sleep(pause)
		sendPart(t, send, `its time"}`)
		if err := send.Close(); err != nil {
			t.Error(err)
		}
	})
	s.terminate()
	wg.Wait()
	s.start()
	if n := made(t, s.client(1)); n["taken its time"] != 1 {
		t.Errorf("the project is there %d times, want once", n["taken its time"])
	}
}

func sendPart(t *testing.T, w io.Writer, text string) {
	t.Helper()
	if _, err := io.WriteString(w, text); err != nil {
		t.Errorf("send: %v", err)
	}
}
