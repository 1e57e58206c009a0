package mongostore

import (
	"context"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// wantNone checks that no document of a collection is left over.
func (o *office) wantNone(what, coll string, filter bson.D) {
	o.Helper()
	var left []bson.M
	o.must(o.db.all(o.Context(), o.db.coll(coll), filter, &left))
	if len(left) > 0 {
		o.Errorf("%s: %d left over, such as %v", what, len(left), left[0])
	}
}

// wantWhole checks what holds whenever nobody is at work: nothing is owed or
// reserved, and every collection tells the same story.
func (o *office) wantWhole() {
	o.Helper()
	for _, coll := range homeColls {
		o.wantNone("debts of "+coll, coll, bson.D{exists("pending.0", true)})
	}
	o.wantNone("intents", intentsColl, bson.D{})
	o.wantNone("reserved keys", receiptsColl, bson.D{is("done", false), is("home.coll", bson.D{is("$ne", "")})})
	o.wantNone("open events", eventsColl, bson.D{exists("open", true)})
	o.wantNone("true batches", batchesColl, bson.D{exists("void", false)})
	o.wantNone("closing seats", companyColl, bson.D{exists("seats.closing", true)})
	o.wantNone("costs to come", companyColl, bson.D{exists("costing.0", true)})
	o.wantNames()
	o.wantSeats()
	o.wantHistories()
	o.wantLog()
}

// wantNames checks that names and agents agree.
func (o *office) wantNames() {
	o.Helper()
	var names []nameDoc
	o.must(o.db.all(o.Context(), o.db.coll(namesColl), bson.D{}, &names))
	var agents []agentDoc
	o.must(o.db.all(o.Context(), o.db.coll(agentsColl), bson.D{exists("key", true)}, &agents))
	held := map[string]nameDoc{}
	for _, n := range names {
		held[n.Key] = n
	}
	for _, a := range agents {
		if n := held[a.Key]; n.Agent != a.Head.ID || n.Op != a.NameOp {
			o.Errorf("agent %s has the name %q by %s, its claim is %+v", a.Head.ID, a.Key, a.NameOp, n)
		}
	}
	if len(names) != len(agents) {
		o.Errorf("%d names of %d agents", len(names), len(agents))
	}
}

// wantSeats checks that seats, departments and agents agree.
func (o *office) wantSeats() {
	o.Helper()
	var c companyDoc
	o.must(o.db.find(o.Context(), o.db.coll(companyColl), byKey(companyID), nil, &c))
	var docs []departmentDoc
	o.must(o.db.all(o.Context(), o.db.coll(departmentsColl), bson.D{}, &docs))
	for _, d := range docs {
		if s := c.seat(key(d.Name)); s == nil || s.ID != d.ID {
			o.Errorf("department %q has the seat %+v", d.Name, s)
		}
	}
	if len(docs) != len(c.Seats) {
		o.Errorf("%d departments on %d seats", len(docs), len(c.Seats))
	}
	var agents []agentDoc
	o.must(o.db.all(o.Context(), o.db.coll(agentsColl), bson.D{exists("key", true)}, &agents))
	places := map[string]bool{}
	for _, a := range agents {
		if c.seat(key(a.Department)) == nil {
			o.Errorf("agent %s is in %q, which does not exist", a.Head.ID, a.Department)
		}
		places[a.Place] = true
	}
	if len(places) != len(agents) {
		o.Errorf("%d agents on %d places", len(agents), len(places))
	}
}

// wantHistories checks that every agent, fired ones included, has each of its
// versions and audit entries once.
func (o *office) wantHistories() {
	o.Helper()
	var agents []agentDoc
	o.must(o.db.all(o.Context(), o.db.coll(agentsColl), bson.D{exists("void", false)}, &agents))
	for _, a := range agents {
		versions := o.count(versionsColl, bson.D{startsWith("_id", a.Head.ID+"/")})
		entries := o.count(auditColl, bson.D{is("resource", "agents/"+a.Head.ID)})
		steps := a.Revision
		if a.Key == "" {
			steps++ // was fired
		}
		if versions != a.Version || entries != steps {
			o.Errorf("agent %s: %d versions and %d entries, want %d and %d", a.Head.ID, versions, entries, a.Version, steps)
		}
	}
}

func (o *office) count(coll string, filter bson.D) (n int64) {
	o.Helper()
	o.must(o.db.run(o.Context(), "count", coll, func(ctx context.Context) (err error) {
		n, err = o.db.coll(coll).CountDocuments(ctx, filter)
		return err
	}))
	return n
}
