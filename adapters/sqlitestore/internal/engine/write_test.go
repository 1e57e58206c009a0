package engine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"orgd/adapters/sqlitestore/internal/sqlite"
	"orgd/domain/fault"
	"orgd/ports"
)

var errRule error = fault.New(fault.Conflict, "refused by a rule")

// oneBatch runs the functions in one transaction, in their order, and returns
// their answers. It needs a synctest bubble.
func oneBatch(db *DB, fns ...func(*Tx) error) []error {
	release := make(chan struct{})
	errs := make([]error, len(fns))
	var wg sync.WaitGroup
	wg.Go(func() {
		db.Write(context.Background(), func(*Tx) error { <-release; time.Sleep(2 * maxBatchTime); return nil })
	})
	synctest.Wait()
	for i, fn := range fns {
		wg.Go(func() { errs[i] = db.Write(context.Background(), fn) })
		synctest.Wait() // it waits behind those before it
	}
	close(release)
	wg.Wait()
	return errs
}

func putter(name string) func(*Tx) error { return func(tx *Tx) error { return put(tx, name) } }

// inBubble runs a test on an open store with a fake clock.
func inBubble(t *testing.T, test func(t *testing.T, db *DB)) {
	t.Helper()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		db, closeDB, err := tryOpen(dir, testSchema)
		if err != nil {
			t.Fatal(err)
		}
		defer closeDB()
		test(t, db)
	})
}

func TestWriteUndoesOnlyWhatFailed(t *testing.T) {
	inBubble(t, func(t *testing.T, db *DB) {
		errs := oneBatch(db,
			putter("a"),
			func(tx *Tx) error { return errors.Join(put(tx, "b"), errRule) },
			func(tx *Tx) error {
				if err := put(tx, "c"); err != nil {
					return err
				}
				panic("a bug")
			},
			func(tx *Tx) error { // goes on after a violated constraint
				if err := put(tx, "a"); !sqlite.IsTaken(err) {
					return fmt.Errorf("put(a) = %v, want a taken name", err)
				}
				return put(tx, "d")
			},
			func(*Tx) error { return errRule },
		)
		if errs[0] != nil || errs[3] != nil {
			t.Errorf("good writes = %v, %v, want nil", errs[0], errs[3])
		}
		if !errors.Is(errs[1], errRule) || errs[4] != errRule {
			t.Errorf("refused writes = %v, %v, want %v", errs[1], errs[4], errRule)
		}
		if errs[2] == nil || !strings.Contains(errs[2].Error(), "panic in a change: a value of type string") {
			t.Errorf("panicking write = %v, want its panic", errs[2])
		}
		wantNames(t, db, "a", "d")
	})
}

// Until something fails there is no savepoint, and then what was before it has
// to run again.
func TestWriteStartsOverOnce(t *testing.T) {
	inBubble(t, func(t *testing.T, db *DB) {
		ran := map[string]int{}
		count := func(name string, after error) func(*Tx) error {
			return func(tx *Tx) error {
				ran[name]++
				if name == "nothing" {
					return after
				}
				return errors.Join(put(tx, name), after)
			}
		}
		errs := oneBatch(db, count("a", nil), count("nothing", errRule), count("b", nil),
			count("c", errRule), count("d", nil), count("e", errRule), count("f", nil))
		if got, want := fmt.Sprint(ran), "map[a:2 b:2 c:1 d:1 e:1 f:1 nothing:1]"; got != want {
			t.Errorf("functions ran %s, want %s", got, want)
		}
		for i, refused := range []bool{false, true, false, true, false, true, false} {
			if errors.Is(errs[i], errRule) != refused || !refused && errs[i] != nil {
				t.Errorf("write %d = %v, want it refused: %t", i, errs[i], refused)
			}
		}
		wantNames(t, db, "a", "b", "d", "f")
	})
}

