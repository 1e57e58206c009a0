package engine

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"orgd/adapters/sqlitestore/internal/sqlite"
	"orgd/ports"
)

func TestReadSeesOneState(t *testing.T) {
	db := openTest(t, t.TempDir())
	mustPut(t, db, "a")
	var before, after int
	err := db.Read(context.Background(), func(v *sqlite.View) error {
		if err := v.Row("SELECT count(*) FROM item").Scan(&before); err != nil {
			return err
		}
		mustPut(t, db, "b")
		return v.Row("SELECT count(*) FROM item").Scan(&after)
	})
	if err != nil || before != 1 || after != 1 {
		t.Errorf("Read saw %d, then %d (%v), want 1 and 1", before, after, err)
	}
	wantNames(t, db, "a", "b")
}

func TestReadSeesFinishedWritesAtOnce(t *testing.T) {
	db := openTest(t, t.TempDir())
	for i := range 50 {
		name := fmt.Sprint(i)
		mustPut(t, db, name)
		err := db.Read(context.Background(), func(v *sqlite.View) error {
			return v.Row("SELECT seq FROM item WHERE name = ?", name).Scan(new(int))
		})
		if err != nil {
			t.Fatalf("Read(%s) = %v, want the item just written", name, err)
		}
	}
}

func TestReadMayNestAQueryInItself(t *testing.T) {
	db := openTest(t, t.TempDir())
	mustPut(t, db, "a", "b", "c")
	pairs := 0
	const query = "SELECT name FROM item WHERE name <> ?"
	err := db.Read(context.Background(), func(v *sqlite.View) error {
		return v.Each(query, []any{""}, func(r sqlite.Row) error {
			var name string
			if err := r.Scan(&name); err != nil {
				return err
			}
			return v.Each(query, []any{name}, func(sqlite.Row) error { pairs++; return nil })
		})
	})
	if err != nil || pairs != 6 {
		t.Errorf("pairs = %d, %v, want 6", pairs, err)
	}
}

func TestReadReturnsErrors(t *testing.T) {
	db := openTest(t, t.TempDir())
	mustPut(t, db, "a")
	each := func(query string, row func(sqlite.Row) error) func(v *sqlite.View) error {
		return func(v *sqlite.View) error { return v.Each(query, nil, row) }
	}
	for name, c := range map[string]struct {
		fn   func(*sqlite.View) error
		want error
	}{
		"OwnError":   {func(*sqlite.View) error { return errRule }, errRule},
		"RowError":   {each("SELECT 1", func(sqlite.Row) error { return errRule }), errRule},
		"NoRows":     {func(v *sqlite.View) error { return v.Row("SELECT 1 WHERE 0").Scan(new(int)) }, sql.ErrNoRows},
		"BadQuery":   {each("SELECT nothing", nil), ports.ErrStorage},
		"BadRow":     {func(v *sqlite.View) error { return v.Row("SELECT nothing").Scan(new(int)) }, ports.ErrStorage},
		"QuotedText": {each(`SELECT "text"`, nil), ports.ErrStorage},
		"FailsLater": {each("SELECT abs(CASE name WHEN 'a' THEN -9223372036854775807 - 1 END) FROM item", nil), ports.ErrStorage},
		"ReadOnly":   {each("INSERT INTO version (item, number) VALUES (1, 2)", nil), ports.ErrStorage},
	} {
		t.Run(name, func(t *testing.T) {
			if err := db.Read(context.Background(), c.fn); !errors.Is(err, c.want) {
				t.Errorf("Read = %v, want %v", err, c.want)
			}
			wantNames(t, db, "a")
		})
	}
}

func TestReadFreesItsConnection(t *testing.T) {
	db := openTest(t, t.TempDir())
	for range 2 * cap(db.readers) {
		func() {
			defer func() { recover() }()
			db.Read(context.Background(), func(v *sqlite.View) error {
				return v.Each("SELECT 1", nil, func(sqlite.Row) error { panic("a bug") })
			})
		}()
	}
	mustPut(t, db, "a")
	wantNames(t, db, "a")
}

func TestReadStopsWithTheCaller(t *testing.T) {
	db := openTest(t, t.TempDir())
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	const endless = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"
	err := db.Read(ctx, func(v *sqlite.View) error {
		return v.Each(endless, nil, func(sqlite.Row) error { return nil })
	})
	wantOutage(t, err, "unavailable")
	wantNames(t, db)
}

func TestReadWaitsForAConnection(t *testing.T) {
	inBubble(t, func(t *testing.T, db *DB) {
		release := make(chan struct{})
		var wg sync.WaitGroup
		for range cap(db.readers) {
			wg.Go(func() { db.Read(context.Background(), func(*sqlite.View) error { <-release; return nil }) })
		}
		synctest.Wait()
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		wantOutage(t, db.Read(ctx, func(*sqlite.View) error { return nil }), "unavailable")
		wantOutage(t, db.Ping(context.Background()), "unavailable")
		var late error
		wg.Go(func() { late = db.Read(context.Background(), func(*sqlite.View) error { return nil }) })
		synctest.Wait()
		close(release)
		wg.Wait()
		if late != nil {
			t.Errorf("Read that waited = %v, want nil", late)
		}
	})
}

func TestCloseWaitsForReads(t *testing.T) {
	inBubble(t, func(t *testing.T, db *DB) {
		var n int
		var err error
		var wg sync.WaitGroup
		wg.Go(func() {
			err = db.Read(context.Background(), func(v *sqlite.View) error {
				time.Sleep(time.Second)
				return v.Row("SELECT count(*) FROM item").Scan(&n)
			})
		})
		synctest.Wait()
		db.Close()
		wg.Wait()
		if err != nil {
			t.Errorf("Read under way = %v, want nil", err)
		}
	})
}

func TestCloseLeavesNoLog(t *testing.T) {
	dir := t.TempDir()
	db, closeDB, err := tryOpen(dir, testSchema)
	if err != nil {
		t.Fatal(err)
	}
	mustPut(t, db, "a")
	wantNames(t, db, "a")
	closeDB()
	for _, suffix := range []string{"-wal", "-shm"} {
		if _, err := os.Stat(filepath.Join(dir, databaseName+suffix)); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("Stat(%s) = %v, want no file", suffix, err)
		}
	}
}

func TestPingNoticesALostDatabase(t *testing.T) {
	dir := t.TempDir()
	db := openTest(t, dir)
	path := filepath.Join(dir, databaseName)
	if err := os.Rename(path, path+".moved"); err != nil {
		t.Fatal(err)
	}
	wantOutage(t, db.Ping(context.Background()), "unavailable")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	wantOutage(t, db.Ping(context.Background()), "unavailable")
}

func TestSchemaVersion(t *testing.T) {
	if got, err := openTest(t, t.TempDir()).SchemaVersion(context.Background()); err != nil || got != OldestSchema {
		t.Errorf("SchemaVersion = %d, %v, want %d", got, err, OldestSchema)
	}
}
