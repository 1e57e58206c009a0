package organization

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"orgd/domain/agent"
	"orgd/domain/department"
	"orgd/domain/domaintest"
	"orgd/domain/fault"
	"orgd/domain/identity"
	"orgd/domain/jsondoc"
	"orgd/domain/name"
)

// built is the document of some entries, each in JSON.
func built(t testing.TB, departments, agents []string) *Document {
	t.Helper()
	b := NewBuilder()
	b.Field(FieldFormat, 0)
	b.Format(domaintest.JSON(t, "1"), 0)
	b.Field(FieldDepartments, 0)
	for _, d := range departments {
		b.Department(domaintest.JSON(t, d), Where{})
	}
	b.Field(FieldAgents, 0)
	for _, a := range agents {
		b.Agent(domaintest.JSON(t, a), Where{})
	}
	doc, err := b.Document(false)
	if err != nil {
		t.Fatalf("Document = %v", err)
	}
	return doc
}

// state is an organization with one department D and agents whose ids are
// "id-" and their names.
func state(agents ...string) *State {
	s := &State{Departments: []department.Department{{ID: "d", Name: domaintest.Name("D")}}}
	for i, a := range agents {
		s.Agents = append(s.Agents, Member{ID: agent.ID("id-" + a), Name: domaintest.Name(a), Department: "d", OrderKey: agent.OrderKey(fmt.Sprintf("%03d", i)), Revision: 1})
	}
	return s
}

// newIDs makes n-000, n-001 and so on, behind all places of state.
func newIDs() func() string {
	i := -1
	return func() string { i++; return fmt.Sprintf("n-%03d", i) }
}

// formerNames are the names that agents had before.
type formerNames map[agent.ID]name.Key

func (f formerNames) of(id agent.ID) (name.Key, error) { return f[id], nil }

func matched(t interface{ Fatal(...any) }, doc *Document, s *State, prune bool) *match {
	m, err := newMatch(doc, s, prune, formerNames{}.of, newIDs())
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestMatch(t *testing.T) {
	agents := func(entries ...string) []string {
		for i, e := range entries {
			n, previous, renamed := strings.Cut(e, "<")
			entries[i] = `{"name":"` + n + `","role":"r","department":"D"`
			if renamed {
				entries[i] += `,"previous_name":"` + previous + `"`
			}
			entries[i] += `}`
		}
		return entries
	}
	for _, tc := range []struct {
		what    string
		state   string
		entries string
		want    string // ids
		refused string
	}{
		{"by name, folded", "a b", "B A", "id-b id-a", ""},
		{"new", "a", "b a", "n-000 id-a", ""},
		{"renamed", "a", "b<a", "id-a", ""},
		{"renamed before", "b", "b<a", "id-b", ""},
		{"nobody had it", "c", "b<a", "n-000", ""},
		{"the new name exists", "a b", "b<a", "", `agents[0].previous_name: there are agents of both names, "a" and "b", and no entry gives the second another name`},
		{"the new name exists, and the old one stays", "a b", "b<a a", "", `agents[0].previous_name: there are agents of both names, "a" and "b", and no entry gives the second another name`},
		{"the new name is the one renamed", "a b<a", "b<a", "id-b", ""},
		{"the new name is the one renamed long ago", "a b<z", "b<a", "", `agents[0].previous_name: there are agents of both names, "a" and "b", and no entry gives the second another name`},
		{"the old name is another's now", "a", "b<a a", "id-a n-000", ""},
		{"the same again", "b<a a", "b<a a", "id-b id-a", ""},
		{"a row of renames", "a b", "c<b b<a", "id-b id-a", ""},
		{"a row of renames, other way round", "a b", "b<a c<b", "id-a id-b", ""},
		{"the end of a row again", "a c", "c<b b<a", "id-c id-a", ""},
		{"a row of renames again", "b<a c<b", "c<b b<a", "id-c id-b", ""},
		{"a row onto a name that exists", "a b c", "c<b b<a", "", `agents[0].previous_name: there are agents of both names, "b" and "c", and no entry gives the second another name`},
		{"a swap", "a b", "a<b b<a", "id-b id-a", ""},
		{"a swap again", "b<a a<b", "b<a a<b", "id-b id-a", ""},
		{"a swap, half of it done by hand", "b<x a<b", "b<a a<b", "", `agents[0].previous_name: there are agents of both names, "a" and "b", and no entry gives the second another name`},
		{"a circle", "a b c", "a<c c<b b<a", "id-c id-b id-a", ""},
		{"a circle and a row into it", "a b c", "b<a a<b d<c c", "id-a id-b id-c n-000", ""},
		{"twice the same", "a", "b<a c<a", "", "agents[1].previous_name: is also that of agents[0]"},
	} {
		s, was := state(), formerNames{}
		for i, a := range strings.Fields(tc.state) {
			n, former, _ := strings.Cut(a, "<")
			s.Agents = append(s.Agents, Member{ID: agent.ID("id-" + n), Name: domaintest.Name(n), Department: "d", OrderKey: agent.OrderKey(fmt.Sprintf("%03d", i)), Revision: 1})
			was[agent.ID("id-"+n)] = name.Key(former)
		}
		m, err := newMatch(built(t, nil, agents(strings.Fields(tc.entries)...)), s, false, was.of, newIDs())
		if err != nil {
			t.Fatal(err)
		}
		if err := m.problems.err(); tc.refused != "" || err != nil {
			if domaintest.Code(err) != fault.Validation || err.Error() != tc.refused {
				t.Errorf("%s: refusal = %v, want %s", tc.what, err, tc.refused)
			}
			continue
		}
		var got []string
		for e := range m.doc.Agents {
			got = append(got, string(m.ids[e]))
		}
		if diff := cmp.Diff(strings.Fields(tc.want), got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tc.what, diff)
		}
	}
}

