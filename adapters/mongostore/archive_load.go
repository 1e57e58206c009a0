package mongostore

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"orgd/adapters/mongostore/internal/eventlog"
	"orgd/adapters/mongostore/internal/mongodb"
	"orgd/domain/agent"
	"orgd/domain/archive"
	"orgd/domain/name"
	"orgd/ports"
)

type restoringDoc struct {
	ID      string `bson:"_id"`
	Archive string `bson:"archive"`
	Records int64  `bson:"records"` // that are stored
}

// loadTime bounds one write of a restore, which a busy server may take long for.
const loadTime = time.Minute

// Begin implements [ports.Archive].
func (s *Archive) Begin(ctx context.Context, id string) (loaded int64, err error) {
	defer s.db.observer.Begin(&ctx, "archive.begin").End(&err)
	d, err := oneOrZero[restoringDoc](s.db.ask(ctx), metaColl, mongodb.ByID(restoringID))
	switch {
	case err != nil:
		return 0, err
	case d.ID != "" && d.Archive != id:
		return 0, ports.ErrRestoring
	case d.ID != "":
		return d.Records, nil
	}
	for _, coll := range []string{
		departmentsColl, versionsColl, agentsColl, deletedAgentsColl, eventsColl, rollupsColl, projectsColl, auditColl, webhooksColl,
	} {
		d, err := oneOrZero[bson.Raw](s.db.ask(ctx), coll, bson.D{}, options.FindOne().SetProjection(mongodb.By("_id")))
		if err != nil {
			return 0, err
		}
		if d != nil {
			return 0, ports.ErrNotEmpty
		}
	}
	_, err = s.db.coll(metaColl).InsertOne(ctx, restoringDoc{ID: restoringID, Archive: id})
	if mongo.IsDuplicateKeyError(err) {
		return 0, ports.ErrRestoring
	}
	if err != nil {
		return 0, mongodb.Translate(err)
	}
	return 0, s.db.dropIndexes(ctx)
}

// lateIndexes are those of events that no restore reads by. To make them at the end takes a
// third of the time.
var lateIndexes = []string{"type at _id", "agent type at _id"}

const codeNoIndex = 27

// dropIndexes drops indexes that End makes again.
func (db *DB) dropIndexes(ctx context.Context) error {
	for _, keys := range lateIndexes {
		err := db.coll(eventsColl).Indexes().DropWithKey(ctx, mongodb.By(strings.Fields(keys)...))
		if err != nil && !mongodb.HasCode(err, codeNoIndex) {
			return mongodb.Translate(err)
		}
	}
	return nil
}

// Load implements [ports.Archive]. What it stores does not depend on the call, so that a
// record which an earlier call has stored is the same.
func (s *Archive) Load(ctx context.Context, records []archive.Record, loaded int64) (err error) {
	defer s.db.observer.Begin(&ctx, "archive.load").End(&err)
	if len(records) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, loadTime)
	defer cancel()
	l := loader{r: s.db.ask(ctx)}
	for i, r := range records {
		coll, model, err := l.write(r, loaded+int64(i))
		if err != nil {
			return err
		}
		l.coll, l.models = coll, append(l.models, model)
	}
	_, err = s.db.coll(l.coll).BulkWrite(ctx, l.models, options.BulkWrite().SetOrdered(false))
	if err != nil && !isStored(err) {
		return mongodb.Translate(err)
	}
	_, err = s.db.coll(metaColl).UpdateOne(ctx, mongodb.ByID(restoringID), bson.D{mongodb.Is("$max", bson.D{mongodb.Is("records", loaded+int64(len(records)))})})
	return mongodb.Translate(err)
}

// isStored reports whether all that went wrong is that documents are there already.
func isStored(err error) bool {
	var failed mongo.BulkWriteException
	return errors.As(err, &failed) && failed.WriteConcernError == nil &&
		!slices.ContainsFunc(failed.WriteErrors, func(e mongo.BulkWriteError) bool { return !mongo.IsDuplicateKeyError(e.WriteError) })
}

