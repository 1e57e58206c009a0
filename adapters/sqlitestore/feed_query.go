package sqlitestore

import (
	"strconv"
	"strings"

	"orgd/adapters/sqlitestore/internal/sqlite"
	"orgd/domain/activity"
)

// feedQuery reads one of seq, at and id of each event of a page along an index,
// from where the page before ended. The indexes keep the types apart, so that there
// need not be more of them: a feed of all types is the merge of the feeds of each.
func feedQuery(column string, q activity.Query) (string, []any) {
	var args []any
	param := func(arg any) string {
		args = append(args, arg)
		return "?" + strconv.Itoa(len(args))
	}
	feed := "SELECT seq, at, id FROM events INDEXED BY events_type WHERE "
	if q.AgentID != "" {
		feed = "SELECT seq, at, id FROM events INDEXED BY events_agent_type WHERE agent_id = " +
			param(sqlite.PackID(q.AgentID)) + " AND "
	}
	if !q.Since.IsZero() {
		feed += "at >= " + param(sqlite.Millis(q.Since)) + " AND "
	}
	if q.After != nil {
		feed += "(at, id) < (" + param(sqlite.Millis(q.After.At)) + ", " + param(sqlite.PackID(q.After.ID)) + ") AND "
	}
	types := activity.Types()
	if q.Type != "" {
		types = []activity.Type{q.Type}
	}
	feeds := make([]string, len(types))
	for i, t := range types {
		feeds[i] = feed + "type = " + param(string(t))
	}
	return "SELECT " + column + " FROM (" + strings.Join(feeds, " UNION ALL ") +
		" ORDER BY at DESC, id DESC LIMIT (" + param(q.Limit) + " + 0))", args
}
