package document

import (
	"bufio"
	"bytes"
	"errors"
	"io"

	"orgd/adapters/httpapi/internal/document/yamldoc"
	"orgd/domain/jsondoc"
	"orgd/domain/organization"
)

// splitYAML reads a document piece by piece: the members of its outermost object
// and, if the two lists are in block style, their items. A piece begins at a line whose
// indentation is that of members or items. YAML is cut between its parts; in other
// text, at least one piece is not YAML.
func splitYAML(b *Body, to *organization.Builder) error {
	s := &yamlSplitter{b: b, to: to, r: bufio.NewReaderSize(b.text.Reader(), 64<<10), indent: noItems}
	for {
		line, err := s.readLine()
		if errors.Is(err, io.EOF) {
			return s.flush()
		}
		if err == nil {
			err = s.take(line)
		}
		if err != nil {
			return err
		}
	}
}

// yamlSplitter cuts a document into pieces.
type yamlSplitter struct {
	b    *Body
	to   *organization.Builder
	r    *bufio.Reader
	line int // number of the line read last

	piece []byte
	size  int // of the piece in bytes; what is beyond [maxEntry] is not in it
	first int // line of the piece

	whole  bool   // the document is one piece
	lost   bool   // the list is refused already
	ended  bool   // after a line with three dots
	list   string // the list that the piece begins or belongs to, "" if none
	indent int    // of the list's items
}

// noItems is the indentation of the items of a list that has none yet.
const noItems = -1

// readLine returns the next line with its line break.
func (s *yamlSplitter) readLine() ([]byte, error) {
	var line []byte
	size := 0
	for {
		part, err := s.r.ReadSlice('\n')
		if size += len(part); size <= maxEntry {
			line = append(line, part...)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if len(line) > 0 && (err == nil || errors.Is(err, io.EOF)) {
			s.line++
			if size > maxEntry {
				return nil, tooLarge(s.line, size)
			}
			return line, nil
		}
		return nil, err
	}
}

func tooLarge(line, size int) error {
	return yamldoc.OnLine(errLargeEntry.With("what begins here must be at most %d bytes, it has %d", maxEntry, size), line)
}

// take adds a line to its piece.
func (s *yamlSplitter) take(line []byte) error {
	text := bytes.TrimRight(line, " \t\r\n")
	indent := len(text) - len(bytes.TrimLeft(text, " "))
	text = text[indent:]
	silent := len(text) == 0 || text[0] == '#'
	switch {
	case s.ended && !silent:
		return yamldoc.Wrong(s.line, "only one document is allowed")
	case silent && (s.ended || s.isBlank()):
		return nil
	case silent || s.whole:
		return s.add(line)
	case indent == 0 && text[0] != '\t' && !(s.list != "" && s.indent <= 0 && isItem(text)):
		return s.outermost(line, text)
	case s.isBlank():
		return s.begin(line)
	case s.list == "" || s.lost:
		return s.add(line)
	case s.indent == noItems:
		return s.firstItem(line, text, indent)
	case indent == s.indent && isItem(text):
		return s.begin(line)
	case indent > s.indent || text[0] == '\t':
		return s.add(line)
	}
	return yamldoc.Wrong(s.line, "is indented less than the items before it")
}

// outermost takes a line without indentation that is no item.
func (s *yamlSplitter) outermost(line, text []byte) error {
	switch {
	case bytes.HasPrefix(text, []byte("---")) && s.isBlank():
		if len(text) > 3 && text[3] != ' ' || len(bytes.Trim(text[3:], " ")) > 0 && bytes.TrimLeft(text[3:], " ")[0] != '#' {
			break
		}
		return nil
	case bytes.HasPrefix(text, []byte("---")):
		return yamldoc.Wrong(s.line, "only one document is allowed")
	case text[0] == '%' && s.isBlank():
		return yamldoc.Wrong(s.line, "directives are not allowed")
	case string(text) == "...":
		s.ended = true
		return s.flush()
	}
	s.whole = s.isBlank() && (text[0] == '{' || text[0] == '[')
	if err := s.begin(line); err != nil {
		return err
	}
	s.list, s.indent, s.lost = "", noItems, false
	for _, list := range []string{organization.FieldDepartments, organization.FieldAgents} {
		if rest, ok := bytes.CutPrefix(text, []byte(list+":")); ok {
			if rest = bytes.TrimLeft(rest, " "); len(rest) == 0 || rest[0] == '#' {
				s.list = list
			}
		}
	}
	return nil
}

// isBlank reports whether there were only comments so far.
func (s *yamlSplitter) isBlank() bool { return s.first == 0 }

// firstItem takes the first line of a list that is no comment.
func (s *yamlSplitter) firstItem(line, text []byte, indent int) error {
	if !isItem(text) {
		s.list = "" // it is not in block style
		return s.add(line)
	}
	s.piece, s.size = nil, 0 // the name of the list
	if s.lost = !s.to.Field(s.list, s.first); s.lost {
		return nil
	}
	s.indent = indent
	return s.begin(line)
}

func isItem(text []byte) bool { return text[0] == '-' && (len(text) == 1 || text[1] == ' ') }

// begin ends the piece and begins another one with the line.
func (s *yamlSplitter) begin(line []byte) error {
	if err := s.flush(); err != nil {
		return err
	}
	s.first = s.line
	return s.add(line)
}

func (s *yamlSplitter) add(line []byte) error {
	if s.lost {
		return nil
	}
	if s.size += len(line); s.size <= maxEntry {
		s.piece = append(s.piece, line...)
	}
	return nil
}

// flush reads the piece and adds it to the document.
func (s *yamlSplitter) flush() error {
	piece, size, where := s.piece, s.size, organization.OnLine(s.first)
	s.piece, s.size = nil, 0
	switch {
	case size > maxEntry:
		s.to.Unreadable(s.list, tooLarge(s.first, size))
		return nil
	case len(piece) == 0:
		return nil
	case s.indent != noItems:
		return s.item(piece, where)
	}
	v, err := yamldoc.Parse(piece, s.first, jsondoc.MaxDepth+2)
	if err != nil {
		s.to.Unreadable("", err)
		return nil
	}
	if v.Kind() != jsondoc.KindObject {
		return yamldoc.OnLine(organization.ErrMalformed.With("the document must be an object, not %s", v.Kind()), s.first)
	}
	for _, m := range v.Members() {
		if err := s.b.member(s.to, m.Name, m.Value, where); err != nil {
			return err
		}
	}
	return nil
}

func (s *yamlSplitter) item(piece []byte, where organization.Where) error {
	v, err := yamlItem(piece, s.first)
	switch {
	case err != nil:
		s.to.Unreadable(s.list, err)
		return nil
	case s.list == organization.FieldDepartments:
		s.to.Department(v, where)
		return nil
	}
	s.to.Agent(v, where)
	return s.b.keep(v)
}

// yamlItem reads an array of one item, which begins at a line.
func yamlItem(text []byte, line int) (jsondoc.Value, error) {
	list, err := yamldoc.Parse(text, line, jsondoc.MaxDepth+1)
	if err != nil {
		return jsondoc.Value{}, err
	}
	if len(list.Items()) != 1 {
		return jsondoc.Value{}, yamldoc.Wrong(line, "is not one item of a list")
	}
	return list.Items()[0], nil
}
