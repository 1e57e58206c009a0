// Package yamldoc reads and writes JSON documents as YAML 1.2 under its core
// schema. What it reads means one thing only: no anchors, aliases, tags, merge
// keys or duplicate keys, and nothing that JSON has no value for. What it writes
// is block style, the same bytes for the same value.
package yamldoc

import "orgd/domain/fault"

// ErrSyntax is returned for text that is not YAML, or is YAML that does not
// stand for one JSON value. Its occurrences say the line.
var ErrSyntax = fault.New(fault.RequestValidation, "invalid YAML")

// MediaType is the media type of YAML (RFC 9512).
const MediaType = "application/yaml"

// Wrong is [ErrSyntax] for a line.
func Wrong(line int, format string, args ...any) error {
	return OnLine(ErrSyntax.With(format, args...), line)
}

// OnLine returns an error whose message begins with its line.
func OnLine(err *fault.Error, line int) error {
	what := []fault.Mistake{{Text: err.Msg, Line: line}}
	return err.With("line %d: %s", line, err.Msg).WithMistakes(what)
}
