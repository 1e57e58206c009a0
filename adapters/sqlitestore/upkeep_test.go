package sqlitestore

import (
	"context"
	"fmt"
	"testing"

	"orgd/adapters/sqlitestore/internal/engine"
	"orgd/adapters/sqlitestore/internal/sqlite"
	"orgd/domain/session"
	"orgd/ports"
)

// One call deletes at most deleteAtOnce records of a kind, since others wait for the
// writer meanwhile, and says that there are more.
func TestDeleteExpiredIsBounded(t *testing.T) {
	const many = 2*deleteAtOnce + 1
	o := openOrg(t, t.TempDir())
	stores, now := o.db.Stores(), o.now()
	o.check(o.db.Write(context.Background(), func(tx *engine.Tx) error {
		for i := range many {
			s := session.Session{ID: fmt.Sprint(i), IssuedAt: now, ExpiresAt: now}
			if err := putSession(tx, s); err != nil {
				return err
			}
			if _, err := tx.Exec(upsertRevocation, s.ID, "ann", sqlite.Millis(now), sqlite.Millis(now)); err != nil {
				return err
			}
		}
		return nil
	}))
	left := map[string]int{"sessions": many, "revocations": many}
	for more := true; more; {
		var err error
		more, err = stores.Storage.DeleteExpired(context.Background(), ports.Expiry{Now: now})
		o.check(err)
		for table, before := range left {
			var n int
			o.check(o.db.Ask(context.Background(), func(v *sqlite.View) error { return v.Row("SELECT count(*) FROM " + table).Scan(&n) }))
			if before-n > deleteAtOnce {
				t.Errorf("one call deletes %d %s, want at most %d", before-n, table, deleteAtOnce)
			}
			left[table] = n
		}
	}
	for table, n := range left {
		if n != 0 {
			t.Errorf("%d of %d %s are left", n, many, table)
		}
	}
}
