package agentindex

import (
	"cmp"
	"fmt"
	"iter"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"orgd/test/seed"
)

// plain is the slowest index: all agents, in any order.
type plain []Fields

func (p plain) selected(q Query) (ids []string) {
	all := slices.Clone(p)
	slices.SortFunc(all, func(a, b Fields) int {
		if q.Prefix != "" {
			return cmp.Compare(a.NameKey, b.NameKey)
		}
		return cmp.Or(cmp.Compare(a.OrderKey, b.OrderKey), cmp.Compare(a.ID, b.ID))
	})
	is := func(wanted, value string) bool { return wanted == "" || wanted == value }
	for _, a := range all {
		behind := q.After == nil
		if q.After != nil && q.Prefix != "" {
			behind = a.NameKey > q.After.NameKey
		} else if q.After != nil {
			behind = cmp.Or(cmp.Compare(a.OrderKey, q.After.OrderKey), cmp.Compare(a.ID, q.After.ID)) > 0
		}
		tagged := true
		for _, tag := range q.Tags {
			tagged = tagged && strings.Contains(a.Class.Tags, ","+tag+",")
		}
		if behind && tagged && strings.HasPrefix(a.NameKey, q.Prefix) && is(q.Department, a.Class.Department) &&
			is(q.Level, a.Class.Level) && is(q.Status, a.Class.Status) && is(q.Owner, a.Class.Owner) {
			ids = append(ids, a.ID)
		}
	}
	return ids
}

func (p plain) counts(department string) (n Counts) {
	for _, a := range p {
		if a.Class.Department == department {
			n.Total++
			if a.Class.Status == "active" {
				n.Active++
			}
		}
	}
	return n
}

func ids(entries iter.Seq[*Entry]) (ids []string) {
	for e := range entries {
		ids = append(ids, e.ID())
	}
	return ids
}

func some[T any](r *rand.Rand, of ...T) T { return of[r.IntN(len(of))] }

func randomClass(r *rand.Rand) Class {
	return Class{
		Department: some(r, "a", "ab", "b"), Level: some(r, "junior", "lead"), Status: some(r, "active", "terminated"),
		Owner: some(r, "", "ann", "bob"), Tags: TagsText(some(r, nil, []string{"x"}, []string{"x", "y"}, []string{"xy"})),
	}
}

func randomQuery(r *rand.Rand) Query {
	q := Query{
		Department: some(r, "", "", "a", "ab", "nobody's"), Level: some(r, "", "", "lead"), Status: some(r, "", "", "active"),
		Owner: some(r, "", "", "ann"), Tags: some(r, nil, nil, []string{"x"}, []string{"y", "x"}), Prefix: some(r, "", "", "n", "n1", "n10", "z"),
	}
	if r.IntN(2) == 0 {
		key := fmt.Sprintf("%04d", r.IntN(4000))
		q.After = &Position{OrderKey: "id" + key, ID: "id" + some(r, key, "0"), NameKey: "n" + key}
	}
	return q
}

// change makes a random change of one agent, or of two which change their order keys.
func (p plain) change(r *rand.Rand, x *Index, number int) plain {
	entryOf := func(f Fields) *Entry {
		e := x.Get(f.OrderKey, f.ID)
		if e == nil {
			panic("there is no agent " + f.ID)
		}
		return e
	}
	i := 0
	if len(p) > 0 {
		i = r.IntN(len(p))
	}
	switch kind := r.IntN(7); {
	case len(p) < 2 || kind == 0 || kind == 6:
		id := fmt.Sprintf("id%04d", number)
		f := Fields{ID: id, OrderKey: id, NameKey: fmt.Sprintf("n%d", number), Name: some(r, "N", "n") + fmt.Sprint(number), Class: randomClass(r), Row: int64(number)}
		x.Replace(nil, New(f))
		return append(p, f)
	case kind == 1:
		x.Replace(entryOf(p[i]), nil)
		return slices.Delete(p, i, i+1)
	case kind == 2:
		j := (i + 1) % len(p)
		a, b := entryOf(p[i]), entryOf(p[j])
		p[i].OrderKey, p[j].OrderKey = p[j].OrderKey, p[i].OrderKey
		x.Replace(a, a.Moved(p[i].OrderKey))
		x.Replace(b, b.Moved(p[j].OrderKey))
		return p
	default:
		was := entryOf(p[i])
		p[i].Revision++
		if kind == 3 {
			p[i].NameKey = fmt.Sprintf("n%d-%d", number, p[i].Revision)
		}
		if kind == 4 {
			p[i].Class = randomClass(r)
		}
		next := p[i]
		next.Row = 0 // where it was
		x.Replace(was, New(next))
		return p
	}
}

func (p plain) compare(t *testing.T, r *rand.Rand, x *Index) {
	t.Helper()
	if x.Len() != len(p) {
		t.Errorf("Len = %d, want %d", x.Len(), len(p))
	}
	for range 10 {
		q := randomQuery(r)
		if diff := gocmp.Diff(p.selected(q), ids(x.Select(q))); diff != "" {
			t.Fatalf("Select(%+v), after %+v (-want +got):\n%s", q, q.After, diff)
		}
	}
	for _, d := range []string{"a", "ab", "b", "c"} {
		if got, want := x.Counts(d), p.counts(d); got != want {
			t.Errorf("Counts(%s) = %+v, want %+v", d, got, want)
		}
	}
	for _, f := range p {
		e := x.Get(f.OrderKey, f.ID)
		if e == nil {
			t.Fatalf("Get(%s, %s) = nil", f.OrderKey, f.ID)
		}
		if got := (Fields{e.ID(), e.OrderKey(), e.NameKey(), e.Name(), e.class.Value(), e.Revision(), e.Row()}); got != f {
			t.Fatalf("Get(%s, %s) = %+v, want %+v", f.OrderKey, f.ID, got, f)
		}
	}
}

