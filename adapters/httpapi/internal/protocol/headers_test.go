package protocol

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"orgd/domain/limit"
)

func TestSetRateLimit(t *testing.T) {
	h := http.Header{}
	SetRateLimit(h, nil)
	if len(h) != 0 {
		t.Errorf("SetRateLimit(nothing) = %v, want no headers", h)
	}
	SetRateLimit(h, []limit.Usage{
		{Window: limit.Window{Name: "address", Cap: 10000, Length: time.Minute}, Remaining: 9999, Reset: 59500 * time.Millisecond},
		{Window: limit.Window{Name: "agents.create", Cap: 60, Length: time.Minute}, Remaining: 0, Reset: time.Second},
	})
	for name, want := range map[string]string{
		"RateLimit-Policy": `"address";q=10000;w=60, "agents.create";q=60;w=60`,
		"RateLimit":        `"address";r=9999;t=60, "agents.create";r=0;t=1`,
	} {
		if got := h.Get(name); got != want {
			t.Errorf("%s = %s, want %s", name, got, want)
		}
	}
}

func TestSeconds(t *testing.T) {
	for d, want := range map[time.Duration]int64{
		0: 1, time.Millisecond: 1, time.Second: 1, time.Second + 1: 2, time.Minute: 60, -time.Second: 1,
	} {
		if got := Seconds(d); got != want {
			t.Errorf("Seconds(%v) = %d, want %d", d, got, want)
		}
	}
}

func TestChangeReason(t *testing.T) {
	if got, err := ChangeReason(http.Header{}); got != nil || err != nil {
		t.Errorf("ChangeReason() = %v, %v, want none", got, err)
	}
	long := strings.Repeat("ä", 1024)
	for text, want := range map[string]string{
		"because":            "because",
		"new%20model":        "new model",
		"a+b":                "a+b",
		url.PathEscape("é界"): "é界",
		"é":                  "é",
		url.PathEscape(long): long,
	} {
		got, err := ChangeReason(http.Header{"Change-Reason": {text}})
		if err != nil || *got != want {
			t.Errorf("ChangeReason(%q) = %v, %v, want %q", text, got, err, want)
		}
	}
	for _, values := range [][]string{
		{""}, {"a", "b"}, {"%zz"}, {"%"}, {"%ff"}, {"\xff"}, {"a\tb"}, {"a\u0085b"}, {strings.Repeat("a", 1025)}, {url.PathEscape(long + "x")},
	} {
		if got, err := ChangeReason(http.Header{"Change-Reason": values}); err == nil {
			t.Errorf("ChangeReason(%.20q) = %q, want errReason", values, *got)
		}
	}
}

func TestChangeReasonSaysWhatIsWrong(t *testing.T) {
	for want, values := range map[string][]string{
		"Change-Reason: must be given once":                            {"a", "b"},
		"Change-Reason: must be at most 1024 characters, it has 1025":  {url.PathEscape(strings.Repeat("ä", 1025))},
		"Change-Reason: must be percent-encoded UTF-8, without U+0009": {"a\tb"},
		"Change-Reason: must be percent-encoded UTF-8, without U+0085": {"a\u0085b"},
		"Change-Reason: must be percent-encoded UTF-8":                 {"%ff"},
		"Change-Reason: must not be empty; leave it out for no reason": {""},
	} {
		if _, err := ChangeReason(http.Header{"Change-Reason": values}); err == nil || err.Error() != want {
			t.Errorf("ChangeReason(%.20q) = %v, want %q", values, err, want)
		}
	}
}

func TestBearer(t *testing.T) {
	for text, want := range map[string]string{
		"Bearer abc": "abc", "bearer abc": "abc", "BEARER  abc ": "abc",
		"Basic abc": "", "Bearer": "", "Bearer ": "", "abc": "", "": "",
	} {
		got, present := Bearer(http.Header{"Authorization": {text}})
		if got != want || !present {
			t.Errorf("Bearer(%q) = %q, %v, want %q", text, got, present, want)
		}
	}
	if got, present := Bearer(http.Header{}); got != "" || present {
		t.Errorf("Bearer() = %q, %v, want none", got, present)
	}
	if got, present := Bearer(http.Header{"Authorization": {"Bearer a", "Bearer b"}}); got != "" || !present {
		t.Errorf("Bearer(two) = %q, %v, want a malformed one", got, present)
	}
}
