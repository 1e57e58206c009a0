package sqlitestore

import (
	"fmt"

	"orgd/domain/agent"
	"orgd/domain/identity"
)

// agentRow is a row of the table agents on its way to an agent.
type agentRow struct {
	record  agent.Agent // without identity
	outside string
	row     int64             // of the identity
	content *identity.Content // remembered; or else
	text    string            // what it is read from
}

const agentColumns = "identity, outside, version, revision, place, created_at, updated_at"

func scanAgent(r Row) (row agentRow, err error) {
	var place []byte
	var created, updated int64
	a := &row.record
	err = r.Scan(&row.row, &row.outside, &a.Version, &a.Revision, &place, &created, &updated)
	a.Place = agent.Place(unpackID(place))
	a.CreatedAt, a.UpdatedAt = fromMillis(created), fromMillis(updated)
	return row, err
}

const selectIdentity = "SELECT identity FROM versions WHERE seq = ?"

// fetch gets the identity of a row, as text unless it is remembered.
func (s *Agents) fetch(v *View, r *agentRow) error {
	if r.content = s.contents.get(r.row); r.content != nil {
		return nil
	}
	if err := v.Row(selectIdentity, r.row).Scan(&r.text); err != nil {
		return fmt.Errorf("sqlitestore: read identity %d: %w", r.row, err)
	}
	return nil
}

// remember returns the agent of a committed row and keeps its identity in mind.
// It is called after the read, so that nobody waits for parsing.
func (s *Agents) remember(r *agentRow) (agent.Agent, error) {
	known := r.content != nil
	a, err := r.agent()
	if err == nil && !known {
		s.contents.put(r.row, r.content, len(r.text))
	}
	return a, err
}

// agent returns the agent of a row.
func (r *agentRow) agent() (agent.Agent, error) {
	if r.content == nil {
		c, err := identity.Parse([]byte(r.text))
		if err != nil {
			return agent.Agent{}, fmt.Errorf("sqlitestore: read identity %d: %w", r.row, err)
		}
		r.content = &c
	}
	a := r.record
	a.Identity = *r.content
	if err := a.SetOutside([]byte(r.outside)); err != nil {
		return agent.Agent{}, fmt.Errorf("sqlitestore: read agent %s: %w", a.ID(), err)
	}
	return a, nil
}
