package jsondoc

import (
	"math"
	"slices"
	"strings"
)

// Append appends the canonical text of v to dst and returns the longer slice.
// The canonical text has no white space, sorts members by the UTF-16 code units
// of their names and escapes strings as RFC 8785 says; numbers are exact, in
// the normal form of package decimal. Equal values have the same text.
func (v Value) Append(dst []byte) []byte {
	dst, _ = v.appendWithin(dst, math.MaxInt) // which is always enough
	return dst
}

// appendWithin is [Value.Append] until dst has more than most bytes. Then ok is
// false, and little more was made than these.
func (v Value) appendWithin(dst []byte, most int) (longer []byte, ok bool) {
	switch v.kind {
	case KindNull:
		dst = append(dst, "null"...)
	case KindBool, KindNumber:
		dst = append(dst, v.text...)
	case KindString:
		if len(v.text) > most-len(dst) {
			return dst, false
		}
		dst = appendString(dst, v.text)
	case KindArray:
		return v.appendItems(dst, most)
	case KindObject:
		return v.appendMembers(dst, most)
	}
	return dst, len(dst) <= most
}

// separated appends the comma that separates a part from one before it.
func separated(dst []byte) []byte {
	if c := dst[len(dst)-1]; c == '[' || c == '{' {
		return dst
	}
	return append(dst, ',')
}

// appendName begins a member.
func appendName(dst []byte, name string) []byte {
	return append(appendString(separated(dst), name), ':')
}

func (v Value) appendItems(dst []byte, most int) (longer []byte, ok bool) {
	dst = append(dst, '[')
	for p := v.parts(); p.next(); {
		if dst, ok = p.value().appendWithin(separated(dst), most); !ok {
			return dst, false
		}
	}
	dst = append(dst, ']')
	return dst, len(dst) <= most
}

func (v Value) appendMembers(dst []byte, most int) (longer []byte, ok bool) {
	var few [smallObject]Member
	members, sorted := few[:0], true
	least := len(dst)
	for p := v.parts(); p.next(); {
		m := p.member()
		if least += len(`"":0`) + len(m.Name); least > most {
			return dst, false
		}
		sorted = sorted && (len(members) == 0 || compareNames(members[len(members)-1].Name, m.Name) < 0)
		members = append(members, m)
	}
	if !sorted {
		slices.SortFunc(members, func(a, b Member) int { return compareNames(a.Name, b.Name) })
	}
	dst = append(dst, '{')
	for _, m := range members {
		dst = append(appendString(separated(dst), m.Name), ':')
		if dst, ok = m.Value.appendWithin(dst, most); !ok {
			return dst, false
		}
	}
	dst = append(dst, '}')
	return dst, len(dst) <= most
}

// compareNames orders valid UTF-8 by its UTF-16 code units. That is the order
// of the bytes, except that characters beyond U+FFFF, being surrogates in
// UTF-16, come before U+E000 to U+FFFF.
func compareNames(a, b string) int {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return int(utf16Rank(a[i])) - int(utf16Rank(b[i]))
		}
	}
	return len(a) - len(b)
}

// utf16Rank moves the first bytes 0xEE and 0xEF, which start U+E000 to U+FFFF,
// behind 0xF0 to 0xF4, which start the characters beyond.
func utf16Rank(b byte) byte {
	if b == 0xEE || b == 0xEF {
		return b + 8
	}
	return b
}

// MergePatch returns target after the JSON Merge Patch (RFC 7396) patch:
// objects are merged member by member, null removes a member, and everything
// else replaces. Members keep the target's order, new ones follow. Neither
// argument changes. The result is at most as deep as the deeper argument.
func MergePatch(target, patch Value) Value {
	text := make([]byte, 0, len(target.text)+len(patch.text))
	return valueOf(string(appendMerged(text, target, patch)))
}

// appendMerged appends the text of target after the patch.
func appendMerged(dst []byte, target, patch Value) []byte {
	if patch.kind != KindObject || target.kind != KindObject && !patch.removes() {
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
