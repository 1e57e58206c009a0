package fault

import (
	"fmt"
	"slices"
	"strings"
)

// Mistake is one thing that is wrong with what a client has sent.
type Mistake struct {
	// Path is the field, such as agents[3].level, "" for no single field.
	Path string
	// Text says what is wrong.
	Text string
	// Line is the line of the text, or of the entry of a list that the field is part
	// of, counted from 1; 0 if it is unknown.
	Line int
}

// String is the mistake as messages have it: the path and what is wrong.
func (m Mistake) String() string {
	if m.Path == "" {
		return m.Text
	}
	return m.Path + ": " + m.Text
}

// List is a list of words as a message has it.
func List[T ~string](words []T) string {
	texts := make([]string, len(words))
	for i, word := range words {
		texts[i] = string(word)
	}
	return strings.Join(texts, ", ")
}

// Mistakes are what the message says, one by one. If there are more than are kept, the
// last one says how many. An error that names no field has one: its message.
func (e *Error) Mistakes() []Mistake {
	if e.mistakes == nil {
		return []Mistake{{Text: e.Msg}}
	}
	return e.mistakes
}

// At returns an occurrence of e with one mistake.
func (e *Error) At(path, format string, args ...any) *Error {
	return e.Join([]Mistake{{Path: path, Text: fmt.Sprintf(format, args...)}})
}

// Join returns an occurrence of e with these mistakes, which its message names.
func (e *Error) Join(mistakes []Mistake) *Error {
	texts := make([]string, len(mistakes))
	for i, m := range mistakes {
		texts[i] = m.String()
	}
	return e.With("%s", strings.Join(texts, "; ")).WithMistakes(mistakes)
}

// WithMistakes returns an occurrence of e whose message, as it is, names these mistakes.
func (e *Error) WithMistakes(mistakes []Mistake) *Error {
	o := e.occurrence()
	o.mistakes = mistakes
	return o
}

// Below returns an occurrence of e about a part that stands at path in a larger document.
func (e *Error) Below(path string) *Error {
	mistakes := slices.Clone(e.Mistakes())
	joint := "."
	if mistakes[0].Path == "" {
		joint = ": "
	}
	for i, m := range mistakes {
		mistakes[i].Path = strings.TrimSuffix(path+"."+m.Path, ".")
	}
	return e.With("%s%s%s", path, joint, e.Msg).WithMistakes(mistakes)
}

// OnLine returns an occurrence of e whose mistakes are on this line, unless they know
// theirs.
func (e *Error) OnLine(line int) *Error {
	mistakes := slices.Clone(e.Mistakes())
	for i := range mistakes {
		if mistakes[i].Line == 0 {
			mistakes[i].Line = line
		}
	}
	return e.WithMistakes(mistakes)
}

// More is the last mistake of a list that names only some: there are n more.
func More(n int) Mistake { return Mistake{Text: fmt.Sprintf("and %d more", n)} }
