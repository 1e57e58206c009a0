package jsondoc_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"orgd/domain/decimal"
	"orgd/domain/fault"
	"orgd/domain/jsondoc"
)

// form has a field of every sort that a Reader knows.
type form struct {
	Text      string
	TextNull  *string
	Flag      bool
	Int       int64
	IntNull   *int64
	Decimal   decimal.Decimal
	Time      time.Time
	TimeNull  *time.Time
	Level     level
	LevelNull *level
	Texts     []string
	Free      jsondoc.Object
	FreeNull  *jsondoc.Object
	Nested    point
	List      []point
}

type level string

type point struct {
	X, Y int64
	Free jsondoc.Object
}

func (p *point) read(r *jsondoc.Reader) {
	r.Int("x", &p.X, 0, 9)
	r.Int("y", &p.Y, 0, 9)
	r.Free("free", &p.Free, 64)
}

func (f *form) read(r *jsondoc.Reader) {
	r.Text("text", &f.Text, 1, 4)
	r.TextOrNull("text_null", &f.TextNull, 0, 4)
	r.Bool("flag", &f.Flag)
	r.Int("int", &f.Int, 1, 100)
	r.IntOrNull("int_null", &f.IntNull, math.MinInt64, math.MaxInt64)
	r.Decimal("decimal", &f.Decimal, "0", "2")
	r.Time("time", &f.Time)
	r.TimeOrNull("time_null", &f.TimeNull)
	jsondoc.Enum(r, "level", &f.Level, "low", "mid", "high")
	jsondoc.EnumOrNull(r, "level_null", &f.LevelNull, "low", "high")
	r.Texts("texts", &f.Texts, jsondoc.Bounds{MaxItems: 3, MinLen: 1, MaxLen: 4})
	r.Free("free", &f.Free, 28)
	r.FreeOrNull("free_null", &f.FreeNull, 28)
	r.Object("nested", f.Nested.read)
	jsondoc.List(r, "list", &f.List, 3, func(r *jsondoc.Reader, p *point) { p.read(r) })
}

// full is a form in which nothing is zero.
func full() form {
	at := time.Date(2026, 1, 31, 12, 0, 0, 5e6, time.UTC)
	return form{
		Text: "text", TextNull: new("null"), Flag: true, Int: 1, IntNull: new(int64(2)), Decimal: "1.5",
		Time: at, TimeNull: &at, Level: "mid", LevelNull: new(level("low")),
		Texts: []string{"a", "b"}, Free: `{"a":1,"b":{"c":2}}`, FreeNull: new(jsondoc.Object(`{"a":1}`)),
		Nested: point{X: 1, Y: 2, Free: `{"k":1}`}, List: []point{{X: 5}, {Y: 6}},
	}
}

// fullText is the document of full, in another order.
const fullText = `{"list":[{"x":5},{"y":6.0}],"nested":{"x":1,"y":2,"free":{"k":1}},
	"free_null":{"a":1},"free":{"b":{"c":2},"a":1},"texts":["a","b"],"level_null":"low","level":"mid",
	"time_null":"2026-01-31T13:00:00.005+01:00","time":"2026-01-31T12:00:00.005999Z","decimal":1.5,
	"int_null":2,"int":1e0,"flag":true,"text_null":"null","text":"text"}`

func TestReadEveryField(t *testing.T) {
	for name, read := range map[string]func(jsondoc.Value, func(*jsondoc.Reader)) error{
		"Read": jsondoc.Read, "ReadWhole": jsondoc.ReadWhole,
	} {
		var got form
		if err := read(parse(t, fullText), got.read); err != nil {
			t.Fatalf("%s = %v, want no error", name, err)
		}
		if diff := cmp.Diff(full(), got); diff != "" {
			t.Errorf("%s: want -, got +\n%s", name, diff)
		}
	}
}

