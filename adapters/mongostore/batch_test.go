package mongostore

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"

	"orgd/adapters/groupcommit"
	"orgd/adapters/mongostore/internal/mongodb"
	"orgd/domain/agent"
	"orgd/domain/department"
	"orgd/domain/idempotency"
	"orgd/domain/project"
	"orgd/ports/portstest"
)

// asked are changes that have been sent to the writer, in their order, with what their
// callers have been answered.
type asked struct {
	db      *DB
	queue   *groupcommit.Queue[*change]
	jobs    []*job
	answers []chan error
}

// sendAll sends changes. The writer does not get them: the test is the writer.
func (db *DB) sendAll(t *testing.T, changes ...*change) *asked {
	t.Helper()
	a := &asked{db: db, queue: groupcommit.New[*change]()}
	for _, c := range changes {
		if c.ctx == nil {
			c.ctx = timeLimit(t, time.Minute)
		}
		a.send(func() error { return a.queue.Do(c.ctx, c) })
	}
	return a
}

// callAll is [DB.sendAll] of calls of the stores. What the test puts back goes into the same
// queue, until the test ends.
func (db *DB) callAll(t *testing.T, calls ...func(ctx context.Context) error) *asked {
	t.Helper()
	a := &asked{db: db, queue: groupcommit.New[*change]()}
	before := db.writes
	db.writes = a.queue
	t.Cleanup(func() { db.writes = before })
	for _, call := range calls {
		a.send(func() error { return call(timeLimit(t, time.Minute)) })
	}
	return a
}

func (a *asked) send(call func() error) {
	answer := make(chan error, 1)
	go func() { answer <- call() }()
	a.jobs, a.answers = append(a.jobs, a.next()), append(a.answers, answer)
}

// next waits for the next change.
func (a *asked) next() *job {
	for {
		if j := a.queue.Next(); j != nil {
			return j
		}
	}
}

// attempt wants changes to be committed, and some of them to be left for the next batch.
func (a *asked) attempt(t *testing.T, jobs []*job, next ...*job) {
	t.Helper()
	b, err := a.db.writer.attempt(jobs)
	if err != nil || !slices.Equal(b.next, next) {
		t.Fatalf("attempt = %d of %d for the next batch, %v, want %d", len(b.next), len(jobs), err, len(next))
	}
	b.answer()
}

// wantAnswer wants the answer to a change.
func (a *asked) wantAnswer(t *testing.T, i int, want error) {
	t.Helper()
	if err := <-a.answers[i]; !errors.Is(err, want) {
		t.Errorf("change %d is answered %v, want %v", i, err, want)
	}
}

// inserting is a change that inserts projects.
func inserting(ids ...string) *change {
	return &change{fn: func(t *tx) error {
		for _, id := range ids {
			t.insert(projectsColl, bson.D{mongodb.Is("_id", id)}, &claim{need: needByID(projectsColl, id), taken: always(project.ErrExists)})
		}
		return nil
	}}
}

// counting is a change that reads a document and adds to it.
func counting(id string) *change {
	return &change{fn: func(t *tx) error {
		if _, err := one[mongodb.IDDoc](t, metaColl, mongodb.ByID(id)); err != nil {
			return err
		}
		t.update(metaColl, id, bson.D{mongodb.Is("$inc", bson.D{mongodb.Is("n", 1)})}, nil)
		return nil
	}, needs: []need{needByID(metaColl, id)}}
}

func (a *asked) wantStored(t *testing.T, ids ...string) {
	t.Helper()
	docs, err := all[mongodb.IDDoc](a.db.ask(t.Context()), projectsColl, bson.D{})
	var got []string
	for _, d := range docs {
		got = append(got, d.ID)
	}
	slices.Sort(got)
	if err != nil || !slices.Equal(got, ids) {
		t.Errorf("%q are stored (%v), want %q", got, err, ids)
	}
}

