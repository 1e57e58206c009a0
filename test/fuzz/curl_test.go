package fuzz

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// curl writes steps as lines for a shell, with the service in $URL and the token
// of its administrator in $TOKEN. What a later step needs from an answer is taken
// from it by jq.
func curl(steps []step, token string) string {
	var b strings.Builder
	names := map[string]string{token: "$TOKEN"}
	for i, s := range steps {
		gives := map[string]string{} // place of the answer → variable
		for at, value := range s.gave {
			if _, known := names[value]; !known && mentioned(steps[i+1:], value) {
				gives[at] = fmt.Sprintf("V%d", len(names))
				names[value] = "$" + gives[at]
			}
		}
		b.WriteString(capturing(curlOf(s.request, names), gives) + "\n")
		if s.head {
			s.method = http.MethodHead
			b.WriteString(curlOf(s.request, names) + "\n")
		}
	}
	return b.String()
}

func mentioned(steps []step, value string) bool {
	return slices.ContainsFunc(steps, func(s step) bool {
		return strings.Contains(s.target, value) || strings.Contains(s.body, value) ||
			slices.ContainsFunc(s.headers, func(h header) bool { return strings.Contains(h.value, value) })
	})
}

// capturing keeps parts of an answer in variables. The request is sent once, so
// the answer goes through a file.
func capturing(command string, gives map[string]string) string {
	if len(gives) == 0 {
		return command
	}
	lines := []string{command + ` -D headers -o body`}
	for _, at := range slices.Sorted(maps.Keys(gives)) {
		if at == etag {
			lines = append(lines, fmt.Sprintf(`%s=$(sed -n 's/^ETag: "\(.*\)".*/\1/p' headers)`, gives[at]))
		} else {
			lines = append(lines, fmt.Sprintf(`%s=$(jq -r %s body)`, gives[at], quote(at, nil)))
		}
	}
	return strings.Join(lines, "\n")
}

// curlOf is one request. names are the variables in whose place values stand.
func curlOf(r request, names map[string]string) string {
	line := fmt.Sprintf("curl -sg --path-as-is -X %s", r.method)
	if r.method == http.MethodHead {
		line = "curl -sg --path-as-is -I"
	}
	line += fmt.Sprintf(` "$URL"%s`, quote(r.target, names))
	for _, h := range r.headers {
		text := h.name + ": " + h.value
		if h.value == "" {
			text = h.name + ";"
		}
		line += " -H " + quote(text, names)
	}
	switch {
	case r.body == "":
		return line
	case !slices.ContainsFunc(r.headers, func(h header) bool { return h.name == "Content-Type" }):
		line += " -H Content-Type:"
	}
	if printable(r.body) {
		return line + " --data-raw " + quote(r.body, names)
	}
	return "printf " + format(r.body, names) + " | " + line + " --data-binary @-"
}

// quote writes a text so that a shell takes it for one word of just these bytes.
// A zero byte and line feeds at the end are what no word can have.
func quote(text string, names map[string]string) string {
	if !printable(text) {
		return `"$(printf ` + format(text, names) + `)"`
	}
	return named(`'`+strings.ReplaceAll(text, `'`, `'\''`)+`'`, names)
}

// format writes any bytes as a format of printf.
func format(text string, names map[string]string) string {
	var b strings.Builder
	for i := range len(text) {
		switch c := text[i]; {
		case c == '%':
			b.WriteString("%%")
		case c < ' ' || c > '~' || c == '\\' || c == '\'':
			fmt.Fprintf(&b, `\%03o`, c)
		default:
			b.WriteByte(c)
		}
	}
	return named(`'`+b.String()+`'`, names)
}

// named puts variables in the place of values in a text between single quotes.
func named(quoted string, names map[string]string) string {
	for _, value := range longestFirst(names) {
		quoted = strings.ReplaceAll(quoted, value, `'"`+names[value]+`"'`)
	}
	return quoted
}

// printable reports whether a text can be read and pasted.
func printable(text string) bool {
	return utf8.ValidString(text) && !strings.ContainsFunc(text, func(r rune) bool { return r > unicode.MaxASCII && !unicode.IsLetter(r) || !unicode.IsPrint(r) })
}
