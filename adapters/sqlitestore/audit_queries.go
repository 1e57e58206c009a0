package sqlitestore

import (
	"cmp"
	"encoding/json"
	"math"
	"slices"

	"orgd/adapters/sqlitestore/internal/memory"
	"orgd/adapters/sqlitestore/internal/sqlite"
	"orgd/domain/audit"
)

const (
	entryColumns  = "at, id, actor, action, route, resource, from_revision, to_revision, request_id"
	selectEntries = "SELECT " + entryColumns + ", NULL FROM audit"
	selectChanges = "SELECT " + entryColumns + ", change FROM changes"
	selectChange  = selectChanges + " WHERE at = ? AND id = ?"
)

// latestFirst is the order of a page, and its end.
const latestFirst = " ORDER BY at DESC, id DESC LIMIT (? + 0)"

// entriesQuery reads entries of any actor and resource. Changes, other entries and reports have
// a query each: SQLite merges what they find, and reads no more than the page.
func entriesQuery(q audit.Query) (string, []any) {
	f := entriesFilter(q)
	query, args := selectChanges+" INDEXED BY changes_time"+f.Where(), f.Args
	others := func(index, part string) {
		f := entriesFilter(q)
		f.And(part)
		query, args = query+" UNION ALL "+selectEntries+" INDEXED BY "+index+f.Where(), append(args, f.Args...)
	}
	if q.Part != audit.OnlyChanges {
		others("audit_others", notReports)
	}
	if q.Part == audit.Everything {
		others("audit_resource", onlyReports)
	}
	return query + latestFirst, append(args, q.Limit)
}

// All entries by time are those of two indexes: an index of all of them would cost each
// report a tenth of its time.
const (
	notReports  = "resource <> 'activities'"
	onlyReports = "resource = 'activities'"
)

// entriesFilter returns what holds for the entries of a query in both tables.
func entriesFilter(q audit.Query) (f sqlite.Filter) {
	f.Equals("actor", q.Actor)
	f.Equals("resource", string(q.Resource))
	if !q.Since.IsZero() {
		f.And("at >= ?", sqlite.Millis(q.Since))
	}
	switch { // one upper bound: SQLite would begin at the first of two
	case q.After != nil && (q.Until.IsZero() || q.After.At.Before(q.Until)):
		f.And("(at, id) < (?, ?)", sqlite.Millis(q.After.At), sqlite.PackID(q.After.ID))
	case !q.Until.IsZero():
		f.And("at < ?", sqlite.Millis(q.Until))
	}
	return f
}

// scanEntry scans an entry, behind other columns.
func scanEntry(r sqlite.Row, first ...any) (e audit.Entry, err error) {
	var at int64
	var id []byte
	var change *string
	err = r.Scan(append(first, &at, &id, &e.Actor, (*string)(&e.Action), &e.Route, (*string)(&e.Resource), &e.From, &e.To, &e.RequestID, &change)...)
	e.At, e.ID = sqlite.FromMillis(at), sqlite.UnpackID(id)
	if err == nil && change != nil {
		e.Change, err = audit.ParseChange(e.Action, *change)
	}
	return e, err
}

// selection says which digests the entries have that a query selects.
type selection struct {
	bits, want memory.Digest
	actions    []memory.Digest // nil means any
}

func selectionOf(q audit.Query) (s selection) {
	need := func(bits, want memory.Digest) { s.bits, s.want = s.bits|bits, s.want|want }
	if q.Actor != "" {
		need(hashBits<<actorShift, shortHash(q.Actor)<<actorShift)
	}
	if q.Resource != "" {
		need(hashBits<<resourceShift, shortHash(q.Resource)<<resourceShift)
	}
	if q.Department != "" {
		need(hashBits<<departmentShift, shortHash(q.Department)<<departmentShift)
	}
	switch q.Part {
	case audit.WithoutReports:
		need(noReport, noReport)
	case audit.OnlyChanges:
		need(aChange, aChange)
	}
	for _, a := range q.Actions {
		s.actions = append(s.actions, actionHash(a))
	}
	return s
}

func (s selection) has(d memory.Digest) bool {
	return d&s.bits == s.want && (s.actions == nil || slices.Contains(s.actions, d&(actionBits<<actionShift)))
}

