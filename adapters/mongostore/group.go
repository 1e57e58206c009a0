package mongostore

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"

	"orgd/domain/activity"
	"orgd/domain/fault"
)

// group is the other executor: one writer that commits what waits together. It
// runs the same functions.
type group struct {
	db      *DB
	mu      sync.Mutex
	waiting []*job
	more    chan struct{}
	stopped chan struct{}
	slot    *slot
}

// job is one change.
type job struct {
	ctx   context.Context
	fn    func(*tx) error
	tx    *tx
	err   error
	alone bool
	done  chan error
}

const maxBatch = 64

func newGroup(db *DB) *group {
	g := &group{db: db, more: make(chan struct{}, 1), stopped: make(chan struct{}), slot: &slot{db: db}}
	go g.run()
	return g
}

func (g *group) write(ctx context.Context, fn func(*tx) error) error {
	if err := ctx.Err(); err != nil {
		return notApplied(err)
	}
	ctx, cancel := context.WithTimeout(ctx, g.db.timeout)
	defer cancel()
	j := &job{ctx: ctx, fn: fn, done: make(chan error, 1)}
	g.put(j)
	return translate(<-j.done) // leaving early is left out of the experiment
}

func (g *group) put(jobs ...*job) {
	g.mu.Lock()
	g.waiting = append(g.waiting, jobs...)
	g.mu.Unlock()
	select {
	case g.more <- struct{}{}:
	default:
	}
}

// next takes what waits, in its order: one that has to be alone by itself.
func (g *group) next() (batch []*job) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for len(g.waiting) > 0 && len(batch) < maxBatch {
		j := g.waiting[0]
		if j.alone && len(batch) > 0 {
			break
		}
		g.waiting = g.waiting[1:]
		if err := j.ctx.Err(); err != nil {
			j.done <- notApplied(err)
			continue
		}
		if batch = append(batch, j); j.alone {
			break
		}
	}
	return batch
}

func (g *group) back(jobs []*job) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.waiting = append(jobs, g.waiting...)
}

func (g *group) run() {
	defer close(g.stopped)
	for n := 0; ; {
		batch := g.next()
		if len(batch) == 0 {
			select {
			case <-g.more:
				continue
			case <-g.db.closing:
				return
			}
		}
		err := g.attempt(batch)
		if !isLost(err) {
			n = 0
			continue
		}
		// Nothing was stored: each by itself if that is so again.
		if n++; n > 2 {
			for _, j := range batch {
				j.alone = true
			}
			if len(batch) == 1 { // another's turn
				g.put(batch...)
				batch = nil
			}
		}
		g.back(batch)
		_ = pause(context.Background(), min(n, 4))
	}
}

// attempt runs a batch once. It answers those that it has decided, puts those
// back that have to come later, and returns lost if nothing was stored.
func (g *group) attempt(batch []*job) error {
	attempts.Add(1)
	s := g.slot
	ctx, cancel := context.WithTimeout(batch[0].ctx, g.db.timeout)
	ctx, cancel = context.WithTimeout(context.WithoutCancel(ctx), g.db.timeout)
	defer cancel()
	if s.session == nil {
		var err error
		if s.session, err = g.db.client.StartSession(); err != nil {
			return lost{err}
		}
	}
	if err := s.session.StartTransaction(transaction); err != nil {
		return lost{err}
	}
	carrier := mongo.NewSessionContext(ctx, s.session)
	merged := &tx{Context: carrier, db: g.db, ops: map[string][]op{}}
	owner := map[mongo.WriteModel]*job{}
	written := map[string]bool{} // "collection\nid" and "collection" by the changes before
	memo := map[string]bson.Raw{}
	var kept, later []*job
	for _, j := range batch {
		j.tx = &tx{Context: carrier, db: g.db, seen: &seen{memo: memo}}
		j.run()
		if isLost(j.err) {
			_ = s.session.AbortTransaction(ctx)
			return j.err
		}
		if j.tx.seen.meets(written) {
			later = append(later, j)
			continue
		}
		kept = append(kept, j)
		if j.err != nil {
			continue
		}
		for coll, ops := range j.tx.ops {
			merged.ops[coll] = append(merged.ops[coll], ops...)
			for _, o := range ops {
				owner[o.model] = j
			}
		}
		for _, w := range j.tx.seen.wrote {
			written[w] = true
		}
	}
	err := error(nil)
	if merged.writes() {
		var taken *job
		if taken, err = g.flush(merged, owner); taken != nil {
			_ = s.session.AbortTransaction(ctx)
			if len(batch) == 1 {
				taken.done <- err
				return nil
			}
			taken.alone = true // only alone its verdict is final
			rest := []*job{}
			for _, j := range batch {
				if j != taken {
					rest = append(rest, j)
				}
			}
			g.back(append(rest, taken))
			return nil
		}
		if err == nil {
			err = s.commit(ctx)
		} else {
			_ = s.session.AbortTransaction(ctx)
		}
	} else {
		_ = s.session.AbortTransaction(ctx)
	}
	if isLost(err) {
		return err
	}
	for _, j := range kept {
		if err != nil && j.err == nil {
			j.err = err
		}
		j.done <- j.err
	}
	g.back(later)
	return nil
}

