package engine

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
	"go.uber.org/zap"

	"orgd/adapters/agentindex"
	"orgd/adapters/sqlitestore/internal/memory"
	"orgd/adapters/sqlitestore/internal/sqlite"
)

func TestMain(m *testing.M) {
	if role := os.Getenv(childRole); role != "" {
		os.Exit(child(role, os.Getenv(childDir)))
	}
	goleak.VerifyTestMain(m)
}

// testSchema has two tables that have to agree: an item has its version 1.
const testSchema = `
PRAGMA application_id = 0x6f726764;
CREATE TABLE item (
	seq  INTEGER PRIMARY KEY AUTOINCREMENT,
	name TEXT NOT NULL UNIQUE,
	kind INTEGER NOT NULL,
	doc  TEXT NOT NULL
) STRICT;
CREATE INDEX item_kind ON item (kind, seq);
CREATE TABLE version (
	item   INTEGER NOT NULL REFERENCES item (seq),
	number INTEGER NOT NULL,
	PRIMARY KEY (item, number)
) STRICT, WITHOUT ROWID;
CREATE TABLE sign_in_links (hash BLOB PRIMARY KEY) STRICT, WITHOUT ROWID;
`

// testSteps is a schema whose first script makes that of the oldest release.
func testSteps(scripts ...string) Schema {
	to := Schema{Whole: strings.Join(scripts, ";"), Oldest: OldestSchema}
	for i, script := range scripts[1:] {
		to.Migrations = append(to.Migrations, Migration{fmt.Sprintf("step %d", i+2), script})
	}
	return to
}

// noBlocks adds nothing to a transaction.
type noBlocks struct{}

func (noBlocks) Finish(*Tx, memory.Changes) {}
func (noBlocks) Lost()                      {}

func tryOpen(dir string, steps ...string) (*DB, func(), error) {
	return openAs(dir, testSteps(steps...))
}

// openAs opens a directory as a program with another schema does.
func openAs(dir string, to Schema) (*DB, func(), error) {
	db, err := Open(context.Background(), Options{
		Dir: dir, Readers: 4, Log: zap.NewNop(), Schema: to, Agents: agentindex.NewLive(), Finisher: noBlocks{},
	})
	if err != nil {
		return nil, nil, err
	}
	return db, db.Close, nil
}

func openTest(tb testing.TB, dir string) *DB {
	tb.Helper()
	db, closeDB, err := tryOpen(dir, testSchema)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(closeDB)
	return db
}

// Put adds an item and its first version.
func put(tx *Tx, name string) error {
	res, err := tx.Exec("INSERT INTO item (name, kind, doc) VALUES (?, ?, ?)", name, len(name), strings.Repeat("x", 400))
	if err != nil {
		return err
	}
	seq, err := res.LastInsertId()
	if err != nil {
		return err
	}
	_, err = tx.Exec("INSERT INTO version (item, number) VALUES (?, 1)", seq)
	return err
}

func mustPut(tb testing.TB, db *DB, names ...string) {
	tb.Helper()
	for _, name := range names {
		if err := db.Write(context.Background(), func(tx *Tx) error { return put(tx, name) }); err != nil {
			tb.Fatalf("Write(%s) = %v", name, err)
		}
	}
}

// names returns the items in the order of their names.
func names(tb testing.TB, db *DB) (all []string) {
	tb.Helper()
	err := db.Read(context.Background(), func(v *sqlite.View) error {
		return v.Each("SELECT name FROM item ORDER BY name", nil, func(r sqlite.Row) error {
			var name string
			err := r.Scan(&name)
			all = append(all, name)
			return err
		})
	})
	if err != nil {
		tb.Fatal(err)
	}
	return all
}

func wantNames(tb testing.TB, db *DB, want ...string) {
	tb.Helper()
	if diff := cmp.Diff(want, names(tb, db)); diff != "" {
		tb.Errorf("items (-want +got):\n%s", diff)
	}
}
