package sqlitestore

import (
	"context"
	"fmt"

	"orgd/domain/agent"
)

// Agents implements [ports.AgentStore].
func (s *Agents) Agents(ctx context.Context, q agent.Query) ([]agent.Agent, error) {
	var rows []agentRow
	err := s.db.Read(ctx, func(v *View) (err error) {
		rows, err = s.list(v, q)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("sqlitestore: list agents: %w", err)
	}
	agents := make([]agent.Agent, len(rows))
	for i := range rows {
		if agents[i], err = s.remember(&rows[i]); err != nil {
			return nil, err
		}
	}
	return agents, nil
}

func (s *Agents) list(v *View, q agent.Query) (rows []agentRow, err error) {
	query, args := agentsQuery(q)
	rows = make([]agentRow, 0, min(max(q.Limit, 0), usualPage))
	err = v.Each(query, args, func(r Row) error {
		row, err := scanAgent(r)
		rows = append(rows, row)
		return err
	})
	for i := range rows {
		if err == nil {
			err = s.fetch(v, &rows[i])
		}
	}
	return rows, err
}

// usualPage is how many agents a list makes room for before it reads them.
const usualPage = 200

// agentsQuery reads along one index, from the place where the page before ended.
func agentsQuery(q agent.Query) (string, []any) {
	var f filter
	for _, c := range []struct{ column, value string }{
		{"department_key", string(q.Department)}, {"level", string(q.Level)}, {"status", string(q.Status)},
	} {
		if c.value != "" {
			f.and(c.column+" = ?", c.value)
		}
	}
	index, order := agentsIndex(q), "place, id"
	switch {
	case q.Prefix != "":
		index, order = "agents_name", "name_key"
		f.andPrefix(q)
	case q.After != nil:
		f.and("(place, id) > (?, ?)", packID(q.After.Place), packID(q.After.ID))
	}
	return "SELECT " + agentColumns + " FROM agents INDEXED BY " + index + f.where() +
		" ORDER BY " + order + " LIMIT (? + 0)", append(f.args, q.Limit)
}

// agentsIndex returns the index in the order of places that leaves out most.
// Each has the filters behind it at its end, so what it does not leave out costs
// no look at the agent.
func agentsIndex(q agent.Query) string {
	switch {
	case q.Department != "":
		return "agents_department"
	case q.Level != "":
		return "agents_level"
	case q.Status != "":
		return "agents_status"
	default:
		return "agents_order"
	}
}

// afterText is greater than any continuation of a text: no UTF-8 has this byte.
const afterText = "\xff"

// andPrefix adds the range of names that begin with the prefix and follow the
// name where the page before ended.
func (f *filter) andPrefix(q agent.Query) {
	f.and("name_key < ?", string(q.Prefix)+afterText)
	if q.After != nil && q.After.Name >= q.Prefix {
		f.and("name_key > ?", string(q.After.Name))
		return
	}
	f.and("name_key >= ?", string(q.Prefix))
}
