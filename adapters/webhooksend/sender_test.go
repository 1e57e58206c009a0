package webhooksend

import (
	"bytes"
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"orgd/domain/activity"
	"orgd/domain/webhook"
)

// A receiver with either of the secrets verifies what it gets.
func TestSend(t *testing.T) {
	e := newEndpoint(t, status(http.StatusNoContent))
	w := hook(t, e.URL+"/in/%C3%A9?x=1")
	at := time.Now()
	m := w.Message(activity.Logged{Event: event}, at)
	if r := sending(t, anything).Send(t.Context(), m); r != (webhook.Result{Code: 204}) {
		t.Fatalf("Send = %+v, want 204", r)
	}
	all := e.received()
	if len(all) != 1 {
		t.Fatalf("the endpoint got %d requests, want 1", len(all))
	}
	g := all[0]
	if g.Method != "POST" || g.RequestURI != "/in/%C3%A9?x=1" || g.ContentLength != int64(len(m.Body)) {
		t.Errorf("the endpoint got %s %s with %d bytes", g.Method, g.RequestURI, g.ContentLength)
	}
	for name, want := range map[string]string{
		"Content-Type": "application/json", "User-Agent": "orgd/v1.2.3",
		"webhook-id": string(event.ID), "webhook-timestamp": strconv.FormatInt(at.Unix(), 10),
	} {
		if got := g.Header.Get(name); got != want {
			t.Errorf("%s = %q, want %q", name, got, want)
		}
	}
	const body = `{"id":"0190a1b2-0000-7000-8000-0000000000ee","event_type":"hired","timestamp":"2026-01-31T12:00:00.005Z",` +
		`"agent_id":"0190a1b2-0000-7000-8000-00000000000b","agent_name":"Zoë","description":"hired","related_ids":{"actor":"x","agent_id":"0190a1b2-0000-7000-8000-00000000000b"},"data":null}`
	if diff := cmp.Diff(body, string(g.body)); diff != "" {
		t.Errorf("body (-want +got):\n%s", diff)
	}
	if !verify(g, w.Secrets.Current.Reveal()) || !verify(g, w.Secrets.Former[0].Secret.Reveal()) || verify(g, webhook.Secret{3}.Reveal()) {
		t.Errorf("the signature %q is not under the two secrets only", g.Header.Get("webhook-signature"))
	}
	g.body = append(g.body, ' ')
	if verify(g, w.Secrets.Current.Reveal()) {
		t.Error("the signature does not cover the body")
	}
}

// 2xx is success, everything else is not, and nobody is followed.
func TestStatuses(t *testing.T) {
	target := newEndpoint(t, status(200))
	for _, code := range []int{200, 201, 202, 204, 299, 300, 301, 302, 303, 304, 307, 308, 400, 401, 404, 408, 410, 418, 429, 500, 502, 503, 599} {
		e := newEndpoint(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", target.URL)
			w.WriteHeader(code)
		})
		want := webhook.Result{Code: code}
		if code >= 300 {
			want.Failure = webhook.BadStatus
		}
		if got := send(t, sending(t, anything), e.URL); got != want {
			t.Errorf("%d: Send = %+v, want %+v", code, got, want)
		}
	}
	if n := len(target.received()); n != 0 {
		t.Errorf("%d redirects were followed", n)
	}
}

// An endpoint that takes its time holds an attempt no longer than its timeout.
func TestSlowEndpoints(t *testing.T) {
	quit := make(chan struct{})
	hang := func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-quit:
		case <-r.Context().Done():
		}
	}
	silent := newEndpoint(t, hang)
	trickling := newEndpoint(t, func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(200)
		for r.Context().Err() == nil {
			_, _ = w.Write([]byte("x"))
			w.(http.Flusher).Flush()
			time.Sleep(10 * time.Millisecond)
		}
	})
	mute := listen(t, func(c net.Conn) { <-quit }) // accepts and says nothing
	t.Cleanup(func() { close(quit) })
	quick := func(c *Config) { c.Timeout = 3 * time.Second }
	for what, tt := range map[string]struct {
		url  string
		want webhook.Result
	}{
		"no answer":                {silent.URL, webhook.Result{Failure: webhook.Timeout}},
		"an answer without an end": {trickling.URL, webhook.Result{Code: 200}},
		"no TLS handshake":         {"https://" + mute, webhook.Result{Failure: webhook.Timeout}},
		"no HTTP":                  {"http://" + mute, webhook.Result{Failure: webhook.Timeout}},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			begun := time.Now()
			if got := send(t, sending(t, anything, quick), tt.url); got != tt.want {
				t.Errorf("Send = %+v, want %+v", got, tt.want)
			}
			if took := time.Since(begun); took > 30*time.Second {
				t.Errorf("Send took %v, want about 3 s", took)
			}
		})
	}
	t.Run("called off", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(50*time.Millisecond, cancel)
		begun := time.Now()
		forever := func(c *Config) { c.Timeout = time.Hour }
		got := sending(t, anything, forever).Send(ctx, hook(t, silent.URL).Message(activity.Logged{Event: event}, begun))
		if took := time.Since(begun); got.Failure != webhook.Timeout || took > 30*time.Second {
			t.Errorf("Send that is called off = %+v after %v, want a timeout at once", got, took)
		}
	})
}

