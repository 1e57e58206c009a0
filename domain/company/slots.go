package company

import (
	"cmp"
	"slices"
	"time"

	"orgd/domain/name"
)

// Reorder puts the departments into the order asked for by giving their order keys
// out anew, or returns [ErrPermutation] if asked is not an exact permutation of
// them. The order that is there already has no effect.
func (c Company) Reorder(asked []name.Key, at time.Time) (Company, error) {
	if len(asked) != len(c.Slots) {
		return Company{}, ErrPermutation.With("department_names: must name each of the %d departments exactly once, has %d names",
			len(c.Slots), len(asked))
	}
	left := make(map[name.Key]bool, len(asked))
	for _, s := range c.Slots {
		left[s.Department] = true
	}
	slots := make([]Slot, len(asked))
	for i, k := range asked {
		if !left[k] {
			return Company{}, ErrPermutation.With("department_names[%d]: is not a department, or is named twice", i)
		}
		delete(left, k)
		slots[i] = Slot{OrderKey: c.Slots[i].OrderKey, Department: k}
	}
	if slices.Equal(slots, c.Slots) {
		return c, nil
	}
	c.Slots = slots
	return c.touch(at), nil
}

// OrderKey returns the order key of a department: that of its slot, or its id if it has
// none.
func (c Company) OrderKey(k name.Key, id string) OrderKey {
	for _, s := range c.Slots {
		if s.Department == k {
			return s.OrderKey
		}
	}
	return OrderKey(id)
}

// WithDepartment returns the company with a new department.
func (c Company) WithDepartment(s Slot, at time.Time) Company {
	c.Slots = append(slices.Clone(c.Slots), s)
	slices.SortFunc(c.Slots, func(a, b Slot) int { return cmp.Compare(a.OrderKey, b.OrderKey) })
	return c.touch(at)
}

// WithoutDepartment returns the company without the department.
func (c Company) WithoutDepartment(k name.Key, at time.Time) Company {
	c.Slots = slices.DeleteFunc(slices.Clone(c.Slots), func(s Slot) bool { return s.Department == k })
	return c.touch(at)
}
