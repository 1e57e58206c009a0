package jsondoc

// Index has the members of an object and finds them by name, in time that does
// not grow with the object. Make one with [Value.Index] for more than a few
// searches; [Value.Get] walks the text each time.
type Index struct {
	members []Member
	byName  map[string]Value // nil for a small object
}

// Index makes the members of the object v; a value of another kind has none.
func (v Value) Index() Index {
	x := Index{members: v.Members()}
	if len(x.members) > smallObject {
		x.byName = make(map[string]Value, len(x.members))
		for _, m := range x.members {
			x.byName[m.Name] = m.Value
		}
	}
	return x
}

// Members are the members in the order of the text. They must not be changed.
func (x Index) Members() []Member { return x.members }

// Get returns the member that has exactly this name. ok is false if there is
// none.
func (x Index) Get(name string) (member Value, ok bool) {
	if x.byName != nil {
		member, ok = x.byName[name]
		return member, ok
	}
	for _, m := range x.members {
		if m.Name == name {
			return m.Value, true
		}
	}
	return Value{}, false
}
