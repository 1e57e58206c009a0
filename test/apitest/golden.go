package apitest

import (
	"bytes"
	"embed"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the golden files")

//go:embed testdata
var goldens embed.FS

// volatile is what differs from run to run: ids, hashes, secrets and times.
var volatile = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z|proj-[0-9a-f]{12}|[0-9a-f]{64}|whsec_[0-9A-Za-z+/]{43}=|"hiring_date": "\d{4}-\d\d-\d\d"`)

// golden compares a whole body with a file, or rewrites the file if the tests
// of this package run with -update. The ids and times in it do not matter.
func golden(t *testing.T, name string, r *reply) {
	t.Helper()
	var text bytes.Buffer
	if err := json.Indent(&text, r.body, "", "  "); err != nil {
		t.Fatalf("%s: %v", r.what, err)
	}
	got := volatile.ReplaceAllStringFunc(text.String(), placeholder) + "\n"
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := goldens.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}

func placeholder(s string) string {
	switch {
	case s[0] == '"':
		return `"hiring_date": "DATE"`
	case s[0] == 'p':
		return "PROJECT"
	case s[0] == 'w':
		return "SECRET"
	case len(s) == 36:
		return "ID"
	case len(s) == 64:
		return "HASH"
	}
	return "TIME"
}
