package decimal

import (
	"strings"

	"orgd/domain/fault"
)

// ErrSyntax is returned for text that is not a number as JSON writes it.
var ErrSyntax = fault.New(fault.RequestValidation, "not a number")

// ErrRange is returned for a number whose exponent is beyond [MaxExponent].
var ErrRange = fault.New(fault.RequestValidation, "number out of range")

// Parse reads a number as JSON writes it: an optional minus, digits without
// leading zero, an optional fraction and an optional exponent, nothing else. It
// returns [ErrSyntax] or [ErrRange]. Time and space are linear in the text,
// whatever the exponent. The result may share memory with text.
func Parse(text string) (Decimal, error) {
	n, err := parse(text)
	switch {
	case err != nil:
		return "", err
	case n.sign() == 0:
		return "0", nil
	}
	if plain := text[:n.plainEnd]; plain != "" && len(plain) <= maxPlain {
		return Decimal(plain), nil
	}
	return n.normal(), nil
}

// Check returns the error of [Parse] and makes nothing.
func Check(text string) error {
	_, err := parse(text)
	return err
}

func parse(text string) (number, error) {
	n, reason := scan(text)
	if reason != "" {
		return n, ErrSyntax.With("%s is not a number: %s", quoted(text), reason)
	}
	if n.sign() != 0 && (n.exponent() > MaxExponent || n.exponent() < -MaxExponent) {
		return n, ErrRange.With("%s is out of range: the exponent must lie within ±%d", quoted(text), MaxExponent)
	}
	return n, nil
}

// scan takes text apart. The reason is empty when text is a number.
func scan(text string) (n number, reason string) {
	rest := text
	if n.neg = strings.HasPrefix(rest, "-"); n.neg {
		rest = rest[1:]
	}
	n.whole, rest = digits(rest)
	switch {
	case n.whole == "" && rest == "":
		return n, "it has no digits"
	case n.whole == "":
		return n, "it must start with a digit or a minus and a digit"
	case len(n.whole) > 1 && n.whole[0] == '0':
		return n, "it has a leading zero"
	}
	if strings.HasPrefix(rest, ".") {
		if n.frac, rest = digits(rest[1:]); n.frac == "" {
			return n, "a digit must follow the decimal point"
		}
	}
	if rest == "" {
		n.plainEnd = plainEnd(text, len(n.frac))
		n.normalize(0)
		return n, ""
	}
	exp, reason := scanExponent(rest)
	n.normalize(exp)
	return n, reason
}

// plainEnd is where the fraction's trailing zeros start, or the point if there
// is nothing else behind it.
func plainEnd(text string, frac int) int {
	if frac == 0 {
		return len(text)
	}
	return len(strings.TrimSuffix(strings.TrimRight(text, "0"), "."))
}

// scanExponent reads "e", an optional sign and digits to the end of text. A
// value far beyond MaxExponent is cut short, so it cannot overflow.
func scanExponent(text string) (exp int64, reason string) {
	if text[0] != 'e' && text[0] != 'E' {
		return 0, "it contains something that is not part of a number"
	}
	text = text[1:]
	neg := strings.HasPrefix(text, "-")
	if neg || strings.HasPrefix(text, "+") {
		text = text[1:]
	}
	ds, rest := digits(text)
	switch {
	case ds == "":
		return 0, "a digit must follow the e"
	case rest != "":
		return 0, "it contains something that is not part of a number"
	}
	for i := 0; i < len(ds) && exp < 1e15; i++ {
		exp = exp*10 + int64(ds[i]-'0')
	}
	if neg {
		exp = -exp
	}
	return exp, ""
}

// digits splits text after its leading decimal digits.
func digits(text string) (ds, rest string) {
	i := 0
	for i < len(text) && '0' <= text[i] && text[i] <= '9' {
		i++
	}
	return text[:i], text[i:]
}

// quoted is text for an error sentence, quoted and cut to a readable length.
func quoted(text string) string {
	const limit = 32
	if len(text) > limit {
		text = strings.ToValidUTF8(text[:limit], "") + "…"
	}
	return `"` + text + `"`
}
