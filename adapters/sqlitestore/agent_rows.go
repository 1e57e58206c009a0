package sqlitestore

import (
	"orgd/domain/agent"
	"orgd/domain/identity"
	"orgd/domain/name"
)

// What an agent is stands in its newest version. The join is from the left, so
// that a version that is missing is noticed.
const (
	agentColumns = "a.id, a.name, a.name_key, a.place, v.identity, a.outside, a.version, a.revision, a.created_at, a.updated_at"
	joinIdentity = " LEFT JOIN versions AS v ON v.seq = a.identity"
)

func scanAgent(r Row) (*record, error) {
	var rec record
	var id, place []byte
	var key string
	var text any // which sql.NullString would make with two more allocations
	var created, updated int64
	if err := r.Scan(&id, &rec.Name, &key, &place, &text, &rec.Unversioned, &rec.Version, &rec.Revision, &created, &updated); err != nil {
		return nil, err
	}
	rec.id = string(id)
	rec.ID, rec.OrderKey = agent.ID(unpackID(id)), agent.OrderKey(unpackID(place))
	rec.key = name.Key(key)
	known, ok := text.(string)
	if !ok {
		return nil, identity.ErrRecordMissing.With("the identity of agent %s is missing from the storage", rec.ID)
	}
	rec.Identity, rec.CreatedAt, rec.UpdatedAt = known, fromMillis(created), fromMillis(updated)
	return &rec, nil
}