func TestReadMerges(t *testing.T) {
	for patch, change := range map[string]func(*form){
		`{}`: func(*form) {},
		`{"text_null":null,"int_null":null,"time_null":null,"level_null":null,"free_null":null}`: func(f *form) {
			f.TextNull, f.IntNull, f.TimeNull, f.LevelNull, f.FreeNull = nil, nil, nil, nil, nil
		},
		`{"text":"é€😀x"}`:                         func(f *form) { f.Text = "é€😀x" },
		`{"int":1e2}`:                             func(f *form) { f.Int = 100 },
		`{"int_null":-9223372036854775808}`:       func(f *form) { f.IntNull = new(int64(math.MinInt64)) },
		`{"decimal":2.00}`:                        func(f *form) { f.Decimal = "2" },
		`{"flag":false}`:                          func(f *form) { f.Flag = false },
		`{"texts":["x"]}`:                         func(f *form) { f.Texts = []string{"x"} },
		`{"texts":[]}`:                            func(f *form) { f.Texts = nil },
		`{"list":[]}`:                             func(f *form) { f.List = nil },
		`{"list":[{"y":1,"free":{"n":null}},{}]}`: func(f *form) { f.List = []point{{Y: 1, Free: `{"n":null}`}, {}} },
		`{"free":{"a":null,"b":{"d":3},"e":4}}`:   func(f *form) { f.Free = `{"b":{"c":2,"d":3},"e":4}` },
		`{"free":{}}`:                             func(*form) {},
		`{"free_null":{"a":null}}`:                func(f *form) { f.FreeNull = new(jsondoc.Object("")) },
		`{"nested":{"y":9}}`:                      func(f *form) { f.Nested.Y = 9 },
		`{"nested":{"free":{"k":null,"l":2}}}`:    func(f *form) { f.Nested.Free = `{"l":2}` },
	} {
		before, got, want := full(), full(), full()
		change(&want)
		shared := got // whoever holds the same slices and pointers
		if err := jsondoc.Read(parse(t, patch), got.read); err != nil {
			t.Errorf("Read(%s) = %v, want no error", patch, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("Read(%s): want -, got +\n%s", patch, diff)
		}
		if diff := cmp.Diff(before, shared); diff != "" {
			t.Errorf("Read(%s) wrote through to the previous value: want -, got +\n%s", patch, diff)
		}
	}
}

func TestReadIntoNothing(t *testing.T) {
	var got form
	err := jsondoc.Read(parse(t, `{"free_null":{"a":null,"b":1},"free":{"n":{"m":null}}}`), got.read)
	want := form{FreeNull: new(jsondoc.Object(`{"b":1}`)), Free: `{"n":{}}`}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("Read = %v, want -, got +\n%s", err, diff)
	}
}

func TestReadWholeReplacesFreeObjects(t *testing.T) {
	got := full()
	err := jsondoc.ReadWhole(parse(t, `{"free":{"n":null},"free_null":{"o":[null]},"nested":{"free":{"p":null}}}`), got.read)
	want := full()
	want.Free, want.FreeNull, want.Nested.Free = `{"n":null}`, new(jsondoc.Object(`{"o":[null]}`)), `{"p":null}`
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("ReadWhole = %v, want -, got +\n%s", err, diff)
	}
}

