// Package textdiff compares texts line by line, for people. How a line ends is not
// part of the line: a change of line ends is said in one sentence and hides no other.
package textdiff

import (
	"fmt"
	"strings"

	"github.com/aymanbagabas/go-udiff"
)

// Compare returns how two texts differ. lineEnds says how their line ends do, such as
// "line ends: CRLF → LF", and begins with "only" if nothing else differs. unified has
// the lines that differ, in the unified format and without carriage returns. Either is
// empty if there is no such difference.
func Compare(old, new string) (lineEnds, unified string) {
	a, b := split(old), split(new)
	edits := udiff.Lines(a.text, b.text)
	if len(edits) > 0 {
		unified = udiff.Unified("old", "new", a.text, b.text)
	}
	was, is := a.kind(), b.kind()
	if was == "" || is == "" || was == is && sameEnds(a, b, edits) {
		return "", unified
	}
	lineEnds = fmt.Sprintf("line ends: %s → %s", was, is)
	if unified == "" {
		lineEnds = "only " + lineEnds
	}
	return lineEnds, unified
}

// lines is a text, apart from how its lines end.
type lines struct {
	text string   // with LF behind each line
	ends []string // of the lines that have one
}

func split(text string) lines {
	var l lines
	var b strings.Builder
	for {
		i := strings.IndexAny(text, "\r\n")
		if i < 0 {
			b.WriteString(text)
			l.text = b.String()
			return l
		}
		end := text[i : i+1]
		if strings.HasPrefix(text[i:], "\r\n") {
			end = "\r\n"
		}
		b.WriteString(text[:i] + "\n")
		l.ends = append(l.ends, end)
		text = text[i+len(end):]
	}
}

var kinds = map[string]string{"\n": "LF", "\r\n": "CRLF", "\r": "CR"}

// kind says how lines end: LF, CRLF, CR or mixed; "" if none has an end.
func (l lines) kind() string {
	kind := ""
	for _, end := range l.ends {
		if kind == "" {
			kind = kinds[end]
		} else if kind != kinds[end] {
			return "mixed"
		}
	}
	return kind
}

// sameEnds reports whether the lines that edits leave as they are end as before.
func sameEnds(a, b lines, edits []udiff.Edit) bool {
	at, i, j := 0, 0, 0 // in a.text, a.ends, b.ends
	same := func(until int) bool {
		n := strings.Count(a.text[at:until], "\n")
		for k := range n {
			if a.ends[i+k] != b.ends[j+k] {
				return false
			}
		}
		i, j = i+n, j+n
		return true
	}
	for _, e := range edits {
		if !same(e.Start) {
			return false
		}
		i += strings.Count(a.text[e.Start:e.End], "\n")
		j += strings.Count(e.New, "\n")
		at = e.End
	}
	return same(len(a.text))
}
