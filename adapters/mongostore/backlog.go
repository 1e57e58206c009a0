package mongostore

import (
	"context"
	"strconv"
	"strings"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"orgd/adapters/telemetry"
)

// backlogAtMost bounds the homes of each collection that are counted.
const backlogAtMost = 1000

// Backlog returns what changes that are true still owe after a second, when
// more than their own request looks after it, and how long the first event in
// line has waited.
func (db *DB) Backlog(ctx context.Context) (telemetry.Backlog, error) {
	now := db.at()
	unfinished := make([]int, len(homeColls))
	oldest := make([]int64, len(homeColls))
	first := now
	dos := []func() error{func() (err error) {
		first, err = db.firstInLine(ctx, now)
		return err
	}}
	for i, coll := range homeColls {
		dos = append(dos, func() (err error) {
			unfinished[i], oldest[i], err = db.unfinished(ctx, coll, now)
			return err
		})
	}
	if err := together(dos...); err != nil {
		return telemetry.Backlog{}, err
	}
	b := telemetry.Backlog{Log: age(first, now)}
	for i, coll := range homeColls {
		b.Unfinished += unfinished[i]
		b.Oldest = max(b.Oldest, age(oldest[i], now))
		if coll == batchesColl {
			b.Rollups = age(oldest[i], now)
		}
	}
	return b, nil
}

// unfinished counts the homes with old debts and returns when the oldest of
// these was made; now if there is none.
func (db *DB) unfinished(ctx context.Context, coll string, now int64) (n int, oldest int64, err error) {
	var owing []struct {
		Pending []struct {
			At int64 `bson:"at"`
		} `bson:"pending"`
	}
	opts := options.Find().SetProjection(fields("pending.at")).SetLimit(backlogAtMost)
	if err := db.all(ctx, db.coll(coll), owesSince(now-debtsAge), &owing, opts); err != nil {
		return 0, 0, err
	}
	oldest = now
	for _, h := range owing {
		for _, d := range h.Pending {
			oldest = min(oldest, d.At)
		}
	}
	return len(owing), oldest, nil
}

// firstInLine returns when the change was made whose events have waited longest
// for their places in the log; now if none wait.
func (db *DB) firstInLine(ctx context.Context, now int64) (int64, error) {
	var first []eventDoc
	opts := options.Find().SetSort(bson.D{is("line", 1), is("nth", 1)}).SetProjection(fields("line")).SetLimit(1)
	if err := db.all(ctx, db.coll(eventsColl), behindLine(""), &first, opts); err != nil || len(first) == 0 {
		return now, err
	}
	at, _, _ := strings.Cut(first[0].Line, "-") // as line makes it
	return strconv.ParseInt(at, 16, 64)
}

// age is the time from at to now, both in milliseconds; clocks may differ.
func age(at, now int64) time.Duration { return time.Duration(max(0, now-at)) * time.Millisecond }