// loader makes writes of records of one part.
type loader struct {
	r           reader
	coll        string
	models      []mongo.WriteModel
	departments map[name.Key]string // their ids
}

// entered is the time that is stored with an event or an entry of an archive: before all
// others, in the order of the archive.
func entered(index int64) bson.Timestamp {
	const inSecond = 1 << eventlog.IncrementBits
	return bson.Timestamp{T: uint32(1 + index/inSecond), I: uint32(1 + index%inSecond)}
}

// write returns how a record is stored, which has an index in the archive.
func (l *loader) write(r archive.Record, index int64) (coll string, model mongo.WriteModel, err error) {
	insert := func(coll string, doc any) (string, mongo.WriteModel, error) {
		return coll, mongo.NewInsertOneModel().SetDocument(doc), nil
	}
	upsert := func(coll, id string, change bson.D) (string, mongo.WriteModel, error) {
		return coll, mongo.NewUpdateOneModel().SetFilter(mongodb.ByID(id)).SetUpdate(change).SetUpsert(true), nil
	}
	switch r := r.(type) {
	case *archive.Company:
		return upsert(metaColl, companyID, mongodb.Set(mongodb.Is("doc", string(r.Canonical())), mongodb.Is("costs", r.Costs),
			mongodb.Is("revision", r.Revision), mongodb.Is("updated", mongodb.Millis(r.UpdatedAt))))
	case *archive.Department:
		return insert(departmentsColl, departmentOf(r.Department))
	case *archive.Version:
		return insert(versionsColl, versionOf(r.Agent, r.Version))
	case *archive.Agent:
		d, err := l.agent(r.Record)
		if err != nil {
			return "", nil, err
		}
		return insert(agentsColl, d)
	case *archive.DeletedAgent:
		last, err := r.Last.Agent()
		if err != nil {
			return "", nil, err
		}
		return insert(deletedAgentsColl, deletedOf(agentOf(agent.Step{Agent: last}, ""), r.Deletion))
	case *archive.LabelMove:
		return insert(labelMovesColl, moveOf(r.Agent, r.Move))
	case *archive.Event:
		d := eventOf(r.Event, r.Department)
		d.Entered = entered(index)
		return insert(eventsColl, d)
	case *archive.Day:
		id := costsID(ownDay{ownerOfAgent(agent.ID(r.Owner)), r.Date})
		if r.Of == archive.DepartmentDays {
			id = firstShard(dayID(ownerOfDepartment(r.Owner), r.Date))
		}
		return insert(rollupsColl, rollupDoc{ID: id, Date: r.Date, Figures: figuresOf(r.Day)})
	case *archive.AgentTotal:
		id := firstShard(totalID(ownerOfAgent(r.Agent)))
		return insert(rollupsColl, rollupDoc{ID: id, Figures: figures{Completed: r.Completed}})
	case *archive.Project:
		return insert(projectsColl, projectOf(r.Project))
	case *archive.Entry:
		d := entryOf(r.Entry)
		d.Entered = entered(index)
		return insert(auditColl, d)
	case *archive.Webhook:
		return insert(webhooksColl, webhookOf(r.Webhook))
	case *archive.Revocation:
		return upsert(sessionsColl, r.ID, mongodb.Set(mongodb.Is("revocation", revocationDoc{r.By, mongodb.Millis(r.At), mongodb.Millis(r.Until)})))
	}
	return "", nil, fmt.Errorf("mongostore: restore a record of the part %q", r.Part())
}