// References lead to whoever will have the name.
func TestReferences(t *testing.T) {
	doc := built(t, nil, []string{`{"name":"b","previous_name":"a"}`, `{"name":"new","role":"r","department":"D"}`})
	m := matched(t, doc, state("a", "other"), false)
	want := identity.References{"B": "id-a", "NEW": "n-000", "other": "id-other"}
	if diff := cmp.Diff(want, m.references([]string{"a", "B", "NEW", "other", "nobody", ""})); diff != "" {
		t.Errorf("references (-want +got):\n%s", diff)
	}
	pruned := matched(t, doc, state("a", "other"), true)
	if refs := pruned.references([]string{"other"}); len(refs) > 0 {
		t.Errorf("references to an agent that goes = %v, want none", refs)
	}
	if text, ok := pruned.futureName("id-a"); text != "b" || !ok {
		t.Errorf("futureName = %q, %t, want the new name", text, ok)
	}
	if _, ok := pruned.futureName("id-other"); ok {
		t.Error("futureName returns an agent that goes")
	}
}

func TestHomes(t *testing.T) {
	doc := built(t, []string{`{"name":"E"}`}, []string{`{"name":"a"}`, `{"name":"b","department":"D"}`, `{"name":"c","department":"e"}`})
	err := matched(t, doc, state("a", "b", "c"), true).problems.err()
	if domaintest.Code(err) != fault.Validation || err.Error() != "agents[0].department: must be given, because the agent's department is to be deleted; "+
		"agents[1].department: there will be no such department" {
		t.Errorf("refusal = %v", err)
	}
	if err := matched(t, doc, state("a", "b", "c"), false).problems.err(); err != nil {
		t.Errorf("refusal without deletions = %v, want nil", err)
	}
}

func TestArrange(t *testing.T) {
	keys := func(s string) []name.Key {
		var all []name.Key
		for _, k := range strings.Fields(s) {
			all = append(all, name.Key(k))
		}
		return all
	}
	for _, tc := range [][3]string{
		{"a b c", "", "a b c"}, {"a b c", "c b a", "c b a"}, {"a b c d", "d b", "a d c b"}, {"a b", "x b a", "b a"}, {"", "a", ""},
	} {
		if diff := cmp.Diff(keys(tc[2]), arrange(keys(tc[0]), keys(tc[1]))); diff != "" && tc[2] != "" {
			t.Errorf("arrange(%s, %s) (-want +got):\n%s", tc[0], tc[1], diff)
		}
	}
}

