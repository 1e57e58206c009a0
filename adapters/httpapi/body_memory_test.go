package httpapi

import (
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
)

// What a hostile body makes the service allocate has a bound that follows from
// the limit of its length, however it is announced. What is allocated in total
// is more than is in use at any time.
func TestHostileBodiesAndMemory(t *testing.T) {
	const mebibyte = 1 << 20
	fill := func(begin, part, end string) string {
		return begin + strings.Repeat(part, (defaultMaxBody-len(begin)-len(end))/len(part)) + end
	}
	keys := []byte(`{"k":0`)
	for i := range 100_000 {
		keys = fmt.Appendf(keys, `,"%x":1`, i)
	}
	for what, tt := range map[string]struct {
		body string
		most uint64
	}{
		"white space":            {fill("", " ", ""), 6 * mebibyte},
		"open arrays":            {fill("", "[", ""), 6 * mebibyte},
		"text":                   {fill(`{"x":"`, "x", `"}`), 6 * mebibyte},
		"escapes":                {fill(`{"x":"`, `\u00e4`, `"}`), 6 * mebibyte},
		"too large":              {strings.Repeat("x", 64*mebibyte), 6 * mebibyte},
		"hundred thousand names": {string(keys) + "}", 50 * mebibyte},
		"empty objects":          {fill("[", "{},", "{}]"), 80 * mebibyte},
		"small numbers":          {fill("[", "1,", "1]"), 100 * mebibyte},
	} {
		for how, length := range map[string]int64{"chunks": -1, "announced": int64(len(tt.body))} {
			f := newFake(t, ok)
			r := request(t, "PATCH", "/api/v1/company", "{}")
			r.ContentLength, r.Body = length, io.NopCloser(strings.NewReader(tt.body))
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			w := f.send(r)
			runtime.ReadMemStats(&after)
			used := after.TotalAlloc - before.TotalAlloc
			if w.Code != 400 || used > tt.most || length > defaultMaxBody && used > mebibyte {
				t.Errorf("%s, %s: answer %d, %d bytes allocated, want 400 and %d at most", what, how, w.Code, used, tt.most)
			}
			t.Logf("R13: %s, %s: %.1f MiB allocated", what, how, float64(used)/mebibyte)
		}
	}
}
