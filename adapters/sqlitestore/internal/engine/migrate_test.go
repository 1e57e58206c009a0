package engine

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"go.uber.org/zap"
)

func TestMigrate(t *testing.T) {
	const one, two, bad = testSchema, "CREATE TABLE extra (a) ; INSERT INTO extra VALUES (7)", "CREATE TABLE later (a); BROKEN"
	dangling := "INSERT INTO version (item, number) VALUES (99, 1)"
	dir := t.TempDir()
	for _, c := range []struct {
		name  string
		steps []string
		want  int
		fails string
	}{
		{"First", []string{one}, 1, ""},
		{"Again", []string{one}, 1, ""},
		{"StepFails", []string{one, two, bad}, 2, "migrate step 3"},
		{"StepLeavesDanglingRows", []string{one, two, dangling}, 2, "1 rows refer to rows that do not exist"},
		{"Continues", []string{one, two, "CREATE TABLE later (a)"}, 3, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, closeDB, err := tryOpen(dir, c.steps...)
			if err == nil {
				closeDB()
			}
			if (err == nil) != (c.fails == "") || err != nil && !strings.Contains(err.Error(), c.fails) {
				t.Fatalf("open = %v, want %q", err, c.fails)
			}
			got, err := checkDatabase(context.Background(), filepath.Join(dir, databaseName))
			if err != nil || got != c.want {
				t.Errorf("version = %d, %v, want %d", got, err, c.want)
			}
		})
	}
}

func TestOwnMigrations(t *testing.T) {
	dir := t.TempDir()
	steps, err := OwnMigrations()
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		db, err := Open(context.Background(), Options{Dir: dir, Readers: 1, Log: zap.NewNop(), Steps: steps})
		if err != nil {
			t.Fatal(err)
		}
		if got, err := db.SchemaVersion(context.Background()); err != nil || got != len(steps) {
			t.Fatalf("SchemaVersion = %d, %v, want %d", got, err, len(steps))
		}
		db.Close()
	}
	for _, s := range steps { // it would fail at the commit, for everybody in the batch
		if strings.Contains(strings.ToUpper(s.script), "DEFERRABLE") {
			t.Errorf("%s: deferred constraints are not allowed", s.Name)
		}
	}
}

func TestReadMigrations(t *testing.T) {
	for _, c := range []struct {
		files []string
		ok    bool
	}{
		{[]string{"0001_a.sql", "0002_b.sql"}, true},
		{[]string{"0001_a.sql", "0003_b.sql"}, false},
		{[]string{"0001_a.sql", "0001_b.sql"}, false},
		{[]string{"0002_a.sql"}, false},
		{[]string{"1_a.sql"}, false},
		{[]string{"a.sql"}, false},
	} {
		files := fstest.MapFS{}
		for _, f := range c.files {
			files["m/"+f] = &fstest.MapFile{}
		}
		steps, err := readMigrations(files, "m")
		if (err == nil) != c.ok || c.ok && len(steps) != len(c.files) {
			t.Errorf("readMigrations(%v) = %v, %v, want ok %v", c.files, steps, err, c.ok)
		}
	}
}
