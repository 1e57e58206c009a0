package document

import (
	"bufio"
	"errors"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"orgd/domain/fault"
	"orgd/domain/jsondoc"
	"orgd/domain/organization"
)

// splitJSON reads a document part by part.
func splitJSON(b *Body, to *organization.Builder) error {
	s := &jsonScanner{r: bufio.NewReaderSize(b.text.Reader(), 64<<10)}
	if err := s.expect('{', "an object"); err != nil {
		return err
	}
	err := s.each('}', func() error { return s.member(b, to) })
	if err != nil {
		return err
	}
	if c, err := s.next(); !errors.Is(err, io.EOF) {
		return s.unexpected(c, err, "the end of the text")
	}
	return nil
}

// jsonScanner finds where the parts of a JSON text begin and end. It does not check what
// is in them.
type jsonScanner struct {
	r    *bufio.Reader
	at   jsondoc.Place // of the next byte
	text []byte        // of the value read last
	ends bool          // its end is known, so what follows can be read even if it is broken
}

// pass advances past a byte.
func (s *jsonScanner) pass(c byte) {
	s.at.Byte++
	switch {
	case c == '\n':
		s.at.Line, s.at.Column = s.at.Line+1, 0
	case utf8.RuneStart(c):
		s.at.Column++
	}
}

// where returns where the next byte is. Errors say nothing of the first line, which may
// be the only one.
func (s *jsonScanner) where() organization.Where {
	if s.at.Line == 0 {
		return organization.Where{Line: 1}
	}
	return organization.OnLine(s.at.Line + 1)
}

// member reads a member of the document.
func (s *jsonScanner) member(b *Body, to *organization.Builder) error {
	if c, err := s.next(); c != '"' {
		return s.unexpected(c, err, "a member name in double quotes")
	}
	name, err := s.value("")
	if err != nil {
		f := fault.Of(err)
		return f.With("the name of a member: %s", f.Msg).WithMistakes(f.Mistakes())
	}
	if err := s.expect(':', "a colon"); err != nil {
		return err
	}
	field := name.Text()
	c, err := s.next()
	if err != nil {
		return s.unexpected(c, err, "a value")
	}
	where := s.where()
	if c != '[' || field != organization.FieldDepartments && field != organization.FieldAgents {
		v, err := s.value(field)
		switch {
		case err == nil:
			add(to, field, v, where)
		case s.ends:
			to.Unreadable(field, err)
		default:
			return err
		}
		return nil
	}
	if !to.Field(field, where.Line) {
		if _, err := s.value(field); !s.ends {
			return err
		}
		return nil
	}
	s.skip()
	i := -1
	return s.each(']', func() error {
		i++
		return s.item(b, to, field, i)
	})
}

// add adds a member that is no list of parts. where is for errors.
func add(to *organization.Builder, field string, v jsondoc.Value, where organization.Where) {
	switch {
	case !to.Field(field, where.Line):
	case field == organization.FieldFormat:
		to.Format(v, where.Line)
	case field == organization.FieldCompany:
		to.Company(v, where)
	default:
		to.NotList(field, where.Line)
	}
}

// item reads item number i of a list.
func (s *jsonScanner) item(b *Body, to *organization.Builder, list string, i int) error {
	if c, err := s.next(); err != nil {
		return s.unexpected(c, err, "a value")
	}
	start, where := s.at.Byte, s.where()
	v, err := s.value(organization.Path(list, i))
	if err != nil && !s.ends {
		return err
	}
	if list == organization.FieldAgents {
		b.agents = append(b.agents, extent{at: start, size: len(s.text)})
	}
	switch {
	case err != nil:
		to.Unreadable(list, err)
	case list == organization.FieldDepartments:
		to.Department(v, where)
	default:
		to.Agent(v, where)
	}
	return nil
}

// each reads parts that commas separate, and the bracket after them.
func (s *jsonScanner) each(end byte, part func() error) error {
	c, err := s.next()
	if err == nil && c == end {
		s.skip()
		return nil
	}
	for {
		if err := part(); err != nil {
			return err
		}
		switch c, err = s.next(); {
		case err != nil || c != ',' && c != end:
			return s.unexpected(c, err, "a comma or "+string(end))
		case c == end:
			s.skip()
			return nil
		}
		s.skip()
	}
}

// next returns the next byte that is no white space, without reading it.
func (s *jsonScanner) next() (byte, error) {
	for {
		c, err := s.r.ReadByte()
		if err != nil {
			return 0, err
		}
		if c != ' ' && c != '\n' && c != '\t' && c != '\r' {
			return c, s.r.UnreadByte()
		}
		s.pass(c)
	}
}

// skip reads the byte that next has returned.
func (s *jsonScanner) skip() {
	_, _ = s.r.Discard(1) // it is in the buffer
	s.pass(0)             // it is no line break
}

func (s *jsonScanner) expect(want byte, what string) error {
	c, err := s.next()
	if err != nil || c != want {
		return s.unexpected(c, err, what)
	}
	s.skip()
	return nil
}

func (s *jsonScanner) unexpected(c byte, err error, what string) error {
	found := strconv.Quote(string(rune(c)))
	if errors.Is(err, io.EOF) {
		found = "the end of the text"
	} else if err != nil {
		return err
	}
	return jsondoc.SyntaxError(s.at, "expected %s, found %s", what, found)
}

// value reads the next value, whose path is for errors.
func (s *jsonScanner) value(path string) (jsondoc.Value, error) {
	begin := s.at
	if err := s.take(); err != nil {
		return jsondoc.Value{}, err
	}
	if size := s.at.Byte - begin.Byte; size > maxEntry {
		return jsondoc.Value{}, errLargeEntry.At(path, "must be at most %d bytes, it has %d", maxEntry, size).OnLine(begin.Line + 1)
	}
	v, err := jsondoc.ParseAt(s.text, begin)
	if err != nil {
		err = fault.Of(err).Below(path)
	}
	return v, err
}

// delimiters are the bytes that end a number or word.
const delimiters = ",]}: \n\t\r"

// take reads the text of the next value: to the end of its brackets and quotes, or to the
// end of the document; then s.ends is false. Of a value that is too large s.text is the
// beginning.
func (s *jsonScanner) take() error {
	s.text, s.ends = s.text[:0], false
	depth, quoted, escaped := 0, false, false
	for {
		c, err := s.r.ReadByte()
		if errors.Is(err, io.EOF) {
			return nil // whether it is complete is seen when it is parsed
		}
		if err != nil {
			return err
		}
		if depth == 0 && !quoted && strings.IndexByte(delimiters, c) >= 0 {
			s.ends = true
			return s.r.UnreadByte()
		}
		if len(s.text) < maxEntry {
			s.text = append(s.text, c)
		}
		s.pass(c)
		switch {
		case escaped:
			escaped = false
		case quoted && c == '\\':
			escaped = true
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			depth--
		}
		if depth == 0 && !quoted && (c == '"' || c == '}' || c == ']') {
			s.ends = true
			return nil
		}
	}
}
