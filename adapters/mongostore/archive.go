package mongostore

import (
	"context"
	"fmt"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"orgd/adapters/mongostore/internal/eventlog"
	"orgd/adapters/mongostore/internal/mongodb"
	"orgd/domain/agent"
	"orgd/domain/archive"
	"orgd/domain/name"
	"orgd/domain/performance"
	"orgd/ports"
)

// Archive reads everything of a database for an archive, and fills an empty one.
type Archive struct{ db *DB }

// whole reads whole collections of one state, which takes as long as it takes.
type whole struct{ plain }

func (r whole) bounded() (context.Context, context.CancelFunc, error) {
	ctx, cancel := context.WithTimeout(r.Context, eventlog.LongestRead)
	return ctx, cancel, nil
}

const codeSnapshotTooOld = 239

// Read implements [ports.Archive].
func (s *Archive) Read(ctx context.Context, each func(archive.Record) error) (err error) {
	defer s.db.observer.Begin(&ctx, "archive.read").End(&err)
	_, err = view(ctx, s.db.engine, func(r reader) (none struct{}, err error) {
		return none, s.db.readArchive(whole{r.(plain)}, each)
	})
	if mongodb.HasCode(err, codeSnapshotTooOld) {
		err = ports.ErrStorage.With("MongoDB does not keep the state of the beginning for so long: " +
			"stop the service meanwhile, or raise the parameter minSnapshotHistoryWindowInSeconds of its members").Because(err)
	}
	return err
}

// beside is what has to be known of a state before its records are read.
type beside struct {
	purged    map[string]bool   // agents of which documents may be left
	orderKeys map[string]string // that a reorder has not yet written, by collection and id
}

func readBeside(r reader) (u beside, err error) {
	u = beside{map[string]bool{}, map[string]string{}}
	purged, err := all[purgedDoc](r, purgedAgentsColl, bson.D{})
	if err != nil {
		return u, err
	}
	for _, d := range purged {
		u.purged[d.ID] = true
	}
	parts, err := all[reorderDoc](r, reordersColl, bson.D{})
	for _, p := range parts {
		coll, _, _ := strings.Cut(p.ID, "/")
		for i, id := range p.Documents {
			u.orderKeys[coll+"/"+id] = p.OrderKeys[i]
		}
	}
	return u, err
}

// orderKey returns the order key that a document has or will have.
func (u beside) orderKey(coll, id, stored string) string {
	if moved, ok := u.orderKeys[coll+"/"+id]; ok {
		return moved
	}
	return stored
}

// readArchive reads all parts, one document after the other.
func (db *DB) readArchive(r reader, each func(archive.Record) error) error {
	c, err := readCompany(r)
	if err != nil {
		return err
	}
	if err := each(&archive.Company{Company: c.Company, Costs: c.costs}); err != nil {
		return err
	}
	u, err := readBeside(r)
	if err != nil {
		return err
	}
	for _, part := range db.archiveParts(r, u, each) {
		if err := part(); err != nil {
			return err
		}
	}
	return nil
}

// part reads the documents of a part in an order. Of a document without a record convert
// returns nil.
func part[D any](r reader, each func(archive.Record) error, coll string, filter, order bson.D, convert func(D) (archive.Record, error)) func() error {
	return func() error {
		opts := options.Find().SetSort(order).SetBatchSize(walkedAtOnce).SetAllowDiskUse(true)
		return walk(r, finding(r, coll, filter, opts), func(raw bson.Raw) (done bool, err error) {
			var d D
			if err := bson.Unmarshal(raw, &d); err != nil {
				return true, r.readError(err)
			}
			record, err := convert(d)
			if record == nil || err != nil {
				return false, err
			}
			return false, each(record)
		})
	}
}