func TestReadProblems(t *testing.T) {
	for in, want := range map[string]string{
		`[]`:                                     "the document must be an object, not an array",
		`"x"`:                                    "the document must be an object, not a string",
		`{"text":null}`:                          "text: must not be null",
		`{"text":1}`:                             "text: must be a string",
		`{"text":""}`:                            "text: must be 1 to 4 characters, not 0",
		`{"text":"é€😀xy"}`:                       "text: must be 1 to 4 characters, not 5",
		`{"text_null":"abcde"}`:                  "text_null: must be at most 4 characters, not 5",
		`{"text_null":[]}`:                       "text_null: must be a string",
		`{"flag":1}`:                             "flag: must be true or false",
		`{"flag":null}`:                          "flag: must not be null",
		`{"int":0}`:                              "int: must be a whole number from 1 to 100, not 0",
		`{"int":1.5}`:                            "int: must be a whole number from 1 to 100, not 1.5",
		`{"int":"1"}`:                            "int: must be a whole number from 1 to 100",
		`{"int":1e999999999}`:                    "int: must be a whole number from 1 to 100, not 1e+999999999",
		`{"int":null}`:                           "int: must not be null",
		`{"int_null":1e19}`:                      "int_null: must be a whole number of at most 64 bits, not 10000000000000000000",
		`{"decimal":"1"}`:                        "decimal: must be a number",
		`{"decimal":2.0000000001}`:               "decimal: must be a number from 0 to 2, not 2.0000000001",
		`{"decimal":-1e-99}`:                     "decimal: must be a number from 0 to 2, not -1e-99",
		`{"decimal":true}`:                       "decimal: must be a number",
		`{"time":"yesterday"}`:                   "time: must be a time such as 2026-01-31T12:00:00.000Z",
		`{"time":0}`:                             "time: must be a time such as 2026-01-31T12:00:00.000Z",
		`{"level":"Low"}`:                        "level: must be one of low, mid, high",
		`{"level":3}`:                            "level: must be one of low, mid, high",
		`{"level":null}`:                         "level: must not be null",
		`{"level_null":"mid"}`:                   "level_null: must be one of low, high",
		`{"texts":"a"}`:                          "texts: must be an array of strings",
		`{"texts":null}`:                         "texts: must not be null",
		`{"texts":["a","b","c","d"]}`:            "texts: must have at most 3 items, not 4",
		`{"texts":["a",1,"abcde"]}`:              "texts[1]: must be a string; texts[2]: must be 1 to 4 characters, not 5",
		`{"texts":["a","b","a"]}`:                "texts[2]: must not repeat item 0",
		`{"free":[]}`:                            "free: must be an object",
		`{"free":null}`:                          "free: must not be null",
		`{"free":{"k":"0123456789abcdefghijk"}}`: "free: must be at most 28 bytes of JSON, not 29",
		`{"free_null":1}`:                        "free_null: must be an object",
		`{"nested":null}`:                        "nested: must not be null",
		`{"nested":[]}`:                          "nested: must be an object",
		`{"nested":{"x":10,"z":1}}`:              "nested.x: must be a whole number from 0 to 9, not 10; nested.z: unknown field",
		`{"list":{}}`:                            "list: must be an array of objects",
		`{"list":[{},{},{},{}]}`:                 "list: must have at most 3 items, not 4",
		`{"list":[{"x":1},2,{"y":-1}]}`:          "list[1]: must be an object; list[2].y: must be a whole number from 0 to 9, not -1",
		`{"list":[{"free":{"k":1},"Free":{}}]}`:  `list[0].Free: unknown field`,
		`{"list":[{"Free":{}}]}`:                 `list[0].Free: unknown field, did you mean "free"?`,
		`{"Text":"a"}`:                           `Text: unknown field, did you mean "text"?`,
		`{"nested":{"X":1}}`:                     `nested.X: unknown field, did you mean "x"?`,
		`{"colour":1,"text":"a"}`:                "colour: unknown field",
		`{"$ne":1}`:                              "$ne: unknown field",
		`{"":1}`:                                 `"": unknown field`,
		`{"a.b":1}`:                              `"a.b": unknown field`,
		`{"a\nb":1}`:                             `"a\nb": unknown field`,
		`{"text":1,"int":0,"z":0}`:               "text: must be a string; int: must be a whole number from 1 to 100, not 0; z: unknown field",
	} {
		got := full()
		err := jsondoc.Read(parse(t, in), got.read)
		if !errors.Is(err, jsondoc.ErrInvalid) || err.Error() != want || fault.Of(err).Code != fault.RequestValidation {
			t.Errorf("Read(%s) = %v, want %s", in, err, want)
		}
	}
}

