package search

import "unicode/utf8"

const (
	// MaxMatches is how many matches of an agent are shown.
	MaxMatches = 3
	// MaxExcerpt bounds what is shown of a match, in characters.
	MaxExcerpt = 160
)

// Field is a text in which is searched.
type Field struct{ Name, Text string }

// Match is a place where a text was found.
type Match struct {
	Field string
	Line  int    // of the field, from 1 on; LF, CR and CRLF end a line
	Text  string // of the line, around the place
}

// Matches returns the first matches in some fields. What the one before shows is no other
// match.
func (t Text) Matches(fields ...Field) (found []Match) {
	for _, f := range fields {
		line, counted, covered := 1, 0, 0
		for at := 0; len(found) < MaxMatches; {
			begin, end := t.Find(f.Text[at:])
			if begin < 0 {
				break
			}
			begin, end = begin+at, end+at
			if at = end; end <= covered {
				continue
			}
			line += breaks(f.Text, counted, begin)
			from, to := around(f.Text, begin, end)
			found = append(found, Match{f.Name, line, f.Text[from:to]})
			counted, covered = begin, to // what is not all shown is another match
		}
	}
	return found
}

// breaks counts the ends of lines from one place to another.
func breaks(s string, from, to int) (n int) {
	for i := from; i < to; i++ {
		if s[i] == '\n' || s[i] == '\r' && (i+1 == len(s) || s[i+1] != '\n') {
			n++
		}
	}
	return n
}

// around returns the part of its lines that is shown of a match: all, or as much before as
// behind it, as far as there is as much.
func around(s string, begin, end int) (from, to int) {
	room := MaxExcerpt - utf8.RuneCountInString(s[begin:end])
	_, before := lineBefore(s, begin, room)
	_, behind := lineBehind(s, end, room)
	before = min(before, max(room/2, room-behind))
	from, _ = lineBefore(s, begin, before)
	to, _ = lineBehind(s, end, room-before)
	return from, to
}

// lineBefore returns where the line begins before a place, at most max characters away, and
// how many these are.
func lineBefore(s string, at, max int) (from, n int) {
	for ; n < max && at > 0 && s[at-1] != '\n' && s[at-1] != '\r'; n++ {
		at = back(s, at, 1, 0)
	}
	return at, n
}

// lineBehind returns where the line ends behind a place.
func lineBehind(s string, at, max int) (to, n int) {
	for ; n < max && at < len(s) && s[at] != '\n' && s[at] != '\r'; n++ {
		_, size := utf8.DecodeRuneInString(s[at:])
		at += size
	}
	return at, n
}
