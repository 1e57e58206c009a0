// Package completion completes command lines for shells.
package completion

import (
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// candidate is a word that may come next, and what it means.
type candidate struct{ Word, Help string }

// nextWord is what may come as the last word of a command line. Without candidates
// and without a wanted name, it is a file or another word of the user.
type nextWord struct {
	Candidates []candidate
	// Wanted is the kind of names that may come: agent, label, department, project,
	// webhook or profile; "" for none.
	Wanted string
	// Typed is the beginning of such a name.
	Typed string
	// Before is what stands in the same word before it, such as "--agent=".
	Before string
	// Given are the values of flags and arguments that stand on the line.
	Given map[string]string
}

// at returns what may come as the last of the words, which follow the name of the
// program.
func at(app *kong.Node, words []string) nextWord {
	if len(words) == 0 {
		words = []string{""}
	}
	l := line{node: app, given: map[string]string{}}
	for _, w := range words[:len(words)-1] {
		l.pass(w)
	}
	return l.last(words[len(words)-1])
}

// line is a command line up to some word.
type line struct {
	node  *kong.Node
	flag  *kong.Flag // whose value comes next
	given map[string]string
	args  int  // how many stand there
	plain bool // after "--", when there are no more flags
}

// pass goes on behind a word.
func (l *line) pass(word string) {
	switch {
	case l.flag != nil:
		l.given[l.flag.Name] = word
		l.flag = nil
	case word == "--":
		l.plain = true
	case !l.plain && strings.HasPrefix(word, "-"):
		name, value, whole := strings.Cut(word, "=")
		flag := l.find(name)
		switch {
		case flag == nil || flag.IsBool():
		case whole:
			l.given[flag.Name] = value
		default:
			l.flag = flag
		}
	default:
		if child := l.child(word); child != nil {
			l.node = child
		} else {
			if l.args < len(l.node.Positional) {
				l.given[l.node.Positional[l.args].Name] = word
			}
			l.args++
		}
	}
}

// find finds a flag by how it is typed.
func (l *line) find(typed string) *kong.Flag {
	for _, f := range slices.Concat(l.node.AllFlags(true)...) {
		if typed == "--"+f.Name || f.Short != 0 && typed == "-"+string(f.Short) {
			return f
		}
	}
	return nil
}

func (l *line) child(name string) *kong.Node {
	i := slices.IndexFunc(l.node.Children, func(n *kong.Node) bool { return n.Name == name || slices.Contains(n.Aliases, name) })
	if i < 0 {
		return nil
	}
	return l.node.Children[i]
}

// last returns what may come as a word that was begun.
func (l *line) last(typed string) nextWord {
	if l.flag != nil {
		return l.value(l.flag.Value, "", typed)
	}
	if !l.plain && strings.HasPrefix(typed, "-") {
		name, value, whole := strings.Cut(typed, "=")
		if flag := l.find(name); whole && flag != nil {
			return l.value(flag.Value, name+"=", value)
		}
		return l.flags(typed)
	}
	next := nextWord{Given: l.given}
	for _, n := range l.node.Children {
		if !n.Hidden && strings.HasPrefix(n.Name, typed) {
			next.Candidates = append(next.Candidates, candidate{n.Name, n.Help})
		}
	}
	if positions := l.node.Positional; len(positions) > 0 {
		at := min(l.args, len(positions)-1)
		if l.args <= at || positions[at].IsCumulative() {
			return l.value(positions[at], "", typed)
		}
	}
	return next
}

// flags are those that begin like this.
func (l *line) flags(typed string) nextWord {
	next := nextWord{Given: l.given}
	for _, f := range slices.Concat(l.node.AllFlags(true)...) {
		if word := "--" + f.Name; strings.HasPrefix(word, typed) {
			next.Candidates = append(next.Candidates, candidate{word, f.Help})
		}
	}
	return next
}

// value returns what a value may be.
func (l *line) value(v *kong.Value, before, typed string) nextWord {
	next := nextWord{Wanted: wanted(v), Typed: typed, Before: before, Given: l.given}
	if v.Enum == "" {
		return next
	}
	for _, word := range v.EnumSlice() {
		if word != "" && strings.HasPrefix(word, typed) {
			next.Candidates = append(next.Candidates, candidate{Word: before + word})
		}
	}
	return next
}

// wanted returns the kind of name that a value is.
func wanted(v *kong.Value) string {
	name := v.Name
	if v.Flag != nil && v.Flag.PlaceHolder == "AGENT" {
		name = "agent"
	}
	switch name {
	case "agent", "label", "department", "project", "webhook", "profile":
		return name
	}
	return ""
}