// What is right by itself, and too large only with what is there, is told from
// what is wrong.
func TestReadMerged(t *testing.T) {
	const large = "free: must be at most 28 bytes of JSON when merged into the current value, not 34"
	for in, want := range map[string]struct {
		err  error
		text string
	}{
		`{"free":{"cc":"0123456"}}`:         {jsondoc.ErrMerged, large},
		`{"free":{"cc":"0123456"},"int":0}`: {jsondoc.ErrInvalid, "int: must be a whole number from 1 to 100, not 0; " + large},
	} {
		got := full()
		err := jsondoc.Read(parse(t, in), got.read)
		if !errors.Is(err, want.err) || err.Error() != want.text {
			t.Errorf("Read(%s) = %v, want %s", in, err, want.text)
		}
	}
	if c := fault.Of(jsondoc.ErrMerged).Code; c != fault.Validation {
		t.Errorf("ErrMerged has the code %d", c)
	}
}

func TestReadTime(t *testing.T) {
	for text, want := range map[string]string{
		"2026-01-31T12:00:00Z":            "2026-01-31T12:00:00.000Z",
		"2026-01-31T12:00:00.1239999999Z": "2026-01-31T12:00:00.123Z",
		"2026-01-31T00:30:00+01:00":       "2026-01-30T23:30:00.000Z",
		"2024-02-29T23:59:59.999-23:59":   "2024-03-01T23:58:59.999Z",
		"0000-01-01T00:00:00Z":            "0000-01-01T00:00:00.000Z",
		"2026-01-31T12:00:00.":            "",
		"2026-01-31T12:00:00.Z":           "",
		"2026-01-31T12:00:00,5Z":          "",
		"2026-01-31T1:00:00Z":             "",
		"2026-01-31T12:00:00+24:00":       "",
		"2026-01-31T12:00:00+01:60":       "",
		"2026-01-31T12:00:00+0100":        "",
		"2026-01-31T12:00:00":             "",
		"2026-01-31T12:00Z":               "",
		"2026-01-31t12:00:00z":            "",
		"2026-01-31 12:00:00Z":            "",
		"2026-01-31T24:00:00Z":            "",
		"2026-01-31T12:00:60Z":            "",
		"2026-02-29T12:00:00Z":            "",
		"2026-01-31":                      "",
		"":                                "",
		"0000-01-01T00:00:00+01:00":       "",
		"9999-12-31T23:59:59-01:00":       "",
		"2026-01-31T12:00:00." + strings.Repeat("0", 100) + "Z": "",
	} {
		var got time.Time
		err := jsondoc.Read(parse(t, `{"t":"`+text+`"}`), func(r *jsondoc.Reader) { r.Time("t", &got) })
		if want == "" {
			if err == nil {
				t.Errorf("Time of %q = %v, want an error", text, got)
			}
			continue
		}
		if got := got.Format(jsondoc.TimeLayout); err != nil || got != want {
			t.Errorf("Time of %q = %s, %v, want %s", text, got, err, want)
		}
	}
}

func TestReadProblemLeavesTheField(t *testing.T) {
	got := full()
	err := jsondoc.Read(parse(t, `{"text":"","text_null":"12345","int":0,"decimal":9,"level":"x","texts":["a","a"],
		"free":{"k":"0123456789abcdefghijk"},"list":[{"x":1},{"x":99}],"time_null":"x"}`), got.read)
	if diff := cmp.Diff(full(), got); err == nil || diff != "" {
		t.Errorf("Read = %v, want problems and -, got +\n%s", err, diff)
	}
}

func TestReadCountsProblems(t *testing.T) {
	var b strings.Builder
	for i := range 23 {
		fmt.Fprintf(&b, `,"unknown%02d":1`, i)
	}
	err := jsondoc.Read(parse(t, "{"+b.String()[1:]+"}"), func(*jsondoc.Reader) {})
	if err == nil || strings.Count(err.Error(), "unknown field") != 20 || !strings.HasSuffix(err.Error(), "unknown19: unknown field; and 3 more") {
		t.Errorf("Read with 23 problems = %v, want 20 named and 3 counted", err)
	}
	long := strings.Repeat("x", 1000)
	err = jsondoc.Read(parse(t, `{"`+long+`":1}`), func(*jsondoc.Reader) {})
	if err == nil || len(err.Error()) > 120 {
		t.Errorf("Read with a long name = %v, want it cut", err)
	}
}

