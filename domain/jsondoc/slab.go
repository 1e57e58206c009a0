package jsondoc

import "slices"

// slabs hands out the memory of parsed arrays and objects in pieces of larger
// allocations, because a document has many small ones.
type slabs struct {
	members []Member
	items   []Value
}

// slabSize is how many members or items are allocated at once. Larger arrays
// and objects get an allocation of their own size.
const slabSize = 32

// keepMembers copies what lies on the parser's stack.
func (s *slabs) keepMembers(stack []Member) []Member {
	if len(stack) >= slabSize/2 {
		return slices.Clone(stack)
	}
	if cap(s.members)-len(s.members) < len(stack) {
		s.members = make([]Member, 0, slabSize)
	}
	start := len(s.members)
	s.members = append(s.members, stack...)
	return s.members[start:len(s.members):len(s.members)]
}

// keepItems copies what lies on the parser's stack.
func (s *slabs) keepItems(stack []Value) []Value {
	if len(stack) >= slabSize/2 {
		return slices.Clone(stack)
	}
	if cap(s.items)-len(s.items) < len(stack) {
		s.items = make([]Value, 0, slabSize)
	}
	start := len(s.items)
	s.items = append(s.items, stack...)
	return s.items[start:len(s.items):len(s.items)]
}
