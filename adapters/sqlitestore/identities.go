package sqlitestore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"

	"orgd/domain/agent"
	"orgd/domain/identity"
	"orgd/ports"
)

var _ ports.IdentityLog = (*Identities)(nil)

// Identities reads the versions of agents.
type Identities struct{ db *DB }

// NewIdentities returns the versions in db.
func NewIdentities(db *DB) *Identities { return &Identities{db} }

const versionColumns = "number, identity, hash, saved_by, saved_at, restored_from, reason"

const selectVersions = "SELECT " + versionColumns + ` FROM versions
WHERE agent_id = ? AND number < ? ORDER BY number DESC LIMIT (? + 0)`

// Versions implements [ports.IdentityLog].
func (s *Identities) Versions(ctx context.Context, id agent.ID, before int64, limit int) ([]identity.Version, error) {
	if before == 0 {
		before = math.MaxInt64
	}
	var rows []versionRow
	err := s.db.Read(ctx, func(v *View) error {
		return v.Each(selectVersions, []any{packID(id), before, limit}, func(r Row) error {
			row, err := scanVersion(r)
			rows = append(rows, row)
			return err
		})
	})
	if err != nil {
		return nil, fmt.Errorf("sqlitestore: read versions of agent %s: %w", id, err)
	}
	versions := make([]identity.Version, len(rows))
	for i, row := range rows {
		if versions[i], err = row.version(id); err != nil {
			return nil, err
		}
	}
	return versions, nil
}

const selectVersion = "SELECT " + versionColumns + " FROM versions WHERE agent_id = ? AND number = ?"

// Version implements [ports.IdentityLog].
func (s *Identities) Version(ctx context.Context, id agent.ID, number int64) (identity.Version, error) {
	var row versionRow
	err := s.db.Read(ctx, func(v *View) (err error) {
		row, err = scanVersion(v.Row(selectVersion, packID(id), number))
		return err
	})
	if errors.Is(err, sql.ErrNoRows) {
		return identity.Version{}, identity.ErrVersionNotFound.With("agent %s has no version %d", id, number)
	}
	if err != nil {
		return identity.Version{}, fmt.Errorf("sqlitestore: read version %d of agent %s: %w", number, id, err)
	}
	return row.version(id)
}

// versionRow is a row of the table versions on its way to a version.
type versionRow struct {
	record identity.Version // without content
	text   string           // of the content
}

func scanVersion(r Row) (row versionRow, err error) {
	var saved int64
	v := &row.record
	err = r.Scan(&v.Number, &row.text, &v.Hash, &v.SavedBy, &saved, &v.RestoredFrom, &v.Reason)
	v.SavedAt = fromMillis(saved)
	return row, err
}

// version parses the content, after the read.
func (r versionRow) version(id agent.ID) (identity.Version, error) {
	c, err := identity.Parse([]byte(r.text))
	if err != nil {
		return identity.Version{}, fmt.Errorf("sqlitestore: read version %d of agent %s: %w", r.record.Number, id, err)
	}
	v := r.record
	v.Content = c
	return v, nil
}
