package sqlitestore

import (
	"cmp"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"hash/crc32"
	"math"
	"slices"
	"time"

	"go.uber.org/zap"

	"orgd/domain/audit"
	"orgd/domain/name"
)

// The entries of the audit trail, those of the change log and the others, are in blocks in
// the order of their numbers. A block has a digest of each entry, and a filter reads the
// entries whose digests it selects. Those behind the last block, fewer than a block unless
// the trail is older than the blocks, are read as they are.

// blockEntries is how many entries a block has: it fits into a page.
const blockEntries = 400

// errBlock says that a block is not what this program writes.
var errBlock = errors.New("the block is damaged")

// digest is what a block has of an entry: hashes of 16 bits of its actor, its resource and
// its department, a hash of 14 bits of its action, and a bit each for an entry that is no
// report and for one of the change log.
type digest uint64

const (
	actorShift, resourceShift, departmentShift, actionShift = 0, 16, 32, 48

	hashBits          digest = 1<<16 - 1
	actionBits        digest = 1<<14 - 1
	noReport, aChange digest = 1 << 62, 1 << 63
)

// shortHash returns the low 16 bits of a checksum. Blocks are stored, so it never changes.
func shortHash[T ~string](text T) digest { return digest(crc32.ChecksumIEEE([]byte(text))) & hashBits }

func actionHash(a audit.Action) digest { return shortHash(a) & actionBits << actionShift }

// blockRow is what a block needs of an entry.
type blockRow struct {
	seq, at    int64
	actor      string
	resource   audit.Resource
	department name.Key
	action     audit.Action
	change     bool
}

func (r blockRow) digest() digest {
	d := shortHash(r.actor)<<actorShift | shortHash(r.resource)<<resourceShift | shortHash(r.department)<<departmentShift | actionHash(r.action)
	if r.resource != audit.Activities {
		d |= noReport
	}
	if r.change {
		d |= aChange
	}
	return d
}

const (
	selectLastBlock = "SELECT coalesce(max(last), -9223372036854775808) FROM audit_blocks"
	selectBlockRows = `
SELECT seq, at, actor, resource, department_key, action, 1 FROM changes WHERE seq > ?1
UNION ALL SELECT seq, at, actor, resource, '', action, 0 FROM audit WHERE seq > ?1 ORDER BY seq LIMIT (?2 + 0)`
	insertBlock = "INSERT INTO audit_blocks (last, since, until, entries) VALUES (?, ?, ?, ?)"
)

// addBlock stores a block of the first entries that are in none, if there are enough. It
// returns how many of them it has found, at most [blockEntries].
func addBlock(tx *Tx) (n int, err error) {
	var last int64
	if err := tx.Row(selectLastBlock).Scan(&last); err != nil {
		return 0, wrap(err, "read the last block", "")
	}
	entries, err := rows(&tx.View, selectBlockRows, []any{last, blockEntries}, func(r Row) (e blockRow, err error) {
		err = r.Scan(&e.seq, &e.at, &e.actor, &e.resource, &e.department, &e.action, &e.change)
		return e, err
	})
	if err != nil || len(entries) < blockEntries {
		return len(entries), wrap(err, "read audit entries", "")
	}
	since, until := entries[0].at, entries[0].at
	block := make([]byte, 0, 10*blockEntries)
	previous := entries[len(entries)-1].seq
	for _, e := range slices.Backward(entries) {
		since, until = min(since, e.at), max(until, e.at)
		block = binary.LittleEndian.AppendUint64(block, uint64(e.digest()))
		block = binary.AppendUvarint(block, uint64(previous-e.seq))
		previous = e.seq
	}
	_, err = tx.Exec(insertBlock, entries[len(entries)-1].seq, since, until, block)
	return len(entries), wrap(err, "write a block", "")
}

// addBlocks stores blocks of the entries of a batch, in its transaction. If that fails, filters
// read more, and the entries after the next are tried.
func (db *DB) addBlocks(entries int) {
	db.unblocked += entries
	for entries > 0 && db.unblocked >= blockEntries {
		n, err := addBlock(&Tx{View: View{context.Background(), db.writer}})
		switch {
		case err != nil:
			db.log.Warn("audit entries are in no block", zap.Error(err))
			db.unblocked = 0
		case n < blockEntries:
			db.unblocked = n
		default:
			db.unblocked -= n
		}
	}
}