func TestWriteUndoesAFirstThatFailed(t *testing.T) {
	inBubble(t, func(t *testing.T, db *DB) {
		for what, first := range map[string]func(*Tx) error{
			"refused":    func(tx *Tx) error { return errors.Join(put(tx, "a"), errRule) },
			"overlooked": func(tx *Tx) error { tx.Exec("INSERT INTO missing VALUES (1)"); return put(tx, "a") },
			"panicking": func(tx *Tx) error {
				if err := put(tx, "a"); err != nil {
					return err
				}
				panic("a bug")
			},
		} {
			errs := oneBatch(db, first, putter(what), func(*Tx) error { return errRule })
			if errs[0] == nil || errs[1] != nil || errs[2] != errRule {
				t.Errorf("a batch whose first is %s = %v, want an error, nil, %v", what, errs, errRule)
			}
		}
		wantNames(t, db, "overlooked", "panicking", "refused")
	})
}

// SQLite undoes the whole transaction when the disk fails a statement, also one
// that only reads. What was in the batch before it is done again, what follows is
// not done outside of a transaction.
func TestWriteStartsOverAfterAFailedRead(t *testing.T) {
	inBubble(t, func(t *testing.T, db *DB) {
		err := db.Write(context.Background(), func(tx *Tx) error {
			_, err := tx.Exec("INSERT INTO item (name, kind, doc) VALUES ('big', 1, ?)", strings.Repeat("x", 1<<18))
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		var failed error
		errs := oneBatch(db, putter("a"), func(tx *Tx) error {
			failed = withoutLog(t, db, tx, func() error {
				var doc string
				return tx.Row("SELECT doc FROM item WHERE name = 'big'").Scan(&doc)
			})
			return failed
		}, putter("b"), func(tx *Tx) error { return errors.Join(put(tx, "c"), errRule) }, putter("d"))
		if failed == nil {
			t.Fatal("a read without its log went well")
		}
		for i, want := range []bool{true, false, true, false, true} {
			if (errs[i] == nil) != want {
				t.Errorf("write %d = %v, want it stored: %t", i, errs[i], want)
			}
		}
		wantNames(t, db, "a", "b", "big", "d")
	})
}

// withoutLog runs do while the log of a database ends behind its header.
func withoutLog(t *testing.T, db *DB, tx *Tx, do func() error) (err error) {
	t.Helper()
	var ignored int
	_ = tx.Row("PRAGMA shrink_memory").Scan(&ignored) // which has no row
	name := db.path + "-wal"
	log, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(name, 32); err != nil {
		t.Fatal(err)
	}
	defer func() {
		f, bad := os.OpenFile(name, os.O_WRONLY, 0)
		if bad == nil {
			_, bad = f.WriteAt(log, 0)
			bad = errors.Join(bad, f.Close())
		}
		if bad != nil {
			t.Fatal(bad)
		}
	}()
	return do()
}

func TestWriteSeesTheBatchAndReadersDoNot(t *testing.T) {
	inBubble(t, func(t *testing.T, db *DB) {
		var inside, outside int
		errs := oneBatch(db, putter("a"), func(tx *Tx) error {
			outside = len(names(t, db))
			return tx.Row("SELECT count(*) FROM item").Scan(&inside)
		})
		if err := errors.Join(errs...); err != nil || inside != 1 || outside != 0 {
			t.Errorf("inside %d, outside %d (%v), want 1 and 0", inside, outside, err)
		}
	})
}

func TestWriteFailedCommitFailsTheBatch(t *testing.T) {
	inBubble(t, func(t *testing.T, db *DB) {
		errs := oneBatch(db,
			putter("a"),
			func(*Tx) error { return errRule }, // may rest on a
			func(tx *Tx) error { // a violation that only the commit notices
				if _, err := tx.Exec("PRAGMA defer_foreign_keys = ON"); err != nil {
					return err
				}
				_, err := tx.Exec("INSERT INTO version (item, number) VALUES (99, 1)")
				return err
			},
		)
		for i, err := range errs {
			if !errors.Is(err, ports.ErrStorage) || fault.Of(err).Code != fault.Persistence {
				t.Errorf("write %d = %v, want %v", i, err, ports.ErrStorage)
			}
		}
		mustPut(t, db, "b")
		wantNames(t, db, "b")
	})
}

func TestWriteCannotOverlookAFailure(t *testing.T) {
	db := openTest(t, t.TempDir())
	var first, later error
	err := db.Write(context.Background(), func(tx *Tx) error {
		_, first = tx.Exec("INSERT INTO missing VALUES (1)")
		later = put(tx, "a")
		return nil
	})
	if first == nil || later != first || !errors.Is(err, ports.ErrStorage) || !errors.Is(err, first) {
		t.Errorf("Exec = %v, then %v; Write = %v; want the first failure always", first, later, err)
	}
	wantNames(t, db)
}

func TestWriteOnAFullDisk(t *testing.T) {
	inBubble(t, func(t *testing.T, db *DB) {
		mustPut(t, db, "a")
		limit := func(pages string) func(*Tx) error {
			return func(tx *Tx) error {
				return tx.Row("PRAGMA max_page_count = " + pages).Scan(new(int))
			}
		}
		fill := func(tx *Tx) error {
			_, err := tx.Exec("INSERT INTO item (name, kind, doc) VALUES ('big', 1, ?)", strings.Repeat("x", 1<<20))
			return err
		}
		errs := oneBatch(db,
			limit("20"),
			fill,
			func(tx *Tx) error { fill(tx); return nil }, // overlooks the failure
			func(tx *Tx) error { fill(tx); return put(tx, "late") },
		)
		for i, err := range errs[1:] {
			if !errors.Is(err, ports.ErrStorage) {
				t.Errorf("write %d = %v, want %v", i, err, ports.ErrStorage)
			}
		}
		errs = oneBatch(db, putter("before"), fill, putter("mate"))
		if errs[0] != nil || !errors.Is(errs[1], ports.ErrStorage) || errs[2] != nil {
			t.Errorf("a batch whose second fills the disk = %v, want nil, %v, nil", errs, ports.ErrStorage)
		}
		if err := db.Write(context.Background(), limit("100000")); err != nil {
			t.Fatal(err)
		}
		mustPut(t, db, "b")
		wantNames(t, db, "a", "b", "before", "mate")
	})
}

func wantOutage(t *testing.T, err error, message string) {
	t.Helper()
	f := fault.Of(err)
	if !errors.Is(err, ports.ErrUnavailable) || f.Code != fault.Unavailable || f.RetryAfter != time.Second || !strings.Contains(f.Msg, message) {
		t.Errorf("error = %v (retry after %s), want an outage that says %q", err, f.RetryAfter, message)
	}
}

func TestWriteWhenTheCallerLeaves(t *testing.T) {
	inBubble(t, func(t *testing.T, db *DB) {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		release := make(chan struct{})
		var ran, mate, waiting error
		var wg sync.WaitGroup
		begin := func(err *error, ctx context.Context, fn func(*Tx) error) {
			wg.Go(func() { *err = db.Write(ctx, fn) })
			synctest.Wait() // it waits behind those before it
		}
		var first error
		begin(&first, context.Background(), func(*Tx) error { <-release; return nil })
		begin(&ran, ctx, putter("ran"))
		begin(&mate, context.Background(), func(tx *Tx) error {
			time.Sleep(2 * time.Second)
			return put(tx, "mate")
		})
		begin(&waiting, ctx, putter("waiting"))
		close(release)
		wg.Wait()
		if ran != nil { // it was committed before its caller looked
			wantOutage(t, ran, "it may have been applied")
		}
		wantOutage(t, waiting, "it was not applied")
		wantOutage(t, db.Write(ctx, putter("late")), "it was not applied")
		if err := errors.Join(first, mate); err != nil {
			t.Errorf("Write of others = %v, want nil", err)
		}
		wantNames(t, db, "mate", "ran")
	})
}

// Functions leave in variables of their callers what they have found. A caller
// that gives up must not meet them there.
func TestWriteReturnsAfterItsFunction(t *testing.T) {
	inBubble(t, func(t *testing.T, db *DB) {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		running := false
		err := db.Write(ctx, func(tx *Tx) error {
			running = true
			time.Sleep(2 * time.Second)
			running = false
			return put(tx, "a")
		})
		if err != nil { // it was committed before its caller looked
			wantOutage(t, err, "it may have been applied")
		}
		if running {
			t.Error("Write returned while its function ran")
		}
		synctest.Wait() // it is committed by now
		wantNames(t, db, "a")
	})
}

// A batch that starts over does not run the function of a caller who has left.
func TestWriteStartsOverWithoutWhoHasLeft(t *testing.T) {
	inBubble(t, func(t *testing.T, db *DB) {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		ran, release := 0, make(chan struct{})
		var wg sync.WaitGroup
		wg.Go(func() {
			wantOutage(t, db.Write(ctx, func(tx *Tx) error {
				<-release
				ran++
				return put(tx, "a")
			}), "it may have been applied")
		})
		synctest.Wait()
		wg.Go(func() {
			db.Write(context.Background(), func(tx *Tx) error {
				time.Sleep(2 * time.Second)
				return errors.Join(put(tx, "b"), errRule)
			})
		})
		synctest.Wait()
		close(release)
		wg.Wait()
		if ran != 1 {
			t.Errorf("the function has run %d times, want once", ran)
		}
		wantNames(t, db)
	})
}

func TestWriteAfterClose(t *testing.T) {
	inBubble(t, func(t *testing.T, db *DB) {
		var running, waiting error
		var wg sync.WaitGroup
		wg.Go(func() {
			running = db.Write(context.Background(), func(tx *Tx) error {
				time.Sleep(time.Second)
				return put(tx, "running")
			})
		})
		synctest.Wait()
		wg.Go(func() { waiting = db.Write(context.Background(), putter("waiting")) })
		synctest.Wait()
		db.Close()
		wg.Wait()
		if running != nil {
			t.Errorf("write under way = %v, want nil", running)
		}
		wantOutage(t, waiting, "it was not applied")
		wantOutage(t, db.Write(context.Background(), putter("late")), "it was not applied")
		wantOutage(t, db.Read(context.Background(), func(*sqlite.View) error { return nil }), "unavailable")
		wantOutage(t, db.Ping(context.Background()), "unavailable")
	})
}

func TestWriteBoundsABatch(t *testing.T) {
	inBubble(t, func(t *testing.T, db *DB) {
		seen := make([]int, 4) // what readers saw when each ran
		look := func(i int, d time.Duration) func(*Tx) error {
			return func(tx *Tx) error {
				seen[i] = len(names(t, db))
				time.Sleep(d)
				return put(tx, fmt.Sprint(i))
			}
		}
		half := maxBatchTime/2 + 1
		errs := oneBatch(db, look(0, half), look(1, half), look(2, 0), look(3, 0))
		if err := errors.Join(errs...); err != nil || fmt.Sprint(seen) != "[0 0 2 2]" {
			t.Errorf("seen = %v (%v), want [0 0 2 2]: the third is in the next batch", seen, err)
		}
	})
}

func TestWriteInParallel(t *testing.T) {
	db := openTest(t, t.TempDir())
	var wg sync.WaitGroup
	for w := range 8 {
		wg.Go(func() {
			for i := range 25 {
				mine := w%2 == 0 || i%5 > 0
				err := db.Write(context.Background(), func(tx *Tx) error {
					if err := put(tx, fmt.Sprintf("%d-%d", w, i)); err != nil || mine {
						return err
					}
					return errRule
				})
				if mine && err != nil || !mine && err != errRule {
					t.Errorf("Write(%d-%d) = %v", w, i, err)
				}
			}
		})
	}
	wg.Wait()
	if got, want := len(names(t, db)), 4*25+4*20; got != want {
		t.Errorf("items = %d, want %d", got, want)
	}
}

func TestPing(t *testing.T) {
	inBubble(t, func(t *testing.T, db *DB) {
		if err := db.Ping(context.Background()); err != nil {
			t.Errorf("Ping = %v, want nil", err)
		}
		go db.Write(context.Background(), func(*Tx) error { time.Sleep(3 * time.Second); return nil })
		synctest.Wait()
		start := time.Now()
		wantOutage(t, db.Ping(context.Background()), "did not take the change")
		if took := time.Since(start); took != pingTimeout {
			t.Errorf("Ping took %s, want %s", took, pingTimeout)
		}
	})
}

func TestWriteAfterTheWriterHasDied(t *testing.T) {
	db := openTest(t, t.TempDir())
	wantOutage(t, db.Write(context.Background(), func(tx *Tx) error {
		if err := put(tx, "a"); err != nil {
			return err
		}
		runtime.Goexit() // no panic, so nothing can be recovered
		return nil
	}), "it may have been applied")
	wantOutage(t, db.Write(context.Background(), putter("b")), "it was not applied")
	wantOutage(t, db.Ping(context.Background()), "it was not applied")
	wantNames(t, db)
}
