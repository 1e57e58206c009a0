package engine

import (
	"os"
	"strings"
	"testing"
)

func TestFiles(t *testing.T) {
	db := openTest(t, t.TempDir())
	before, err := db.Files()
	if err != nil || before.Database == 0 || before.DiskFree == 0 || before.DiskFree > before.DiskSize {
		t.Errorf("Files = %+v, %v, want a database on a disk with room", before, err)
	}
	mustPut(t, db, strings.Repeat("x", 100_000))
	after, err := db.Files()
	if err != nil || after.Log < before.Log+100_000 {
		t.Errorf("Files = %+v, %v, want a log that has grown from %d by what was written", after, err, before.Log)
	}
	if err := os.Remove(db.path); err != nil {
		t.Fatal(err)
	}
	if _, err := db.Files(); err == nil || !strings.Contains(err.Error(), "size of the database") {
		t.Errorf("Files without a database = %v, want the reason", err)
	}
}