func TestBatchIsOneTransaction(t *testing.T) {
	db := openTest(t)
	refusal := project.ErrNotFound
	a := db.sendAll(t, inserting("a"), &change{fn: func(*tx) error { return refusal }}, inserting("b", "c"),
		&change{fn: func(*tx) error { panic("a bug") }}, inserting("d"))
	b, err := db.writer.attempt(a.jobs)
	if err != nil || len(b.kept) != 5 || len(b.next) != 0 {
		t.Fatalf("attempt = %d kept, %d for the next batch, %v", len(b.kept), len(b.next), err)
	}
	b.answer()
	for i, want := range []func(error) bool{
		func(err error) bool { return err == nil },
		func(err error) bool { return errors.Is(err, refusal) },
		func(err error) bool { return err == nil },
		func(err error) bool { return err != nil && strings.Contains(err.Error(), "panic in a change") },
		func(err error) bool { return err == nil },
	} {
		if err := <-a.answers[i]; !want(err) {
			t.Errorf("change %d is answered %v", i, err)
		}
	}
	a.wantStored(t, "a", "b", "c", "d")
}

// The second and the third have read what the first writes.
func TestBatchWithoutWhoHasReadWhatItWrites(t *testing.T) {
	db := openTest(t)
	a := db.sendAll(t, counting(companyID), counting(companyID), counting(outboxID),
		&change{fn: func(t *tx) error { _, err := all[mongodb.IDDoc](t, metaColl, bson.D{}); return err }})
	b, err := db.writer.attempt(a.jobs)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(b.kept, []*job{a.jobs[0], a.jobs[2]}) || !slices.Equal(b.next, []*job{a.jobs[1], a.jobs[3]}) {
		t.Errorf("%d changes are kept and %d come later, want the first and the third, and two", len(b.kept), len(b.next))
	}
}

func TestBatchBounds(t *testing.T) {
	db := openTest(t)
	many := make([]string, maxDocs+1)
	for i := range many {
		many[i] = fmt.Sprint("many-", i)
	}
	wide := &change{fn: func(t *tx) error {
		t.insert(projectsColl, bson.D{mongodb.Is("_id", "wide"), mongodb.Is("text", strings.Repeat("x", maxBytes))}, nil)
		return nil
	}}
	a := db.sendAll(t, inserting("a"), inserting(many...), wide, inserting(many[:maxDocs-1]...), inserting("b"))
	b, err := db.writer.attempt(a.jobs)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(b.kept, []*job{a.jobs[0], a.jobs[3]}) || len(b.next) != 3 {
		t.Errorf("%d changes are kept and %d come later, want the first and the fourth, and three", len(b.kept), len(b.next))
	}
	for i, alone := range []bool{false, true, true, false, false} {
		if a.jobs[i].Alone != alone {
			t.Errorf("change %d is to be alone: %t, want %t", i, a.jobs[i].Alone, alone)
		}
	}
}

func TestBatchReadsWhatItNeedsAtOnce(t *testing.T) {
	db := openTest(t)
	agents := db.coll(agentsColl)
	for _, id := range []string{"1", "2"} {
		if _, err := agents.InsertOne(t.Context(), bson.D{mongodb.Is("_id", id), mongodb.Is("key", "key"+id)}); err != nil {
			t.Fatal(err)
		}
	}
	var found []string
	reading := func(n need) *change {
		return &change{needs: []need{n}, fn: func(t *tx) error {
			if !t.batch.has([]need{n}) {
				return fmt.Errorf("%v was not read", n)
			}
			d, err := one[mongodb.IDDoc](t, n.coll, bson.D{mongodb.Is(n.field, n.value)})
			found = append(found, d.ID)
			return err
		}}
	}
	a := db.sendAll(t, reading(needByID(agentsColl, "1")), reading(need{agentsColl, "key", "key2"}), reading(needByID(agentsColl, "3")))
	b, err := db.writer.attempt(a.jobs)
	if err != nil || !slices.Equal(found, []string{"1", "2", ""}) || !errors.Is(b.kept[2].Err, mongo.ErrNoDocuments) {
		t.Errorf("%q are found, %v, want 1, 2 and none", found, err)
	}
}

