package stored

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/zap"

	"orgd"
	"orgd/adapters/archivefile"
	"orgd/adapters/sqlitestore"
)

// fixed is a clock that stands still.
type fixed time.Time

// Now implements [ports.Clock].
func (f fixed) Now() time.Time { return time.Time(f) }

// TestBackupOfRelease restores the backups and archives of earlier releases. What they answered
// is answered now, figures of days included, because the service has the time of then.
func TestBackupOfRelease(t *testing.T) {
	backups, err := filepath.Glob("testdata/*/backup.orgd.gz")
	if err != nil || len(backups) == 0 {
		t.Fatalf("there are no backups: %v", err)
	}
	for _, path := range backups {
		from := filepath.Dir(path)
		t.Run(filepath.Base(from)+"/backup", func(t *testing.T) {
			backup, err := Unpack(path)
			must(t, err)
			file, dir := filepath.Join(t.TempDir(), "backup.orgd"), filepath.Join(t.TempDir(), "data")
			must(t, os.WriteFile(file, backup, 0o600))
			must(t, sqlitestore.Restore(t.Context(), sqlitestore.Restoration{Backup: file, Dir: dir}, zap.NewNop()))
			restored(t, from, dir)
		})
		t.Run(filepath.Base(from)+"/archive", func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "data")
			must(t, archivefile.Read(filepath.Join(from, "orgd-archive"), func(archive io.Reader) error {
				_, err := orgd.RestoreArchive(t.Context(), SQLite(dir), archive, orgd.ArchiveOptions{}, zap.NewNop())
				return err
			}))
			restored(t, from, dir)
		})
	}
}

// restored compares what a directory answers with what the release answered.
func restored(t *testing.T, from, dir string) {
	text, err := os.ReadFile(filepath.Join(from, "time"))
	must(t, err)
	then, err := time.Parse(time.RFC3339, strings.TrimSpace(string(text)))
	must(t, err)
	s, err := OpenAt(t.Context(), SQLite(dir), dir, fixed(then))
	must(t, err)
	defer s.Close()
	c := checks{t, s}
	answers, err := Unpack(filepath.Join(from, "answers.jsonl.gz"))
	must(t, err)
	for line := range bytes.Lines(answers) {
		c.answers(line)
	}
	c.hashes()
}

// answers compares what a line has with what is answered now.
func (c checks) answers(line []byte) {
	c.Helper()
	var then struct {
		Path   string
		Answer struct{ Data json.RawMessage }
	}
	must(c.T, json.Unmarshal(line, &then))
	want, err := Decode(then.Answer.Data)
	must(c.T, err)
	for _, problem := range differences(want, c.get(then.Path), "") {
		c.Errorf("GET %s: %s", then.Path, problem)
	}
}
