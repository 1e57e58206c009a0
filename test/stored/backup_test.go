package stored

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/zap"

	"orgd/adapters/sqlitestore"
)

// fixed is a clock that stands still.
type fixed time.Time

// Now implements [ports.Clock].
func (f fixed) Now() time.Time { return time.Time(f) }

// TestBackupOfRelease restores the backups of earlier releases. What they answered is answered
// now, figures of days included, because the service has the time of then.
func TestBackupOfRelease(t *testing.T) {
	backups, err := filepath.Glob("testdata/*/backup.orgd.gz")
	if err != nil || len(backups) == 0 {
		t.Fatalf("there are no backups: %v", err)
	}
	for _, path := range backups {
		t.Run(filepath.Base(filepath.Dir(path)), func(t *testing.T) { restored(t, filepath.Dir(path)) })
	}
}

func restored(t *testing.T, from string) {
	text, err := os.ReadFile(filepath.Join(from, "time"))
	must(t, err)
	then, err := time.Parse(time.RFC3339, strings.TrimSpace(string(text)))
	must(t, err)
	backup, err := Unpack(filepath.Join(from, "backup.orgd.gz"))
	must(t, err)
	file, dir := filepath.Join(t.TempDir(), "backup.orgd"), filepath.Join(t.TempDir(), "data")
	must(t, os.WriteFile(file, backup, 0o600))
	must(t, sqlitestore.Restore(t.Context(), sqlitestore.Restoration{Backup: file, Dir: dir}, zap.NewNop()))
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
