package mongostore

import (
	"context"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"orgd/domain/agent"
	"orgd/domain/performance"
)

// WorkDays implements [ports.Measures].
func (s *Measures) WorkDays(ctx context.Context, of performance.Owner, first, last performance.Date) (_ map[performance.Date]performance.Work, err error) {
	defer s.db.observer.Begin(&ctx, "measures.days").End(&err)
	filter, index := daysOfAll(ownerOfDepartment(""), first, last), by("date", "_id")
	if owner := ownerOf(of); owner != "" {
		filter, index = daysOf(owner, first, last), by("_id")
	}
	return sumWork[performance.Date](ctx, s.db, filter, is("_id", "$date"), index)
}

// FirstDays implements [ports.Measures].
func (s *Measures) FirstDays(ctx context.Context, of []performance.Owner) (_ map[performance.Owner]performance.Date, err error) {
	defer s.db.observer.Begin(&ctx, "measures.first").End(&err)
	found := make(map[performance.Owner]performance.Date, len(of))
	var days bson.A // of those that have an id
	var owners []performance.Owner
	for _, o := range of {
		if owner := ownerOf(o); owner != "" {
			days, owners = append(days, bson.D{is("from", owner+"\n"), is("to", after(owner+"\n"))}), append(owners, o)
			continue
		}
		parts, err := all[rollupDoc](s.db.ask(ctx), rollupsColl, bson.D{startsWith("_id", ownerOfDepartment(""))}, first(1, "date", "_id").SetHint(by("date", "_id")))
		if err != nil {
			return nil, err
		}
		for _, p := range parts {
			found[o] = p.Date
		}
	}
	if len(days) == 0 {
		return found, nil
	}
	firsts, err := s.db.firstParts(ctx, days)
	for _, f := range firsts {
		found[owners[f.At]] = f.Date
	}
	return found, err
}

// firstPart is the first day of the owner at an index of those that were asked for.
type firstPart struct {
	At   int
	Date performance.Date
}

// firstParts looks up the first part in each of some ranges of ids. It begins with a document
// that is always there.
func (db *DB) firstParts(ctx context.Context, ranges bson.A) (found []firstPart, err error) {
	inRange := bson.A{bson.D{is("$gte", bson.A{"$_id", "$$from"})}, bson.D{is("$lt", bson.A{"$_id", "$$to"})}}
	pipeline := bson.A{
		bson.D{is("$match", byID(companyID))},
		bson.D{is("$project", bson.D{is("_id", 0), is("of", bson.D{is("$literal", ranges)})})},
		bson.D{is("$unwind", bson.D{is("path", "$of"), is("includeArrayIndex", "at")})},
		bson.D{is("$lookup", bson.D{
			is("from", rollupsColl), is("as", "parts"), is("let", bson.D{is("from", "$of.from"), is("to", "$of.to")}),
			is("pipeline", bson.A{
				bson.D{is("$match", bson.D{is("$expr", bson.D{is("$and", inRange)})})},
				bson.D{is("$sort", by("_id"))}, bson.D{is("$limit", 1)}, bson.D{is("$project", by("date"))},
			}),
		})},
		bson.D{is("$unwind", "$parts")},
		bson.D{is("$project", bson.D{is("at", 1), is("date", "$parts.date")})},
	}
	err = drain(db.ask(ctx), &found, func(ctx context.Context) (*mongo.Cursor, error) {
		return db.coll(metaColl).Aggregate(ctx, pipeline)
	})
	return found, err
}

// ownerOf is whose parts are those of an owner; "" is the company, which has none.
func ownerOf(of performance.Owner) string {
	switch {
	case of.Agent != "":
		return ownerOfAgent(agent.ID(of.Agent))
	case of.Department != "":
		return ownerOfDepartment(of.Department)
	}
	return ""
}

// daysOfAll are the parts of some days of all owners of a kind.
func daysOfAll(kind string, first, last performance.Date) bson.D {
	return bson.D{is("date", bson.D{is("$gte", first), is("$lte", last)}), startsWith("_id", kind)}
}

// sumWork has the server add up parts of days along an index, by what of makes of each: there
// may be hundreds for each department.
func sumWork[K comparable](ctx context.Context, db *DB, filter bson.D, of bson.E, index bson.D) (map[K]performance.Work, error) {
	sum := func(field string) bson.D { return bson.D{is("$sum", "$figures."+field)} }
	pipeline := bson.A{bson.D{is("$match", filter)}, bson.D{is("$group", bson.D{
		of, is("completed", sum("completed")), is("failed", sum("failed")), is("units", sum("cost.units")), is("nanos", sum("cost.nanos")),
	})}}
	return view(ctx, db.engine, func(r reader) (map[K]performance.Work, error) {
		var sums []struct {
			Of                              K `bson:"_id"`
			Completed, Failed, Units, Nanos int64
		}
		err := drain(r, &sums, func(ctx context.Context) (*mongo.Cursor, error) {
			return db.coll(rollupsColl).Aggregate(ctx, pipeline, options.Aggregate().SetHint(index))
		})
		found := make(map[K]performance.Work, len(sums))
		for _, d := range sums {
			cost := performance.Sample{}.Merge(performance.Sample{Units: d.Units, Nanos: d.Nanos})
			found[d.Of] = performance.Work{TasksCompleted: d.Completed, TasksFailed: d.Failed, Cost: cost.Total()}
		}
		return found, err
	})
}
