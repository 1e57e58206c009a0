package sqlitestore

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"

	"orgd/adapters/deltas"
	"orgd/adapters/sqlitestore/internal/sqlite"
	"orgd/domain/agent"
	"orgd/domain/identity"
	"orgd/domain/page"
)

// Identities reads the versions of agents.
type Identities struct{ db *DB }

// Versions implements [ports.IdentityLog].
func (s *Identities) Versions(ctx context.Context, id agent.ID, before int64, limit int) (_ []identity.Version, err error) {
	defer s.db.observer.Begin(&ctx, "versions.list").End(&err)
	if before == 0 {
		before = math.MaxInt64
	}
	versions, err := sqlite.Read(ctx, s.db, func(v *sqlite.View) ([]identity.Version, error) { return readVersions(v, id, before, limit) })
	if err != nil {
		return nil, sqlite.Wrap(err, "read versions of agent", string(id))
	}
	for i := range versions {
		if err := parseContent(&versions[i], id); err != nil {
			return nil, err
		}
	}
	return versions, nil
}

// Version implements [ports.IdentityLog].
func (s *Identities) Version(ctx context.Context, id agent.ID, number int64) (_ identity.Version, err error) {
	defer s.db.observer.Begin(&ctx, "versions.get").End(&err)
	found, err := sqlite.Read(ctx, s.db, func(v *sqlite.View) (identity.Version, error) { return readVersion(v, id, number) })
	if err != nil {
		return identity.Version{}, err
	}
	err = parseContent(&found, id)
	return found, err
}

// Content implements [ports.IdentityLog].
func (s *Identities) Content(ctx context.Context, id agent.ID, number int64) (_ identity.Stored, err error) {
	defer s.db.observer.Begin(&ctx, "versions.content").End(&err)
	if known, ok := s.db.Contents.Get(string(sqlite.PackID(id)), number); ok {
		return known, s.db.Refused()
	}
	return sqlite.Read(ctx, s.db, func(v *sqlite.View) (identity.Stored, error) { return s.db.content(v, id, number) })
}

// content returns the content of a version, and remembers it.
func (db *DB) content(v *sqlite.View, id agent.ID, number int64) (identity.Stored, error) {
	packed := string(sqlite.PackID(id))
	if known, ok := db.Contents.Get(packed, number); ok {
		return known, nil
	}
	found, err := readVersion(v, id, number)
	if err != nil {
		return identity.Stored{}, err
	}
	content := identity.Stored{Text: found.Text, Hash: found.Hash}
	db.Contents.Put(packed, number, content)
	return content, nil
}

const (
	versionColumns = "number, identity, packed, hash, saved_by, saved_at, imported, restored_from, reason"
	selectVersions = "SELECT " + versionColumns + " FROM versions WHERE agent_id = ? AND number < ? ORDER BY number DESC LIMIT (? + 0)"
	selectNewer    = "SELECT " + versionColumns + " FROM versions WHERE agent_id = ? AND number > ? ORDER BY number LIMIT (? + 0)"
	selectCurrent  = `
SELECT identity FROM current_identities WHERE seq = (
	SELECT identity FROM agents WHERE id = ?1 UNION ALL SELECT identity FROM former_agents WHERE id = ?1)`
)

// readVersion returns one version, or identity.ErrVersionNotFound.
func readVersion(v *sqlite.View, id agent.ID, number int64) (identity.Version, error) {
	none := identity.ErrVersionNotFound.With("agent %s has no version %d", id, number)
	if number < 1 || number == math.MaxInt64 {
		return identity.Version{}, none
	}
	found, err := readVersions(v, id, number+1, 1)
	if err != nil {
		return identity.Version{}, fmt.Errorf("sqlitestore: read version %d of agent %s: %w", number, id, err)
	}
	if len(found) == 0 || found[0].Number != number {
		return identity.Version{}, none
	}
	return found[0], nil
}

// readVersions returns as many versions as a page has, the newest first, beginning behind the
// number before.
func readVersions(v *sqlite.View, id agent.ID, before int64, limit int) (versions []identity.Version, err error) {
	var filling page.Filling
	var newer *storedVersion
	err = v.Each(selectVersions, []any{sqlite.PackID(id), before, limit}, func(r sqlite.Row) error {
		row, err := scanVersion(r)
		if err != nil {
			return err
		}
		if newer == nil {
			err = row.find(v, id)
		} else {
			row.follow(newer)
		}
		if err := cmp.Or(err, row.err); err != nil {
			return err
		}
		newer = row
		versions = append(versions, row.Version)
		return sqlite.Fill(v.Ctx, &filling, row.Size())
	})
	return versions, err
}

