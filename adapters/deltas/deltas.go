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
// a chain, and the numbers of blocks.
const longest = 64 << 10

// maxText bounds what is unpacked, in bytes. A text has about a mebibyte at most.
const maxText = 16 << 20

// A packed text begins with its form.
const (
	whole    = iota // all of the text, in the block format of S2
	plain           // a difference
	squeezed        // a difference in the block format of S2
)

// squeezable is the length from which a difference may be smaller in the block format of S2,
// in bytes.
const squeezable = 128

// Pack returns what is stored of the text of the version of a number: what differs from the
// text of its neighbor, or all of it.
func Pack(number int64, neighbor, text string) []byte {
	if number%Interval == 0 || max(len(neighbor), len(text)) > longest {
		return append([]byte{whole}, s2.Encode(nil, []byte(text))...)
	}
	packed := append(make([]byte, 0, 64), plain)
	packed = appendDifference(packed, neighbor, text)
	if len(packed) > squeezable {
		if smaller := append([]byte{squeezed}, s2.Encode(nil, packed[1:])...); len(smaller) < len(packed) {
			return smaller
		}
	}
	return packed
}

// ErrDamaged is a packed text that [Pack] has not made with this neighbor.
var ErrDamaged = errors.New("the text cannot be unpacked")

// Unpack returns the text that was packed with its neighbor's. It notices some damages only:
// compare the text with its hash.
func Unpack(neighbor string, packed []byte) (string, error) {
	if len(packed) == 0 || packed[0] > squeezed {
		return "", ErrDamaged
	}
	form, content := packed[0], packed[1:]
	if form != plain {
		size, err := s2.DecodedLen(content)
		if err != nil {
			return "", err
		}
		if size > maxText {
			return "", ErrDamaged
		}
		if content, err = s2.Decode(nil, content); err != nil {
			return "", err
		}
	}
	if form == whole {
		return string(content), nil
	}
	return combine(neighbor, content)
}

// IsWhole reports whether a packed text needs no neighbor.
func IsWhole(packed []byte) bool { return len(packed) > 0 && packed[0] == whole }

// A difference is a sequence of steps: the length of what is new, that itself, from where the
// neighbor goes on, as the distance from where it was left, and how long. All are varints. The last
// step may have no part of the neighbor, or one without a length, up to its end.

// block is the length of the parts of the neighbor that are looked for, in bytes. What both
// texts have is found if it is twice as long.
const block = 16

// blocks has for the hash of a block one more than its number in the neighbor.
type blocks [1 << hashBits]uint16

const hashBits = 12

func (b *blocks) of(text string, at int) *uint16 {
	const multiplier = 0x9e3779b97f4a7c15 // of Fibonacci hashing: 2^64 divided by the golden ratio
	hash := (load(text, at)*multiplier ^ load(text, at+block-8)) * multiplier
	return &b[hash>>(64-hashBits)]
}

// load returns the eight bytes of a text from a place on.
func load(text string, at int) uint64 {
	t := text[at : at+8]
	return uint64(t[0]) | uint64(t[1])<<8 | uint64(t[2])<<16 | uint64(t[3])<<24 |
		uint64(t[4])<<32 | uint64(t[5])<<40 | uint64(t[6])<<48 | uint64(t[7])<<56
}

// appendDifference appends to packed what makes a text from its neighbor's.
func appendDifference(packed []byte, neighbor, text string) []byte {
	d := difference{packed: packed, neighbor: neighbor, text: text}
	begin := sharedBegin(neighbor, text)
	end := sharedEnd(neighbor[begin:], text[begin:])
	if begin > 0 {
		d.copy(0, 0, begin)
	}
	if last := len(text) - end; begin+block <= last {
		d.search(begin, last)
	}
	if end > 0 {
		d.goOn(len(neighbor)-end, len(text)-end)
	} else if d.done < len(text) {
		d.add(len(text))
	}
	return d.packed
}

// difference is one that is being made.
type difference struct {
	packed         []byte
	neighbor, text string
	left           int // in the neighbor, behind what was copied last
	done           int // of the text
}

// add appends what is new up to a place of the text.
func (d *difference) add(to int) {
	d.packed = binary.AppendUvarint(d.packed, uint64(to-d.done))
	d.packed = append(d.packed, d.text[d.done:to]...)
}

// goOn appends what is new up to a place of the text, and where the neighbor goes on there.
func (d *difference) goOn(from, to int) {
	d.add(to)
	d.packed = binary.AppendVarint(d.packed, int64(from-d.left))
}

// copy appends a step: what is new up to a place of the text, and the part of the neighbor that
// stands there.
func (d *difference) copy(from, to, length int) {
	d.goOn(from, to)
	d.packed = binary.AppendUvarint(d.packed, uint64(length))
	d.left, d.done = from+length, to+length
}

// search looks for parts of the neighbor from one place of the text to another.
func (d *difference) search(at, end int) {
	var known blocks
	for from := 0; from+block <= len(d.neighbor); from += block {
		*known.of(d.neighbor, from) = uint16(from/block + 1)
	}
	for at+block <= end {
		from := block * (int(*known.of(d.text, at)) - 1)
		if from < 0 || d.neighbor[from:from+block] != d.text[at:at+block] {
			at++
			continue
		}
		before := sharedEnd(d.neighbor[:from], d.text[d.done:at])
		length := before + block + sharedBegin(d.neighbor[from+block:], d.text[at+block:end])
		d.copy(from-before, at-before, length)
		at = d.done
	}
}

// combine makes a text from its neighbor's and a difference.
func combine(neighbor string, difference []byte) (string, error) {
	text := make([]byte, 0, len(neighbor)+len(difference))
	left := 0
	for len(difference) > 0 {
		fresh, n := binary.Uvarint(difference)
		if n <= 0 || fresh > uint64(len(difference)-n) {
			return "", ErrDamaged
		}
		text = append(text, difference[n:n+int(fresh)]...)
		if difference = difference[n+int(fresh):]; len(difference) == 0 {
			break
		}
		distance, n := binary.Varint(difference)
		from := int64(left) + distance
		if n <= 0 || from < 0 || from > int64(len(neighbor)) {
			return "", ErrDamaged
		}
		part := neighbor[from:]
		if difference = difference[n:]; len(difference) > 0 {
			length, n := binary.Uvarint(difference)
			if n <= 0 || length > uint64(len(part)) {
				return "", ErrDamaged
			}
			part, difference = part[:length], difference[n:]
		}
		if len(text)+len(part) > maxText {
			return "", ErrDamaged
		}
		left = int(from) + len(part)
		text = append(text, part...)
	}
	return string(text), nil
}

// sharedBegin returns how long the beginning is that two texts have in common.
func sharedBegin(a, b string) (length int) {
	const step = 64 // which are compared at once
	n := min(len(a), len(b))
	for length+step <= n && a[length:length+step] == b[length:length+step] {
		length += step
	}
	for length < n && a[length] == b[length] {
		length++
	}
	return length
}

// sharedEnd returns how long the end is that two texts have in common.
func sharedEnd(a, b string) (length int) {
	const step = 64 // which are compared at once
	n := min(len(a), len(b))
	for length+step <= n && a[len(a)-length-step:len(a)-length] == b[len(b)-length-step:len(b)-length] {
		length += step
	}
	for length < n && a[len(a)-1-length] == b[len(b)-1-length] {
		length++
	}
	return length
}
