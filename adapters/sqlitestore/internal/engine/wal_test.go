package engine

import (
	"context"
	"fmt"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"orgd/adapters/sqlitestore/internal/sqlite"
)

func TestLongLogIsEmptied(t *testing.T) {
	inBubble(t, func(t *testing.T, db *DB) {
		puts := 0
		size := func() int64 {
			puts++
			mustPut(t, db, fmt.Sprint(puts))
			if err := db.Ping(context.Background()); err != nil { // the batch is over, and what follows it
				t.Error(err)
			}
			info, err := os.Stat(db.path + "-wal")
			if err != nil {
				t.Fatal(err)
			}
			return info.Size()
		}
		if size() == 0 {
			t.Fatal("size of the log = 0, want what was written")
		}
		synctest.Wait() // the writer is idle
		db.maxLog = 1
		time.Sleep(trimEvery)
		if got := size(); got != 0 {
			t.Errorf("size of the log = %d, want 0", got)
		}
		err := db.Read(context.Background(), func(v *sqlite.View) error {
			err := v.Row("SELECT count(*) FROM item").Scan(new(int))
			size()
			time.Sleep(trimEvery)
			if size() == 0 {
				t.Error("size of the log = 0 although a reader needs it")
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
		time.Sleep(trimEvery)
		if got := size(); got != 0 {
			t.Errorf("size of the log after the read = %d, want 0", got)
		}
	})
}
