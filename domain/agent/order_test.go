package agent

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"orgd/domain/domaintest"
	"orgd/domain/identity"
	"orgd/domain/name"
)

func members(n int) []Member {
	list := make([]Member, n)
	for i := range list {
		list[i] = Member{ID: ID(fmt.Sprintf("id-%d", i)), Name: name.Key(fmt.Sprintf("name-%d", i)), OrderKey: OrderKey(fmt.Sprintf("place-%02d", 2*i))}
	}
	return list
}

// The order keys stay, the members change theirs; nothing else happens.
func TestReorder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		now := members(rapid.IntRange(0, 20).Draw(t, "n"))
		before := slices.Clone(now)
		order := rapid.Permutation(now).Draw(t, "order")
		asked := make([]identity.Ref, len(order))
		want := make([]Member, len(order))
		for i, m := range order {
			asked[i] = identity.Ref{ID: m.ID}
			if rapid.Bool().Draw(t, "by name") {
				asked[i] = identity.Ref{Name: m.Name}
			}
			want[i] = Member{m.ID, m.Name, now[i].OrderKey}
		}
		got, err := Reorder(now, asked)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("Reorder = %v (-want +got):\n%s", err, diff)
		}
		if !slices.Equal(now, before) {
			t.Errorf("Reorder has changed its argument to %v", now)
		}
	})
}

func TestReorderRefuses(t *testing.T) {
	byName := func(names ...name.Key) []identity.Ref {
		refs := make([]identity.Ref, len(names))
		for i, n := range names {
			refs[i] = identity.Ref{Name: n}
		}
		return refs
	}
	for _, tc := range []struct {
		what  string
		asked []identity.Ref
		want  string
	}{
		{"nobody", nil, "agent_names: must name each of the department's 2 agents exactly once, has 0 names"},
		{"one is missing", byName("name-0"), "agent_names: must name each of the department's 2 agents exactly once, has 1 names"},
		{"one too many", byName("name-0", "name-1", "name-2"), "agent_names: must name each of the department's 2 agents exactly once, has 3 names"},
		{"a stranger", byName("name-0", "eve"), "agent_names[1]: is not an agent of the department"},
		{"one twice", byName("name-1", "name-1"), "agent_names[1]: is named twice"},
		{"one by name and id", []identity.Ref{{Name: "name-1"}, {ID: "id-1"}}, "agent_names[1]: is named twice"},
	} {
		got, err := Reorder(members(2), tc.asked)
		if got != nil || !errors.Is(err, ErrPermutation) || domaintest.Code(err) != 2000 || err.Error() != tc.want {
			t.Errorf("%s: Reorder = %v, %v, want %q", tc.what, got, err, tc.want)
		}
	}
}
