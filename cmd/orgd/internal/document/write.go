package document

import (
	"fmt"
	"strings"
	"unicode"

	"orgd/domain/jsondoc"
)

// blockYAML returns a document as YAML in block style, with long texts as literal blocks: the same
// bytes for the same organization.
func blockYAML(doc []byte) ([]byte, error) {
	v, err := jsondoc.ParseStored(doc)
	if err != nil {
		return nil, fmt.Errorf("read the document: %w", err)
	}
	text := make([]byte, 0, len(doc)+len(doc)/4)
	for _, m := range v.Members() {
		text = appendMember(text, m.Name, m.Value, 0)
	}
	return text, nil
}

// step is by how much a level is indented.
const step = 2

// appendItem appends the item of an array that is indented by indent spaces,
// with its last line break.
func appendItem(dst []byte, v jsondoc.Value, indent int) []byte {
	dst = append(appendSpaces(dst, indent), '-')
	if v.Kind() != jsondoc.KindObject || len(v.Members()) == 0 {
		return appendValue(dst, v, indent)
	}
	dst = append(dst, ' ')
	for i, m := range v.Members() {
		if i > 0 {
			dst = appendSpaces(dst, indent+step)
		}
		dst = appendMember(dst, m.Name, m.Value, indent+step)
	}
	return dst
}

// maxSimpleKey is up to how many bytes a key may be written without an
// indicator; readers refuse keys of more than 1024 characters.
const maxSimpleKey = 512

// appendMember appends the member of an object behind its indentation, with its last line
// break.
func appendMember(dst []byte, name string, v jsondoc.Value, indent int) []byte {
	start := len(dst)
	dst = appendText(dst, name)
	if len(dst)-start > maxSimpleKey {
		dst = append(dst[:start], "? "...)
		dst = append(appendText(dst, name), '\n')
		dst = appendSpaces(dst, indent)
	}
	return appendValue(append(dst, ':'), v, indent)
}

// appendValue appends a value after its key or dash, which are indented by
// indent spaces.
func appendValue(dst []byte, v jsondoc.Value, indent int) []byte {
	switch {
	case v.Kind() == jsondoc.KindObject && len(v.Members()) > 0:
		dst = append(dst, '\n')
		for _, m := range v.Members() {
			dst = appendMember(appendSpaces(dst, indent+step), m.Name, m.Value, indent+step)
		}
		return dst
	case v.Kind() == jsondoc.KindArray && len(v.Items()) > 0:
		dst = append(dst, '\n')
		for _, item := range v.Items() {
			dst = appendItem(dst, item, indent+step)
		}
		return dst
	case v.Kind() == jsondoc.KindString && isLiteral(v.Text()):
		return appendLiteral(append(dst, ' '), v.Text(), indent+step)
	case v.Kind() == jsondoc.KindString:
		dst = appendText(append(dst, ' '), v.Text())
	default: // scalars, [] and {} are written as in JSON
		dst = v.Append(append(dst, ' '))
	}
	return append(dst, '\n')
}

func appendSpaces(dst []byte, n int) []byte {
	for range n {
		dst = append(dst, ' ')
	}
	return dst
}

// isLiteral reports whether s is written as a literal block: it has several
// lines, and nothing that readers of YAML treat differently.
func isLiteral(s string) bool {
	if !strings.Contains(s, "\n") || s[0] == '\n' || s[0] == ' ' || s[0] == '\t' {
		return false // readers find the indentation in the first line
	}
	for _, r := range s {
		if r != '\n' && r != '\t' && !isPrintable(r) {
			return false
		}
	}
	return true
}

// appendLiteral appends s as a literal block whose lines are indented by indent
// spaces.
func appendLiteral(dst []byte, s string, indent int) []byte {
	dst = append(dst, '|')
	text := strings.TrimRight(s, "\n")
	switch len(s) - len(text) {
	case 0:
		dst = append(dst, '-')
	case 1:
		s = text
	default:
		dst = append(dst, '+')
		s = s[:len(s)-1]
	}
	dst = append(dst, '\n')
	for line := range strings.SplitSeq(s, "\n") {
		if line != "" {
			dst = append(appendSpaces(dst, indent), line...)
		}
		dst = append(dst, '\n')
	}
	return dst
}

// appendText appends s on one line, without quotes where no reader could take
// it for something else.
func appendText(dst []byte, s string) []byte {
	if isPlain(s) {
		return append(dst, s...)
	}
	dst = append(dst, '"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			dst = append(dst, '\\', byte(r))
		case r == '\n':
			dst = append(dst, `\n`...)
		case r == '\t':
			dst = append(dst, `\t`...)
		case isPrintable(r):
			dst = append(dst, string(r)...)
		case r > 0xFFFF:
			dst = fmt.Appendf(dst, `\U%08X`, r)
		default:
			dst = fmt.Appendf(dst, `\u%04X`, r)
		}
	}
	return append(dst, '"')
}

// isPrintable reports whether r may be in YAML without an escape, for old and new
// readers alike: no control characters, no other line breaks, no byte order
// mark, no noncharacters; and none that changes the direction of the text around it.
func isPrintable(r rune) bool {
	switch {
	case r < 0x20, 0x7F <= r && r < 0xA0, r == 0x2028, r == 0x2029, r == 0xFEFF, r&0xFFFE == 0xFFFE:
		return false
	}
	return !unicode.Is(unicode.Bidi_Control, r)
}

// isPlain reports whether s needs no quotes: it begins with a letter, has
// nothing that means something in YAML, and is no word with a meaning, be it one
// that only old readers know.
func isPlain(s string) bool {
	if s == "" || len(s) > 256 || isWord(s) {
		return false
	}
	for i, r := range s {
		switch {
		case unicode.IsLetter(r):
		case i == 0:
			return false
		case unicode.IsDigit(r):
		case strings.ContainsRune("_-./()+=@%&!?'<>$^*~", r):
		case r == ' ' || r == ',' || r == ';':
			if i == len(s)-1 {
				return false
			}
		default:
			return false
		}
	}
	return true
}

func isWord(s string) bool {
	switch strings.ToLower(s) {
	case "null", "true", "false", "yes", "no", "on", "off", "y", "n":
		return true
	}
	return false
}