// agent returns the document of an agent, in its department.
func (l *loader) agent(r agent.Record) (d agentDoc, err error) {
	if l.departments == nil {
		departments, err := all[departmentDoc](l.r, departmentsColl, bson.D{}, options.Find().SetProjection(mongodb.By("id")))
		if err != nil {
			return d, err
		}
		l.departments = map[name.Key]string{}
		for _, d := range departments {
			l.departments[name.Key(d.Key)] = d.ID
		}
	}
	a, err := r.Agent()
	if err != nil {
		return d, err
	}
	department, ok := l.departments[a.Department().Key]
	if !ok {
		return d, archive.Damaged(archive.Agents, "agent %s is in a department that is missing", r.ID)
	}
	return agentOf(agent.Step{Agent: a}, department), nil
}

// End implements [ports.Archive]. It may run again.
func (s *Archive) End(ctx context.Context) (err error) {
	defer s.db.observer.Begin(&ctx, "archive.end").End(&err)
	ctx, cancel := context.WithTimeout(ctx, eventlog.LongestRead)
	defer cancel()
	if err := s.db.createIndexes(ctx); err != nil {
		return err
	}
	if err := s.db.recountAll(ctx); err != nil {
		return err
	}
	head, err := s.db.now(ctx)
	if err != nil {
		return err
	}
	if _, err := s.db.coll(webhooksColl).UpdateMany(ctx, bson.D{}, mongodb.Set(mongodb.Is("since", int64(head)))); err != nil {
		return mongodb.Translate(err)
	}
	for id, change := range map[string]bson.D{
		schemaID: mongodb.Set(mongodb.Is("incarnation", rand.Text())),
		logID:    mongodb.Set(mongodb.Is("begin", head), mongodb.Is("cut", head)),
		outboxID: mongodb.Set(mongodb.Is("position", int64(head))),
	} {
		if _, err := s.db.coll(metaColl).UpdateByID(ctx, id, change); err != nil {
			return mongodb.Translate(err)
		}
	}
	_, err = s.db.coll(metaColl).DeleteOne(ctx, mongodb.ByID(restoringID))
	return mongodb.Translate(err)
}

// recountAll makes the headcounts of all departments what their agents say.
func (db *DB) recountAll(ctx context.Context) error {
	departments, err := all[departmentDoc](db.ask(ctx), departmentsColl, bson.D{}, options.Find().SetProjection(mongodb.By("_id")))
	if err != nil {
		return err
	}
	var counted []struct {
		Department string `bson:"_id"`
		Total      int64  `bson:"total"`
		Active     int64  `bson:"active"`
	}
	isActive := bson.D{mongodb.Is("$cond", bson.A{bson.D{mongodb.Is("$eq", bson.A{"$status", "active"})}, 1, 0})}
	pipeline := bson.A{bson.D{mongodb.Is("$group", bson.D{
		mongodb.Is("_id", "$department"), mongodb.Is("total", bson.D{mongodb.Is("$sum", 1)}), mongodb.Is("active", bson.D{mongodb.Is("$sum", isActive)}),
	})}}
	if err := drain(db.ask(ctx), &counted, func(ctx context.Context) (*mongo.Cursor, error) {
		return db.coll(agentsColl).Aggregate(ctx, pipeline)
	}); err != nil {
		return err
	}
	shardsOf := map[string]headcountDoc{}
	for _, c := range counted {
		shardsOf[c.Department] = headcountDoc{Total: c.Total, Active: c.Active}
	}
	var models []mongo.WriteModel
	for _, d := range departments {
		first := shardsOf[d.Key]
		for i := range shards {
			doc := headcountDoc{ID: headcountID(name.Key(d.Key), i)}
			if i == 0 {
				doc.Total, doc.Active = first.Total, first.Active
			}
			models = append(models, mongo.NewReplaceOneModel().SetFilter(mongodb.ByID(doc.ID)).SetReplacement(doc).SetUpsert(true))
		}
	}
	if len(models) == 0 { // the driver refuses to send nothing
		return nil
	}
	_, err = db.coll(headcountsColl).BulkWrite(ctx, models, options.BulkWrite().SetOrdered(false))
	return mongodb.Translate(err)
}
