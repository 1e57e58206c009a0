package idempotency

import (
	"crypto/sha256"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"orgd/domain/domaintest"
)

func TestNewKey(t *testing.T) {
	for _, text := range []string{"k", "!~", strings.Repeat("k", 255)} {
		if k, err := NewKey("ada", "POST", "/p", text); len(k) != 64 || err != nil {
			t.Errorf("NewKey(%.20q) = %q, %v, want 64 hex digits", text, k, err)
		}
	}
	for _, text := range []string{"", strings.Repeat("k", 256), "a b", " k", "k\t", "k\n", "é", "k\x7f", "k\x00"} {
		if k, err := NewKey("ada", "POST", "/p", text); !errors.Is(err, ErrKey) || domaintest.Code(err) != 2001 {
			t.Errorf("NewKey(%.20q) = %q, %v, want ErrKey", text, k, err)
		}
	}
}

func TestNewKeySaysWhatIsWrong(t *testing.T) {
	for text, want := range map[string]string{
		"a b":                    "Idempotency-Key: must be 1 to 255 visible ASCII characters, without U+0020",
		"caf\u00e9":              "Idempotency-Key: must be 1 to 255 visible ASCII characters, without U+00E9",
		strings.Repeat("k", 300): "Idempotency-Key: must be 1 to 255 visible ASCII characters, it has 300",
	} {
		if _, err := NewKey("ada", "POST", "/p", text); err == nil || err.Error() != want {
			t.Errorf("NewKey(%.20q) = %v, want %q", text, err, want)
		}
	}
}

// The stored keys of an installation depend on it.
func TestKeyGolden(t *testing.T) {
	k, err := NewKey("ada", "POST", "/api/v1/agents", "k-1")
	const want Key = "34dc0ec04198a43ad2d5acf5bb9f2ed7440f945d2be209c8fca5a47f2c227ecc"
	if k != want || err != nil {
		t.Errorf("NewKey = %s, %v, want %s", k, err, want)
	}
}

// Two keys are the same exactly if all of their parts are, wherever the parts
// begin and end.
func TestKeysDoNotCollide(t *testing.T) {
	part := rapid.StringMatching(`[a-c/ |]{0,3}`)
	text := rapid.StringMatching(`[a-c/|]{1,3}`)
	rapid.Check(t, func(t *rapid.T) {
		a := [4]string{part.Draw(t, "a0"), part.Draw(t, "a1"), part.Draw(t, "a2"), text.Draw(t, "a3")}
		b := [4]string{part.Draw(t, "b0"), part.Draw(t, "b1"), part.Draw(t, "b2"), text.Draw(t, "b3")}
		x, err1 := NewKey(a[0], a[1], a[2], a[3])
		y, err2 := NewKey(b[0], b[1], b[2], b[3])
		if (x == y) != (a == b) || err1 != nil || err2 != nil {
			t.Errorf("NewKey(%q) = %s, NewKey(%q) = %s", a, x, b, y)
		}
		f := Fingerprint(a[0], a[1], a[2], sum(a[3]))
		g := Fingerprint(b[0], b[1], b[2], sum(b[3]))
		if (f == g) != (a == b) {
			t.Errorf("Fingerprint(%q) = %s, Fingerprint(%q) = %s", a, f, b, g)
		}
	})
}

func sum(body string) [sha256.Size]byte { return sha256.Sum256([]byte(body)) }

func TestPartsDoNotRunTogether(t *testing.T) {
	seen := map[string]string{}
	for what, f := range map[string]string{
		"all empty":          Fingerprint("", "", "", sum("")),
		"query":              Fingerprint("a", "", "", sum("")),
		"media type":         Fingerprint("", "a", "", sum("")),
		"If-Match":           Fingerprint("", "", "a", sum("")),
		"body":               Fingerprint("", "", "", sum("a")),
		"query and body":     Fingerprint("a", "", "", sum("b")),
		"one in the other":   Fingerprint("ab", "", "", sum("")),
		"both in the middle": Fingerprint("", "a", "b", sum("")),
	} {
		if other, ok := seen[f]; ok {
			t.Errorf("%s has the fingerprint of %s", what, other)
		}
		seen[f] = what
	}
}

func TestAnswer(t *testing.T) {
	reply := Reply{Status: 201, Body: []byte(`{}`), ETag: `"1"`, Location: "/x"}
	r := Record{Key: "k", Fingerprint: "f", Reply: &reply}
	got, err := r.Answer("f")
	if diff := cmp.Diff(reply, got); diff != "" || err != nil {
		t.Errorf("Answer = %v (-want +got):\n%s", err, diff)
	}
	if _, err := r.Answer("g"); !errors.Is(err, ErrReused) || domaintest.Code(err) != 2000 {
		t.Errorf("Answer to another request = %v, want ErrReused", err)
	}
	for _, size := range []int{MaxReply, MaxReply + 1} {
		long := Reply{Status: 200, Body: make([]byte, size), Location: "/x"}.Bounded()
		_, err := Record{Fingerprint: "f", Reply: &long}.Answer("f")
		if fits := size <= MaxReply; fits != (err == nil) || !fits && (!errors.Is(err, ErrNotKept) || domaintest.Code(err) != 4000 || !strings.HasSuffix(err.Error(), " at /x")) {
			t.Errorf("Answer of %d bytes = %v, want none up to %d and then ErrNotKept with the location", size, err, MaxReply)
		}
	}
	r.Reply = nil
	if _, err := r.Answer("f"); !errors.Is(err, ErrSecret) || domaintest.Code(err) != 4000 {
		t.Errorf("Answer of a secret = %v, want ErrSecret", err)
	}
	if _, err := r.Answer("g"); !errors.Is(err, ErrReused) {
		t.Errorf("Answer of a secret to another request = %v, want ErrReused", err)
	}
}

// ErrRunning is still ErrRunning when a store adds a cause.
func TestErrRunning(t *testing.T) {
	err := ErrRunning.Because(errors.New("cause"))
	if !errors.Is(err, ErrRunning) || !errors.Is(ErrRunning, ErrRunning) || err.Code != 5002 || err.RetryAfter != time.Second {
		t.Errorf("ErrRunning.Because = %+v, want ErrRunning with a second to wait", err)
	}
}

func TestTimes(t *testing.T) {
	if Kept != 24*time.Hour || Lease != 16*time.Second {
		t.Errorf("Kept, Lease = %v, %v, want 24h, 16s", Kept, Lease)
	}
}