// listen accepts connections, hands them to do and closes them.
func listen(t *testing.T, do func(net.Conn)) (address string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatalf("Listen = %v", err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				do(c)
				_ = c.Close() // the other side may have done it
			}()
		}
	}()
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Errorf("Close = %v", err)
		}
		<-done
	})
	return l.Addr().String()
}

// What an endpoint sends back is not read beyond a little.
func TestHugeAnswers(t *testing.T) {
	var sent int
	body := newEndpoint(t, func(w http.ResponseWriter, _ *http.Request) {
		chunk := bytes.Repeat([]byte("x"), 64<<10)
		for range 16 << 10 { // a gigabyte
			n, err := w.Write(chunk)
			sent += n
			if err != nil {
				return
			}
		}
	})
	if r := send(t, sending(t, anything), body.URL); r != (webhook.Result{Code: 200}) {
		t.Errorf("a huge body: Send = %+v, want 200", r)
	}
	body.Close() // waits for the handler
	if sent > 64<<20 {
		t.Errorf("%d bytes of the answer were taken", sent)
	}
	header := newEndpoint(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X", strings.Repeat("x", 1<<20))
	})
	if r := send(t, sending(t, anything), header.URL); r.Failure != webhook.NoConnection {
		t.Errorf("a huge header: Send = %+v, want it refused", r)
	}
	bomb := newEndpoint(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Accept-Encoding") != "" {
			t.Errorf("Accept-Encoding = %q, want none", r.Header.Get("Accept-Encoding"))
		}
		w.Header().Set("Content-Encoding", "gzip")
		_, _ = w.Write([]byte("not gzip"))
	})
	if r := send(t, sending(t, anything), bomb.URL); r != (webhook.Result{Code: 200}) {
		t.Errorf("a compressed body: Send = %+v, want 200", r)
	}
}

// What goes wrong before an answer is told in one word.
func TestFailures(t *testing.T) {
	closed := httptest.NewServer(status(200))
	closed.Close()
	cut := listen(t, func(net.Conn) {})
	garbage := listen(t, func(c net.Conn) { _, _ = c.Write([]byte("hello\r\n\r\n")) })
	proved := httptest.NewUnstartedServer(status(200))
	proved.Config.ErrorLog = quiet()
	proved.StartTLS()
	t.Cleanup(proved.Close)
	old := httptest.NewUnstartedServer(status(200))
	old.TLS = &tls.Config{MaxVersion: tls.VersionTLS11, MinVersion: tls.VersionTLS10}
	old.Config.ErrorLog = quiet()
	old.StartTLS()
	t.Cleanup(old.Close)
	unproved := httptest.NewUnstartedServer(status(200))
	unproved.Config.ErrorLog = quiet()
	unproved.StartTLS()
	t.Cleanup(unproved.Close)
	trusting := func(c *Config) {
		c.Roots = proved.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs
	}
	for what, tt := range map[string]struct {
		url    string
		change func(*Config)
		want   webhook.Result
	}{
		"nobody listens":         {closed.URL, nil, webhook.Result{Failure: webhook.NoConnection}},
		"the connection is cut":  {"http://" + cut, nil, webhook.Result{Failure: webhook.NoConnection}},
		"no HTTP":                {"http://" + garbage, nil, webhook.Result{Failure: webhook.NoConnection}},
		"a trusted certificate":  {proved.URL, trusting, webhook.Result{Code: 200}},
		"a foreign certificate":  {unproved.URL, nil, webhook.Result{Failure: webhook.BadTLS}},
		"for another name":       {strings.Replace(proved.URL, "127.0.0.1", "localhost", 1), trusting, webhook.Result{Failure: webhook.BadTLS}},
		"an old version of TLS":  {old.URL, trusting, webhook.Result{Failure: webhook.BadTLS}},
		"no TLS where it should": {strings.Replace(closed.URL, "http:", "https:", 1), nil, webhook.Result{Failure: webhook.NoConnection}},
		"plain HTTP behind TLS":  {"https://" + garbage, nil, webhook.Result{Failure: webhook.BadTLS}},
		"a name without address": {"http://nobody.invalid/", nil, webhook.Result{Failure: webhook.NoName}},
		"no URL":                 {"http://%zz", nil, webhook.Result{Failure: webhook.BadAddress}},
	} {
		t.Run(what, func(t *testing.T) {
			cfg := Default("v")
			cfg.Policy = anything
			if tt.change != nil {
				tt.change(&cfg)
			}
			s, closeIdle := New(cfg)
			defer closeIdle()
			if what == "a name without address" {
				var closeNames func()
				s, closeNames = resolving(cfg, names(t, func() net.IP { return nil }))
				defer closeNames()
			}
			if got := send(t, s, tt.url); got != tt.want {
				t.Errorf("Send = %+v, want %+v", got, tt.want)
			}
		})
	}
}

// An answer in a hundred pieces of nothing is no answer.
func TestEarlyAnswers(t *testing.T) {
	flood := listen(t, func(c net.Conn) {
		for range 10_000 {
			if _, err := fmt.Fprint(c, "HTTP/1.1 103 Early Hints\r\nLink: <x>\r\n\r\n"); err != nil {
				return
			}
		}
	})
	if got := send(t, sending(t, anything), "http://"+flood); got.Failure != webhook.NoConnection {
		t.Errorf("Send = %+v, want it broken off", got)
	}
}
