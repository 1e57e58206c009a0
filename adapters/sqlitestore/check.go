package sqlitestore

import (
	"context"
	"fmt"
	"math"

	"orgd/adapters/sqlitestore/internal/memory"
	"orgd/adapters/sqlitestore/internal/sqlite"
	"orgd/domain/agent"
	"orgd/domain/identity"
)

// Check examines a data directory that a service may have open, which it does not hold up: the
// database file, the references between rows, the blocks of the audit trail, and the text of every
// version, which it compares with its hash. It calls damaged for everything that is not as it was stored, and returns
// the number of versions.
func Check(ctx context.Context, dir string, damaged func(string) error) (versions int, err error) {
	err = readDir(ctx, dir, func(v *sqlite.View) error {
		if err := checkRows(v, damaged); err != nil {
			return err
		}
		if err := checkBlocks(v, damaged); err != nil {
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
func checkRows(v *sqlite.View, damaged func(string) error) error {
	err := v.Each("PRAGMA integrity_check", nil, func(r sqlite.Row) error {
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
	return v.Each("PRAGMA foreign_key_check", nil, func(r sqlite.Row) error {
		var table, parent string
		err := r.Scan(&table, new(any), &parent, new(any))
		if err == nil {
			err = damaged(fmt.Sprintf("a row of %s refers to one of %s that is missing", table, parent))
		}
		return err
	})
}

const selectAllBlocks = "SELECT last, since, until, entries FROM audit_blocks ORDER BY last"

// checkBlocks compares the blocks of the audit trail with the entries: filters do not find one
// that its block does not have. What a block has beside them has expired.
func checkBlocks(v *sqlite.View, damaged func(string) error) error {
	before := int64(math.MinInt64)
	return v.Each(selectAllBlocks, nil, func(r sqlite.Row) error {
		var last, since, until int64
		var block []byte
		if err := r.Scan(&last, &since, &until, &block); err != nil {
			return err
		}
		known := map[int64]memory.Digest{}
		err := eachOfBlock(last, block, func(seq int64, d memory.Digest) { known[seq] = d })
		isDamaged := err != nil
		err = v.Each(selectBlockRows, []any{before, last, -1}, func(r sqlite.Row) error {
			e, err := scanBlockRow(r)
			if known[e.Seq] != e.Digest || e.At < since || e.At > until {
				isDamaged = true
			}
			return err
		})
		if err == nil && isDamaged {
			err = damaged(fmt.Sprintf("the block of the audit trail that ends with number %d is damaged: filters may leave out some of its entries", last))
		}
		before = last
		return err
	})
}
