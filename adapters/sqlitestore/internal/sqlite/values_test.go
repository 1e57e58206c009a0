package sqlite

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestPackedIdentifiersComeBackAndSort(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := func(what string) string {
			b := rapid.SliceOfN(rapid.Byte(), 16, 16).Draw(t, what)
			return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
		}
		a, b := draw("a"), draw("b")
		if got := UnpackID(PackID(a)); got != a || len(PackID(a)) != 16 {
			t.Errorf("unpackID(packID(%q)) = %q in %d bytes, want 16", a, got, len(PackID(a)))
		}
		if got, want := bytes.Compare(PackID(a), PackID(b)), strings.Compare(a, b); got != want {
			t.Errorf("order of %q and %q = %d, want %d", a, b, got, want)
		}
	})
}

func TestOtherIdentifiersAreKeptAsTheyAre(t *testing.T) {
	for _, id := range []string{"", "a", "0190A5C4-0000-7000-8000-000000000001", "proj-0190a5c40001"} {
		if got := UnpackID(PackID(id)); got != id {
			t.Errorf("unpackID(packID(%q)) = %q", id, got)
		}
	}
}
