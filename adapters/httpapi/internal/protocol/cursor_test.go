package protocol

import (
	"bytes"
	"encoding/base64"
	"errors"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

var testCursors = Cursors{bytes.Repeat([]byte{7}, 32)}

func TestCursorRoundTrip(t *testing.T) {
	for _, p := range []Position{
		{"1"}, {""}, {"a", "b", "c"}, {"", "", "x" + Separator + "y"}, {"", "", ""},
	} {
		c := testCursors.Seal("list", p)
		got, err := testCursors.Open("list", c, len(p))
		if err != nil || !cmp.Equal(got, p) {
			t.Errorf("Open(Seal(%q)) = %q, %v, want %q", p, got, err, p)
		}
	}
}

func TestCursorRefuses(t *testing.T) {
	good := testCursors.Seal("list", Position{"a", "b"})
	other := Cursors{bytes.Repeat([]byte{8}, 32)}
	last := good[len(good)-1]
	for what, c := range map[string]string{
		"nothing":           "",
		"not base64":        "***",
		"padded":            good + "=",
		"standard alphabet": base64.StdEncoding.EncodeToString([]byte("abcdefghijklmnop1")),
		"cut":               good[:len(good)-1],
		"cut to the mac":    good[:22],
		"longer":            good + "A",
		"other last letter": good[:len(good)-1] + string(rune(last^1)),
		"line break":        good[:5] + "\n" + good[5:],
		"other key":         other.Seal("list", Position{"a", "b"}),
		"other list":        testCursors.Seal("list2", Position{"a", "b"}),
		"other parts":       testCursors.Seal("list", Position{"a"}),
		"unsigned":          base64.RawURLEncoding.EncodeToString([]byte("a" + Separator + "b")),
		"too long":          strings.Repeat("A", maxCursor+1),
	} {
		if got, err := testCursors.Open("list", c, 2); !errors.Is(err, ErrCursor) {
			t.Errorf("%s: open = %q, %v, want ErrCursor", what, got, err)
		}
	}
}

// The scope and the position are told apart, whatever is in them.
func TestCursorScopeIsNotThePosition(t *testing.T) {
	c := testCursors.Seal("a"+Separator, Position{"b"})
	if got, err := testCursors.Open("a", c, 1); err == nil {
		t.Errorf("open = %q, want ErrCursor", got)
	}
}

// Every change of a cursor makes it worthless.
func TestCursorForgery(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := []byte(testCursors.Seal("list", Position{rapid.StringN(1, 20, 60).Draw(t, "key")}))
		at := rapid.IntRange(0, len(c)-1).Draw(t, "at")
		with := rapid.SampledFrom([]byte("ABCxyz019-_=+/ ")).Draw(t, "with")
		if c[at] == with {
			return
		}
		c[at] = with
		if got, err := testCursors.Open("list", string(c), 1); err == nil {
			t.Fatalf("open(%s) = %q, want ErrCursor", c, got)
		}
	})
}

// The longest name there can be fits into a cursor behind two numbers, and comes back.
func TestCursorHoldsEveryName(t *testing.T) {
	for _, r := range []rune{'a', 'ß', 'ᾷ', '界', '\U0001F600', utf8.MaxRune} {
		text := strings.Repeat(string(r), 128)
		c := testCursors.Seal("list", Position{"-9223372036854775808", "-999999999", Pack(text)})
		if len(c) > maxCursor {
			t.Errorf("cursor of 128 × %q has %d characters, want at most %d", r, len(c), maxCursor)
		}
		p, err := testCursors.Open("list", c, 3)
		if err != nil || Unpack(p[2]) != text {
			t.Errorf("open(128 × %q) = %q, %v", r, p, err)
		}
	}
}

func TestPack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text")
		if got := Unpack(Pack(text)); got != text {
			t.Fatalf("Unpack(Pack(%q)) = %q", text, got)
		}
	})
}

func TestTimes(t *testing.T) {
	for _, at := range []time.Time{{}, time.UnixMilli(1).UTC(), time.Date(9999, 12, 31, 23, 59, 59, 999e6, time.UTC)} {
		got, err := ParseTime(FormatTime(at))
		if err != nil || !got.Equal(at) {
			t.Errorf("ParseTime(FormatTime(%v)) = %v, %v", at, got, err)
		}
	}
	if got, err := ParseTime("?"); !errors.Is(err, ErrCursor) {
		t.Errorf("ParseTime(?) = %v, %v, want ErrCursor", got, err)
	}
}

// Nothing that was not sealed opens.
func FuzzCursorOpen(f *testing.F) {
	f.Add("list", testCursors.Seal("list", Position{"a", "b"}), uint8(1))
	f.Add("", "", uint8(0))
	f.Add("x", "AAAAAAAAAAAAAAAAAAAAAAAAAA", uint8(2))
	f.Fuzz(func(t *testing.T, scope, cursor string, n uint8) {
		p, err := testCursors.Open(scope, cursor, 1+int(n%4))
		if err != nil {
			return
		}
		if again := testCursors.Seal(scope, p); again != cursor {
			t.Errorf("open(%q, %q) = %q, which seals to %q", scope, cursor, p, again)
		}
	})
}