func TestReaderPresence(t *testing.T) {
	err := jsondoc.Read(parse(t, `{"a":null,"b":{"c":[{"d":1}]},"e":2}`), func(r *jsondoc.Reader) {
		if !r.Has("a") || !r.Null("a") || r.Has("z") || r.Null("z") || r.Null("e") {
			t.Error("Has and Null do not tell absent, null and present apart")
		}
		if v, ok := r.Raw("e"); !ok || v.Number() != "2" {
			t.Errorf("Raw(e) = %s, %t, want 2", v, ok)
		}
		if _, ok := r.Raw("z"); ok {
			t.Error("Raw(z) found an absent member")
		}
		r.Object("b", func(r *jsondoc.Reader) {
			list := []int{7}
			jsondoc.List(r, "c", &list, 1, func(r *jsondoc.Reader, _ *int) {
				if r.Path() != "b.c[0]" {
					t.Errorf("Path = %q, want b.c[0]", r.Path())
				}
				r.Fail("d", "is %d", 1)
				r.Fail("", "itself")
				r.Has("d")
			})
			jsondoc.List(r, "z", &list, 1, nil)
			if len(list) != 1 || list[0] != 7 {
				t.Errorf("a list with problems or none at all made it %v", list)
			}
		})
		r.Fail("e", "last")
		r.FailItem("f", 7, "is %s", "odd")
	})
	if want := "b.c[0].d: is 1; b.c[0]: itself; e: last; f[7]: is odd"; err == nil || err.Error() != want {
		t.Errorf("Read = %v, want %s", err, want)
	}
}

func TestRequire(t *testing.T) {
	err := jsondoc.Read(parse(t, `{"a":null,"N":1}`), func(r *jsondoc.Reader) { r.Require("a", "b", "n") })
	if want := `b: is required; n: is required; N: unknown field, did you mean "n"?`; err == nil || err.Error() != want {
		t.Errorf("Read = %v, want %s", err, want)
	}
}

func TestBoundsInWords(t *testing.T) {
	for want, read := range map[string]func(r *jsondoc.Reader){
		"s: must be exactly 2 characters, not 3":         func(r *jsondoc.Reader) { r.Text("s", new(string), 2, 2) },
		"s: must be at most 1 character, not 3":          func(r *jsondoc.Reader) { r.Text("s", new(string), 0, 1) },
		"s: must be at least 4 characters, not 3":        func(r *jsondoc.Reader) { r.Text("s", new(string), 4, math.MaxInt) },
		"n: must be a whole number of at least 5, not 0": func(r *jsondoc.Reader) { r.Int("n", new(int64), 5, math.MaxInt64) },
		"n: must be a whole number of at most -5, not 0": func(r *jsondoc.Reader) { r.Int("n", new(int64), math.MinInt64, -5) },
		"l: must have 2 to 3 items, not 1":               func(r *jsondoc.Reader) { r.Texts("l", new([]string), jsondoc.Bounds{MinItems: 2, MaxItems: 3}) },
		"l: must have at least 2 items, not 1": func(r *jsondoc.Reader) {
			r.Texts("l", new([]string), jsondoc.Bounds{MinItems: 2, MaxItems: math.MaxInt})
		},
	} {
		err := jsondoc.Read(parse(t, `{"s":"abc","n":0,"l":["x"]}`), func(r *jsondoc.Reader) {
			read(r)
			r.Require("s", "n", "l")
		})
		if err == nil || err.Error() != want {
			t.Errorf("Read = %v, want %s", err, want)
		}
	}
}

