package jsondoc

import (
	"math"
	"slices"
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

func appendBool(dst []byte, b bool) []byte {
	if b {
		return append(dst, "true"...)
	}
	return append(dst, "false"...)
}

// separated appends the comma that separates a part from one before it.
func separated(dst []byte) []byte {
	if c := dst[len(dst)-1]; c == '[' || c == '{' {
		return dst
	}
	return append(dst, ',')
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