// The agents of a document get the places that they have, in its order.
func TestMoves(t *testing.T) {
	doc := built(t, nil, []string{`{"name":"new","role":"r","department":"D"}`, `{"name":"c"}`, `{"name":"a"}`})
	s := state("a", "b", "c")
	m := matched(t, doc, s, false)
	want := []Move{{"n-000", "d", "n-000", "000"}, {"id-a", "d", "000", "n-000"}}
	if diff := cmp.Diff(want, m.moves(newIDs())); diff != "" {
		t.Errorf("moves (-want +got):\n%s", diff)
	}
	before, after := m.agentOrder()
	if diff := cmp.Diff([][]string{{"a", "c", "new"}, {"new", "c", "a"}}, [][]string{before, after}); diff != "" {
		t.Errorf("agentOrder (-want +got):\n%s", diff)
	}
	s.Agents[2].OrderKey = "000" // as after a move that was cut short
	moves := matched(t, doc, s, false).moves(func() string { return "z" })
	want = []Move{{"n-000", "d", "n-000", "000"}, {"id-c", "d", "000", "n-000"}, {"id-a", "d", "000", "z"}}
	if diff := cmp.Diff(want, moves); diff != "" {
		t.Errorf("moves from shared places (-want +got):\n%s", diff)
	}
}

// In every order of waves each entry stands once, takes a name after it is free,
// and comes after the new agents that it refers to unless it is in a circle.
func TestWaves(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 12).Draw(t, "agents")
		refs := make([][]int, n)
		entries := make([]string, n)
		existing := map[int]bool{}
		var there []string
		for i := range n {
			var names []string
			for _, to := range rapid.SliceOfNDistinct(rapid.IntRange(0, n-1), 0, 3, rapid.ID).Draw(t, "refs") {
				refs[i] = append(refs[i], to)
				names = append(names, fmt.Sprintf(`"x%d"`, to))
			}
			previous := ""
			if rapid.Bool().Draw(t, "exists") {
				existing[i] = true
				there = append(there, fmt.Sprint("x", i+1))
				previous = fmt.Sprintf(`,"previous_name":"x%d"`, i+1)
			}
			entries[i] = fmt.Sprintf(`{"name":"x%d","role":"r","department":"D","authority":{"can_delegate_to":[%s]}%s}`, i, strings.Join(names, ","), previous)
		}
		b := NewBuilder()
		b.Field(FieldFormat, 0)
		b.format = true
		for _, e := range entries {
			v, err := jsondoc.Parse([]byte(e))
			if err != nil {
				t.Fatal(err)
			}
			b.Agent(v, Where{})
		}
		doc, err := b.Document(false)
		if err != nil {
			t.Fatal(err)
		}
		m := matched(t, doc, state(there...), false)
		all := make([]Operation, n)
		for e := range all {
			all[e] = Operation{Entry: e, Agent: m.ids[e]}
		}
		at := map[int]int{}
		for w, wave := range m.waves(all) {
			for _, op := range wave {
				e := op.Entry
				if _, twice := at[e]; twice {
					t.Fatalf("entry %d comes twice", e)
				}
				at[e] = w
			}
		}
		if len(at) != n {
			t.Fatalf("%d of %d entries come", len(at), n)
		}
		waits := func(e int) []int {
			var on []int
			for _, to := range refs[e] {
				if to != e && m.agents.parts[to] == none {
					on = append(on, to)
				}
			}
			for f := range n {
				if i := m.agents.parts[f]; f != e && i != none && m.state.Agents[i].Name.Key == doc.Agents[e].Name.Key {
					if at[f] >= at[e] {
						t.Fatalf("entry %d takes its name in wave %d, it is free after %d", e, at[e], at[f])
					}
					on = append(on, f)
				}
			}
			return on
		}
		reaches := func(from, to int) bool {
			met := map[int]bool{}
			todo := []int{from}
			for len(todo) > 0 {
				e := todo[0]
				todo = todo[1:]
				if e == to {
					return true
				}
				if !met[e] {
					met[e] = true
					todo = append(todo, waits(e)...)
				}
			}
			return false
		}
		for e := range n {
			for _, to := range waits(e) {
				if at[to] >= at[e] && !reaches(to, e) {
					t.Errorf("entry %d comes in wave %d and refers to %d in %d", e, at[e], to, at[to])
				}
			}
		}
	})
}

