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

	hashBits          digest = 1<<16 - 1
	actionBits        digest = 1<<14 - 1
	noReport, aChange digest = 1 << 62, 1 << 63
)

// shortHash is FNV-1a, folded to 16 bits. Blocks are stored, so it never changes.
func shortHash[T ~string](text T) digest {
	h := uint32(2166136261)
	for i := range len(text) {
		h = (h ^ uint32(text[i])) * 16777619
	}
	return digest(h>>16^h) & hashBits
}

func actionHash(a audit.Action) digest { return shortHash(a) & actionBits << actionShift }

func newDigest(actor string, r audit.Resource, a audit.Action) digest {
	d := shortHash(actor)<<actorShift | shortHash(r)<<resourceShift | actionHash(a)
	if r != audit.Activities {
		d |= noReport
	}
	return d
}

// ofChange returns the digest of an entry of the change log that has a digest otherwise.
func ofChange(d digest, department name.Key) digest {
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
func lastBlock(v *View, before int64) (last int64, err error) {
	err = v.Row(selectLastBlock, before).Scan(&last)
	return last, wrap(err, "read the last block", "")
}

// firstUnblocked reads the first entries that are in no block, at most as many as a block has.
func firstUnblocked(v *View) ([]blockRow, error) {
	last, err := lastBlock(v, math.MaxInt64)
	if err != nil {
		return nil, err
	}
	entries, err := rows(v, selectBlockRows, []any{last, math.MaxInt64, blockEntries}, scanBlockRow)
	return entries, wrap(err, "read audit entries", "")
}

func scanBlockRow(r Row) (e blockRow, err error) {
	var actor string
	var resource audit.Resource
	var action audit.Action
	var department *name.Key
	err = r.Scan(&e.seq, &e.at, &actor, &resource, &action, &department)
	if e.digest = newDigest(actor, resource, action); department != nil {
		e.digest = ofChange(e.digest, *department)
	}
	return e, err
}

// putBlock stores a block. Its entries are the latest first, each with the distance of its number
// from that of the one before.
func putBlock(tx *Tx, entries []blockRow) error {
	last := entries[len(entries)-1].seq
	since, until := entries[0].at, entries[0].at
	block, before := make([]byte, 0, 10*len(entries)), last
	for _, e := range slices.Backward(entries) {
		since, until = min(since, e.at), max(until, e.at)
		block = binary.LittleEndian.AppendUint64(block, uint64(e.digest))
		block = binary.AppendUvarint(block, uint64(before-e.seq))
		before = e.seq
	}
	_, err := tx.Exec(insertBlock, last, since, until, block)
	return wrap(err, "write a block", "")
}

// blocks puts the entries of the trail into blocks, with the changes that they are of.
type blocks struct {
	log       *zap.Logger
	unblocked unblocked
}

// unblocked are the entries behind the last block, as the writer knows them.
type unblocked struct {
	entries []blockRow
	known   bool // that these are all
	wait    int  // for how many entries, until they are looked at again
}

// Finish implements [finisher]. No change fails by that: filters read what is in no block.
func (b *blocks) Finish(tx *Tx, c changes) {
	if len(c.entries) == 0 {
		return
	}
	if err := b.unblocked.add(tx, c.entries); err != nil {
		b.unblocked = unblocked{wait: blockEntries}
		b.log.Warn("audit entries are in no block", zap.Error(err))
	}
}

// Lost implements [finisher].
func (b *blocks) Lost() { b.unblocked = unblocked{} }

func (u *unblocked) add(tx *Tx, added []blockRow) error {
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
func (u *unblocked) look(tx *Tx, added int) error {
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
func (b *blocks) older(tx *Tx, enough time.Time) (more bool, err error) {
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
	err = eachOfBlock(last, block, func(seq int64, d digest) {
		if s.has(d) {
			numbers = append(numbers, seq)
		}
	})
	return numbers, err
}

// without does the same for a block that is damaged, from the entries themselves.
func (s selection) without(v *View, last int64) (numbers []int64, err error) {
	before, err := lastBlock(v, last)
	if err != nil {
		return nil, err
	}
	err = v.Each(selectBlockRows, []any{before, last, -1}, func(r Row) error {
		e, err := scanBlockRow(r)
		if s.has(e.digest) {
			numbers = append(numbers, e.seq)
		}
		return err
	})
	return numbers, err
}

// eachOfBlock calls do for each entry of a block.
func eachOfBlock(last int64, block []byte, do func(seq int64, d digest)) error {
	for seq := last; len(block) > 0; {
		if len(block) < 9 {
			return errBlock
		}
		gap, n := binary.Uvarint(block[8:])
		if n <= 0 {
			return errBlock
		}
		seq -= int64(gap)
		do(seq, digest(binary.LittleEndian.Uint64(block)))
		block = block[8+n:]
	}
	return nil
}

const selectBlocks = "SELECT last, until, entries FROM audit_blocks INDEXED BY audit_blocks_time" +
	" WHERE until >= ? AND since <= ? ORDER BY until DESC"

// filteredEntries reads a page of what a query with filters selects.
func filteredEntries(v *View, q audit.Query) ([]audit.Entry, error) {
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
