package sqlitestore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"

	"orgd/domain/agent"
	"orgd/domain/identity"
)

// Identities reads the versions of agents.
type Identities struct{ db *DB }

const versionColumns = "number, identity, hash, saved_by, saved_at, imported, restored_from, reason"

const selectVersions = "SELECT " + versionColumns + ` FROM versions
WHERE agent_id = ? AND number < ? ORDER BY number DESC LIMIT (? + 0)`

// Versions implements [ports.IdentityLog].
func (s *Identities) Versions(ctx context.Context, id agent.ID, before int64, limit int) (_ []identity.Version, err error) {
	defer s.db.observer.Begin(&ctx, "versions.list").End(&err)
	if before == 0 {
		before = math.MaxInt64
	}
	versions, err := readPage(ctx, s.db, "read versions of agent "+string(id), selectVersions,
		[]any{packID(id), before, limit}, scanVersion)
	if err != nil {
		return nil, err
	}
	for i := range versions {
		if err := parseContent(&versions[i], id); err != nil {
			return nil, err
		}
	}
	return versions, nil
}

const selectVersion = "SELECT " + versionColumns + " FROM versions WHERE agent_id = ? AND number = ?"

// Version implements [ports.IdentityLog].
func (s *Identities) Version(ctx context.Context, id agent.ID, number int64) (_ identity.Version, err error) {
	defer s.db.observer.Begin(&ctx, "versions.get").End(&err)
	found, err := ask(ctx, s.db, func(v *View) (identity.Version, error) {
		return scanVersion(v.Row(selectVersion, packID(id), number))
	})
	if errors.Is(err, sql.ErrNoRows) {
		return identity.Version{}, identity.ErrVersionNotFound.With("agent %s has no version %d", id, number)
	}
	if err != nil {
		return identity.Version{}, fmt.Errorf("sqlitestore: read version %d of agent %s: %w", number, id, err)
	}
	err = parseContent(&found, id)
	return found, err
}

// scanVersion reads a version without its content.
func scanVersion(r Row) (v identity.Version, err error) {
	var saved int64
	err = r.Scan(&v.Number, &v.Text, &v.Hash, &v.SavedBy, &saved, &v.Imported, &v.RestoredFrom, &v.Reason)
	v.SavedAt = fromMillis(saved)
	return v, err
}

// parseContent gives a version its content, after the read.
func parseContent(v *identity.Version, id agent.ID) (err error) {
	if v.Content, err = identity.Parse(v.Text); err != nil {
		return fmt.Errorf("sqlitestore: read version %d of agent %s: %w", v.Number, id, err)
	}
	return nil
}
