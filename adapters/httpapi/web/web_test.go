package web

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// What is embedded is what lies in the directories: whoever changes a file runs
// "make generate".
func TestPacked(t *testing.T) {
	for dir, site := range map[string]Site{"docs": Docs(), "console": Console()} {
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, e := range entries {
			names = append(names, e.Name())
			want, err := os.ReadFile(filepath.Join(dir, e.Name()))
			if err != nil {
				t.Fatal(err)
			}
			got, err := site[e.Name()].Unpack()
			if err != nil || !bytes.Equal(got, want) {
				t.Errorf("%s/%s is not packed as it is now (%v): run make generate", dir, e.Name(), err)
			}
		}
		for name := range site {
			if !slices.Contains(names, name) && !slices.Contains([]string{"codemirror.js", "colours.css", "element.js"}, name) {
				t.Errorf("%s/%s is packed and not there: run make generate", dir, name)
			}
		}
	}
}

// CodeMirror is what is built into its directory, of packages whose versions are exact.
func TestCodeMirror(t *testing.T) {
	want, err := os.ReadFile("codemirror/codemirror.js")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := Console()["codemirror.js"].Unpack(); err != nil || !bytes.Equal(got, want) {
		t.Errorf("codemirror.js is not packed as it is now (%v): run make generate", err)
	}
	content, err := os.ReadFile("codemirror/package.json")
	if err != nil {
		t.Fatal(err)
	}
	var built struct{ Dependencies, DevDependencies map[string]string }
	if err := json.Unmarshal(content, &built); err != nil {
		t.Fatal(err)
	}
	maps.Copy(built.Dependencies, built.DevDependencies)
	for name, version := range built.Dependencies {
		if !regexp.MustCompile(`^[0-9]+\.[0-9]+\.[0-9]+$`).MatchString(version) {
			t.Errorf("%s is of version %q, want an exact one", name, version)
		}
	}
	if len(built.Dependencies) < 10 {
		t.Errorf("%d packages are named, want all that it is built from", len(built.Dependencies))
	}
}

func TestTypes(t *testing.T) {
	for name, want := range map[string]string{
		"index.html": "text/html; charset=utf-8", "docs.css": "text/css; charset=utf-8",
		"docs.js": "text/javascript; charset=utf-8", "icon.svg": "image/svg+xml",
	} {
		if got := Docs()[name].Type; got != want {
			t.Errorf("%s has the type %q, want %q", name, got, want)
		}
	}
	if got := typeOf("x"); got != "application/octet-stream" {
		t.Errorf("typeOf(x) = %q", got)
	}
}

// However many ask for a file, it is in memory once.
func TestUnpackOnce(t *testing.T) {
	f := Console()["codemirror.js"]
	first, err := f.Unpack()
	if err != nil {
		t.Fatal(err)
	}
	if n := testing.AllocsPerRun(10, func() {
		if again, err := f.Unpack(); err != nil || &again[0] != &first[0] {
			t.Errorf("Unpack = %d bytes of their own, %v", len(again), err)
		}
	}); n != 0 {
		t.Errorf("Unpack allocates %v times", n)
	}
}

func TestUnpackRefuses(t *testing.T) {
	for _, broken := range [][]byte{nil, []byte("no gzip"), Docs()["docs.js"].Packed[:40]} {
		if got, err := unpack(broken); err == nil {
			t.Errorf("unpack of %d bytes = %q, want an error", len(broken), got)
		}
	}
}