// One query looks up small documents, for no more changes than a batch writes.
func TestBatchLooksUpWhatItNeeds(t *testing.T) {
	db := openTest(t)
	for coll, id := range map[string]string{eventsColl: "known", rollupsColl: "day", purgedAgentsColl: "gone"} {
		if _, err := db.coll(coll).InsertOne(t.Context(), bson.D{mongodb.Is("_id", id), mongodb.Is("n", 1)}); err != nil {
			t.Fatal(err)
		}
	}
	looking := func(needs ...need) *change {
		return &change{needs: needs, fn: func(t *tx) error {
			for _, n := range needs {
				doc, known := t.lookedUp(n.coll, n.value), map[string]int{"known": 1, "gone": 2, "day": 2}[n.value]
				if fields, err := doc.Elements(); known > 0 && err != nil || len(fields) != known || doc != nil && known == 0 {
					return fmt.Errorf("%v is %v", n, doc)
				}
			}
			return nil
		}}
	}
	many := make([]need, maxDocs)
	for i := range many {
		many[i] = needByID(eventsColl, fmt.Sprint("new-", i))
	}
	a := db.sendAll(t,
		looking(needByID(eventsColl, "known"), needByID(purgedAgentsColl, "gone"), needByID(rollupsColl, "day"), needByID(rollupsColl, "other")),
		looking(many[:maxDocs-4]...), looking(many...), looking(needByID(eventsColl, "known")))
	a.attempt(t, a.jobs, a.jobs[2], a.jobs[3])
	a.wantAnswer(t, 0, nil)
	a.wantAnswer(t, 1, nil)
	a.attempt(t, a.jobs[2:], a.jobs[3])
	a.wantAnswer(t, 2, nil)
}

// Who leaves before anything is sent is left out, and the others are stored at once.
func TestBatchWithoutWhoHasLeft(t *testing.T) {
	db := openTest(t)
	ctx, leave := context.WithCancel(t.Context())
	gone := make(chan error, 1)
	first := inserting("gone")
	first.ctx = ctx
	var a *asked
	last := &change{fn: func(*tx) error { leave(); gone <- <-a.answers[0]; return nil }}
	a = db.sendAll(t, first, inserting("stays"), last)
	b, err := db.writer.attempt(a.jobs)
	if err != nil || !slices.Equal(b.kept, a.jobs[1:]) {
		t.Fatalf("attempt = %d kept, %v, want the second and the third", len(b.kept), err)
	}
	wantOutcome(t, "who has left", <-gone, "was not applied")
	a.wantStored(t, "stays")
}

// Who leaves when the writes have been sent does not undo the batch.
func TestBatchWithWhoLeavesLate(t *testing.T) {
	db := openTest(t)
	ctx, leave := context.WithCancel(t.Context())
	first := inserting("late")
	first.ctx = ctx
	a := db.sendAll(t, first, inserting("stays"))
	b := db.writer.batch(a.jobs)
	if err := db.writer.begin(); err != nil {
		t.Fatal(err)
	}
	b.ctx = mongo.NewSessionContext(timeLimit(t, time.Minute), db.writer.session)
	if err := errors.Join(b.run(a.jobs), b.refuseTaken()); err != nil {
		t.Fatal(err)
	}
	b.seal()
	leave()
	wantOutcome(t, "who leaves late", <-a.answers[0], "may have been applied")
	if err := errors.Join(b.flush(), db.writer.session.CommitTransaction(t.Context())); err != nil {
		t.Fatal(err)
	}
	a.wantStored(t, "late", "stays")
}

// Ids are ours: one that is taken is left to the index. That takes its own change out, and
// the others are decided before those that have come meanwhile.
func TestBatchWithoutWhoTakesAKeyTwice(t *testing.T) {
	db := openTest(t)
	if err := db.write(timeLimit(t, time.Minute), inserting("a").fn); err != nil {
		t.Fatal(err)
	}
	write := func(ids ...string) func(context.Context) error {
		return func(ctx context.Context) error { return db.write(ctx, inserting(ids...).fn) }
	}
	a := db.callAll(t, write("b"), write("c", "a"), write("d"))
	others := db.writer.decide(a.jobs)
	if !slices.Equal(others, []*job{a.jobs[0], a.jobs[2]}) {
		t.Fatalf("%d changes are decided next, want the first and the third", len(others))
	}
	if again := db.writer.decide(others); again != nil {
		t.Fatalf("%d changes are decided once more, want none", len(again))
	}
	a.wantStored(t, "a", "b", "d")
	a.wantAnswer(t, 0, nil)
	a.wantAnswer(t, 2, nil)
	a.attempt(t, []*job{a.next()})
	a.wantAnswer(t, 1, project.ErrExists)
	a.wantStored(t, "a", "b", "d")
}

