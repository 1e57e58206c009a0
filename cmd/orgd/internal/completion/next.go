// Package completion completes command lines for shells. Libraries that do it split lines
// at every space, and names have spaces; they compare capitals, and names are found without.
package completion

import (
	"fmt"
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
	// Typed is the beginning of such a name, or of a candidate.
	Typed string
	// Before is what stands in the same word before it, such as "--agent=".
	Before string
	// Given are the values of flags and arguments that stand on the line.
	Given map[string]string
}

// offer adds a candidate if it begins as the word does.
func (n *nextWord) offer(word, help string) {
	if strings.HasPrefix(word, n.Typed) {
		n.Candidates = append(n.Candidates, candidate{n.Before + word, help})
	}
}

// at returns what may come as the last of the words, which follow the name of the
// program. Of a line with a mistake it knows what stands before that.
func at(k *kong.Kong, words []string) (nextWord, error) {
	if len(words) == 0 {
		words = []string{""}
	}
	before, typed := words[:len(words)-1], words[len(words)-1]
	trace, err := kong.Trace(k, before)
	if err != nil {
		return nextWord{}, err
	}
	l := line{node: k.Model.Node, given: map[string]string{}, plain: slices.Contains(before, "--")}
	for _, p := range trace.Path {
		switch {
		case p.Command != nil:
			l.node = p.Command
		case p.Positional != nil:
			l.given[p.Positional.Name] = fmt.Sprint(trace.Value(p))
			l.args++
		case p.Flag != nil:
			l.given[p.Flag.Name] = fmt.Sprint(trace.Value(p))
		}
	}
	if len(before) > 0 && !l.plain {
		if flag := l.find(before[len(before)-1]); flag != nil && !flag.IsBool() {
			return l.value(flag.Value, "", typed), nil
		}
	}
	return l.last(typed), nil
}

// line is a command line up to some word.
type line struct {
	node  *kong.Node
	given map[string]string
	args  int  // how many stand there
	plain bool // after "--", when there are no more flags
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

// last returns what may come as a word that was begun.
func (l *line) last(typed string) nextWord {
	next := nextWord{Typed: typed, Given: l.given}
	if !l.plain && strings.HasPrefix(typed, "-") {
		name, value, whole := strings.Cut(typed, "=")
		if flag := l.find(name); whole && flag != nil {
			return l.value(flag.Value, name+"=", value)
		}
		for _, f := range slices.Concat(l.node.AllFlags(true)...) {
			next.offer("--"+f.Name, f.Help)
		}
		return next
	}
	for _, n := range l.node.Children {
		if !n.Hidden {
			next.offer(n.Name, n.Help)
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

// value returns what a value may be.
func (l *line) value(v *kong.Value, before, typed string) nextWord {
	next := nextWord{Wanted: wanted(v), Typed: typed, Before: before, Given: l.given}
	if v.Enum == "" {
		return next
	}
	for _, word := range v.EnumSlice() {
		if word != "" {
			next.offer(word, "")
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
