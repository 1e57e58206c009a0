package sqlitestore

import (
	"cmp"
	"encoding/binary"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"time"

	"go.uber.org/zap"

	"orgd/adapters/sqlitestore/internal/engine"
	"orgd/adapters/sqlitestore/internal/memory"
	"orgd/adapters/sqlitestore/internal/sqlite"
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

const (
	actorShift, resourceShift, departmentShift, actionShift = 0, 16, 32, 48

	hashBits          memory.Digest = 1<<16 - 1
	actionBits        memory.Digest = 1<<14 - 1
	noReport, aChange memory.Digest = 1 << 62, 1 << 63
)

// shortHash is FNV-1a, folded to 16 bits. Blocks are stored, so it never changes.
func shortHash[T ~string](text T) memory.Digest {
	h := uint32(2166136261)
	for i := range len(text) {
		h = (h ^ uint32(text[i])) * 16777619
	}
	return memory.Digest(h>>16^h) & hashBits
}

func actionHash(a audit.Action) memory.Digest { return shortHash(a) & actionBits << actionShift }

func newDigest(actor string, r audit.Resource, a audit.Action) memory.Digest {
	d := shortHash(actor)<<actorShift | shortHash(r)<<resourceShift | actionHash(a)
	if r != audit.Activities {
		d |= noReport
	}
	return d
}

// ofChange returns the digest of an entry of the change log that has a digest otherwise.
func ofChange(d memory.Digest, department name.Key) memory.Digest {
	return d | shortHash(department)<<departmentShift | aChange
}

const (
	selectLastBlock = "SELECT coalesce(max(last), -9223372036854775808) FROM audit_blocks WHERE last < ?"
	selectBlockRows = `
SELECT seq, at, actor, resource, action, department_key FROM changes WHERE seq > ?1 AND seq <= ?2
UNION ALL SELECT seq, at, actor, resource, action, NULL FROM audit WHERE seq > ?1 AND seq <= ?2 ORDER BY seq LIMIT (?3 + 0)`
	insertBlock = "INSERT INTO audit_blocks (last, since, until, entries) VALUES (?, ?, ?, ?)"
)

// lastBlock returns the number of the last entry in the blocks before one, or in all.
func lastBlock(v *sqlite.View, before int64) (last int64, err error) {
	err = v.Row(selectLastBlock, before).Scan(&last)
	return last, sqlite.Wrap(err, "read the last block", "")
}

// firstUnblocked reads the first entries that are in no block, at most as many as a block has.
func firstUnblocked(v *sqlite.View) ([]memory.BlockRow, error) {
	last, err := lastBlock(v, math.MaxInt64)
	if err != nil {
		return nil, err
	}
	entries, err := sqlite.Rows(v, selectBlockRows, []any{last, math.MaxInt64, blockEntries}, scanBlockRow)
	return entries, sqlite.Wrap(err, "read audit entries", "")
}

func scanBlockRow(r sqlite.Row) (e memory.BlockRow, err error) {
	var actor string
	var resource audit.Resource
	var action audit.Action
	var department *name.Key
	err = r.Scan(&e.Seq, &e.At, &actor, &resource, &action, &department)
	if e.Digest = newDigest(actor, resource, action); department != nil {
		e.Digest = ofChange(e.Digest, *department)
	}
	return e, err
}

// putBlock stores a block. Its entries are the latest first, each with the distance of its number
// from that of the one before.
func putBlock(tx *engine.Tx, entries []memory.BlockRow) error {
	last := entries[len(entries)-1].Seq
	since, until := entries[0].At, entries[0].At
	block, before := make([]byte, 0, 10*len(entries)), last
	for _, e := range slices.Backward(entries) {
		since, until = min(since, e.At), max(until, e.At)
		block = binary.LittleEndian.AppendUint64(block, uint64(e.Digest))
		block = binary.AppendUvarint(block, uint64(before-e.Seq))
		before = e.Seq
	}
	_, err := tx.Exec(insertBlock, last, since, until, block)
	return sqlite.Wrap(err, "write a block", "")
}

// blocks puts the entries of the trail into blocks, with the changes that they are of.
type blocks struct {
	log       *zap.Logger
	unblocked unblocked
}

// unblocked are the entries behind the last block, as the writer knows them.
type unblocked struct {
	entries []memory.BlockRow
	known   bool // that these are all
	wait    int  // for how many entries, until they are looked at again
}

// Finish implements [engine.finisher]. No change fails by that: filters read what is in no block.
func (b *blocks) Finish(tx *engine.Tx, c memory.Changes) {
	if len(c.Entries) == 0 {
		return
	}
	if err := b.unblocked.add(tx, c.Entries); err != nil {
		b.unblocked = unblocked{wait: blockEntries}
		b.log.Warn("audit entries are in no block", zap.Error(err))
	}
}

// Lost implements [engine.finisher].
func (b *blocks) Lost() { b.unblocked = unblocked{} }

func (u *unblocked) add(tx *engine.Tx, added []memory.BlockRow) error {
	if u.wait -= len(added); !u.known && u.wait <= 0 {
		return u.look(tx, len(added))
	}
	if !u.known {
		return nil
	}
	u.entries = append(u.entries, added...)
	for len(u.entries) >= blockEntries {
		if err := putBlock(tx, u.entries[:blockEntries]); err != nil {
			return err
		}
		u.entries = slices.Delete(u.entries, 0, blockEntries)
	}
	return nil
}

// look reads the entries that are in no block, and puts into blocks a few more than were added.
// Of a trail that is older than the blocks, most are left.
func (u *unblocked) look(tx *engine.Tx, added int) error {
	for n := 0; n <= added; n += blockEntries {
		entries, err := firstUnblocked(&tx.View)
		if err != nil {
			return err
		}
		if len(entries) < blockEntries {
			u.entries, u.known = entries, true
			return nil
		}
		if err := putBlock(tx, entries); err != nil {
			return err
		}
	}
	return nil
}

// older stores blocks of a trail that is older than the blocks, until it has done enough.
func (b *blocks) older(tx *engine.Tx, enough time.Time) (more bool, err error) {
	for time.Now().Before(enough) {
		entries, err := firstUnblocked(&tx.View)
		if err != nil || len(entries) < blockEntries {
			return false, err
		}
		b.unblocked = unblocked{}
		if err := putBlock(tx, entries); err != nil {
			return false, err
		}
	}
	return true, nil
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

// eachOfBlock calls do for each entry of a block.
func eachOfBlock(last int64, block []byte, do func(seq int64, d memory.Digest)) error {
	for seq := last; len(block) > 0; {
		if len(block) < 9 {
			return errBlock
		}
		gap, n := binary.Uvarint(block[8:])
		if n <= 0 {
			return errBlock
		}
		seq -= int64(gap)
		do(seq, memory.Digest(binary.LittleEndian.Uint64(block)))
		block = block[8+n:]
	}
	return nil
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
