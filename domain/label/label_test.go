package label

import (
	"errors"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	for text, want := range map[string]bool{
		"a": true, "production": true, "v1.2_rc-3": true, "a" + strings.Repeat("9", 62): true, "latest": true,
		"": false, "Latest": false, "a/b": false, "a" + strings.Repeat("9", 63): false, "1a": false, ".a": false, "-": false,
		"a b": false, "a\n": false, "é": false, "aé": false, "a%2fb": false,
	} {
		got, err := Parse(text)
		if want && (err != nil || got != text) || !want && !errors.Is(err, ErrInvalid) {
			t.Errorf("Parse(%q) = %q, %v, want it to be valid: %t", text, got, err, want)
		}
		if _, err := ParseSettable(text); (err == nil) != (want && text != Latest) {
			t.Errorf("ParseSettable(%q) = %v", text, err)
		}
	}
}
