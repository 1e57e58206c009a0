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
		{"First", []string{one}, OldestSchema, ""},
		{"Again", []string{one}, OldestSchema, ""},
		{"StepFails", []string{one, two, bad}, OldestSchema + 1, "migrate step 3"},
		{"StepLeavesDanglingRows", []string{one, two, dangling}, OldestSchema + 1, "1 rows refer to rows that do not exist"},
		{"Continues", []string{one, two, "CREATE TABLE later (a)"}, OldestSchema + 2, ""},
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

func TestOwnSchema(t *testing.T) {
	dir := t.TempDir()
	own, err := OwnSchema()
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		db, err := Open(context.Background(), Options{Dir: dir, Readers: 1, Log: zap.NewNop(), Schema: own})
		if err != nil {
			t.Fatal(err)
		}
		if got, err := db.SchemaVersion(context.Background()); err != nil || got != own.Version() {
			t.Fatalf("SchemaVersion = %d, %v, want %d", got, err, own.Version())
		}
		db.Close()
	}
	for _, s := range append(own.Migrations, Migration{"schema.sql", own.Whole}) { // it would fail at the commit, for everybody in the batch
		if strings.Contains(strings.ToUpper(s.Script), "DEFERRABLE") {
			t.Errorf("%s: deferred constraints are not allowed", s.Name)
		}
	}
}

func TestReadMigrations(t *testing.T) {
	for _, c := range []struct {
		files []string
		ok    bool
	}{
		{[]string{"0007_a.sql", "0008_b.sql"}, true},
		{[]string{"0007_a.sql", "0009_b.sql"}, false},
		{[]string{"0007_a.sql", "0007_b.sql"}, false},
		{[]string{"0006_a.sql"}, false},
		{[]string{"0008_a.sql"}, false},
		{[]string{"7_a.sql"}, false},
		{[]string{"a.sql"}, false},
	} {
		files := fstest.MapFS{}
		for _, f := range c.files {
			files["m/"+f] = &fstest.MapFile{}
		}
		steps, err := readMigrations(files, "m", 7)
		if (err == nil) != c.ok || c.ok && len(steps) != len(c.files) {
			t.Errorf("readMigrations(%v) = %v, %v, want ok %v", c.files, steps, err, c.ok)
		}
	}
}
