package jsondoc

// nameSet finds a name that an object has twice, in time that does not grow
// with the object.
type nameSet struct {
	names map[string]struct{} // nil while the object is small
}

// repeats reports whether members has the name, and remembers it otherwise.
func (s *nameSet) repeats(members []Member, name string) bool {
	if len(members) <= smallObject {
		return contains(members, name)
	}
	if s.names == nil {
		s.names = make(map[string]struct{}, 4*smallObject)
		for _, m := range members {
			s.names[m.Name] = struct{}{}
		}
	}
	if _, ok := s.names[name]; ok {
		return true
	}
	s.names[name] = struct{}{}
	return false
}

func contains(members []Member, name string) bool {
	for _, m := range members {
		if m.Name == name {
			return true
		}
	}
	return false
}

// firstUses finds the first use of a string in an array, in time that does not
// grow with the array.
type firstUses struct {
	index map[string]int // nil while the array is small
}

// of returns the index of s among the items before it, or -1. It is called for
// every string of the array, in order.
func (u *firstUses) of(before []Value, s string) int {
	if len(before) <= smallObject {
		for i, item := range before {
			if item.Kind() == KindString && item.text == s {
				return i
			}
		}
		return -1
	}
	if u.index == nil {
		u.index = make(map[string]int, len(before))
		for i := len(before) - 1; i >= 0; i-- {
			if before[i].Kind() == KindString {
				u.index[before[i].text] = i
			}
		}
	}
	if i, ok := u.index[s]; ok {
		return i
	}
	u.index[s] = len(before)
	return -1
}
