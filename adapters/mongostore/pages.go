package mongostore

import (
	"context"
	"errors"
	"slices"
	"sync"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"orgd/domain/activity"
)

// page is a part of the log. Pages have the numbers 1, 2, 3 and so on without a
// gap: the insert of the next one decides what comes next. A page never changes,
// but for Done.
type page struct {
	Number int64    `bson:"_id"`
	At     int64    `bson:"at"`
	Events []string `bson:"events"` // the ids, at least one, in their order
	// Done is set once no event of the page waits for its place any more.
	Done bool `bson:"done"`
}

const (
	// pageSize bounds the events of a page. A batch, which has at most as many,
	// stands in one.
	pageSize = activity.MaxBatch
	// pageBits are those of a place that count the events of a page; the others
	// are the number of the page.
	pageBits = 10
	// pagesAtOnce bounds the pages that are read at once.
	pagesAtOnce = 32
)

// place is the place of the nth event of a page, the first one being 1.
func place(page int64, nth int) activity.Seq { return activity.Seq(page<<pageBits | int64(nth)) }

func splitPlace(p activity.Seq) (page int64, nth int) {
	return int64(p) >> pageBits, int(p & (1<<pageBits - 1))
}

// end is the place of the last event of the page, zero without a page.
func (p page) end() activity.Seq { return place(p.Number, len(p.Events)) }

// lastPage returns the end of the log, or the zero page of an empty one.
func (db *DB) lastPage(ctx context.Context, from *mongo.Collection, projection ...string) (page, error) {
	opts := options.Find().SetSort(bson.D{is("_id", -1)}).SetLimit(1)
	if len(projection) > 0 {
		opts.SetProjection(fields(projection...))
	}
	var last []page
	if err := db.all(ctx, from, bson.D{}, &last, opts); err != nil || len(last) == 0 {
		return page{}, err
	}
	return last[0], nil
}

// page returns a page that somebody has seen, or activity.ErrTooOld if it is
// not there any more.
func (db *DB) page(ctx context.Context, number int64) (p page, err error) {
	if p, known := db.recent.get(number); known {
		return p, nil
	}
	err = db.find(ctx, db.coll(logColl), byKey(number), nil, &p)
	if errors.Is(err, mongo.ErrNoDocuments) {
		err = db.find(ctx, db.strict(logColl), byKey(number), nil, &p)
	}
	if errors.Is(err, mongo.ErrNoDocuments) {
		return page{}, activity.ErrTooOld
	}
	if err == nil {
		db.recent.add(p)
	}
	return p, err
}

// nextPages returns the first pages from a number on, none if that is the next
// one to come. It returns activity.ErrTooOld if the page of this number is not
// there any more and later ones are.
func (db *DB) nextPages(ctx context.Context, number int64) ([]page, error) {
	pages, err := db.pagesFrom(ctx, db.coll(logColl), number)
	if err == nil && len(pages) > 0 && pages[0].Number != number {
		pages, err = db.pagesFrom(ctx, db.strict(logColl), number)
	}
	if err != nil || len(pages) == 0 {
		return nil, err
	}
	for i, p := range pages {
		if p.Number != number+int64(i) {
			pages = pages[:i] // what is missing may not have come to this server yet
			break
		}
		db.recent.add(p)
	}
	if len(pages) == 0 {
		return nil, activity.ErrTooOld
	}
	return pages, nil
}

// pagesFrom reads pages from a number on, in their order.
func (db *DB) pagesFrom(ctx context.Context, from *mongo.Collection, number int64) ([]page, error) {
	var pages []page
	opts := options.Find().SetSort(bson.D{is("_id", 1)}).SetLimit(pagesAtOnce).SetBatchSize(pagesAtOnce)
	err := db.all(ctx, from, bson.D{is("_id", bson.D{is("$gte", number)})}, &pages, opts)
	return pages, err
}

// recentPages remembers the pages that were read last: who follows the log
// returns to the same one until it is through with it.
type recentPages struct {
	mu    sync.Mutex
	pages []page
}

// recentAtMost bounds the pages that are remembered, each of some 40 kB at most.
const recentAtMost = 32

func (r *recentPages) get(number int64) (page, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	i := slices.IndexFunc(r.pages, func(p page) bool { return p.Number == number })
	if i < 0 {
		return page{}, false
	}
	return r.pages[i], true
}

func (r *recentPages) add(p page) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.pages = slices.DeleteFunc(r.pages, func(known page) bool { return known.Number == p.Number })
	if len(r.pages) == recentAtMost {
		r.pages = r.pages[1:]
	}
	r.pages = append(r.pages, p)
}

// forget forgets the pages before a number.
func (r *recentPages) forget(before int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.pages = slices.DeleteFunc(r.pages, func(p page) bool { return p.Number < before })
}
