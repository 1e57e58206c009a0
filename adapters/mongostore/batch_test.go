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
	"orgd/domain/project"
)

// asked are changes that have been sent to the writer, in their order, with what their
// callers have been answered.
type asked struct {
	db      *DB
	jobs    []*job
	answers []chan error
}

// sendAll sends changes. The writer does not get them: the test is the writer.
func (db *DB) sendAll(t *testing.T, changes ...*change) *asked {
	t.Helper()
	q := groupcommit.New[*change]()
	a := &asked{db: db}
	for _, c := range changes {
		if c.ctx == nil {
			c.ctx = timeLimit(t, time.Minute)
		}
		answer := make(chan error, 1)
		go func() { answer <- q.Do(c.ctx, c) }()
		var j *job
		for j == nil {
			j = q.Next()
		}
		a.jobs, a.answers = append(a.jobs, j), append(a.answers, answer)
	}
	return a
}

// inserting is a change that inserts projects.
func inserting(ids ...string) *change {
	return &change{fn: func(t *tx) error {
		for _, id := range ids {
			t.insert(projectsColl, bson.D{is("_id", id)}, project.ErrExists)
		}
		return nil
	}}
}

// counting is a change that reads a document and adds to it.
func counting(id string) *change {
	return &change{fn: func(t *tx) error {
		if _, err := one[idDoc](t, metaColl, byID(id)); err != nil {
			return err
		}
		t.update(metaColl, id, bson.D{is("$inc", bson.D{is("n", 1)})}, nil)
		return nil
	}, needs: []need{needByID(metaColl, id)}}
}

func (a *asked) wantStored(t *testing.T, ids ...string) {
	t.Helper()
	docs, err := all[idDoc](a.db.ask(t.Context()), projectsColl, bson.D{})
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
		&change{fn: func(t *tx) error { _, err := all[idDoc](t, metaColl, bson.D{}); return err }})
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
		t.insert(projectsColl, bson.D{is("_id", "wide"), is("text", strings.Repeat("x", maxBytes))}, nil)
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
		if _, err := agents.InsertOne(t.Context(), bson.D{is("_id", id), is("key", "key"+id)}); err != nil {
			t.Fatal(err)
		}
	}
	var found []string
	reading := func(n need) *change {
		return &change{needs: []need{n}, fn: func(t *tx) error {
			if !t.batch.has([]need{n}) {
				return fmt.Errorf("%v was not read", n)
			}
			d, err := one[idDoc](t, n.coll, bson.D{is(n.field, n.value)})
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

// Who leaves before the commit is sent has been told that nothing is stored.
func TestBatchWithoutWhoHasLeft(t *testing.T) {
	db := openTest(t)
	ctx, leave := context.WithCancel(t.Context())
	gone := make(chan error, 1)
	first := inserting("gone")
	first.ctx = ctx
	var a *asked
	last := &change{fn: func(*tx) error { leave(); gone <- <-a.answers[0]; return nil }}
	a = db.sendAll(t, first, inserting("stays"), last)
	if _, err := db.writer.attempt(a.jobs); !errors.Is(err, errLeft) || !isLost(err) {
		t.Fatalf("attempt = %v, want that a caller has left", err)
	}
	wantOutcome(t, "who has left", <-gone, "was not applied")
	a.wantStored(t)
	last.fn = func(*tx) error { return nil }
	b, err := db.writer.attempt(a.jobs)
	if err != nil || len(b.kept) != 2 {
		t.Fatalf("attempt = %d kept, %v, want two", len(b.kept), err)
	}
	a.wantStored(t, "stays")
}

// In a batch a key may be taken by a change that is not stored in the end.
func TestBatchWithAKeyTwice(t *testing.T) {
	db := openTest(t)
	a := db.sendAll(t, inserting("a"), inserting("b", "a"), inserting("c"))
	_, err := db.writer.attempt(a.jobs)
	var taken duplicate
	if !errors.As(err, &taken) || taken.job != a.jobs[1] || !errors.Is(taken.taken, project.ErrExists) {
		t.Fatalf("attempt = %v, want that the second change takes a key twice", err)
	}
	a.wantStored(t)
	ctx := timeLimit(t, time.Minute)
	if err := db.write(ctx, inserting("a").fn); err != nil {
		t.Fatal(err)
	}
	if err := db.write(ctx, inserting("b", "a").fn); !errors.Is(err, project.ErrExists) {
		t.Errorf("write of a key that is taken = %v, want %v", err, project.ErrExists)
	}
	a.wantStored(t, "a")
}

// Who has found that its key is taken is refused in a batch with others.
func TestBatchWithARefusal(t *testing.T) {
	db := openTest(t)
	if err := db.write(timeLimit(t, time.Minute), inserting("a").fn); err != nil {
		t.Fatal(err)
	}
	a := db.sendAll(t, inserting("b"), inserting("c", "a"), inserting("d"))
	_, err := db.writer.attempt(a.jobs)
	var taken duplicate
	if !errors.As(err, &taken) {
		t.Fatalf("attempt = %v, want a duplicate", err)
	}
	taken.confirm()
	b, err := db.writer.attempt(a.jobs)
	if err != nil || len(b.kept) != 3 || !errors.Is(a.jobs[1].Err, project.ErrExists) {
		t.Fatalf("attempt = %d kept, %v, %v; want three, and a refusal", len(b.kept), err, a.jobs[1].Err)
	}
	a.wantStored(t, "a", "b", "d")
}
