package jsondoc

import (
	"encoding/hex"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// meanings has what each letter behind a backslash stands for, and letters the letter
// of each character that must be escaped and has one.
var (
	meanings = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}
	letters  = [256]byte{'"': '"', '\\': '\\', '\b': 'b', '\f': 'f', '\n': 'n', '\r': 'r', '\t': 't'}
)

const unitSize = len(`\u0000`)

// decodeEscape returns what the escape means that text begins with, and how many
// bytes it has, 0 if it is wrong.
func decodeEscape(text string) (meaning rune, size int) {
	switch {
	case len(text) < len(`\n`):
		return 0, 0
	case text[1] == 'u':
		return decodeUnicode(text)
	}
	if meaning = rune(meanings[text[1]]); meaning == 0 {
		return 0, 0
	}
	return meaning, len(`\n`)
}

// decodeUnicode is decodeEscape for \uXXXX, or two of them that make up a
// surrogate pair.
func decodeUnicode(text string) (meaning rune, size int) {
	r, ok := codeUnit(text)
	switch {
	case !ok:
		return 0, 0
	case !utf16.IsSurrogate(r):
		return r, unitSize
	}
	low, _ := codeUnit(text[unitSize:]) // 0 makes no pair
	if r = utf16.DecodeRune(r, low); r == utf8.RuneError {
		return 0, 0
	}
	return r, 2 * unitSize
}

// codeUnit reads the \uXXXX that text begins with. Without one, unit is 0.
func codeUnit(text string) (unit rune, ok bool) {
	if len(text) < unitSize || text[:2] != `\u` {
		return 0, false
	}
	var b [2]byte
	if _, err := hex.Decode(b[:], []byte(text[2:unitSize])); err != nil {
		return 0, false // and not what Decode has read before the error
	}
	return rune(b[0])<<8 | rune(b[1]), true
}

// cutEscape returns what stands in checked text before and behind its first
// escape, and what that one means. found is false if there is none.
func cutEscape(text string) (before string, meaning rune, behind string, found bool) {
	i := strings.IndexByte(text, '\\')
	if i < 0 {
		return text, 0, "", false
	}
	meaning, size := decodeEscape(text[i:])
	return text[:i], meaning, text[i+size:], true
}

// stringEnd returns the place behind the string that begins at a place, and
// whether it has escapes.
func stringEnd(text string, at int) (end int, escaped bool) {
	begin := at + 1
	for end = begin; ; end++ {
		n := strings.IndexByte(text[end:], '"')
		if n < 0 {
			return len(text), true // which does not happen
		}
		if end += n; !isEscaped(text[begin:end]) {
			return end + 1, strings.IndexByte(text[begin:end], '\\') >= 0
		}
	}
}

// isEscaped reports whether what stands behind a text is escaped: an odd number of
// backslashes ends it.
func isEscaped(before string) bool {
	return (len(before)-len(strings.TrimRight(before, `\`)))%2 == 1
}

// unquote returns what a string with its quotes means. It is copied only if it
// has escapes.
func unquote(text string) string {
	if strings.IndexByte(text, '\\') >= 0 {
		return unescape(text)
	}
	return text[1 : len(text)-1]
}

// unescape is unquote for a string that has escapes.
func unescape(text string) string {
	var short [64]byte
	if len(text) <= len(short) {
		return string(appendUnescaped(short[:0], text))
	}
	text = text[1 : len(text)-1]
	var b strings.Builder
	b.Grow(len(text)) // escapes are longer than what they mean
	for {
		before, meaning, behind, found := cutEscape(text)
		b.WriteString(before)
		if !found {
			return b.String()
		}
		b.WriteRune(meaning)
		text = behind
	}
}

// appendUnescaped appends what unescape returns.
func appendUnescaped(dst []byte, text string) []byte {
	text = text[1 : len(text)-1]
	for {
		before, meaning, behind, found := cutEscape(text)
		dst = append(dst, before...)
		if !found {
			return dst
		}
		dst, text = utf8.AppendRune(dst, meaning), behind
	}
}

// means reports whether the string that text begins with, behind its opening
// quote, means s. It looks no further than it has to.
func means(text, s string) bool {
	for {
		switch c := text[0]; {
		case c == '"':
			return s == ""
		case c == '\\':
			meaning, size := decodeEscape(text)
			r, n := utf8.DecodeRuneInString(s)
			if r != meaning || n != utf8.RuneLen(r) {
				return false
			}
			text, s = text[size:], s[n:]
		case s == "" || s[0] != c:
			return false
		default:
			text, s = text[1:], s[1:]
		}
	}
}

// appendString appends s as a JSON string, escaping only what must be. Bytes
// that are no UTF-8 become U+FFFD, so that the result is always valid.
func appendString(dst []byte, s string) []byte {
	if !utf8.ValidString(s) {
		s = string([]rune(s)) // each byte that is wrong becomes U+FFFD
	}
	dst = append(dst, '"')
	start := 0 // of what was not appended yet
	for i := range len(s) {
		if c := s[i]; c < ' ' || c == '"' || c == '\\' {
			dst = appendEscape(append(dst, s[start:i]...), c)
			start = i + 1
		}
	}
	return append(append(dst, s[start:]...), '"')
}

// appendEscape appends the escape of a quote, a backslash or a control character.
func appendEscape(dst []byte, c byte) []byte {
	if letter := letters[c]; letter != 0 {
		return append(dst, '\\', letter)
	}
	return hex.AppendEncode(append(dst, `\u00`...), []byte{c})
}

func isLetter(c byte) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }
