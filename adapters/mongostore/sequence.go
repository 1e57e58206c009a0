package mongostore

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

const (
	// logPoll is how long, about, a replica waits before it looks for events
	// that others have left waiting, and for pages that they have written.
	logPoll = 200 * time.Millisecond
	// logTurn bounds the pages that one call of Sequence writes.
	logTurn = 20
	// waitingAtOnce bounds what is read at once of the events that wait. It has
	// room for those of more than one batch.
	waitingAtOnce = 2 * pageSize
	// waitingReads bounds the reads in search of changes that are complete.
	waitingReads = 10
)

// line is where the events of a change wait for their places in the log: in the
// order of the times of changes.
func line(at int64, op string) string { return fmt.Sprintf("%012x-%s", at, op) }

// sees notes the time of a change that this process has found. Clocks differ, and
// what follows from a change has to stand behind it.
func (db *DB) sees(at int64) { raiseTo(&db.seen, at) }

// raiseTo makes v n unless it is as great, and reports whether it has.
func raiseTo(v *atomic.Int64, n int64) bool {
	for known := v.Load(); n > known; known = v.Load() {
		if v.CompareAndSwap(known, n) {
			return true
		}
	}
	return false
}

// Sequence waits until there may be something to do, a quarter of a second at
// most, and then gives events that are true and settled their places in the
// log. Every process calls it again and again; they may do so at once.
func (db *DB) Sequence(ctx context.Context) error {
	db.awaitEvents(ctx)
	for n := range logTurn {
		more, err := db.sequence(ctx)
		if err != nil || !more || pause(ctx, n) != nil {
			return err
		}
	}
	return nil
}

// awaitEvents waits for events of this process, and for those of others without
// word of them. Replicas do not all look at the same time.
func (db *DB) awaitEvents(ctx context.Context) {
	t := time.NewTimer(logPoll*3/4 + rand.N(logPoll/2))
	defer t.Stop()
	select {
	case <-db.inLine:
	case <-t.C:
	case <-ctx.Done():
	}
}

// eventsInLine says that events of this process wait for their places.
func (db *DB) eventsInLine() {
	select {
	case db.inLine <- struct{}{}:
	default:
	}
}

// LogReaches notes that the log has a page of this number. It may be called
// with numbers that are no news.
func (db *DB) LogReaches(number int64) {
	if raiseTo(&db.reached, number) {
		db.grown.Ring()
	}
}

// AnnounceLog calls say with the number of every page that this process writes,
// for others to hand to LogReaches. It comes before the first call of Sequence.
func (db *DB) AnnounceLog(say func(number int64)) { db.announceLog = say }

// sequence looks what is new and writes the next page if events wait. It
// reports whether there is more to do.
func (db *DB) sequence(ctx context.Context) (more bool, err error) {
	var waiting []eventDoc
	var last page
	err = together(
		func() error {
			opts := options.Find().SetLimit(1).SetProjection(fields("line"))
			return db.all(ctx, db.coll(eventsColl), behindLine(""), &waiting, opts)
		},
		func() (err error) {
			last, err = db.lastPage(ctx, db.coll(logColl), "_id")
			return err
		},
	)
	if err != nil {
		return false, err
	}
	db.LogReaches(last.Number)
	if len(waiting) == 0 {
		return false, nil
	}
	return db.extend(ctx)
}

// behindLine is the filter for events that wait behind a line.
func behindLine(l string) bson.D { return bson.D{is("line", bson.D{is("$gt", l)})} }

// extend writes the next page. An event never stands in two: who writes page
// n + 1 has seen to it that no event of page n waits any more before he reads
// those that do, and only one writes it.
func (db *DB) extend(ctx context.Context) (more bool, err error) {
	last, err := db.lastPage(ctx, db.strict(logColl))
	if err != nil {
		return false, err
	}
	if err := db.finish(ctx, last); err != nil {
		return false, err
	}
	next := page{Number: last.Number + 1, At: db.at()}
	if next.Events, more, err = db.waiting(ctx); err != nil || len(next.Events) == 0 {
		return false, err
	}
	if err := db.reach("log.insert"); err != nil {
		return false, err
	}
	won, err := db.insert(ctx, logColl, next)
	if err != nil || !won { // another replica was faster, perhaps with the same events
		return true, err
	}
	db.LogReaches(next.Number)
	if db.announceLog != nil {
		db.announceLog(next.Number)
	}
	if err := db.reach("log.inserted"); err != nil {
		return false, err
	}
	return more, db.finish(ctx, next)
}

// finish takes the events of a page out of the line.
func (db *DB) finish(ctx context.Context, p page) error {
	if p.Number == 0 || p.Done {
		return nil
	}
	_, err := db.updateAll(ctx, eventsColl, bson.D{in("_id", p.Events), exists("line", true)},
		bson.D{is("$unset", bson.D{is("line", ""), is("nth", ""), is("of", "")})})
	if err != nil {
		return err
	}
	if err := db.reach("log.finished"); err != nil {
		return err
	}
	_, err = db.update(ctx, logColl, byKey(p.Number), set(is("done", true)))
	return err
}

// waiting returns the events for the next page: those of the changes that are
// first in line and whose events are all there. It reports whether more wait
// than the page can hold.
func (db *DB) waiting(ctx context.Context) (ids []string, more bool, err error) {
	from := ""
	for range waitingReads {
		var docs []eventDoc
		opts := options.Find().SetSort(bson.D{is("line", 1), is("nth", 1)}).SetProjection(fields("line", "of")).
			SetLimit(waitingAtOnce).SetBatchSize(waitingAtOnce)
		if err := db.all(ctx, db.strict(eventsColl), behindLine(from), &docs, opts); err != nil {
			return nil, false, err
		}
		changes := byLine(docs)
		full := len(docs) == waitingAtOnce
		if full {
			changes = changes[:len(changes)-1] // of which some may be missing
		}
		for _, c := range changes {
			from = c[0].Line
			if len(c) < c[0].Of {
				continue // its events are being settled
			}
			if len(ids)+len(c) > pageSize {
				return ids, true, nil
			}
			for _, e := range c {
				ids = append(ids, e.ID)
			}
		}
		if !full {
			return ids, false, nil
		}
	}
	return ids, true, nil
}

// byLine splits events, which are in the order of their lines, into changes.
func byLine(docs []eventDoc) (changes [][]eventDoc) {
	for begin, i := 0, 1; i <= len(docs); i++ {
		if i == len(docs) || docs[i].Line != docs[begin].Line {
			changes = append(changes, docs[begin:i])
			begin = i
		}
	}
	return changes
}

// forgetPages cuts off the beginning of the log that was written before the
// given time, a bounded part of it at a time, and reports whether there may be
// more. The last page stays: the next one counts from it.
func (db *DB) forgetPages(ctx context.Context, before int64) (more bool, err error) {
	last, err := db.lastPage(ctx, db.coll(logColl), "_id")
	if err != nil {
		return false, err
	}
	var first []page
	opts := options.Find().SetSort(bson.D{is("_id", 1)}).SetLimit(forgetAtOnce).SetProjection(fields("at"))
	if err := db.all(ctx, db.coll(logColl), bson.D{}, &first, opts); err != nil {
		return false, err
	}
	var keep int64
	for _, p := range first {
		if keep = p.Number; p.At >= before || p.Number >= last.Number {
			break
		}
		keep++
	}
	if len(first) == 0 || keep == first[0].Number {
		return false, nil
	}
	_, err = db.remove(ctx, logColl, bson.D{is("_id", bson.D{is("$lt", keep)})})
	db.recent.forget(keep)
	return len(first) == forgetAtOnce, err
}
