package faults

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"orgd/test/api"
)

// How long the service may be kept waiting for a header or a body, and what a
// busy machine adds.
const (
	headerPatience = 5 * time.Second
	bodyPatience   = 15 * time.Second
	tolerance      = 10 * time.Second
)

// slowKind is a way to keep a connection busy.
type slowKind struct {
	name string
	// begin is what is sent at once, drip what follows again and again.
	begin, drip string
	// patience is how long the service may wait before it closes the connection;
	// 0 leaves the connection to the client.
	patience time.Duration
}

// TestSlowClients (R14) opens many connections that send or read as slowly as
// they can. Others are served meanwhile, and who sends too slowly is let go.
func TestSlowClients(t *testing.T) {
	t.Parallel() // it waits
	s := serve(t)
	c := s.client(4)
	must(t, c, api.Request{Method: http.MethodPost, Path: "/departments", Body: map[string]any{"name": "D"}}, nil)
	host := strings.TrimPrefix(s.URL, "http://")
	authorized := fmt.Sprintf("Host: %s\r\nAuthorization: Bearer %s\r\n", host, s.token)
	kinds := []slowKind{
		{"header", "GET /api/v1/company HTTP/1.1\r\nHost: " + host + "\r\n", "X-A: b\r\n", headerPatience},
		{"body", "PATCH /api/v1/company HTTP/1.1\r\n" + authorized + "Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n", " ", bodyPatience},
		// Requests whose answers nobody reads: the service waits once the
		// buffers are full.
		{"read", strings.Repeat("GET /api/v1/openapi.yaml HTTP/1.1\r\nHost: "+host+"\r\n\r\n", 40), "", 0},
	}
	calm := s.served(t, c, time.Duration(size(2, 30))*time.Second)
	n := size(100, 2000)
	slow, ended := sync.WaitGroup{}, make(chan struct{})
	closed := make([][]time.Duration, len(kinds))
	var mu sync.Mutex
	for i := range n {
		kind := i % len(kinds)
		conn, err := net.Dial("tcp", host)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		if kinds[kind].patience == 0 {
			if err := conn.(*net.TCPConn).SetReadBuffer(4 << 10); err != nil {
				t.Fatal(err)
			}
		}
		slow.Go(func() {
			if took, ok := kinds[kind].hold(conn, ended); ok {
				mu.Lock()
				closed[kind] = append(closed[kind], took)
				mu.Unlock()
			}
		})
	}
	pressed := s.served(t, c, bodyPatience+time.Duration(size(2, 240))*time.Second)
	close(ended)
	slow.Wait()
	for i, k := range kinds {
		if k.patience == 0 {
			continue
		}
		if want := (n + len(kinds) - 1 - i) / len(kinds); len(closed[i]) != want {
			t.Errorf("slow %s: %d of %d connections were closed", k.name, len(closed[i]), want)
			continue
		}
		if late := slices.Max(closed[i]); late > k.patience+tolerance {
			t.Errorf("slow %s: closed after %v, want %v at most", k.name, late, k.patience)
		}
	}
	if t.Failed() {
		return
	}
	t.Logf("R14: beside %d slow connections 99 %% of %d requests within %v, half within %v; before, of %d, within %v and %v; slow headers let go after %v at most, slow bodies after %v",
		n, len(pressed), at(pressed, 99), at(pressed, 50), len(calm), at(calm, 99), at(calm, 50), slices.Max(closed[0]), slices.Max(closed[1]))
}

// hold keeps a connection busy until the service closes it, which it reports
// with the time that it took, or until the test has seen enough.
func (k slowKind) hold(conn net.Conn, ended <-chan struct{}) (took time.Duration, closed bool) {
	begun := time.Now()
	written := make(chan struct{})
	go func() {
		defer close(written)
		for text := k.begin; ; text = k.drip {
			if _, err := io.WriteString(conn, text); err != nil || k.drip == "" {
				return // the service has closed it
			}
			select {
			case <-ended:
				return
			case <-time.After(time.Second / 2):
			}
		}
	}()
	defer func() { conn.Close(); <-written }()
	if k.patience == 0 {
		<-ended
		return 0, false
	}
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		_, _ = io.Copy(io.Discard, bufio.NewReader(conn)) // until the end, in good order or not
	}()
	defer func() { conn.Close(); <-gone }()
	select {
	case <-gone:
		return time.Since(begun), true
	case <-time.After(k.patience + 2*tolerance):
		return 0, false
	}
}

// served asks for and changes things for a while, as four clients, and returns
// how long each request took, sorted. Every one has to succeed.
func (s *service) served(t *testing.T, c *api.Client, during time.Duration) []time.Duration {
	t.Helper()
	var mu sync.Mutex
	var all []time.Duration
	var clients sync.WaitGroup
	for i := range 4 {
		clients.Go(func() {
			for n, end := 0, time.Now().Add(during); time.Now().Before(end) && !t.Failed(); n++ {
				r := api.Request{Method: http.MethodGet, Path: "/agents"}
				if n%4 == 0 {
					r = api.Request{Method: http.MethodPatch, Path: "/departments/D", Body: map[string]any{"description": fmt.Sprint(i, n)}}
				}
				begun := time.Now()
				a, err := c.Do(t.Context(), r)
				took := time.Since(begun)
				if err != nil || !a.OK() || took > tolerance {
					t.Errorf("%s %s = %d after %v, %v, want success soon", r.Method, r.Path, a.Status, took, err)
					return
				}
				mu.Lock()
				all = append(all, took)
				mu.Unlock()
				time.Sleep(10 * time.Millisecond) // it is not about load
			}
		})
	}
	clients.Wait()
	slices.Sort(all)
	return all
}

// at is the percentile of sorted times.
func at(sorted []time.Duration, percent int) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[(len(sorted)-1)*percent/100]
}
