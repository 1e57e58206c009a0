// Package auditlog writes the audit trail as lines: to a file, which remembers how far it
// has come, or to standard output.
package auditlog

import (
	"bytes"
	"io"
)

// Lines writes whole lines. If the end of a write leaves a part of a line, the next one
// completes that line.
type Lines struct {
	out  io.Writer
	half []byte // the part of a line that was written last
}

// NewLines returns what writes lines to out.
func NewLines(out io.Writer) *Lines { return &Lines{out: out} }

// Write writes lines, each of which has its end. If it fails it returns how many bytes of
// whole lines it has written.
func (l *Lines) Write(lines []byte) (done int, err error) {
	if len(l.half) > 0 {
		if done, err = l.complete(lines); err != nil {
			return 0, err
		}
	}
	n, err := l.out.Write(lines[done:])
	if err == nil {
		return len(lines), nil
	}
	written := lines[done : done+n]
	whole := bytes.LastIndexByte(written, '\n') + 1
	l.half = bytes.Clone(written[whole:])
	return done + whole, err
}

// complete writes the rest of the line that was begun, which is one of those that are
// about to be written, or ends it. done is the length of the first line if that is the one.
func (l *Lines) complete(lines []byte) (done int, err error) {
	rest, first := []byte("\n"), true
	for line := range bytes.Lines(lines) {
		if bytes.HasPrefix(line, l.half) {
			rest = line[len(l.half):]
			if first {
				done = len(line)
			}
			break
		}
		first = false
	}
	n, err := l.out.Write(rest)
	if err != nil {
		l.half = append(l.half, rest[:n]...)
		return 0, err
	}
	l.half = nil
	return done, nil
}
