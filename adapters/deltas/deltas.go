// Package deltas stores the text of a version as what differs from that of another version, its
// neighbor.
package deltas

import (
	"encoding/binary"
	"errors"

	"github.com/klauspost/compress/s2"
)

// Interval is how many versions it is from one that is packed whole to the next: those whose
// number is a multiple of it are. So the text of any takes at most so many steps.
const Interval = 16

// longest is the length from which texts are packed whole, in bytes. It bounds the memory of
// a chain, and what is a dictionary.
const longest = 64 << 10

// maxText bounds what is unpacked, in bytes. A text has about a mebibyte at most.
const maxText = 16 << 20

// A packed text begins with its form. Behind that of a difference stand the lengths of what
// the text shares with the beginning and with the end of its neighbor's, as varints. Then comes
// what lies between the two.
const (
	whole   = iota // all of the text, in the block format of S2
	plain          // a difference, as it is
	related        // a difference in the block format of S2, with what the neighbor has there as its dictionary
)

// shortest is the length from which what differs may be smaller with a dictionary, in bytes.
const shortest = 128

// Pack returns what is stored of the text of the version of a number: what differs from the
// text of its neighbor, or all of it.
func Pack(number int64, neighbor, text string) []byte {
	if number%Interval == 0 || max(len(neighbor), len(text)) > longest {
		return append([]byte{whole}, s2.Encode(nil, []byte(text))...)
	}
	start, end := shared(neighbor, text)
	form := byte(plain)
	differs := []byte(text[start : len(text)-end])
	if dict := s2.MakeDict([]byte(neighbor[start:len(neighbor)-end]), nil); dict != nil && len(differs) >= shortest {
		if encoded := dict.Encode(nil, differs); len(encoded) < len(differs) {
			form, differs = related, encoded
		}
	}
	packed := make([]byte, 1, 1+2*binary.MaxVarintLen32+len(differs))
	packed[0] = form
	packed = binary.AppendUvarint(packed, uint64(start))
	packed = binary.AppendUvarint(packed, uint64(end))
	return append(packed, differs...)
}

// ErrDamaged is a packed text that [Pack] has not made with this neighbor.
var ErrDamaged = errors.New("the text cannot be unpacked")

// Unpack returns the text that was packed with its neighbor's. It notices some damages only:
// compare the text with its hash.
func Unpack(neighbor string, packed []byte) (string, error) {
	p, err := parse(packed)
	if err != nil {
		return "", err
	}
	if p.form == whole {
		text, err := s2.Decode(nil, p.differs)
		return string(text), err
	}
	if p.start+p.end > len(neighbor) {
		return "", ErrDamaged
	}
	text := make([]byte, p.start, p.size())
	copy(text, neighbor)
	if p.form == plain {
		text = append(text, p.differs...)
	} else {
		dict := s2.MakeDict([]byte(neighbor[p.start:len(neighbor)-p.end]), nil)
		if dict == nil {
			return "", ErrDamaged
		}
		differs, err := dict.Decode(nil, p.differs)
		if err != nil {
			return "", err
		}
		text = append(text, differs...)
	}
	return string(append(text, neighbor[len(neighbor)-p.end:]...)), nil
}

// Size returns the length of a text that is packed, in bytes.
func Size(packed []byte) (int, error) {
	p, err := parse(packed)
	return p.size(), err
}

// IsWhole reports whether a packed text needs no neighbor.
func IsWhole(packed []byte) bool { return len(packed) > 0 && packed[0] == whole }

// parts are those of a packed text.
type parts struct {
	form       byte
	start, end int
	differs    []byte
	length     int // of what differs, unpacked
}

func (p parts) size() int { return p.start + p.length + p.end }

func parse(packed []byte) (p parts, err error) {
	if len(packed) == 0 || packed[0] > related {
		return p, ErrDamaged
	}
	p.form, p.differs = packed[0], packed[1:]
	if p.form != whole {
		for _, n := range []*int{&p.start, &p.end} {
			value, length := binary.Uvarint(p.differs)
			if length <= 0 || value > maxText {
				return parts{}, ErrDamaged
			}
			*n, p.differs = int(value), p.differs[length:]
		}
	}
	p.length = len(p.differs)
	if p.form != plain {
		if p.length, err = s2.DecodedLen(p.differs); err != nil {
			return parts{}, err
		}
	}
	if p.size() > maxText {
		return parts{}, ErrDamaged
	}
	return p, nil
}

// shared returns how long the beginning and the end are that two texts have in common. They
// do not overlap in either.
func shared(a, b string) (start, end int) {
	const step = 64 // which are compared at once
	n := min(len(a), len(b))
	for start+step <= n && a[start:start+step] == b[start:start+step] {
		start += step
	}
	for start < n && a[start] == b[start] {
		start++
	}
	for end+step <= n-start && a[len(a)-end-step:len(a)-end] == b[len(b)-end-step:len(b)-end] {
		end += step
	}
	for end < n-start && a[len(a)-1-end] == b[len(b)-1-end] {
		end++
	}
	return start, end
}