// Each of the many cycles of references is cut without a map of the agents in it.
func TestWavesOfCycles(t *testing.T) {
	const agents, refs = 400, 40
	entries := make([]string, agents)
	for i := range entries {
		to := make([]string, refs)
		for k := range to {
			to[k] = fmt.Sprintf(`"x%d"`, (i+k+1)%agents)
		}
		entries[i] = fmt.Sprintf(`{"name":"x%d","role":"r","department":"D","authority":{"can_delegate_to":[%s]}}`, i, strings.Join(to, ","))
	}
	m := matched(t, built(t, nil, entries), state(), false)
	all := make([]Operation, agents)
	for e := range all {
		all[e] = Operation{Entry: e, Agent: m.ids[e]}
	}
	allocated := func() uint64 {
		var s runtime.MemStats
		runtime.ReadMemStats(&s)
		return s.TotalAlloc
	}
	before := allocated()
	waves := m.waves(all)
	if got := allocated() - before; got > 8<<20 {
		t.Errorf("waves of %d agents in cycles allocates %d bytes", agents, got)
	}
	var got []Operation
	for _, wave := range waves {
		got = append(got, wave...)
	}
	if len(got) != agents || got[0].Entry != 0 {
		t.Errorf("%d of %d agents come, number %d first, want number 0", len(got), agents, got[0].Entry)
	}
}

func TestUpdated(t *testing.T) {
	var changes []Change
	p := &planner{digest: newDigest(), in: Inputs{Emit: func(c Change) error { changes = append(changes, c); return nil }}}
	before, after := []byte(`{"a":1,"b":{"c":[]},"d":"x"}`), []byte(`{"a":1.0,"b":{"c":[1]},"d":null}`)
	fields, err := p.update(entryPath("agents", `A"da`), before, after, func() []byte { return []byte(`{"a":1,"b":{"c":[]},"d":"old"}`) })
	want := []Change{
		{`agents["A\"da"].b`, Update, []byte(`{"c":[]}`), []byte(`{"c":[1]}`)},
		{`agents["A\"da"].d`, Update, []byte(`"old"`), []byte("null")},
	}
	if diff := cmp.Diff(want, changes); diff != "" || err != nil || !slices.Equal(fields, Fields{"b", "d"}) || p.counts != (Counts{Updated: 1}) {
		t.Errorf("update = %v, %v, counts %+v (-want +got):\n%s", fields, err, p.counts, diff)
	}
	changes = nil
	fields, err = p.update("", before, before, func() []byte { t.Error("the current entry was read"); return nil })
	if changes != nil || fields != nil || err != nil {
		t.Errorf("update of nothing = %v, %v, %v", changes, fields, err)
	}
}

