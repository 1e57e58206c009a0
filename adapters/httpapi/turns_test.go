package httpapi

import (
	"context"
	"errors"
	"net"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// A subject that has read much waits for a turn, others do not.
func TestTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(t, ok)
		all := int64(max(1, runtime.GOMAXPROCS(0)-1))
		if !f.env.Turns.Large.TryAcquire(all) {
			t.Fatalf("there are fewer than %d turns", all)
		}
		ask := func(status int, took time.Duration) {
			t.Helper()
			begin := time.Now()
			w := f.send(newRequest(t, http.MethodGet, "/api/v1/company", ""))
			if got := time.Since(begin); w.Code != status || got != took {
				t.Errorf("answer = %d %s after %v, want %d after %v", w.Code, w.Body, got, status, took)
			}
			if status == http.StatusTooManyRequests && (detailOf(t, w).Code != 5002 || w.Header().Get("Retry-After") != "2") {
				t.Errorf("answer = %s, Retry-After %q, want 5002 and 2", w.Body, w.Header().Get("Retry-After"))
			}
		}
		ask(200, 0)
		f.env.Turns.Readers.Count("root", 5<<20, time.Now())
		ask(429, 2*time.Second)
		time.AfterFunc(time.Second, func() { f.env.Turns.Large.Release(all) })
		ask(200, time.Second)
		if !f.env.Turns.Large.TryAcquire(all) {
			t.Fatal("a request has not ended its turn")
		}
		ask(429, 2*time.Second)
		time.Sleep(10 * time.Minute)
		ask(200, 0) // it has read nothing for ten minutes
	})
}

// A subject reads two long answers at once, however slowly. Other requests do not wait.
func TestLongAnswersAtOnce(t *testing.T) {
	url, _ := serveWide(t, 1<<60)
	var open []*http.Response
	for range 2 {
		resp := readSlowly(t, url)
		if resp.StatusCode != http.StatusOK {
			t.Fatalf("answer = %s, want 200", resp.Status)
		}
		open = append(open, resp)
	}
	get := func() int {
		resp, body, err := tryMany(t, url, "")
		if err != nil || resp.StatusCode == http.StatusTooManyRequests && !strings.Contains(string(body), `"error_code":5002`) {
			t.Fatalf("answer = %s %.300s, %v", resp.Status, body, err)
		}
		return resp.StatusCode
	}
	if got := get(); got != http.StatusTooManyRequests {
		t.Errorf("a third one = %d, want 429", got)
	}
	if policy, _ := getMany(t, url+"/ceremony-policy", ""); policy.StatusCode != http.StatusOK {
		t.Errorf("a short one = %d, want 200", policy.StatusCode)
	}
	open[0].Body.Close()
	for got := 0; got != http.StatusOK; { // the service notices that the client has left
		if got = get(); got != http.StatusOK && got != http.StatusTooManyRequests {
			t.Fatalf("after one has ended = %d, want 200", got)
		}
		time.Sleep(10 * time.Millisecond)
	}
	open[1].Body.Close()
}

// readSlowly asks for a long answer and reads its head alone.
func readSlowly(t *testing.T, url string) *http.Response {
	t.Helper()
	transport := &http.Transport{ReadBufferSize: 4 << 10, DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := new(net.Dialer).DialContext(ctx, network, address)
		if err == nil {
			err = errors.Join(conn.(*net.TCPConn).SetReadBuffer(4 << 10))
		}
		return conn, err
	}}
	t.Cleanup(transport.CloseIdleConnections)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer good")
	resp, err := transport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	return resp
}
