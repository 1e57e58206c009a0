package jsondoc

// MergePatch returns target after the JSON Merge Patch (RFC 7396) patch:
// objects are merged member by member, null removes a member, and everything
// else replaces. Members keep the target's order, new ones follow. Neither
// argument changes. The result is at most as deep as the deeper argument.
func MergePatch(target, patch Value) Value {
	old := target.Members()
	if patch.Kind() != KindObject || len(old) == 0 && !patch.removes() {
		return patch
	}
	merged := make([]Member, 0, len(old)+len(patch.Members()))
	changes := indexOf(patch.Members())
	for _, m := range old {
		change, ok := changes.get(m.Name)
		if ok {
			m.Value = MergePatch(m.Value, change)
		}
		if !ok || !change.IsNull() {
			merged = append(merged, m)
		}
	}
	present := indexOf(old)
	for _, m := range patch.Members() {
		if _, ok := present.get(m.Name); ok || m.Value.IsNull() {
			continue
		}
		merged = append(merged, Member{m.Name, MergePatch(Value{}, m.Value)})
	}
	return Value{node: newObject(merged)}
}

// smallObject is the number of members up to which walking them is quicker than
// an index.
const smallObject = 16

// index finds members by name in time that does not grow with the object.
type index struct {
	members []Member
	byName  map[string]Value // nil for a small object
}

func indexOf(members []Member) index {
	x := index{members: members}
	if len(members) > smallObject {
		x.byName = make(map[string]Value, len(members))
		for _, m := range members {
			x.byName[m.Name] = m.Value
		}
	}
	return x
}

func (x index) get(name string) (v Value, ok bool) {
	if x.byName != nil {
		v, ok = x.byName[name]
		return v, ok
	}
	for _, m := range x.members {
		if m.Name == name {
			return m.Value, true
		}
	}
	return Value{}, false
}