// blockOlder stores blocks of entries that are older than the blocks, until it has done enough.
func blockOlder(tx *Tx, enough time.Time) (more bool, err error) {
	for more = true; more && err == nil && time.Now().Before(enough); {
		var n int
		n, err = addBlock(tx)
		more = n == blockEntries
	}
	return more, err
}

// selection says which digests the entries have that a query selects.
type selection struct {
	bits, want digest
	actions    []digest // nil means any
}

func selectionOf(q audit.Query) (s selection) {
	need := func(bits, want digest) { s.bits, s.want = s.bits|bits, s.want|want }
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

func (s selection) has(d digest) bool {
	return d&s.bits == s.want && (s.actions == nil || slices.Contains(s.actions, d&(actionBits<<actionShift)))
}

// in returns the numbers of the entries of a block that may be selected.
func (s selection) in(last int64, block []byte) (numbers []int64, err error) {
	for seq := last; len(block) > 0; {
		if len(block) < 9 {
			return nil, errBlock
		}
		gap, n := binary.Uvarint(block[8:])
		if n <= 0 {
			return nil, errBlock
		}
		seq -= int64(gap)
		if s.has(digest(binary.LittleEndian.Uint64(block))) {
			numbers = append(numbers, seq)
		}
		block = block[8+n:]
	}
	return numbers, nil
}

const selectBlocks = "SELECT last, until, entries FROM audit_blocks INDEXED BY audit_blocks_time" +
	" WHERE until >= ? AND since <= ? ORDER BY until DESC"

// filteredEntries reads a page of what a query with filters selects.
func filteredEntries(v *View, q audit.Query) ([]audit.Entry, error) {
	var last int64
	if err := v.Row(selectLastBlock).Scan(&last); err != nil {
		return nil, err
	}
	found, err := someEntries(v, q, "seq > ?", last)
	if err != nil {
		return nil, err
	}
	wanted := selectionOf(q)
	since, until := timesOf(q)
	err = v.Each(selectBlocks, []any{since, until}, func(r Row) error {
		var last, until int64
		var block []byte
		if err := r.Scan(&last, &until, &block); err != nil {
			return err
		}
		if len(found) >= q.Limit && millis(found[len(found)-1].At) > until {
			return errFull
		}
		numbers, err := wanted.in(last, block)
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
		since = millis(q.Since)
	}
	if !q.Until.IsZero() {
		until = millis(q.Until)
	}
	if q.After != nil {
		until = min(until, millis(q.After.At))
	}
	return since, until
}

// latest returns the first entries of a list in the order of a page.
func latest(entries []audit.Entry, limit int) []audit.Entry {
	slices.SortFunc(entries, func(a, b audit.Entry) int {
		if c := b.At.Compare(a.At); c != 0 {
			return c
		}
		return cmp.Compare(string(packID(b.ID)), string(packID(a.ID)))
	})
	return entries[:min(limit, len(entries))]
}

// someEntries reads the entries that a query selects of some rows, which a condition with one
// argument says.
func someEntries(v *View, q audit.Query, of string, arg any) ([]audit.Entry, error) {
	query, args := someQuery(q, of, arg)
	return rows(v, query, args, func(r Row) (audit.Entry, error) { return scanEntry(r) })
}

// someQuery sorts what it reads. An index in the order of a page would lead to all other rows too.
func someQuery(q audit.Query, of string, arg any) (string, []any) {
	changes, others := entriesFilter(q), entriesFilter(q)
	changes.and(of, arg)
	changes.equals("department_key", string(q.Department))
	among(&changes, "action", q.Actions)
	query, args := selectChanges+" NOT INDEXED"+changes.where(), changes.args
	if q.Part != audit.OnlyChanges {
		others.and(of, arg)
		if q.Part == audit.WithoutReports {
			others.and(notReports)
		}
		query, args = query+" UNION ALL "+selectEntries+" NOT INDEXED"+others.where(), append(args, others.args...)
	}
	return query + latestFirst, append(args, q.Limit)
}
