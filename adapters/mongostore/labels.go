package mongostore

import (
	"context"
	"fmt"
	"math"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"orgd/adapters/mongostore/internal/mongodb"
	"orgd/domain/agent"
	"orgd/domain/audit"
	"orgd/domain/identity"
	"orgd/domain/label"
	"orgd/domain/name"
	"orgd/domain/page"
	"orgd/ports"
)

// Label implements [ports.AgentStore]. A change of the department conflicts with it in the
// part of the headcount that both write: so the rule is as it was read.
func (s *Agents) Label(ctx context.Context, ref identity.Ref, label string, version int64, change ports.LabelChange) (_ agent.Agent, err error) {
	defer s.db.observer.Begin(&ctx, "agents.label").End(&err)
	step, err := write(ctx, s.db.engine, func(t *tx) (step ports.AgentChange, err error) {
		d, err := findAgent(t, ref, asStored)
		if err != nil {
			return step, err
		}
		before, err := s.db.agent(d)
		if err != nil {
			return step, err
		}
		in, err := findDepartment(t, before.Department().Key, departmentDoc.department)
		if err != nil {
			return step, err
		}
		below, err := isBelow(t, before.ID(), label, version)
		if err != nil {
			return step, err
		}
		if step, err = change(before, in, below); err != nil {
			return step, err
		}
		t.addHistory(step)
		if step.Effective() {
			t.update(headcountsColl, headcountID(in.Name.Key, t.shard), mongodb.Increment(mongodb.Is("labels", 1)), nil)
			err = t.replaceAgent(before, d, step)
		}
		return step, err
	}, needAgent(ref))
	return step.Agent, err
}

// changeRules has every change conflict that was decided by the rules of a department.
func (t *tx) changeRules(department name.Key) {
	for i := range shards {
		t.update(headcountsColl, headcountID(department, i), mongodb.Increment(mongodb.Is("rules", 1)), nil)
	}
}

// moveDoc is an entry of the history of a label. Its _id sorts them by the revision of the
// agent. A version of 0 is none.
type moveDoc struct {
	ID       string  `bson:"_id"`
	Of       string  `bson:"of"` // agent and label
	Revision int64   `bson:"revision"`
	Label    string  `bson:"label"`
	From     int64   `bson:"from"`
	To       int64   `bson:"to"`
	By       string  `bson:"by"`
	At       int64   `bson:"at"`
	Reason   *string `bson:"reason,omitempty"`
	Way      string  `bson:"way"`
}

func moveOf(id agent.ID, m agent.Move) moveDoc {
	return moveDoc{
		ID: moveID(id, m.Label, m.Revision), Of: string(id) + "/" + m.Label, Revision: m.Revision, Label: m.Label,
		From: m.From, To: m.To, By: m.By, At: mongodb.Millis(m.At), Reason: m.Reason, Way: string(m.Way),
	}
}

func moveID(id agent.ID, label string, revision int64) string {
	return fmt.Sprintf("%s/%s/%019d", id, label, revision)
}

func (d moveDoc) move() (agent.Move, error) {
	return agent.Move{
		Label: d.Label, Revision: d.Revision, From: d.From, To: d.To, By: d.By, At: mongodb.FromMillis(d.At), Reason: d.Reason, Way: audit.Way(d.Way),
	}, nil
}

// isBelow reports whether a label of an agent may go back to a version. It reads the whole
// history only if the label has ever named the version.
func isBelow(r reader, id agent.ID, label string, version int64) (bool, error) {
	if version == 0 {
		return false, nil
	}
	d, err := oneOrZero[mongodb.IDDoc](r, labelMovesColl, bson.D{mongodb.Is("of", string(id)+"/"+label), mongodb.Is("to", version)})
	if err != nil || d.ID == "" {
		return false, err
	}
	named, err := every(r, labelMovesColl, bson.D{mongodb.Is("_id", bson.D{
		mongodb.Is("$gte", moveID(id, label, 0)), mongodb.Is("$lte", moveID(id, label, math.MaxInt64)),
	})}, moveDoc.to, options.Find().SetSort(mongodb.By("_id")).SetProjection(mongodb.By("to")))
	return agent.Below(named, version), err
}

func (d moveDoc) to() (int64, error) { return d.To, nil }

// Moves implements [ports.AgentStore].
func (s *Agents) Moves(ctx context.Context, q agent.Moves) (_ []agent.Move, err error) {
	defer s.db.observer.Begin(&ctx, "labels.history").End(&err)
	before := q.Before
	if before == 0 {
		before = math.MaxInt64
	}
	return every(s.db.ask(ctx), labelMovesColl, bson.D{mongodb.Is("_id", bson.D{
		mongodb.Is("$gte", moveID(q.Agent, q.Label, 0)), mongodb.Is("$lt", moveID(q.Agent, q.Label, before)),
	})}, moveDoc.move, first(q.Limit, "-_id"))
}

// Labeled implements [ports.AgentStore]. Contents of versions never change, so they may be
// read after the agents.
func (s *Agents) Labeled(ctx context.Context, q agent.LabelQuery) (_ []agent.Resolved, err error) {
	defer s.db.observer.Begin(&ctx, "labels.agents").End(&err)
	in := q.Agents()
	filter := agentsFilter(in)
	if q.Label != label.Latest {
		filter = append(bson.D{mongodb.Is("label_names", bson.D{mongodb.Is("$eq", q.Label), mongodb.Is("$exists", true)})}, filter...)
	}
	rows, err := list(s.db.ask(ctx), agentsColl, filter, s.db.record, agentsOrder(in))
	if err != nil {
		return nil, err
	}
	found := make([]agent.Resolved, len(rows))
	for i, rec := range rows {
		version, err := rec.VersionOf(q.Label)
		if err != nil {
			return nil, damaged(err)
		}
		if found[i], err = rec.Resolve(q.Label, version, identity.Stored{}); err != nil {
			return nil, damaged(err)
		}
	}
	return s.fill(ctx, found)
}

// contentsAtOnce is how many contents are read at once: a page of what runtimes ask for.
const contentsAtOnce = 64

// fill gives agents the contents of versions. It ends with the first that is behind its page.
func (s *Agents) fill(ctx context.Context, found []agent.Resolved) ([]agent.Resolved, error) {
	var filling page.Filling
	for i := range found {
		if i%contentsAtOnce == 0 {
			if err := s.readContents(ctx, found[i:min(i+contentsAtOnce, len(found))]); err != nil {
				return nil, err
			}
		}
		if filling.Add(found[i].Size()) {
			return found[:i+1], nil
		}
		if err := page.Allow(ctx, int(filling)); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// readContents gives agents the contents of versions: those that are not remembered are
// read together.
func (s *Agents) readContents(ctx context.Context, found []agent.Resolved) error {
	unknown := map[string]*agent.Resolved{}
	var ids []string
	for i := range found {
		a, ok := &found[i], false
		if a.Content, ok = s.db.contents.Get(string(a.ID), a.Version); !ok {
			id := versionID(a.ID, a.Version)
			unknown[id], ids = a, append(ids, id)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	docs, err := all[versionDoc](s.db.ask(ctx), versionsColl, bson.D{mongodb.In("_id", ids)})
	if err != nil {
		return err
	}
	for _, d := range docs {
		a := unknown[d.ID]
		delete(unknown, d.ID)
		if a.Content, err = d.stored(); err != nil {
			return damaged(err)
		}
		s.db.contents.Put(string(a.ID), a.Version, a.Content)
	}
	for id := range unknown {
		return ports.ErrStorage.Because(fmt.Errorf("mongostore: version %s is missing", id))
	}
	return nil
}
