package idempotency

import (
	"errors"
	"testing"
)

// FuzzNewKey holds that a text is refused, or is a key that no other subject,
// method or path shares.
func FuzzNewKey(f *testing.F) {
	f.Add("ann", "/agents", "k1")
	f.Add("", "", "~")
	f.Add("a", "b", " ")
	f.Fuzz(func(t *testing.T, subject, path, text string) {
		key, err := NewKey(subject, "POST", path, text)
		if err != nil {
			if !errors.Is(err, ErrKey) || key != "" {
				t.Errorf("NewKey(%q) = %q, %v, want ErrKey", text, key, err)
			}
			return
		}
		for _, other := range [][4]string{{subject + path, "POST", "", text}, {subject, "POST" + path, "", text}, {subject, "POST", path + text, "x"}, {subject, "PATCH", path, text}} {
			if other == [4]string{subject, "POST", path, text} {
				continue
			}
			if twin, err := NewKey(other[0], other[1], other[2], other[3]); err == nil && twin == key {
				t.Errorf("NewKey(%q) is that of %q, %q, %q", other, subject, path, text)
			}
		}
	})
}
