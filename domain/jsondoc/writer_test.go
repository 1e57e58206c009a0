package jsondoc_test

import (
	"encoding/json"
	"testing"
	"time"

	"pgregory.net/rapid"

	"orgd/domain/decimal"
	"orgd/domain/jsondoc"
)

func TestWriter(t *testing.T) {
	text, n := "x", int64(-7)
	d, o := decimal.Decimal("1.5"), jsondoc.Object(`{"k":1}`)
	at := time.Date(2026, 1, 31, 13, 0, 0, 987_654_321, time.FixedZone("", 3600))
	for want, write := range map[string]func(w *jsondoc.Writer){
		`{}`: func(w *jsondoc.Writer) { w.Open(); w.Close() },
		`{"a":{},"b":[],"c":[[],{}]}`: func(w *jsondoc.Writer) {
			w.Open()
			w.Field("a").Open()
			w.Close()
			w.Field("b").Texts(nil)
			w.Field("c").OpenList()
			w.OpenList()
			w.CloseList()
			w.Open()
			w.Close()
			w.CloseList()
			w.Close()
		},
		`{"a":"{","b":"[:,","":true}`: func(w *jsondoc.Writer) {
			w.Open()
			w.Field("a").Text("{")
			w.Field("b").Text("[:,")
			w.Field("").Bool(true)
			w.Close()
		},
		`["x",null,-7,null,1.5,null,{"k":1},null,"2026-01-31T12:00:00.987Z",null,false,null]`: func(w *jsondoc.Writer) {
			w.OpenList()
			w.TextOrNull(&text)
			w.TextOrNull(nil)
			w.IntOrNull(&n)
			w.IntOrNull(nil)
			w.NumberOrNull(&d)
			w.NumberOrNull(nil)
			w.FreeOrNull(&o)
			w.FreeOrNull(nil)
			w.TimeOrNull(&at)
			w.TimeOrNull(nil)
			w.Bool(false)
			w.Null()
			w.CloseList()
		},
		`[0,{},["a","b"],{"a":[1]},9223372036854775807]`: func(w *jsondoc.Writer) {
			w.OpenList()
			w.Number("")
			w.Free("")
			w.Texts([]string{"a", "b"})
			w.Value(parse(t, `{"a":[1.0]}`))
			w.Raw("9223372036854775807")
			w.CloseList()
		},
		`"\u0000\u001f\b\t\n\f\r\"\\/<>&` + "\u007f\u2028é😀\ufffd\ufffd" + `"`: func(w *jsondoc.Writer) {
			w.Text("\x00\x1f\b\t\n\f\r\"\\/<>&\u007f\u2028é😀\xff\ufffd")
		},
	} {
		w := jsondoc.NewWriter(nil)
		write(w)
		if got := string(w.Bytes()); got != want || !json.Valid(w.Bytes()) {
			t.Errorf("Writer wrote\n%s, want\n%s", got, want)
		}
	}
}

func TestWriterAppends(t *testing.T) {
	w := jsondoc.NewWriter([]byte("data: 1"))
	w.Open()
	w.Field("a").Int(1)
	w.Close()
	if got := string(w.Bytes()); got != `data: 1{"a":1}` {
		t.Errorf("Writer wrote %s, want no comma behind foreign text", got)
	}
}

// What a long Writer hands over is the text that another one has, whatever is kept of it.
func TestLongWriter(t *testing.T) {
	write := func(w *jsondoc.Writer) {
		w.Open()
		w.Field("a").OpenList()
		for i := range int64(50_000) {
			w.Int(i)
			w.Texts([]string{"{", ","})
		}
		w.CloseList()
		w.Field("b").Null()
		w.Close()
	}
	whole := jsondoc.NewWriter(nil)
	write(whole)
	var got []byte
	parts := 0
	long := jsondoc.NewLongWriter(64<<10, func(text []byte) []byte {
		parts++
		end := len(text) - 1
		got = append(got, text[:end]...)
		return append(text[:0], text[end])
	})
	write(long)
	got = append(got, long.Bytes()...)
	if want := len(whole.Bytes()) / (64 << 10); string(got) != string(whole.Bytes()) || parts != want {
		t.Errorf("%d bytes in %d parts, want %d in %d", len(got), parts, len(whole.Bytes()), want)
	}
}

func TestPropertyWriterIsRead(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		texts := rapid.SliceOf(rapid.String()).Draw(t, "texts")
		n := rapid.Int64().Draw(t, "n")
		w := jsondoc.NewWriter(nil)
		w.Open()
		w.Field("texts").Texts(texts)
		w.Field("n").Int(n)
		w.Close()
		v := mustParse(t, string(w.Bytes()))
		items := v.Members()[0].Value.Items()
		for i, s := range texts {
			if items[i].Text() != s {
				t.Fatalf("text %d = %q, want %q", i, items[i].Text(), s)
			}
		}
		if got, ok := v.Members()[1].Value.Number().Int(); !ok || got != n {
			t.Fatalf("n = %d, %t, want %d", got, ok, n)
		}
	})
}

// Times read as the layout has them, whatever it is that is cut off.
func TestWriterTime(t *testing.T) {
	zone := time.FixedZone("", -8*3600)
	for _, at := range []time.Time{
		{}, time.Unix(0, 0), time.Unix(1<<31, 999_999_999), time.Unix(-1, 1), time.Date(9999, 12, 31, 23, 59, 59, 0, zone),
		time.Date(-1, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(12345, 10, 9, 8, 7, 6, 5e6, time.UTC), time.Date(2024, 2, 29, 23, 5, 9, 40e6, zone),
	} {
		w := jsondoc.NewWriter(nil)
		w.Time(at)
		if got, want := string(w.Bytes()), `"`+at.UTC().Format(jsondoc.TimeLayout)+`"`; got != want {
			t.Errorf("Time(%v) = %s, want %s", at, got, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		at := time.UnixMilli(rapid.Int64Range(-70_000_000_000_000, 300_000_000_000_000).Draw(t, "ms"))
		w := jsondoc.NewWriter(nil)
		w.Time(at)
		if got, want := string(w.Bytes()), `"`+at.UTC().Format(jsondoc.TimeLayout)+`"`; got != want {
			t.Errorf("Time(%v) = %s, want %s", at, got, want)
		}
	})
}
