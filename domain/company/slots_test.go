package company

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"orgd/domain/domaintest"
	"orgd/domain/name"
)

// slotted is a company with n departments.
func slotted(n int) Company {
	c := Default(dawn)
	for i := range n {
		c = c.WithDepartment(Slot{OrderKey: OrderKey(fmt.Sprintf("p-%02d", 2*i)), Department: key(i)}, later(i+1))
	}
	return c
}

func key(i int) name.Key { return name.Key(fmt.Sprintf("d-%d", i)) }

func TestSlots(t *testing.T) {
	c := slotted(2)
	if c.Revision != 3 || !c.UpdatedAt.Equal(later(2)) {
		t.Errorf("two departments = revision %d at %v, want 3 at %v", c.Revision, c.UpdatedAt, later(2))
	}
	early := c.WithDepartment(Slot{"p-01", "early"}, later(-9))
	want := []Slot{{"p-00", "d-0"}, {"p-01", "early"}, {"p-02", "d-1"}}
	if diff := cmp.Diff(want, early.Slots); diff != "" || !early.UpdatedAt.Equal(later(2).Add(time.Millisecond)) {
		t.Errorf("WithDepartment (-want +got):\n%s", diff)
	}
	less := early.WithoutDepartment("d-0", later(9))
	if diff := cmp.Diff(want[1:], less.Slots); diff != "" || less.Revision != early.Revision+1 || !less.UpdatedAt.Equal(later(9)) {
		t.Errorf("WithoutDepartment = revision %d at %v (-want +got):\n%s", less.Revision, less.UpdatedAt, diff)
	}
	if diff := cmp.Diff(want, early.Slots); diff != "" {
		t.Errorf("WithoutDepartment has changed the company before (-want +got):\n%s", diff)
	}
}

// Two companies that grow from one do not write into each other's slots.
func TestSeatsAreNotShared(t *testing.T) {
	base := slotted(3)
	a, b := base.WithDepartment(Slot{"q-a", "a"}, later(9)), base.WithDepartment(Slot{"q-b", "b"}, later(9))
	if a.Slots[3].Department != "a" || b.Slots[3].Department != "b" || len(base.Slots) != 3 {
		t.Errorf("slots = %v and %v from %v", a.Slots, b.Slots, base.Slots)
	}
}

// The order keys stay, the departments change theirs; nothing else happens.
func TestReorder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := slotted(rapid.IntRange(0, 12).Draw(t, "n"))
		before := slices.Clone(c.Slots)
		var keys []name.Key
		for _, s := range c.Slots {
			keys = append(keys, s.Department)
		}
		order := rapid.Permutation(keys).Draw(t, "order")
		want := c
		if !slices.Equal(order, keys) {
			want.Revision, want.UpdatedAt, want.Slots = c.Revision+1, later(99), nil
			for i, k := range order {
				want.Slots = append(want.Slots, Slot{before[i].OrderKey, k})
			}
		}
		got, err := c.Reorder(order, later(99))
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("Reorder = %v (-want +got):\n%s", err, diff)
		}
		if !slices.Equal(c.Slots, before) {
			t.Errorf("Reorder has changed the company before to %v", c.Slots)
		}
	})
}

func TestReorderRefuses(t *testing.T) {
	for want, asked := range map[string][]name.Key{
		"department_names: must name each of the 2 departments exactly once, has 0 names": nil,
		"department_names: must name each of the 2 departments exactly once, has 1 names": {"d-0"},
		"department_names: must name each of the 2 departments exactly once, has 3 names": {"d-0", "d-1", "d-2"},
		"department_names[1]: is not a department, or is named twice":                     {"d-1", "d-1"},
		"department_names[0]: is not a department, or is named twice":                     {"d-7", "d-1"},
	} {
		if _, err := slotted(2).Reorder(asked, later(1)); !errors.Is(err, ErrPermutation) || domaintest.Code(err) != 2000 || err.Error() != want {
			t.Errorf("Reorder(%v) = %v, want 2000 %q", asked, err, want)
		}
	}
}
