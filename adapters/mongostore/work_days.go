package mongostore

import (
	"context"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"orgd/adapters/mongostore/internal/mongodb"
	"orgd/domain/agent"
	"orgd/domain/performance"
)

// WorkDays implements [ports.Measures].
func (s *Measures) WorkDays(ctx context.Context, of performance.Owner, first, last performance.Date) (_ map[performance.Date]performance.Work, err error) {
	defer s.db.observer.Begin(&ctx, "measures.days").End(&err)
	filter, index := daysOfAll(ownerOfDepartment(""), first, last), mongodb.By("date", "_id")
	if owner := ownerOf(of); owner != "" {
		filter, index = daysOf(owner, first, last), mongodb.By("_id")
	}
	return sumWork[performance.Date](ctx, s.db, filter, mongodb.Is("_id", "$date"), index)
}

// FirstDays implements [ports.Measures].
func (s *Measures) FirstDays(ctx context.Context, of []performance.Owner) (_ map[performance.Owner]performance.Date, err error) {
	defer s.db.observer.Begin(&ctx, "measures.first").End(&err)
	found := make(map[performance.Owner]performance.Date, len(of))
	var days bson.A // of those that have an id
	var owners []performance.Owner
	for _, o := range of {
		if owner := ownerOf(o); owner != "" {
			days, owners = append(days, bson.D{mongodb.Is("from", owner+"\n"), mongodb.Is("to", mongodb.After(owner+"\n"))}), append(owners, o)
			continue
		}
		parts, err := all[rollupDoc](s.db.ask(ctx), rollupsColl, bson.D{mongodb.StartsWith("_id", ownerOfDepartment(""))}, first(1, "date", "_id").SetHint(mongodb.By("date", "_id")))
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
	inRange := bson.A{bson.D{mongodb.Is("$gte", bson.A{"$_id", "$$from"})}, bson.D{mongodb.Is("$lt", bson.A{"$_id", "$$to"})}}
	pipeline := bson.A{
		bson.D{mongodb.Is("$match", mongodb.ByID(companyID))},
		bson.D{mongodb.Is("$project", bson.D{mongodb.Is("_id", 0), mongodb.Is("of", bson.D{mongodb.Is("$literal", ranges)})})},
		bson.D{mongodb.Is("$unwind", bson.D{mongodb.Is("path", "$of"), mongodb.Is("includeArrayIndex", "at")})},
		bson.D{mongodb.Is("$lookup", bson.D{
			mongodb.Is("from", rollupsColl), mongodb.Is("as", "parts"), mongodb.Is("let", bson.D{mongodb.Is("from", "$of.from"), mongodb.Is("to", "$of.to")}),
			mongodb.Is("pipeline", bson.A{
				bson.D{mongodb.Is("$match", bson.D{mongodb.Is("$expr", bson.D{mongodb.Is("$and", inRange)})})},
				bson.D{mongodb.Is("$sort", mongodb.By("_id"))}, bson.D{mongodb.Is("$limit", 1)}, bson.D{mongodb.Is("$project", mongodb.By("date"))},
			}),
		})},
		bson.D{mongodb.Is("$unwind", "$parts")},
		bson.D{mongodb.Is("$project", bson.D{mongodb.Is("at", 1), mongodb.Is("date", "$parts.date")})},
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

// sumWork has the server add up parts of days along an index, by what of makes of each: there
// may be hundreds for each department.
func sumWork[K comparable](ctx context.Context, db *DB, filter bson.D, of bson.E, index bson.D) (map[K]performance.Work, error) {
	sum := func(field string) bson.D { return bson.D{mongodb.Is("$sum", "$figures."+field)} }
	pipeline := bson.A{bson.D{mongodb.Is("$match", filter)}, bson.D{mongodb.Is("$group", bson.D{
		of, mongodb.Is("completed", sum("completed")), mongodb.Is("failed", sum("failed")), mongodb.Is("units", sum("cost.units")), mongodb.Is("nanos", sum("cost.nanos")),
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

// DepartmentWork implements [ports.Measures].
func (s *Measures) DepartmentWork(ctx context.Context, ids []string, first, last performance.Date) (_ map[string]performance.Work, err error) {
	defer s.db.observer.Begin(&ctx, "measures.departments").End(&err)
	if len(ids) == 0 {
		return nil, nil // an "$or" of nothing is an error
	}
	days := make(bson.A, len(ids))
	for i, id := range ids {
		days[i] = daysOf(ownerOfDepartment(id), first, last)
	}
	return sumWork[string](ctx, s.db, bson.D{mongodb.Is("$or", days)}, ownerIn("$_id"), mongodb.By("_id"))
}
