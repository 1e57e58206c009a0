// Package agentindex keeps in memory what agents are listed, filtered and counted by. A copy of
// an index takes no time and shows one state for ever, whatever happens to the original.
package agentindex

import (
	"cmp"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/tidwall/btree"

	"orgd/domain/identity"
)

// Index has an entry for each agent. Any number of goroutines may read one that nobody changes.
type Index struct {
	order, departments, names *btree.BTreeG[*Entry]

	counts       map[string]Counts // of the departments that have agents
	countsShared bool              // with a copy, so they are cloned before they change
}

// Counts are those of the agents of one department.
type Counts struct{ Total, Active int64 }

// Of returns an index of entries, which it sorts.
func Of(entries []*Entry) *Index {
	x := &Index{
		order: treeOf(entries, byOrder), departments: treeOf(entries, byDepartment), names: treeOf(entries, byName),
		counts: map[string]Counts{},
	}
	for _, e := range entries {
		x.count(e, 1)
	}
	return x
}

func treeOf(entries []*Entry, compare func(a, b *Entry) int) *btree.BTreeG[*Entry] {
	tree := btree.NewBTreeGOptions(func(a, b *Entry) bool { return compare(a, b) < 0 }, btree.Options{NoLocks: true})
	slices.SortFunc(entries, compare)
	for _, e := range entries {
		tree.Load(e)
	}
	return tree
}

func byOrder(a, b *Entry) int {
	return cmp.Or(strings.Compare(a.OrderKey(), b.OrderKey()), strings.Compare(a.ID(), b.ID()))
}

func byDepartment(a, b *Entry) int {
	if a.class != b.class {
		if c := strings.Compare(a.class.Value().Department, b.class.Value().Department); c != 0 {
			return c
		}
	}
	return byOrder(a, b)
}

func byName(a, b *Entry) int { return strings.Compare(a.NameKey(), b.NameKey()) }

// Copy returns a copy. Neither is changed by what happens to the other one.
func (x *Index) Copy() *Index {
	x.countsShared = true
	return &Index{x.order.Copy(), x.departments.Copy(), x.names.Copy(), x.counts, true}
}

// Len returns the number of agents.
func (x *Index) Len() int { return x.order.Len() }

// Get returns the entry of the agent that is at a position, or nil.
func (x *Index) Get(orderKey, id string) *Entry {
	e, _ := x.order.Get(at(orderKey, id))
	return e
}

// Replace puts now in the place of was. Either may be nil; was has to be of this index.
func (x *Index) Replace(was, now *Entry) {
	if was != nil && now != nil && now.row == 0 {
		now.row = was.row
	}
	if was == nil || now == nil || was.class != now.class {
		x.count(was, -1)
		x.count(now, 1)
	}
	for _, tree := range []*btree.BTreeG[*Entry]{x.order, x.departments, x.names} {
		if was != nil && (now == nil || tree.Less(was, now) || tree.Less(now, was)) {
			tree.Delete(was)
		}
		if now != nil {
			tree.Set(now)
		}
	}
}

// count adds n times an agent to the counts of its department.
func (x *Index) count(e *Entry, n int64) {
	if e == nil {
		return
	}
	if x.countsShared {
		x.counts, x.countsShared = maps.Clone(x.counts), false
	}
	class := e.class.Value()
	counts := x.counts[class.Department]
	counts.Total += n
	if class.Status == string(identity.Active) {
		counts.Active += n
	}
	if counts.Total == 0 {
		delete(x.counts, class.Department)
		return
	}
	x.counts[class.Department] = counts
}

// Counts counts the agents of a department.
func (x *Index) Counts(department string) Counts { return x.counts[department] }

// Query selects agents. A field that is empty leaves none out.
type Query struct {
	Department, Level, Status, Owner string

	Tags   []string // which the agent has all
	Prefix string   // of its name key
	After  *Position
}

// Position is a position behind which a list begins: the name key if it has a prefix, else the
// order key and the id.
type Position struct{ OrderKey, ID, NameKey string }

// Select returns the agents that q selects, in the order of their name keys if it has a prefix,
// else in that of their order keys and ids.
func (x *Index) Select(q Query) iter.Seq[*Entry] {
	return func(yield func(*Entry) bool) {
		tree, first := x.first(q)
		passes, begun := q.filter(), q.After == nil
		visit := func(e *Entry) bool {
			if !begun {
				begun = true
				if q.isAfter(e) {
					return true
				}
			}
			if q.isBehind(e) {
				return false
			}
			return !passes(e) || yield(e)
		}
		if first == nil {
			tree.Scan(visit)
		} else {
			tree.Ascend(first, visit)
		}
	}
}

// isAfter reports whether an agent is at the position behind which the query begins.
func (q Query) isAfter(e *Entry) bool {
	if q.Prefix != "" {
		return e.NameKey() == q.After.NameKey
	}
	return e.ID() == q.After.ID && e.OrderKey() == q.After.OrderKey
}

// isBehind reports whether an agent, and all that follow in the tree, are behind the last one.
func (q Query) isBehind(e *Entry) bool {
	if q.Prefix != "" {
		return !strings.HasPrefix(e.NameKey(), q.Prefix)
	}
	return q.Department != "" && e.class.Value().Department != q.Department
}

// first returns the tree that a query follows, and where: from its beginning if that is nil.
func (x *Index) first(q Query) (*btree.BTreeG[*Entry], *Entry) {
	switch {
	case q.Prefix != "":
		from := q.Prefix
		if q.After != nil {
			from = max(from, q.After.NameKey)
		}
		return x.names, New(Fields{NameKey: from})
	case q.Department != "":
		f := Fields{Class: Class{Department: q.Department}}
		if q.After != nil {
			f.OrderKey, f.ID = q.After.OrderKey, q.After.ID
		}
		return x.departments, New(f)
	case q.After != nil:
		return x.order, at(q.After.OrderKey, q.After.ID)
	default:
		return x.order, nil
	}
}

// filter returns what looks at a class only if it is not that of the agent before.
func (q Query) filter() func(*Entry) bool {
	tags := make([]string, len(q.Tags))
	for i, t := range q.Tags {
		tags[i] = TagsText([]string{t})
	}
	is := func(wanted, value string) bool { return wanted == "" || wanted == value }
	var last *Entry
	var passes bool
	return func(e *Entry) bool {
		if last == nil || e.class != last.class {
			c := e.class.Value()
			passes = is(q.Department, c.Department) && is(q.Level, c.Level) && is(q.Status, c.Status) && is(q.Owner, c.Owner) &&
				!slices.ContainsFunc(tags, func(t string) bool { return !strings.Contains(c.Tags, t) })
		}
		last = e
		return passes
	}
}