// in returns the numbers of the entries of a block that may be selected.
func (s selection) in(last int64, block []byte) (numbers []int64, err error) {
	err = eachOfBlock(last, block, func(seq int64, d memory.Digest) {
		if s.has(d) {
			numbers = append(numbers, seq)
		}
	})
	return numbers, err
}

// without does the same for a block that is damaged, from the entries themselves.
func (s selection) without(v *sqlite.View, last int64) (numbers []int64, err error) {
	before, err := lastBlock(v, last)
	if err != nil {
		return nil, err
	}
	err = v.Each(selectBlockRows, []any{before, last, -1}, func(r sqlite.Row) error {
		e, err := scanBlockRow(r)
		if s.has(e.Digest) {
			numbers = append(numbers, e.Seq)
		}
		return err
	})
	return numbers, err
}

const selectBlocks = "SELECT last, until, entries FROM audit_blocks INDEXED BY audit_blocks_time" +
	" WHERE until >= ? AND since <= ? ORDER BY until DESC"

// filteredEntries reads a page of what a query with filters selects.
func filteredEntries(v *sqlite.View, q audit.Query) ([]audit.Entry, error) {
	last, err := lastBlock(v, math.MaxInt64)
	if err != nil {
		return nil, err
	}
	found, err := someEntries(v, q, "seq > ?", last)
	if err != nil {
		return nil, err
	}
	wanted := selectionOf(q)
	since, until := timesOf(q)
	err = v.Each(selectBlocks, []any{since, until}, func(r sqlite.Row) error {
		var last, until int64
		var block []byte
		if err := r.Scan(&last, &until, &block); err != nil {
			return err
		}
		if len(found) >= q.Limit && sqlite.Millis(found[len(found)-1].At) > until {
			return sqlite.ErrFull
		}
		numbers, err := wanted.in(last, block)
		if err != nil {
			numbers, err = wanted.without(v, last)
		}
		if err != nil || len(numbers) == 0 {
			return err
		}
		list, err := json.Marshal(numbers)
		if err != nil {
			return err
		}
		more, err := someEntries(v, q, "seq IN (SELECT value FROM json_each(?))", string(list))
		found = latest(append(found, more...), q.Limit)
		return err
	})
	return found, err
}

// timesOf returns between which times, both inclusive, the entries are that a query selects.
func timesOf(q audit.Query) (since, until int64) {
	since, until = math.MinInt64, math.MaxInt64
	if !q.Since.IsZero() {
		since = sqlite.Millis(q.Since)
	}
	if !q.Until.IsZero() {
		until = sqlite.Millis(q.Until)
	}
	if q.After != nil {
		until = min(until, sqlite.Millis(q.After.At))
	}
	return since, until
}

// latest returns the first entries of a list in the order of a page.
func latest(entries []audit.Entry, limit int) []audit.Entry {
	slices.SortFunc(entries, func(a, b audit.Entry) int {
		if c := b.At.Compare(a.At); c != 0 {
			return c
		}
		return cmp.Compare(string(sqlite.PackID(b.ID)), string(sqlite.PackID(a.ID)))
	})
	return entries[:min(limit, len(entries))]
}

// someEntries reads the entries that a query selects of some rows, which a condition with one
// argument says.
func someEntries(v *sqlite.View, q audit.Query, of string, arg any) ([]audit.Entry, error) {
	query, args := someQuery(q, of, arg)
	return sqlite.Rows(v, query, args, func(r sqlite.Row) (audit.Entry, error) { return scanEntry(r) })
}

// someQuery sorts what it reads. An index in the order of a page would lead to all other rows too.
func someQuery(q audit.Query, of string, arg any) (string, []any) {
	changes, others := entriesFilter(q), entriesFilter(q)
	changes.And(of, arg)
	changes.Equals("department_key", string(q.Department))
	sqlite.Among(&changes, "action", q.Actions)
	query, args := selectChanges+" NOT INDEXED"+changes.Where(), changes.Args
	if q.Part != audit.OnlyChanges {
		others.And(of, arg)
		if q.Part == audit.WithoutReports {
			others.And(notReports)
		}
		query, args = query+" UNION ALL "+selectEntries+" NOT INDEXED"+others.Where(), append(args, others.Args...)
	}
	return query + latestFirst, append(args, q.Limit)
}