// flush is tx.flush with the job of a refused write.
func (g *group) flush(t *tx, owner map[mongo.WriteModel]*job) (*job, error) {
	for _, coll := range flushOrder {
		ops := t.ops[coll]
		if len(ops) == 0 {
			continue
		}
		models := make([]mongo.WriteModel, len(ops))
		for i, o := range ops {
			models[i] = o.model
		}
		if _, err := t.db.coll(coll).BulkWrite(t, models); err != nil {
			refusal := refused(ops, err)
			var failed mongo.BulkWriteException
			if isFault(refusal) && errors.As(err, &failed) && len(failed.WriteErrors) > 0 {
				return owner[failed.WriteErrors[0].Request], refusal
			}
			return nil, refusal
		}
	}
	return nil, nil
}

func (j *job) run() {
	defer func() {
		if v := recover(); v != nil {
			j.err = fmt.Errorf("mongostore: panic in a change: %s\n%s", fault.PanicText(v), debug.Stack())
		}
	}()
	if j.err = j.fn(j.tx); j.err == nil {
		j.err = j.tx.failed
	}
}

// seen is what a change has read and will write, by collection and id; an id that
// is not known is "". A read of more than ids is one of the whole collection.
type seen struct {
	read, wrote []string
	memo        map[string]bson.Raw
}

func (s *seen) writes(coll, id string) {
	if s == nil {
		return
	}
	s.wrote = append(s.wrote, coll)
	if id != "" {
		s.wrote = append(s.wrote, coll+"\n"+id)
	}
}

func (s *seen) reads(coll string, filter bson.D, docs []bson.Raw) {
	if s == nil {
		return
	}
	if id := idOf(filter); id != "" {
		s.read = append(s.read, coll+"\n"+id)
		if len(docs) == 1 {
			s.memo[coll+"\n"+id] = docs[0]
		}
		return
	}
	if ids, ok := idsIn(filter); ok {
		for _, id := range ids {
			s.read = append(s.read, coll+"\n"+id)
		}
		return
	}
	if len(filter) == 1 && filter[0].Key == "key" { // a unique key: its document, or none
		for _, d := range docs {
			s.read = append(s.read, coll+"\n"+d.Lookup("_id").StringValue())
		}
		return
	}
	s.read = append(s.read, coll)
}

func (s *seen) remembered(coll string, filter bson.D) (bson.Raw, bool) {
	if s == nil || len(filter) != 1 {
		return nil, false
	}
	raw, ok := s.memo[coll+"\n"+idOf(filter)]
	if ok {
		s.read = append(s.read, coll+"\n"+idOf(filter))
	}
	return raw, ok
}

// meets reports whether any of what was read is not as it was.
func (s *seen) meets(written map[string]bool) bool {
	for _, r := range s.read {
		if written[r] {
			return true
		}
	}
	return false
}

// idsIn returns the ids that filter asks for if it asks for ids.
func idsIn(filter bson.D) (ids []string, ok bool) {
	if len(filter) != 1 || filter[0].Key != "_id" {
		return nil, false
	}
	d, _ := filter[0].Value.(bson.D)
	if len(d) != 1 || d[0].Key != "$in" {
		return nil, false
	}
	switch list := d[0].Value.(type) {
	case []string:
		return list, true
	case []activity.ID:
		for _, id := range list {
			ids = append(ids, string(id))
		}
		return ids, true
	}
	return nil, false
}

func idOf(filter bson.D) string {
	if len(filter) > 0 && filter[0].Key == "_id" {
		id, _ := filter[0].Value.(string)
		return id
	}
	return ""
}