// namedOffice is one with a department and agents of these names.
func namedOffice(t *testing.T, names ...string) (*office, []agent.ID) {
	o := newOffice(t)
	o.must(o.createDepartment(t.Context(), "Sales", 1))
	var ids []agent.ID
	for _, name := range names {
		step := hiring(name, "Sales", nil)
		o.must(portstest.Hire(t.Context(), o.Agents, step))
		ids = append(ids, step.Agent.ID())
	}
	return o, ids
}

func (o *office) hires(title string, r *idempotency.Record) func(context.Context) error {
	return func(ctx context.Context) error { return portstest.Hire(ctx, o.Agents, hiring(title, "Sales", r)) }
}

func (o *office) patches(id agent.ID, patch string) func(context.Context) error {
	return func(ctx context.Context) error { return o.patch(ctx, id, patch) }
}

// wantNames wants agents of these names to be there, and no others.
func (o *office) wantNames(want ...string) {
	o.Helper()
	all, err := o.Agents.Records(o.Context(), agent.Query{Limit: 100})
	o.must(err)
	var got []string
	for _, a := range all {
		got = append(got, a.Name)
	}
	if slices.Sort(got); !slices.Equal(got, want) {
		o.Errorf("there are agents %q, want %q", got, want)
	}
}

// Names that are taken are looked for once one was met: until then its batch is sent twice,
// and nothing is read for those of others.
func TestTakenNamesAreLookedForOnceOneWasMet(t *testing.T) {
	o, _ := namedOffice(t, "Ann")
	a := o.db.callAll(t, o.hires("Bob", nil), o.hires("ANN", nil))
	if others := o.db.writer.decide(a.jobs); !slices.Equal(others, a.jobs[:1]) {
		t.Fatalf("%d changes are decided next, want the first", len(others))
	}
	a.attempt(t, a.jobs)
	a.wantAnswer(t, 0, nil)
	a.wantAnswer(t, 1, agent.ErrExists)
	a = o.db.callAll(t, o.hires("Carl", nil), o.hires("ann", nil))
	a.attempt(t, a.jobs)
	a.wantAnswer(t, 0, nil)
	a.wantAnswer(t, 1, agent.ErrExists)
	o.wantNames("Ann", "Bob", "Carl")
}

// Whoever takes a name that somebody has is refused, and what is beside it is stored in the
// same transaction.
func TestBatchWithTakenNames(t *testing.T) {
	o, ids := namedOffice(t, "Ann", "Bob", "Eve")
	o.db.writer.wary = wary
	a := o.db.callAll(t, o.hires("Carl", nil), o.hires("BOB", newRecord(1)), o.patches(ids[0], `{"name":"bob"}`), o.hires("bob", nil),
		o.patches(ids[2], `{"name":"EVE"}`), o.hires("Dora", nil),
		func(ctx context.Context) error { return o.createDepartment(ctx, "sales", 1) })
	a.attempt(t, a.jobs)
	for i, want := range []error{nil, agent.ErrExists, agent.ErrExists, agent.ErrExists, nil, nil, department.ErrExists} {
		a.wantAnswer(t, i, want)
	}
	o.wantNames("Ann", "Bob", "Carl", "Dora", "EVE")
}

// Who takes what another of the batch takes or gives up waits for the next batch, and knows then.
func TestBatchWithNamesThatChangeHands(t *testing.T) {
	o, ids := namedOffice(t, "Ann", "Bob")
	o.db.writer.wary = wary
	a := o.db.callAll(t, o.hires("Carl", nil), o.hires("CARL", nil), o.patches(ids[0], `{"name":"Anna"}`), o.hires("Ann", nil),
		o.hires("Bob", nil), o.patches(ids[1], `{"name":"Rob"}`))
	a.attempt(t, a.jobs, a.jobs[1], a.jobs[3])
	a.attempt(t, []*job{a.jobs[1], a.jobs[3]})
	for i, want := range []error{nil, agent.ErrExists, nil, nil, agent.ErrExists, nil} {
		a.wantAnswer(t, i, want)
	}
	o.wantNames("Ann", "Anna", "Carl", "Rob")
}