// storedVersion is a version as it is stored: with its text, if that stands beside it, and
// with that of the version before it, packed with its own as its neighbor.
type storedVersion struct {
	identity.Version
	before []byte
	err    error // says that the text is damaged
}

func scanVersion(r sqlite.Row, first ...any) (*storedVersion, error) {
	var v storedVersion
	var saved int64
	err := r.Scan(append(first, &v.Number, &v.Text, &v.before, &v.Hash, &v.SavedBy, &saved, &v.Imported, &v.RestoredFrom, &v.Reason)...)
	v.SavedAt = sqlite.FromMillis(saved)
	return &v, err
}

// Follow gives a version its text, from the next newer one. If that is damaged, the text may
// still be what was saved.
func (v *storedVersion) follow(newer *storedVersion) {
	if v.Text == "" && newer.Number != v.Number+1 {
		v.err = identity.DamagedVersion(v.Number + 1)
		return
	}
	var err error
	if v.Text == "" {
		v.Text, err = deltas.Unpack(newer.Text, newer.before)
	}
	if err != nil {
		err = identity.DamagedVersion(v.Number).Because(err)
	} else {
		err = v.Check()
	}
	if err != nil {
		v.err = cmp.Or(newer.err, err)
	}
}

// find gives a version its text: from the newer ones, as far as it rests on them.
func (v *storedVersion) find(view *sqlite.View, id agent.ID) error {
	chain := []*storedVersion{v}
	isComplete := v.Text != ""
	if !isComplete {
		err := view.Each(selectNewer, []any{sqlite.PackID(id), v.Number, deltas.Interval}, func(r sqlite.Row) error {
			row, err := scanVersion(r)
			if err != nil {
				return err
			}
			chain = append(chain, row)
			if isComplete = row.Text != "" || deltas.IsWhole(row.before); isComplete {
				return sqlite.ErrFull
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	if !isComplete {
		if err := chain[len(chain)-1].findCurrent(view, id); err != nil {
			return err
		}
	}
	unpackChain(chain)
	return nil
}

// findCurrent gives the newest version of an agent its text.
func (v *storedVersion) findCurrent(view *sqlite.View, id agent.ID) error {
	if v.Text == "" {
		err := view.Row(selectCurrent, sqlite.PackID(id)).Scan(&v.Text)
		if err != nil && !errors.Is(err, sql.ErrNoRows) {
			return err
		}
	}
	v.err = v.Check()
	return nil
}

// unpackChain gives versions their texts, each from the next. The last has one or needs none.
func unpackChain(chain []*storedVersion) {
	if len(chain) == 1 && chain[0].err == nil {
		chain[0].err = chain[0].Check()
	}
	for i := len(chain) - 2; i >= 0; i-- {
		chain[i].follow(chain[i+1])
	}
}

// selectAllVersions has the versions of an agent together, in their order.
var selectAllVersions = "SELECT agent_id, " + versionColumns + " FROM versions" + notPurged("agent_id") + " ORDER BY agent_id, number"

// eachVersion calls do for every version, in the order of agents and numbers, with an error
// for one that is damaged.
func eachVersion(v *sqlite.View, do func(agent.ID, identity.Version, error) error) error {
	var of agent.ID
	var chain []*storedVersion
	doFirst := func(n int) error {
		unpackChain(chain)
		for _, version := range chain[:n] {
			if err := do(of, version.Version, version.err); err != nil {
				return err
			}
		}
		chain = append(chain[:0], chain[n:]...)
		return nil
	}
	end := func() error {
		if len(chain) == 0 {
			return nil
		}
		if err := chain[len(chain)-1].findCurrent(v, of); err != nil {
			return err
		}
		return doFirst(len(chain))
	}
	err := v.Each(selectAllVersions, nil, func(r sqlite.Row) error {
		var packed []byte
		row, err := scanVersion(r, &packed)
		if err != nil {
			return err
		}
		if id := agent.ID(sqlite.UnpackID(packed)); id != of {
			if err := end(); err != nil {
				return err
			}
			of = id
		}
		chain = append(chain, row)
		if n := len(chain) - 1; n > 0 && (row.Text != "" || deltas.IsWhole(row.before)) {
			return doFirst(n)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return end()
}

// parseContent gives a version its content, after the read.
func parseContent(v *identity.Version, id agent.ID) (err error) {
	if v.Content, err = identity.Parse(v.Text); err != nil {
		return fmt.Errorf("sqlitestore: read version %d of agent %s: %w", v.Number, id, err)
	}
	return nil
}
