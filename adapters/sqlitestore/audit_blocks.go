package sqlitestore

import (
	"encoding/binary"
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

// Finish implements [engine.Finisher]. No change fails by that: filters read what is in no block.
func (b *blocks) Finish(tx *engine.Tx, c memory.Changes) {
	if len(c.Entries) == 0 {
		return
	}
	if err := b.unblocked.add(tx, c.Entries); err != nil {
		b.unblocked = unblocked{wait: blockEntries}
		b.log.Warn("audit entries are in no block", zap.Error(err))
	}
}

// Lost implements [engine.Finisher].
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
