package apitest

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// obj is a JSON object of a request.
type obj = map[string]any

// list is a JSON array of a request.
type list = []any

const api = "/api/v1"

// client sends requests as one subject.
type client struct {
	t       *testing.T
	s       *Service
	subject string
	header  http.Header
	turn    *atomic.Int64 // which replica is next
	// sloppy requests may be accepted although the description asks for more
	// care, such as names with white space around them.
	sloppy bool
	http   *http.Client
}

// anonymous is a client without a token.
func (s *Service) anonymous(t *testing.T) *client {
	transport := &http.Transport{MaxIdleConnsPerHost: 64}
	t.Cleanup(transport.CloseIdleConnections)
	return &client{t: t, s: s, header: http.Header{}, turn: new(atomic.Int64), http: &http.Client{
		Transport: transport,
		Timeout:   30 * time.Second,
		CheckRedirect: func(*http.Request, []*http.Request) error {
			return http.ErrUseLastResponse // nothing may redirect
		},
	}}
}

// nobody is the id of no agent.
const nobody = "0190a5c4-0000-7000-8000-000000000001"

// as is a client with a token of a role. Its subject is the role's name, for an
// agent an id that no agent has.
func (s *Service) as(t *testing.T, role string, departments ...string) *client {
	t.Helper()
	subject := role
	if role == "agent" {
		subject = nobody
	}
	return s.grant(t, Grant{Subject: subject, Role: role, Departments: departments})
}

func (s *Service) admin(t *testing.T) *client { t.Helper(); return s.as(t, "admin") }

// grant is a client with a token of an hour, unless g says something else.
func (s *Service) grant(t *testing.T, g Grant) *client {
	t.Helper()
	if g.TTL == 0 {
		g.TTL = time.Hour
	}
	token, err := s.Mint(g)
	if err != nil {
		t.Fatalf("Mint(%+v) = %v", g, err)
	}
	c := s.anonymous(t).with("Authorization", "Bearer "+token)
	c.subject = g.Subject
	return c
}

// with is the client with another header in every request.
func (c *client) with(name string, values ...string) *client {
	next := *c
	next.header = c.header.Clone()
	next.header[http.CanonicalHeaderKey(name)] = values
	return &next
}

func (c *client) get(path string) *reply { c.t.Helper(); return c.send("GET", path, nil) }

func (c *client) post(path string, body any) *reply { c.t.Helper(); return c.send("POST", path, body) }

func (c *client) patch(path string, body any) *reply {
	c.t.Helper()
	return c.send("PATCH", path, body)
}

func (c *client) put(path string, body any) *reply { c.t.Helper(); return c.send("PUT", path, body) }

func (c *client) delete(path string) *reply { c.t.Helper(); return c.send("DELETE", path, nil) }

// send sends a request to the next replica and checks what is true of every
// answer.
func (c *client) send(method, path string, body any) *reply {
	c.t.Helper()
	r, text := c.request(method, path, body)
	resp, err := c.http.Do(r)
	if err != nil {
		c.t.Fatalf("%s %s: %v", method, path, err)
	}
	defer resp.Body.Close()
	read := io.ReadAll
	if resp.Header.Get("Content-Type") == eventsType {
		read = firstBlock
	}
	answer, err := read(resp.Body)
	if err != nil {
		c.t.Fatalf("%s %s: read the answer: %v", method, path, err)
	}
	a := &reply{t: c.t, what: method + " " + r.URL.RequestURI(), status: resp.StatusCode, header: resp.Header, body: answer}
	for _, err := range a.check(c.s.document, r, text, c.sloppy) {
		c.t.Errorf("%s: %d %s: %v", a.what, a.status, clip(a.body), err)
	}
	return a
}

// request is a request to the next replica, and its body. A path gets the
// prefix of the API unless it has it or begins with "!", which is dropped. A
// body that is a string is sent as it is, any other as its JSON, nil not at
// all.
func (c *client) request(method, path string, body any) (*http.Request, []byte) {
	c.t.Helper()
	outside := strings.HasPrefix(path, "!")
	if path = strings.TrimPrefix(path, "!"); !outside && !strings.HasPrefix(path, api) {
		path = api + path
	}
	text := encode(c.t, body)
	replica := int(c.turn.Add(1)) % len(c.s.URLs)
	r, err := http.NewRequestWithContext(c.t.Context(), method, c.s.URLs[replica]+path, bytes.NewReader(text))
	if err != nil {
		c.t.Fatalf("%s %s: %v", method, path, err)
	}
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	for name, values := range c.header {
		r.Header[name] = values
	}
	if len(r.Header.Values(consoleHeader)) > 0 { // browsers know one address of all replicas
		r.Host = strings.TrimPrefix(c.s.URLs[0], "http://")
	}
	return r, text
}

func encode(t *testing.T, body any) []byte {
	t.Helper()
	switch b := body.(type) {
	case nil:
		return nil
	case string:
		return []byte(b)
	}
	text, err := json.Marshal(body)
	if err != nil {
		t.Fatalf("Marshal(%v) = %v", body, err)
	}
	return text
}

// sorted is a copy in ascending order.
func sorted(values []string) []string {
	values = slices.Clone(values)
	slices.Sort(values)
	return values
}
