package activity

import (
	"errors"
	"testing"
)

func TestParseType(t *testing.T) {
	for _, want := range Types() {
		if got, err := ParseType(string(want)); got != want || err != nil {
			t.Errorf("ParseType(%q) = %q, %v, want the same, nil", want, got, err)
		}
	}
	for _, s := range []string{"", "Hired", "hired ", "deleted"} {
		if _, err := ParseType(s); !errors.Is(err, ErrType) {
			t.Errorf("ParseType(%q) = %v, want ErrType", s, err)
		}
	}
}

func TestTypes(t *testing.T) {
	if got := len(Types()); got != 13 {
		t.Errorf("len(Types()) = %d, want 13", got)
	}
	seen := map[Type]bool{}
	for _, x := range Types() {
		seen[x] = true
	}
	if len(seen) != 13 {
		t.Errorf("Types() has %d different types, want 13", len(seen))
	}
	for _, x := range RuntimeTypes() {
		if x.Lifecycle() {
			t.Errorf("%s.Lifecycle() = true, want false", x)
		}
	}
	for _, x := range Types()[:7] {
		if !x.Lifecycle() {
			t.Errorf("%s.Lifecycle() = false, want true", x)
		}
	}
}
