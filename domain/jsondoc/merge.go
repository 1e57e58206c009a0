package jsondoc

import "strings"

// MergePatch returns target after the JSON Merge Patch (RFC 7396) patch:
// objects are merged member by member, null removes a member, and everything
// else replaces. Members keep the target's order, new ones follow. Neither
// argument changes. The result is at most as deep as the deeper argument.
func MergePatch(target, patch Value) Value {
	if isMerged(target, patch) {
		return patch
	}
	text := make([]byte, 0, len(target.text)+len(patch.text))
	return Value{string(appendMerged(text, target, patch)), KindObject}
}

// isMerged reports whether the patch itself is the result.
func isMerged(target, patch Value) bool {
	return patch.kind != KindObject || target.kind != KindObject && !patch.removes()
}

// appendMerged appends the text of target after the patch.
func appendMerged(dst []byte, target, patch Value) []byte {
	if isMerged(target, patch) {
		return patch.appendText(dst)
	}
	old, changes := target.Index(), patch.Index()
	dst = append(dst, '{')
	for _, m := range old.Members() {
		change, ok := changes.Get(m.Name)
		switch {
		case !ok:
			dst = m.Value.appendText(appendName(dst, m.Name))
		case !change.IsNull():
			dst = appendMerged(appendName(dst, m.Name), m.Value, change)
		}
	}
	for _, m := range changes.Members() {
		if _, ok := old.Get(m.Name); !ok && !m.Value.IsNull() {
			dst = appendMerged(appendName(dst, m.Name), Value{}, m.Value)
		}
	}
	return append(dst, '}')
}

// appendName begins a member.
func appendName(dst []byte, name string) []byte {
	return append(appendString(separated(dst), name), ':')
}

// appendText appends v as it was written, as far as that is known.
func (v Value) appendText(dst []byte) []byte {
	if v.kind < KindArray {
		return v.Append(dst)
	}
	return append(dst, v.text...)
}

// removes reports whether v, read as a JSON Merge Patch, is an object that
// removes members. One that does not is the result of merging it into nothing.
func (v Value) removes() bool {
	if v.kind != KindObject || !strings.Contains(v.text, "null") {
		return false
	}
	for p := v.parts(); p.next(); {
		if part := p.value(); part.IsNull() || part.removes() {
			return true
		}
	}
	return false
}