// Many strings and many repetitions must not take quadratic time.
func TestTextsLarge(t *testing.T) {
	const n = 100_000
	w := jsondoc.NewWriter(nil)
	w.Open()
	w.Field("l").OpenList()
	for i := range n {
		w.Text(fmt.Sprint("item", i))
	}
	w.Text("item3")
	w.Text("item77777")
	w.CloseList()
	w.Close()
	err := jsondoc.Read(parse(t, string(w.Bytes())), func(r *jsondoc.Reader) {
		r.Texts("l", new([]string), jsondoc.Bounds{MaxItems: n + 2, MaxLen: 20})
	})
	if want := "l[100000]: must not repeat item 3; l[100001]: must not repeat item 77777"; err == nil || err.Error() != want {
		t.Errorf("Read = %v, want %s", err, want)
	}
}

func TestPropertyTextsFindsRepetitions(t *testing.T) {
	word := rapid.StringMatching(`[a-d]{0,3}`)
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(word, 0, 60).Draw(t, "words")
		w := jsondoc.NewWriter(nil)
		w.Open()
		w.Field("l").Texts(words)
		w.Close()
		var got []string
		err := jsondoc.Read(mustParse(t, string(w.Bytes())), func(r *jsondoc.Reader) {
			r.Texts("l", &got, jsondoc.Bounds{MaxItems: 60, MaxLen: 3})
		})
		sorted := slices.Sorted(slices.Values(words))
		unique := len(slices.Compact(sorted)) == len(words)
		if (err == nil) != unique || unique && !slices.Equal(got, words) {
			t.Fatalf("Texts of %q = %q, %v, want unique %t", words, got, err, unique)
		}
	})
}

// A patch that was accepted and is sent again changes nothing more.
func TestPropertyReadingAPatchTwice(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		patch := mustParse(t, object(3).Draw(t, "patch"))
		read := func(o *jsondoc.Object) error {
			w := jsondoc.NewWriter(nil)
			w.Open()
			w.Field("free").Value(patch)
			w.Close()
			return jsondoc.Read(mustParse(t, string(w.Bytes())), func(r *jsondoc.Reader) { r.Free("free", o, 1<<20) })
		}
		once := jsondoc.Object(`{"a":{"b":1},"b":[1],"c":"x"}`)
		if err := read(&once); err != nil {
			t.Fatalf("Read = %v, want no error", err)
		}
		twice := once
		if err := read(&twice); err != nil || twice != once {
			t.Fatalf("Read twice = %s, %v, want %s", twice, err, once)
		}
	})
}

func TestReaderAllowsOthers(t *testing.T) {
	var known string
	err := jsondoc.Read(parse(t, `{"x":1,"\u006bnown":"k","o":{"y":2},"z":3}`), func(r *jsondoc.Reader) {
		r.AllowOthers()
		r.Text("known", &known, 1, 9)
		r.Object("o", func(*jsondoc.Reader) {})
	})
	if known != "k" || err == nil || err.Error() != "o.y: unknown field" {
		t.Errorf("Read = %q, %v, want only o.y refused", known, err)
	}
}

// In a document that is whole, null is as good as absence; in a merge patch it is a problem.
func TestNullOfWholeDocuments(t *testing.T) {
	v, err := jsondoc.Parse([]byte(`{"text":null,"flag":null,"nested":null,"texts":null,"must":null}`))
	if err != nil {
		t.Fatal(err)
	}
	text, texts := "before", []string{"before"}
	read := func(r *jsondoc.Reader) {
		r.Text("text", &text, 1, 9)
		r.Bool("flag", new(bool))
		r.Object("nested", func(*jsondoc.Reader) { t.Error("null is read as an object") })
		r.Texts("texts", &texts, jsondoc.Bounds{MaxItems: 1, MinLen: 1, MaxLen: 9})
		r.Require("must")
	}
	err = jsondoc.ReadWhole(v, read)
	if want := "must: is required"; err == nil || err.Error() != want || text != "before" || len(texts) != 1 {
		t.Errorf("ReadWhole = %v, with %q and %q, want %q, and nothing changed", err, text, texts, want)
	}
	if err, want := jsondoc.Read(v, func(r *jsondoc.Reader) { r.Text("text", &text, 1, 9); r.AllowOthers() }), "text: must not be null"; err == nil || err.Error() != want {
		t.Errorf("Read = %v, want %q", err, want)
	}
}
