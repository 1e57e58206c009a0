package sqlitestore

import (
	"context"
	"fmt"

	"orgd/domain/agent"
	"orgd/domain/identity"
)

// Check examines a data directory that a service may have open, which it does not hold up: the
// database file, the references between rows, and the text of every version, which it compares
// with its hash. It calls damaged for everything that is not as it was stored, and returns
// the number of versions.
func Check(ctx context.Context, dir string, damaged func(string) error) (versions int, err error) {
	err = readDir(ctx, dir, func(v *View) error {
		if err := checkRows(v, damaged); err != nil {
			return err
		}
		return eachVersion(v, func(id agent.ID, version identity.Version, err error) error {
			versions++
			if err != nil {
				err = damaged(fmt.Sprintf("agent %s: version %d cannot be read: %v", id, version.Number, err))
			}
			return err
		})
	})
	return versions, err
}

// checkRows has SQLite examine the file, and what rows refer to.
func checkRows(v *View, damaged func(string) error) error {
	err := v.Each("PRAGMA integrity_check", nil, func(r Row) error {
		var verdict string
		err := r.Scan(&verdict)
		if err == nil && verdict != "ok" {
			err = damaged("the database is damaged: " + verdict)
		}
		return err
	})
	if err != nil {
		return err
	}
	return v.Each("PRAGMA foreign_key_check", nil, func(r Row) error {
		var table, parent string
		err := r.Scan(&table, new(any), &parent, new(any))
		if err == nil {
			err = damaged(fmt.Sprintf("a row of %s refers to one of %s that is missing", table, parent))
		}
		return err
	})
}
