package httpapi

import (
	"fmt"
	"io"
	"runtime"
	"runtime/metrics"
	"strings"
	"testing"

	"orgd/adapters/httpapi/internal/request"
)

const mebibyte = 1 << 20

// What a hostile body makes the service hold beside the body itself is two
// mebibytes at most on a route with a limit of one, however it is announced.
//
// While the body arrives, what is live is measured: what a collection of garbage
// finds in use, again and again, less what was in use before and the body. From
// its end on, everything counts that is allocated until the answer is there. The
// bound of that is three mebibytes, because the body is checked first and read
// then, and package jsondoc has the bound of two for each.
func TestHostileBodiesAndMemory(t *testing.T) {
	arriving, judging := int64(2*mebibyte), int64(3*mebibyte)
	if testing.Short() {
		judging *= 2 // with the race detector more is allocated
	}
	for what, body := range hostileBodies() {
		for how, length := range map[string]int64{"chunks": -1, "announced": int64(len(body))} {
			used, answer := measure(t, "PATCH", "/api/v1/company", request.DefaultMaxBody, body, length)
			if used.arriving > arriving || used.judging > judging || length > request.DefaultMaxBody && used.arriving > 64<<10 {
				t.Errorf("%s, %s: %v", what, how, used)
			}
			if !strings.Contains(answer, `"error_code":2001`) {
				t.Errorf("%s, %s: the answer is %.300s, want code 2001", what, how, answer)
			}
			t.Logf("R13: %s, %s: %v", what, how, used)
		}
	}
}

// What a hostile batch of events takes follows in the same way from the limit of
// its route, which is eight times as high.
func TestHostileBatchesAndMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("takes many seconds with the race detector")
	}
	const limit = 8 << 20
	fill := func(begin, part, end string) string {
		return begin + strings.Repeat(part, (limit-len(begin)-len(end))/len(part)) + end
	}
	for what, body := range map[string]string{
		"small numbers":           fill(`{"events":[`, "1,", "1]}"),
		"empty events":            fill(`{"events":[`, "{},", "{}]}"),
		"events of small numbers": fill(`{"events":[`, `{"data":[`+strings.Repeat("1,", 10_000)+`1]},`, "{}]}"),
		"data of small numbers":   fill(`{"events":[{"data":{"x":[`, "1,", "1]}}]}"),
		"names":                   names(`{"events":[{"data":{`, `"%x":1,`, "}}]}", limit),
		"related names":           names(`{"events":[{"related_ids":{`, `"%x":1,`, "}}]}", limit),
		"a long related text":     fill(`{"events":[{"related_ids":{"x":"`, "x", `"}}]}`),
	} {
		used, answer := measure(t, "POST", "/api/v1/activities", limit, body, -1)
		if used.arriving > 2*limit || used.judging > 3*limit {
			t.Errorf("%s: %v", what, used)
		}
		if !strings.Contains(answer, `"error_code":2001`) {
			t.Errorf("%s: the answer is %.300s, want code 2001", what, answer)
		}
		t.Logf("R13: %s: %v", what, used)
	}
}

// names writes so many different names that the text is nearly as long as limit.
func names(begin, format, end string, limit int) string {
	text := []byte(begin)
	for i := 0; len(text) < limit-24; i++ {
		text = fmt.Appendf(text, format, i)
	}
	return string(text[:len(text)-1]) + end
}

// hostileBodies are bodies of a mebibyte and one of 64, none of them acceptable.
func hostileBodies() map[string]string {
	fill := func(begin, part, end string) string {
		return begin + strings.Repeat(part, (request.DefaultMaxBody-len(begin)-len(end))/len(part)) + end
	}
	many := names("{", `"%x":1,`, "}", request.DefaultMaxBody)
	return map[string]string{
		"white space":          fill("", " ", ""),
		"open arrays":          fill("", "[", ""),
		"text":                 fill(`{"x":"`, "x", `"}`),
		"escapes":              fill(`{"x":"`, `\u00e4`, `"}`),
		"too large":            strings.Repeat("x", 64*mebibyte),
		"names":                many,
		"escaped names":        names("{", `"\u0061%x":1,`, "}", request.DefaultMaxBody),
		"names below":          names(`{"settings":{`, `"%x":1,`, "}}", request.DefaultMaxBody),
		"many objects":         fill("[", `{"a":1,"b":2},`, "{}]"),
		"empty objects":        fill("[", "{},", "{}]"),
		"small numbers":        fill("[", "1,", "1]"),
		"small numbers inside": fill(`{"settings":{"x":[`, "1,", "1]}}"),
		"fractions":            fill("[", "1.50,", "1]"),
		"an endless name":      fill(`{"company_name":"`, "e\u0301", `"}`),
		"an endless number":    fill(`{"budget_monthly":`, "1", `}`),
		"an endless key":       fill(`{"`, "x", `":1}`),
		"an endless word":      fill("", "x", ""),
		"an equal name":        strings.TrimSuffix(many, "}") + `,"0":1}`,
	}
}

// use is what a request used beside its body, in bytes.
type use struct{ arriving, judging int64 }

func (u use) String() string {
	return fmt.Sprintf("%.2f MiB in use while the body arrives, %.2f MiB allocated then",
		float64(u.arriving)/mebibyte, float64(u.judging)/mebibyte)
}

// measure sends a body that is refused, in chunks if its length is -1, and
// returns the answer.
func measure(t *testing.T, method, path string, limit int, body string, length int64) (used use, answer string) {
	t.Helper()
	f := newFake(t, ok)
	r := newRequest(t, method, path, "{}")
	m := &measured{Reader: strings.NewReader(body)}
	r.ContentLength, r.Body = length, io.NopCloser(m)
	before := live()
	m.allocated = allocated()
	w := f.send(r)
	after := allocated()
	if w.Code != 400 {
		t.Errorf("%.20q… of %d bytes = %d, want 400", body, len(body), w.Code)
	}
	used = use{judging: after - m.allocated}
	if m.live > 0 {
		used.arriving = m.live - before - int64(min(len(body), limit))
	}
	return used, w.Body.String()
}

// measured is a body that measures while it is read.
type measured struct {
	io.Reader
	read      int
	live      int64 // the most in use
	allocated int64 // in total, when it was asked for the last time
}

func (m *measured) Read(p []byte) (int, error) {
	const step = 1 << 18 // whenever so much more has been read
	if before := m.read - len(p); before < 0 || before/step < m.read/step {
		m.live = max(m.live, live())
	}
	m.allocated = allocated()
	n, err := m.Reader.Read(p)
	m.read += n
	return n, err
}

// live is how many bytes a collection of garbage finds in use.
func live() int64 {
	runtime.GC()
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(sample)
	return int64(sample[0].Value.Uint64())
}

// allocated is how many bytes were ever allocated.
func allocated() int64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.TotalAlloc)
}