// Whatever is different in a plan gives it another hash.
func TestHash(t *testing.T) {
	seen := map[string]int{}
	for i, fill := range []func(digest){
		func(digest) {},
		func(h digest) { h.state("a", 1) },
		func(h digest) { h.state("a", 2) },
		func(h digest) { h.state("b", 1) },
		func(h digest) { h.state("a", 1); h.state("b", 1) },
		func(h digest) { h.state("b", 1); h.state("a", 1) },
		func(h digest) { h.change(Change{"a", Create, []byte(null), []byte("1")}) },
		func(h digest) { h.change(Change{"a", Delete, []byte("1"), []byte(null)}) },
		func(h digest) { h.change(reordered("a", nil, []string{"b", "c"})) },
		func(h digest) { h.change(reordered("a", []string{"b"}, []string{"c"})) },
	} {
		h := newDigest()
		fill(h)
		if other, twice := seen[h.String()]; twice {
			t.Errorf("plans %d and %d share a hash", other, i)
		}
		seen[h.String()] = i
		if !IsHash(h.String()) {
			t.Errorf("IsHash(%s) = false", h)
		}
	}
	for _, s := range []string{"", "x", strings.Repeat("A", 64), strings.Repeat("0", 62), strings.Repeat("0", 66)} {
		if IsHash(s) {
			t.Errorf("IsHash(%s) = true", s)
		}
	}
}

func TestBuilder(t *testing.T) {
	for _, tc := range []struct {
		fill func(*Builder)
		code fault.Code
		says string
	}{
		{func(*Builder) {}, 2001, "format: is required"},
		{func(b *Builder) { b.Format(domaintest.JSON(t, "2"), 0) }, 2001, "format: must be 1"},
		{func(b *Builder) { b.Format(domaintest.JSON(t, `"1"`), 0) }, 2001, "format: must be 1"},
		{func(b *Builder) { b.format = true; b.Field("agents", 0); b.Field("agents", 0) }, 2001, "agents: duplicate key"},
		{func(b *Builder) { b.format = true; b.Field("Company", 0) }, 2001, `Company: unknown field, did you mean "company"?`},
		{func(b *Builder) { b.format = true; b.Field("", 0) }, 2001, `"": unknown field`},
		{func(b *Builder) { b.format = true; b.NotList("agents", 0) }, 2001, "agents: must be an array of objects"},
		{func(b *Builder) {
			b.format = true
			b.Agent(domaintest.JSON(t, `{"name":"a","previous_name":"."}`), Where{7, " (line 7)"})
		}, 2001, "agents[0].previous_name: must be a name (line 7)"},
		{func(b *Builder) {
			b.format = true
			b.Agent(domaintest.JSON(t, `{"name":"a","level":"junior","autonomy_level":"full"}`), Where{})
		}, 2000, "agents[0].autonomy_level: a junior agent must not have full autonomy"},
	} {
		b := NewBuilder()
		tc.fill(b)
		if _, err := b.Document(false); domaintest.Code(err) != tc.code || err.Error() != tc.says {
			t.Errorf("Document = %v (%d), want %d %s", err, domaintest.Code(err), tc.code, tc.says)
		}
	}
	b := NewBuilder()
	b.format = true
	for range maxProblems + 2 {
		b.Agent(domaintest.JSON(t, `{}`), Where{})
	}
	_, err := b.Document(false)
	if err == nil || !strings.HasSuffix(err.Error(), fmt.Sprintf("agents[%d].name: is required; and 2 more", maxProblems-1)) {
		t.Errorf("Document = %.80v", err)
	}
	b = NewBuilder()
	b.format = true
	b.Field(FieldAgents, 0)
	if _, err := b.Document(true); domaintest.Code(err) != fault.Validation {
		t.Errorf("Document with prune and one list = %v, want ErrPrune", err)
	}
}

// Builder refuses a name that another entry has.
func TestBuilderNames(t *testing.T) {
	b := NewBuilder()
	b.format = true
	for _, n := range []string{"Ann", "Bob", "ANN"} {
		b.Agent(domaintest.JSON(t, `{"name":"`+n+`"}`), Where{})
		b.Department(domaintest.JSON(t, `{"name":"`+n+`"}`), Where{})
	}
	_, err := b.Document(false)
	for _, says := range []string{`agents[2].name: "ANN" is also the name of agents[0]`, `departments[2].name: "ANN" is also the name of departments[0]`} {
		if err == nil || !slices.Contains(strings.Split(err.Error(), "; "), says) {
			t.Errorf("Document = %v, want %s", err, says)
		}
	}
}
