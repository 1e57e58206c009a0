package auditlog

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"orgd/ports"
)

// narrow takes so many bytes.
type narrow struct {
	bytes.Buffer
	room int
}

var errNoRoom = errors.New("no room")

func (n *narrow) Write(text []byte) (int, error) {
	if len(text) > n.room {
		took, _ := n.Buffer.Write(text[:n.room])
		n.room = 0
		return took, errNoRoom
	}
	n.room -= len(text)
	return n.Buffer.Write(text)
}

// Wherever a write ends, the lines are whole and each is there once in the end.
func TestLinesAreWhole(t *testing.T) {
	text := []byte("one\ntwo\n\nthree\n")
	for first := range len(text) + 1 {
		for second := range len(text) - first + 1 {
			out := &narrow{room: first}
			l, rest := NewLines(out), text
			for i := 0; len(rest) > 0 && i < 10; i++ {
				n, err := l.Write(rest)
				if done := text[:len(text)-len(rest)+n]; len(done) > 0 && done[len(done)-1] != '\n' {
					t.Fatalf("Write says that %q is written, want whole lines", done)
				}
				rest = rest[n:]
				if err == nil && len(rest) > 0 {
					t.Fatalf("Write leaves %q without an error", rest)
				}
				if out.room = second; i > 0 {
					out.room = 100
				}
			}
			if out.String() != string(text) {
				t.Errorf("with room for %d and %d: %q, want %q", first, second, out, text)
			}
		}
	}
}

func open(t *testing.T, path string) *File {
	t.Helper()
	f, err := OpenFile(path)
	if err != nil {
		t.Fatalf("OpenFile = %v", err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

func (f *File) put(t *testing.T, lines string) {
	t.Helper()
	if n, err := f.Write([]byte(lines)); n != len(lines) || err != nil {
		t.Errorf("Write = %d, %v", n, err)
	}
}

func wantFile(t *testing.T, path, want string) {
	t.Helper()
	if got, err := os.ReadFile(path); string(got) != want {
		t.Errorf("%s = %q, %v, want %q", filepath.Base(path), got, err, want)
	}
}

// A line of which a process that died has written a part is completed, or else ended.
func TestHalfLineOfACrash(t *testing.T) {
	for left, want := range map[string]string{
		"":               "{1}\n{2}\n{3}\n",
		"{0}\n":          "{0}\n{1}\n{2}\n{3}\n",
		"{0}\n{":         "{0}\n{1}\n{2}\n{3}\n",
		"{0}\n{1":        "{0}\n{1}\n{2}\n{3}\n",
		"{0}\n{1}":       "{0}\n{1}\n{2}\n{3}\n",
		"{0}\n{1}\n{2":   "{0}\n{1}\n{2}\n{1}\n{2}\n{3}\n",
		"{0}\nsome text": "{0}\nsome text\n{1}\n{2}\n{3}\n",
	} {
		path := filepath.Join(t.TempDir(), "audit.log")
		if err := os.WriteFile(path, []byte(left), 0o600); err != nil {
			t.Fatal(err)
		}
		open(t, path).put(t, "{1}\n{2}\n{3}\n")
		wantFile(t, path, want)
	}
}

// A file that was moved away is left when the file is opened again, not before.
func TestReopen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.log")
	f := open(t, path)
	f.put(t, "1\n")
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode = %v, %v, want 0600", info.Mode(), err)
	}
	if err := os.Rename(path, path+".1"); err != nil {
		t.Fatal(err)
	}
	f.put(t, "2\n")
	if err := f.Reopen(); err != nil {
		t.Fatal(err)
	}
	wantFile(t, path, "")
	f.put(t, "3\n")
	wantFile(t, path+".1", "1\n2\n")
	wantFile(t, path, "3\n")
}

// A file that fails is opened again: what its name leads to then takes the lines.
func TestFullDisk(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.log")
	if err := os.Symlink("/dev/full", path); err != nil {
		t.Fatal(err)
	}
	f := open(t, path)
	if n, err := f.Write([]byte("1\n")); n != 0 || err == nil || !strings.Contains(err.Error(), "no space left") {
		t.Errorf("Write to a full disk = %d, %v", n, err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	f.put(t, "1\n2\n")
	wantFile(t, path, "1\n2\n")
}

func TestOpenFileRefuses(t *testing.T) {
	dir := t.TempDir()
	for _, path := range []string{dir, filepath.Join(dir, "none", "audit.log")} {
		if f, err := OpenFile(path); err == nil {
			t.Errorf("OpenFile(%s) = %v, want an error", path, f)
		}
	}
}

// How far the trail is written is beside the file, for who opens it next.
func TestProgress(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.log")
	f := open(t, path)
	if w, ours, err := f.Claim(t.Context(), "a"); w != nil || !ours || err != nil {
		t.Errorf("Claim of a new file = %v, %v, %v", w, ours, err)
	}
	want := ports.Written{UpTo: 1<<62 + 1, At: time.UnixMilli(1_800_000_000_123).UTC()}
	if ours, err := f.Keep(t.Context(), "a", want); !ours || err != nil {
		t.Errorf("Keep = %v, %v", ours, err)
	}
	if w, ours, err := open(t, path).Claim(t.Context(), "b"); w == nil || *w != want || !ours || err != nil {
		t.Errorf("Claim = %v, %v, %v, want %v", w, ours, err, want)
	}
	for _, text := range []string{"", "7", "{}", `{"position":"x","time":"2026-01-01T00:00:00Z"}`} {
		if err := os.WriteFile(path+positionSuffix, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, _, err := f.Claim(t.Context(), "a"); err == nil || !strings.Contains(err.Error(), "audit.log.position") {
			t.Errorf("Claim with the position %q = %v, want an error that names the file", text, err)
		}
	}
}