// An index answers as a slice does that is sorted for each question, and so does each of its
// copies, however the others change.
func TestIndexAgainstASlice(t *testing.T) {
	r := seed.Rand(t)
	type state struct {
		x *Index
		p plain
	}
	states := []state{{Of(nil), nil}}
	for number := range 4000 {
		at := r.IntN(len(states))
		s := &states[at]
		s.p = s.p.change(r, s.x, number)
		switch {
		case number%50 == 0 && len(states) < 6:
			states = append(states, state{s.x.Copy(), slices.Clone(s.p)})
		case number%200 == 0: // as a start makes it
			var entries []*Entry
			for _, f := range s.p {
				entries = append(entries, New(f))
			}
			s.x = Of(entries)
		}
		if number%40 == 0 {
			for _, s := range states {
				s.p.compare(t, r, s.x)
			}
		}
	}
}

// Readers walk copies while the next ones are made and changed.
func TestCopiesAreReadBesideChanges(t *testing.T) {
	r := seed.Rand(t)
	x, p := Of(nil), plain(nil)
	for number := range 500 {
		p = p.change(r, x, number)
	}
	var readers sync.WaitGroup
	defer readers.Wait()
	for number := range 100 {
		snapshot, want := x, p.selected(Query{})
		readers.Go(func() {
			for range 3 {
				if got := ids(snapshot.Select(Query{})); !slices.Equal(got, want) {
					t.Errorf("a copy shows %d agents, want the %d of its time, in their order", len(got), len(want))
				}
				runtime.Gosched()
			}
		})
		x = x.Copy()
		for i := range 5 {
			p = p.change(r, x, 500+5*number+i)
		}
	}
}

func heap() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

func usual(i int) Fields {
	id := fmt.Sprintf("%016x", i*7919)
	return Fields{
		ID: id, OrderKey: id, NameKey: fmt.Sprintf("data engineer %d", i), Name: fmt.Sprintf("Data Engineer %d", i),
		Class: Class{fmt.Sprintf("department %d", i%50), []string{"mid", "lead", "senior"}[i%3], "active", fmt.Sprintf("team %d", i%40), ",prod,"},
	}
}

// An agent takes 200 bytes at most, and none when it is gone.
func TestIndexIsSmall(t *testing.T) {
	const n = 100_000
	before := heap()
	entries := make([]*Entry, n)
	for i := range entries {
		entries[i] = New(usual(i))
	}
	x := Of(entries)
	entries = nil
	if each := (heap() - before) / n; each > 200 {
		t.Errorf("an agent that was there at the start takes %d bytes, want at most 200", each)
	} else {
		t.Logf("an agent takes %d bytes", each)
	}
	for i := range n { // as they change later
		if i%100 == 0 {
			x = x.Copy()
		}
		f := usual(i)
		was := x.Get(f.OrderKey, f.ID)
		f.Revision = 2
		x.Replace(was, New(f))
	}
	if each := (heap() - before) / n; each > 200 {
		t.Errorf("an agent that has changed takes %d bytes, want at most 200", each)
	} else {
		t.Logf("an agent that has changed takes %d bytes", each)
	}
	for i := range n {
		f := usual(i)
		x.Replace(x.Get(f.OrderKey, f.ID), nil)
	}
	if left := heap() - before; left > 1<<20 || x.Len() != 0 {
		t.Errorf("%d bytes and %d agents are left of those that are gone, want less than 1 MiB", left, x.Len())
	}
	runtime.KeepAlive(x)
}

func BenchmarkIndex(b *testing.B) {
	r := seed.Rand(b)
	for _, n := range []int{10_000, 100_000, 1_000_000} {
		entries := make([]*Entry, n)
		for i := range entries {
			entries[i] = New(usual(i))
		}
		b.Run(fmt.Sprintf("agents=%d/Of", n), func(b *testing.B) {
			for b.Loop() {
				Of(entries)
			}
		})
		x := Of(entries)
		b.Run(fmt.Sprintf("agents=%d/NobodyPasses", n), func(b *testing.B) {
			for b.Loop() {
				ids(x.Select(Query{Level: "vp"}))
			}
		})
		b.Run(fmt.Sprintf("agents=%d/Page", n), func(b *testing.B) {
			for b.Loop() {
				left := 50
				f := usual(r.IntN(n))
				for range x.Select(Query{After: &Position{OrderKey: f.OrderKey, ID: f.ID}}) {
					if left--; left == 0 {
						break
					}
				}
			}
		})
		b.Run(fmt.Sprintf("agents=%d/ChangeOfTen", n), func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				if i%10 == 0 {
					x = x.Copy()
				}
				f := usual(r.IntN(n))
				f.Revision = int64(i)
				x.Replace(x.Get(f.OrderKey, f.ID), New(f))
			}
		})
	}
}