// Of changes with one idempotency key one is made, and none is sent that the index refuses.
func TestBatchWithAnIdempotencyKeyTwice(t *testing.T) {
	o, _ := namedOffice(t)
	r, expired := newRecord(1), newRecord(1)
	expired.At = expired.At.Add(-2 * idempotency.Kept)
	o.must(o.hires("Ann", expired)(t.Context()))
	again := *expired
	again.At = now()
	a := o.db.callAll(t, o.hires("Bob", r), o.hires("Carl", r), o.hires("Dora", r), o.hires("Eve", &again), o.hires("Fay", &again))
	a.attempt(t, a.jobs, a.jobs[1], a.jobs[2], a.jobs[4])
	a.attempt(t, []*job{a.jobs[1], a.jobs[2], a.jobs[4]})
	for i, want := range []error{nil, idempotency.ErrRunning, idempotency.ErrRunning, nil, idempotency.ErrRunning} {
		a.wantAnswer(t, i, want)
	}
	o.wantNames("Ann", "Bob", "Eve")
	a = o.db.callAll(t, o.hires("bob", r), o.hires("Dora", nil)) // the request of Bob, once more
	a.attempt(t, a.jobs)
	a.wantAnswer(t, 0, idempotency.ErrRunning)
	a.wantAnswer(t, 1, nil)
}

// A change alone leaves its key to the index, which costs no query, and then looks for the
// holder: what the index has may be taken back by an election.
func TestTakenNameAlone(t *testing.T) {
	o, ids := namedOffice(t, "Ann", "Bob")
	for _, call := range []func(context.Context) error{o.hires("BOB", nil), o.patches(ids[0], `{"name":"bob"}`)} {
		a := o.db.callAll(t, call)
		if again := o.db.writer.decide(a.jobs); len(again) > 0 || len(a.answers[0]) > 0 {
			t.Fatalf("%d changes are decided once more and %d are answered, want none", len(again), len(a.answers[0]))
		}
		a.attempt(t, []*job{a.next()})
		a.wantAnswer(t, 0, agent.ErrExists)
	}
	o.wantNames("Ann", "Bob")
}

// A change whose caller does not wait until a batch is stored is not begun. If that is so
// of all, one slow batch is forgotten.
func TestBatchWithoutWhoHasNoTime(t *testing.T) {
	db := openTest(t)
	short := timeLimit(t, 10*time.Minute)
	write := func(ctx context.Context, id string) func(context.Context) error {
		return func(context.Context) error { return db.write(ctx, inserting(id).fn) }
	}
	db.timeout = time.Hour
	a := db.callAll(t, write(short, "short"), write(t.Context(), "long"))
	db.writer.takes = 15 * time.Minute
	if jobs := db.writer.gather(a.jobs[0]); len(jobs) != 0 {
		t.Fatalf("%d changes are gathered, want none", len(jobs))
	}
	wantOutcome(t, "who has no time", <-a.answers[0], "was not applied")
	if jobs := db.writer.gather(a.jobs[1]); !slices.Equal(jobs, a.jobs[1:]) {
		t.Fatalf("%d changes are gathered, want the one that has time", len(jobs))
	}
	a = db.callAll(t, write(short, "short"))
	db.writer.serve(a.jobs[0])
	a.wantAnswer(t, 0, nil)
	a.wantStored(t, "short")
}

func TestTimeOfABatch(t *testing.T) {
	w := &writer{db: &engine{timeout: 2 * time.Second}}
	for i, x := range []struct{ took, want time.Duration }{
		{80 * time.Millisecond, 80 * time.Millisecond}, {time.Millisecond, 70 * time.Millisecond}, {75 * time.Millisecond, 75 * time.Millisecond},
		{time.Minute, time.Second}, {0, 875 * time.Millisecond},
	} {
		if w.took(x.took); w.takes != x.want {
			t.Errorf("after batch %d one takes %v, want %v", i, w.takes, x.want)
		}
	}
}

// What a change writes into a collection that is never sent is an error, and nothing of it is stored.
func TestCollectionWithoutAPlace(t *testing.T) {
	t.Parallel()
	db := openTest(t)
	err := db.write(t.Context(), func(t *tx) error {
		t.insert(projectsColl, bson.D{mongodb.Is("_id", "p")}, nil)
		t.insert("proposals", bson.D{mongodb.Is("_id", "p")}, nil)
		return nil
	})
	if err == nil || !strings.Contains(err.Error(), "the collection proposals has no place") {
		t.Errorf("write = %v, want what is missing", err)
	}
	if d, err := oneOrZero[mongodb.IDDoc](db.ask(t.Context()), projectsColl, mongodb.ByID("p")); err != nil || d.ID != "" {
		t.Errorf("the project is %v, %v, want none", d, err)
	}
}
