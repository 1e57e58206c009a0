package mongostore

import (
	"sync"

	"go.mongodb.org/mongo-driver/v2/bson"

	"orgd/adapters/contents"
	"orgd/adapters/mongostore/internal/eventlog"
	"orgd/domain/agent"
	"orgd/ports"
)

// Open returns the store that cfg names, and what closes it. It does not wait
// for the server: Storage.Ping reports whether it is there and has been migrated.
func Open(cfg Config, clock ports.Clock) (*DB, func(), error) {
	if err := cfg.Validate(); err != nil {
		return nil, nil, err
	}
	e, err := openEngine(cfg)
	if err != nil {
		return nil, nil, err
	}
	db := &DB{engine: e, observer: cfg.Observer, fields: agent.Current(), clock: clock, contents: contents.New(), figures: newAgentFigures()}
	db.tail.Log, db.catchUps.Log, db.trail.Log = db.logOf(events()), db.logOf(events()), db.logOf(entries())
	db.leftLocks.db = e
	db.startTail = sync.OnceFunc(func() { e.background.Go(db.tail.Run) })
	return db, sync.OnceFunc(func() {
		e.close(func() { // add waits for another add that may be starting the release
			db.startTail()
			db.leftLocks.add()
			db.catchUps.Close()
			db.trail.Close()
		})
	}), nil
}

// logOf is the log of what a filter of the change stream finds.
func (db *DB) logOf(filter bson.E) eventlog.Log {
	return eventlog.Log{
		Data: db.data, Timeout: db.timeout, Open: db.open, Go: db.background.Go, Readers: max(cap(db.connections)/4, 1),
		Filter: filter, Read: logged, IsEvent: func(coll string) bool { return coll == eventsColl }, End: db.now,
	}
}

// Stores returns the stores in db.
func (db *DB) Stores() ports.Stores {
	return ports.Stores{
		Agents: &Agents{db}, Identities: &Identities{db}, Departments: &Departments{db}, Company: &Company{db},
		Projects: &Projects{db}, Activities: &Activities{db}, Stream: &Stream{db}, Measures: &Measures{db}, Audit: &Audit{db},
		Idempotency: &Idempotency{db}, Sessions: &Sessions{db}, Webhooks: &Webhooks{db}, Outbox: &Outbox{db}, Archive: &Archive{db}, Storage: &Storage{db},
	}
}
