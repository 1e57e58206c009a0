package apitest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
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

func (c *client) get(path string) *reply            { c.t.Helper(); return c.send("GET", path, nil) }
func (c *client) post(path string, body any) *reply { c.t.Helper(); return c.send("POST", path, body) }
func (c *client) patch(path string, body any) *reply {
	c.t.Helper()
	return c.send("PATCH", path, body)
}
func (c *client) put(path string, body any) *reply { c.t.Helper(); return c.send("PUT", path, body) }
func (c *client) delete(path string) *reply        { c.t.Helper(); return c.send("DELETE", path, nil) }

// send sends a request to the next replica and checks what is true of every
// answer. A path that does not begin with the prefix of the API gets it. A body
// that is a string or bytes is sent as it is, any other as its JSON, nil not at
// all.
func (c *client) send(method, path string, body any) *reply {
	c.t.Helper()
	if !strings.HasPrefix(path, api) && !strings.HasPrefix(path, "!") {
		path = api + path
	}
	path = strings.TrimPrefix(path, "!") // a path outside of the API
	text := encode(c.t, body)
	urls := c.s.URLs
	base := urls[int(c.turn.Add(1))%len(urls)]
	r, err := http.NewRequestWithContext(c.t.Context(), method, base+path, bytes.NewReader(text))
	if err != nil {
		c.t.Fatalf("%s %s: %v", method, path, err)
	}
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	for name, values := range c.header {
		r.Header[name] = values
	}
	resp, err := c.http.Do(r)
	if err != nil {
		c.t.Fatalf("%s %s: %v", method, path, err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		c.t.Fatalf("%s %s: read the answer: %v", method, path, err)
	}
	a := &reply{t: c.t, what: method + " " + path, status: resp.StatusCode, header: resp.Header, body: answer}
	for _, err := range a.check(c.s.document, r, text, c.sloppy) {
		c.t.Errorf("%s %s: %d %s: %v", method, path, a.status, clip(a.body), err)
	}
	return a
}

func encode(t *testing.T, body any) []byte {
	t.Helper()
	switch b := body.(type) {
	case nil:
		return nil
	case string:
		return []byte(b)
	case []byte:
		return b
	}
	text, err := json.Marshal(body)
	if err != nil {
		t.Fatalf("Marshal(%v) = %v", body, err)
	}
	return text
}

// reply is an answer.
type reply struct {
	t      *testing.T
	what   string // method and path of the request
	status int
	header http.Header
	body   []byte
	doc    any // once parsed
}

// want ends the test unless the answer has this status.
func (r *reply) want(status int) *reply {
	r.t.Helper()
	if r.status != status {
		r.t.Fatalf("%s = %d %s, want %d", r.what, r.status, clip(r.body), status)
	}
	return r
}

// refused reports an answer that is not this error, or does not say this.
func (r *reply) refused(status, code int, says ...string) *reply {
	r.t.Helper()
	if got, gotCode := r.codes(); got != status || gotCode != code {
		r.t.Errorf("%s = %d %s, want %d/%d", r.what, r.status, clip(r.body), status, code)
		return r
	}
	for _, s := range says {
		if !strings.Contains(r.text("error"), s) {
			r.t.Errorf("%s says %q, want %q in it", r.what, r.text("error"), s)
		}
	}
	return r
}

// codes is the status and, for an error, its code.
func (r *reply) codes() (status, code int) {
	if r.status < http.StatusBadRequest {
		return r.status, 0
	}
	var e struct {
		Code   int `json:"error_code"`
		Detail struct {
			Code int `json:"error_code"`
		} `json:"error_detail"`
	}
	if err := json.Unmarshal(r.body, &e); err != nil {
		return r.status, 0
	}
	return r.status, max(e.Code, e.Detail.Code)
}

// at returns what a dotted path such as "data.0.name" leads to.
func (r *reply) at(path string) any {
	r.t.Helper()
	v, err := r.find(path)
	if err != nil {
		r.t.Fatalf("%s = %d %s: %v", r.what, r.status, clip(r.body), err)
	}
	return v
}

func (r *reply) find(path string) (any, error) {
	if r.doc == nil {
		doc, err := decode(r.body)
		if err != nil {
			return nil, err
		}
		r.doc = doc
	}
	v := r.doc
	for _, step := range strings.Split(path, ".") {
		switch x := v.(type) {
		case obj:
			next, ok := x[step]
			if !ok {
				return nil, fmt.Errorf("there is no %q of %s", step, path)
			}
			v = next
		case list:
			i, err := strconv.Atoi(step)
			if err != nil || i < 0 || i >= len(x) {
				return nil, fmt.Errorf("there is no item %q of %s", step, path)
			}
			v = x[i]
		default:
			return nil, fmt.Errorf("nothing can be below %q of %s", step, path)
		}
	}
	return v, nil
}

// decode reads JSON without rounding numbers.
func decode(text []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var v any
	err := d.Decode(&v)
	return v, err
}

func (r *reply) text(path string) string {
	r.t.Helper()
	s, ok := r.at(path).(string)
	if !ok {
		r.t.Fatalf("%s: %s is %v, want a text", r.what, path, r.at(path))
	}
	return s
}

func (r *reply) number(path string) int {
	r.t.Helper()
	n, err := strconv.Atoi(fmt.Sprint(r.at(path)))
	if err != nil {
		r.t.Fatalf("%s: %s is %v, want a whole number", r.what, path, r.at(path))
	}
	return n
}

func (r *reply) items(path string) []any {
	r.t.Helper()
	items, ok := r.at(path).(list)
	if !ok {
		r.t.Fatalf("%s: %s is %v, want an array", r.what, path, r.at(path))
	}
	return items
}

// column returns the values that all items of an array have at a dotted path.
func (r *reply) column(path, below string) []any {
	r.t.Helper()
	values := []any{}
	for i := range r.items(path) {
		values = append(values, r.at(path+"."+strconv.Itoa(i)+"."+below))
	}
	return values
}

// has reports a value that differs from want, which is compared as JSON.
func (r *reply) has(path string, want any) *reply {
	r.t.Helper()
	if diff := cmp.Diff(asJSON(r.t, want), r.at(path)); diff != "" {
		r.t.Errorf("%s: %s (-want +got):\n%s", r.what, path, diff)
	}
	return r
}

// hasAll is has for every member of want, below a path.
func (r *reply) hasAll(path string, want obj) *reply {
	r.t.Helper()
	for name, v := range want {
		r.has(path+"."+name, v)
	}
	return r
}

// asJSON is v as it would come back from a service.
func asJSON(t *testing.T, v any) any {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatalf("Marshal(%v) = %v", v, err)
	}
	decoded, err := decode(text)
	if err != nil {
		t.Fatalf("decode(%s) = %v", text, err)
	}
	return decoded
}

// etag returns the answer's entity tag, which must be strong.
func (r *reply) etag() string {
	r.t.Helper()
	tag := r.header.Get("ETag")
	if len(tag) < 3 || tag[0] != '"' || tag[len(tag)-1] != '"' {
		r.t.Fatalf("%s: ETag = %s, want a strong tag", r.what, tag)
	}
	return tag
}

func clip(body []byte) string {
	const enough = 600
	if len(body) > enough {
		return string(body[:enough]) + "…"
	}
	return string(body)
}

// sorted is a copy in ascending order.
func sorted(values []string) []string {
	values = slices.Clone(values)
	slices.Sort(values)
	return values
}
