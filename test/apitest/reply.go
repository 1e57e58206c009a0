package apitest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

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
	return find(r.doc, path)
}

// find returns what stands at a path of a decoded document.
func find(v any, path string) (any, error) {
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

// is reports whether the answer is this error.
func (r *reply) is(status, code int) bool {
	gotStatus, gotCode := r.codes()
	return gotStatus == status && gotCode == code
}

// success reports an answer that is none.
func (r *reply) success() *reply {
	r.t.Helper()
	if r.status >= 300 {
		r.t.Errorf("%s = %d %s, want success", r.what, r.status, clip(r.body))
	}
	return r
}
