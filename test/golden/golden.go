// Package golden compares what tests make with files that are kept in the
// repository, and writes the files anew when the tests run with -update.
package golden

import (
	"flag"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Update is the flag -update of every test that imports this package.
var Update = flag.Bool("update", false, "write the kept files anew")

// File compares a text with the file at path, or writes the file.
func File(t testing.TB, path, got string) {
	t.Helper()
	if *Update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s is not what it should be; -update writes it anew (-file +now):\n%s", path, diff)
	}
}