// archiveParts lists the parts behind the company, in the order of archive.Parts.
func (db *DB) archiveParts(r reader, u beside, each func(archive.Record) error) []func() error {
	everything, byIDs := bson.D{}, mongodb.By("_id")
	return []func() error{
		part(r, each, departmentsColl, everything, byIDs, func(d departmentDoc) (archive.Record, error) {
			d.OrderKey = u.orderKey(departmentsColl, d.Key, d.OrderKey)
			found, err := d.department()
			return &archive.Department{Department: found}, err
		}),
		part(r, each, versionsColl, everything, byIDs, u.version),
		part(r, each, agentsColl, everything, byIDs, func(d agentDoc) (archive.Record, error) {
			d.OrderKey = u.orderKey(agentsColl, d.ID, d.OrderKey)
			rec, err := db.record(d)
			return &archive.Agent{Record: rec}, err
		}),
		part(r, each, deletedAgentsColl, everything, byIDs, func(d deletedAgentDoc) (archive.Record, error) {
			d.Last.OrderKey = u.orderKey(agentsColl, d.Last.ID, d.Last.OrderKey)
			rec, err := db.record(d.Last)
			return &archive.DeletedAgent{Last: rec, Deletion: d.deletion()}, err
		}),
		part(r, each, labelMovesColl, everything, byIDs, u.move),
		part(r, each, eventsColl, everything, mongodb.By("entered"), u.event),
		db.days(r, each, archive.AgentDays, ownerOfAgent(""), u),
		db.days(r, each, archive.DepartmentDays, ownerOfDepartment(""), u),
		db.totals(r, each, u),
		part(r, each, projectsColl, everything, byIDs, func(d projectDoc) (archive.Record, error) {
			p, err := d.project()
			return &archive.Project{Project: p}, err
		}),
		part(r, each, auditColl, everything, mongodb.By("at", "_id"), func(d entryDoc) (archive.Record, error) {
			e, err := d.entry()
			return &archive.Entry{Entry: e}, err
		}),
		part(r, each, webhooksColl, everything, byIDs, func(d webhookDoc) (archive.Record, error) {
			w, err := d.webhook()
			return &archive.Webhook{Webhook: w}, err
		}),
		part(r, each, sessionsColl, bson.D{mongodb.Exists("revocation", true)}, byIDs, func(d sessionDoc) (archive.Record, error) {
			v, err := d.revocation()
			return &archive.Revocation{Revocation: v}, err
		}),
	}
}

func (u beside) version(d versionDoc) (archive.Record, error) {
	id, _, _ := strings.Cut(d.ID, "/")
	if u.purged[id] {
		return nil, nil
	}
	return &archive.Version{Agent: agent.ID(id), Version: d.unparsed()}, nil
}

func (u beside) move(d moveDoc) (archive.Record, error) {
	id, _, _ := strings.Cut(d.ID, "/")
	if u.purged[id] {
		return nil, nil
	}
	m, err := d.move()
	return &archive.LabelMove{Agent: agent.ID(id), Move: m}, err
}

func (u beside) event(d eventDoc) (archive.Record, error) {
	if u.purged[d.Agent] {
		return nil, nil
	}
	e, err := d.event()
	return &archive.Event{Event: e, Department: name.Key(d.Department)}, err
}

// summed returns what reads parts of figures, adds up those that follow each other and are of
// the same, and ends each sum by end.
func summed(r reader, filter bson.D, end func(of string, sum performance.Day) error) func() error {
	return func() error {
		var of string
		var sum performance.Day
		emit := func() error {
			if of == "" {
				return nil
			}
			return end(of, sum)
		}
		err := part(r, nil, rollupsColl, filter, mongodb.By("_id"), func(d rollupDoc) (archive.Record, error) {
			id := d.ID[:strings.LastIndexByte(d.ID, '\n')] // without the shard
			if id != of {
				if err := emit(); err != nil {
					return nil, err
				}
				of, sum = id, performance.Day{Date: d.Date}
			}
			sum = sum.Merge(d.Figures.day(d.Date))
			return nil, nil
		})()
		if err != nil {
			return err
		}
		return emit()
	}
}

func (db *DB) days(r reader, each func(archive.Record) error, of archive.Part, kind string, u beside) func() error {
	return summed(r, bson.D{mongodb.StartsWith("_id", kind)}, func(id string, sum performance.Day) error {
		owner := strings.Split(id, "\n")[1]
		if u.purged[owner] {
			return nil
		}
		return each(&archive.Day{Of: of, Owner: owner, Day: sum})
	})
}

func (db *DB) totals(r reader, each func(archive.Record) error, u beside) func() error {
	prefix, _, _ := strings.Cut(totalID(ownerOfAgent("\x00")), "\x00")
	return summed(r, bson.D{mongodb.StartsWith("_id", prefix)}, func(id string, sum performance.Day) error {
		owner := strings.TrimSpace(strings.TrimPrefix(id, prefix))
		if u.purged[owner] {
			return nil
		}
		return each(&archive.AgentTotal{Agent: agent.ID(owner), Completed: sum.TasksCompleted})
	})
}

// figuresOf is the stored form of a day.
func figuresOf(d performance.Day) figures {
	return figures{
		Completed: d.TasksCompleted, Failed: d.TasksFailed,
		Duration: sample(d.Duration), Quality: sample(d.Quality), TaskCost: sample(d.TaskCost),
		Tokens: sample(d.Tokens), Collaboration: sample(d.Collaboration), Cost: sample(d.Cost), Excess: sample(d.Excess),
	}
}

// firstShard is the id of the only part of what was restored.
func firstShard(id string) string { return fmt.Sprintf("%s\n%02d", id, 0) }
