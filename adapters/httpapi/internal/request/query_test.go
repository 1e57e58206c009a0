package request

import (
	"bytes"
	"net/http/httptest"
	"strings"
	"testing"

	"orgd/adapters/httpapi/internal/protocol"
)

var testCursors = protocol.Cursors{Key: bytes.Repeat([]byte{7}, 32)}

// get returns a request that has what reading its query needs.
func get(target string) *Request {
	return &Request{HTTP: httptest.NewRequest("GET", target, nil), Env: &Env{Cursors: testCursors}, Route: &Route{Name: "GET /list"}}
}

func TestQueryText(t *testing.T) {
	long := strings.Repeat("ä", 8)
	for query, want := range map[string]string{
		"":                   "",
		"other=1&other=2":    "",
		"a=x":                "x",
		"a=x%20y":            "x y",
		"a=x+y":              "x y",
		"A=x":                "",
		"a%5B%24ne%5D=x":     "",
		"a=" + long:          long,
		"a":                  "error: a: must not be empty",
		"a=":                 "error: a: must not be empty",
		"a=x&a=x":            "error: a: must be given once",
		"a=&a=":              "error: a: must be given once",
		"a=%ff":              "error: a: must be UTF-8",
		"a=" + long + "x":    "error: a: must be at most 8 characters, not 9",
		"a=%zz":              "error: the query is not well formed",
		"other=%zz&a=x":      "error: the query is not well formed",
		"a=x;b=y":            "error: the query is not well formed",
		"a=%00":              "\x00",
		"%61=x":              "x",
		"a=x&other=%E4%BD%A": "error: the query is not well formed",
	} {
		q := get("/list?" + query).Query()
		got := q.Text("a", 8)
		if q.Err != nil {
			got += "error: " + q.Err.Error()
		}
		if got != want {
			t.Errorf("text(%s) = %q, want %q", query, got, want)
		}
	}
}

func TestQueryNumber(t *testing.T) {
	const fallback, wrong = 50, -1
	for text, want := range map[string]int64{
		"1": 1, "200": 200, "0": wrong, "201": wrong, "-1": wrong, "+1": wrong, "%2B1": wrong, "01": wrong, "1.0": wrong, "1e1": wrong,
		"0x10": wrong, "x": wrong, "%20" + "1": wrong, "99999999999999999999": wrong, "999999999999999999999999": wrong, "1_0": wrong, "١": wrong,
	} {
		q := get("/list?limit=" + text).Query()
		got := q.Number("limit", 1, 200, fallback)
		if want == wrong {
			if q.Err == nil {
				t.Errorf("number(%s) = %d, want an error", text, got)
			}
		} else if q.Err != nil || got != want {
			t.Errorf("number(%s) = %d, %v, want %d", text, got, q.Err, want)
		}
	}
	q := get("/list").Query()
	if got := q.Number("limit", 1, 200, fallback); got != fallback || q.Err != nil {
		t.Errorf("number() = %d, %v, want %d", got, q.Err, fallback)
	}
}

func TestQueryFlag(t *testing.T) {
	for text, want := range map[string]string{"true": "true", "false": "false", "TRUE": "error", "1": "error", "yes": "error"} {
		q := get("/list?dry_run=" + text).Query()
		got := "false"
		if q.Flag("dry_run") {
			got = "true"
		}
		if q.Err != nil {
			got = "error"
		}
		if got != want {
			t.Errorf("flag(%s) = %s, want %s", text, got, want)
		}
	}
}

// A cursor belongs to a list, its path and its filters, but not to the size of
// the page or to parameters that the list does not know.
func TestPagingScope(t *testing.T) {
	pageOf := func(target string) (Paging, error) {
		q := get(target).Query()
		q.Text("type", 10)
		return q.Paging(DefaultLimit, 1)
	}
	first, err := pageOf("/list?type=a")
	if err != nil || first.At != nil || first.Limit != DefaultLimit {
		t.Fatalf("paging = %+v, %v, want the first page", first, err)
	}
	cursor := testCursors.Seal(first.scope, protocol.Position{"7"})
	for target, want := range map[string]bool{
		"/list?type=a&cursor=":         true,
		"/list?type=a&limit=3&cursor=": true,
		"/list?type=a&x=1&cursor=":     true,
		"/list?cursor=":                false,
		"/list?type=b&cursor=":         false,
		"/other?type=a&cursor=":        false,
	} {
		p, err := pageOf(target + cursor)
		if got := err == nil && len(p.At) == 1 && p.At[0] == "7"; got != want {
			t.Errorf("paging(%s) = %+v, %v, want accepted: %v", target, p, err, want)
		}
	}
	for _, query := range []string{"cursor=", "cursor=x&cursor=x", "limit=0", "limit=1&limit=1"} {
		if p, err := pageOf("/list?type=a&" + query); err == nil {
			t.Errorf("paging(%s) = %+v, want an error", query, p)
		}
	}
}
