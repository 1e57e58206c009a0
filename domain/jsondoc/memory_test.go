package jsondoc_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"orgd/domain/decimal"
	"orgd/domain/jsondoc"
)

// A text is checked, and read by who knows other members than it has, in little
// memory beside the text, whatever it consists of. What is allocated is more
// than what is in use at any time.
func TestMemory(t *testing.T) {
	const mebibyte = 1 << 20
	most := uint64(2 * mebibyte)
	if testing.Short() {
		most *= 2 // with the race detector more is allocated
	}
	fill := func(begin, part, end string) string {
		return begin + strings.Repeat(part, (mebibyte-len(begin)-len(end))/len(part)) + end
	}
	names := func(begin, format, end string) string {
		text := []byte(begin)
		for i := 0; len(text) < mebibyte-24; i++ {
			text = fmt.Appendf(text, format, i)
		}
		return string(text[:len(text)-1]) + end
	}
	for what, text := range map[string]string{
		"numbers":        fill(`{"l":[`, "1,", "1]}"),
		"fractions":      fill(`{"l":[`, "1.50,", "1]}"),
		"empty arrays":   fill(`{"l":[`, "[],", "1]}"),
		"objects":        fill(`{"l":[`, `{"a":0,"b":{}},`, "1]}"),
		"names":          names("{", `"%x":0,`, "}"),
		"escaped names":  names("{", `"\u0061%x":0,`, "}"),
		"names below":    names(`{"f":{`, `"%x":0,`, "}}"),
		"a text":         fill(`{"t":"`, "x", `"}`),
		"an escape":      fill(`{"t":"\n`, "x", `"}`),
		"escapes":        fill(`{"t":"`, `\u00e4`, `"}`),
		"a number":       fill(`{"d":`, "7", "}"),
		"a fraction":     fill(`{"d":7.`, "7", "}"),
		"equal texts":    fill(`{"l":[`, `"x",`, `"x"]}`),
		"different ones": names(`{"l":[`, `"%x",`, "]}"),
	} {
		var v jsondoc.Value
		var err error
		checking := allocated(func() { v, err = jsondoc.Parse(text) })
		if err != nil {
			t.Errorf("%s: %v", what, err)
			continue
		}
		reading := allocated(func() {
			err = jsondoc.Read(v, func(r *jsondoc.Reader) {
				r.Text("t", new(string), 0, 10)
				r.Decimal("d", new(decimal.Decimal), "0", "1")
				r.Texts("l", new([]string), jsondoc.Bounds{MaxItems: 10_000, MaxLen: 10})
				r.Free("f", new(jsondoc.Object), 64<<10)
			})
		})
		if err == nil {
			t.Errorf("%s: Read found no problem", what)
		}
		if checking > most || reading > most {
			t.Errorf("%s: checking it allocated %d bytes, reading it %d", what, checking, reading)
		}
		t.Logf("%s: checking it allocated %.2f MiB, reading it %.2f", what, float64(checking)/mebibyte, float64(reading)/mebibyte)
	}
}

// allocated is how many bytes f allocates.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}
