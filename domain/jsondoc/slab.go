package jsondoc

import "slices"

// slabs hands out the memory of parsed arrays and objects in pieces of larger
// allocations, because a document has many small ones.
type slabs struct {
	size    int // how many pieces are allocated at once
	members []Member
	items   []Value
	nodes   []node
}

// slabSize fits the documents that are read most, so that they need one slab of
// each sort.
func slabSize(text string) int { return min(4+len(text)/24, 64) }

// object makes an object of the members on the parser's stack.
func (s *slabs) object(stack []Member) *node {
	if len(stack) == 0 {
		return emptyObject
	}
	n := s.node()
	s.members, n.members = keep(s.members, stack, s.size)
	n.describeObject()
	return n
}

// array makes an array of the items on the parser's stack.
func (s *slabs) array(stack []Value) *node {
	if len(stack) == 0 {
		return emptyArray
	}
	n := s.node()
	s.items, n.items = keep(s.items, stack, s.size)
	n.describeArray()
	return n
}

func (s *slabs) node() *node {
	if len(s.nodes) == 0 {
		s.nodes = make([]node, 1+s.size/4)
	}
	n := &s.nodes[0]
	s.nodes = s.nodes[1:]
	return n
}

// keep copies stack to the start of the slab, or of a new one of that size if it
// is too small, and returns what is left of the slab.
func keep[T any](slab, stack []T, size int) (left, kept []T) {
	n := len(stack)
	if n > size {
		return slab, slices.Clone(stack)
	}
	if n > len(slab) {
		slab = make([]T, size)
	}
	copy(slab, stack)
	return slab[n:], slab[:n:n]
}
