package clients

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// fault is what happens to requests.
type fault struct {
	Path       string  `yaml:"path"`        // whose path contains this
	Status     int     `yaml:"status"`      // is answered
	Code       int     `yaml:"code"`        // of orgd's; without it a gateway seems to answer
	RetryAfter int     `yaml:"retry_after"` // seconds
	Half       bool    `yaml:"half"`        // half of the answer comes
	Stall      bool    `yaml:"stall"`       // half of the answer comes, and the rest is waited for
	Hang       bool    `yaml:"hang"`        // the answer is waited for
	Slow       float64 `yaml:"slow"`        // seconds, before the service is asked
	Cut        bool    `yaml:"cut"`         // the connection ends, before the service is asked
	Lost       bool    `yaml:"lost"`        // the connection ends, after the service was asked
	Undated    bool    `yaml:"undated"`     // the answer has no Date
	Unchanged  bool    `yaml:"unchanged"`   // 304 is answered to who has a tag, but not behind a cursor
}

// proxy is the way to the service. It counts requests.
type proxy struct {
	url  string
	drop func()           // ends all connections
	date func() time.Time // of the service
	to   http.Handler

	mu     sync.Mutex
	fault  *fault
	counts map[string]int // by path
}

// startProxy opens a way to the service until the test ends.
func startProxy(t *testing.T, target string, date func() time.Time) *proxy {
	t.Helper()
	to, err := url.Parse(target)
	if err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{MaxIdleConnsPerHost: 8}
	p := &proxy{date: date, counts: map[string]int{}}
	p.to = &httputil.ReverseProxy{
		Rewrite:       func(r *httputil.ProxyRequest) { r.SetURL(to) },
		Transport:     transport,
		FlushInterval: -1,
		ErrorHandler:  func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) },
	}
	server := httptest.NewServer(p)
	p.url, p.drop = server.URL, server.CloseClientConnections
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
		transport.CloseIdleConnections()
	})
	return p
}

// set has a fault from now on, nil for none.
func (p *proxy) set(f *fault) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.fault = f
}

// seen returns how many requests there were whose path contains this.
func (p *proxy) seen(path string) (n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for of, count := range p.counts {
		if strings.Contains(of, path) {
			n += count
		}
	}
	return n
}

func (p *proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	p.counts[r.Method+" "+r.URL.Path]++
	f := fault{}
	if p.fault != nil && strings.Contains(r.URL.Path, p.fault.Path) {
		f = *p.fault
	}
	p.mu.Unlock()
	select {
	case <-time.After(time.Duration(f.Slow * float64(time.Second))):
	case <-r.Context().Done():
	}
	w.Header().Set("Date", p.date().UTC().Format(http.TimeFormat))
	switch {
	case f.Hang:
		_, _ = io.Copy(io.Discard, r.Body) // only then it is noticed that a client leaves
		<-r.Context().Done()
	case f.Cut:
		panic(http.ErrAbortHandler)
	case f.Unchanged && r.Header.Get("If-None-Match") != "" && !r.URL.Query().Has("cursor"):
		w.WriteHeader(http.StatusNotModified)
	case f.Status != 0:
		f.answer(w)
	case f.Half, f.Stall, f.Lost, f.Undated:
		f.damage(w, r, p.to)
	default:
		p.to.ServeHTTP(dated{w}, r)
	}
}

// dated keeps the Date of the proxy, as the service's server has its own.
type dated struct{ http.ResponseWriter }

func (d dated) WriteHeader(status int) {
	if all := d.Header().Values("Date"); len(all) > 1 {
		d.Header().Set("Date", all[0])
	}
	d.ResponseWriter.WriteHeader(status)
}

// Unwrap is for the flushing of streams.
func (d dated) Unwrap() http.ResponseWriter { return d.ResponseWriter }

// answer answers in the place of the service.
func (f fault) answer(w http.ResponseWriter) {
	after := "null"
	if f.RetryAfter > 0 {
		after = strconv.Itoa(f.RetryAfter)
		w.Header().Set("Retry-After", after)
	}
	if f.Code == 0 {
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(f.Status)
		fmt.Fprint(w, "<p>a gateway</p>")
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(f.Status)
	fmt.Fprintf(w, `{"data":null,"error":"a fault","success":false,"error_detail":{"type":"about:blank","title":"a fault","detail":"a fault",
		"instance":"i","error_code":%d,"error_category":"internal","retryable":%t,"retry_after":%s,"errors":[{"path":"","text":"a fault","line":null}]}}`,
		f.Code, f.Status == http.StatusTooManyRequests || f.Status == http.StatusServiceUnavailable, after)
}

// damage asks the service and hands on a part of what it answers.
func (f fault) damage(w http.ResponseWriter, r *http.Request, to http.Handler) {
	whole := httptest.NewRecorder()
	to.ServeHTTP(whole, r)
	if f.Lost {
		panic(http.ErrAbortHandler)
	}
	result := whole.Result()
	for name, values := range result.Header {
		if name != "Date" {
			w.Header()[name] = values
		}
	}
	body := whole.Body.Bytes()
	if f.Undated {
		w.Header()["Date"] = nil
	}
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(result.StatusCode)
	if !f.Half && !f.Stall || len(body) == 0 {
		_, _ = w.Write(body)
		return
	}
	_, _ = w.Write(body[:len(body)/2])
	if f.Stall {
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	}
	panic(http.ErrAbortHandler)
}
