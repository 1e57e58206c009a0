package client

import (
	"encoding/json"
	"fmt"
	"math/big"
	"strconv"
	"strings"
)

// Decimal is an exact number in decimal notation, such as "12.50". It is text,
// so nothing is rounded, and constants can be written as they are:
//
//	company.BudgetMonthly = "250000.00"
//
// The empty Decimal is 0. In the fields of an input it is left out instead.
type Decimal string

// maxExponent bounds the work of [Decimal.Rat].
const maxExponent = 1000

// Rat returns the number for exact calculation. The error says that d is not a
// number, or one beyond all measure.
func (d Decimal) Rat() (*big.Rat, error) {
	text := string(d)
	if d == "" {
		text = "0"
	}
	_, exponent, found := strings.Cut(strings.ToLower(text), "e")
	if found {
		if n, err := strconv.Atoi(exponent); err != nil || n > maxExponent || n < -maxExponent {
			return nil, fmt.Errorf("client: decimal %q: the exponent is out of range", text)
		}
	}
	r, ok := new(big.Rat).SetString(text)
	if !ok || !isNumber(text) {
		return nil, fmt.Errorf("client: decimal %q: is not a number", text)
	}
	return r, nil
}

// Float64 returns the nearest float64, which is inexact as these are. Text that
// is not a number is 0.
func (d Decimal) Float64() float64 {
	if !isNumber(string(d)) {
		return 0
	}
	// The text is a number here, so the only error is the range, and then f is
	// already the infinity.
	f, _ := strconv.ParseFloat(string(d), 64)
	return f
}

// MarshalJSON implements json.Marshaler. It writes a number, as it stands.
func (d Decimal) MarshalJSON() ([]byte, error) {
	if d == "" {
		return []byte("0"), nil
	}
	if !isNumber(string(d)) {
		return nil, fmt.Errorf("decimal %q: is not a number", string(d))
	}
	return []byte(d), nil
}

// UnmarshalJSON implements json.Unmarshaler. It takes a number, as it stands.
func (d *Decimal) UnmarshalJSON(text []byte) error {
	if string(text) == "null" {
		return nil // as everywhere in encoding/json
	}
	if !isNumber(string(text)) {
		return fmt.Errorf("decimal %s: is not a number", text)
	}
	*d = Decimal(text)
	return nil
}

// isNumber reports whether text is a number of JSON.
func isNumber(text string) bool {
	return text != "" && (text[0] == '-' || text[0] >= '0' && text[0] <= '9') && json.Valid([]byte(text)) && strings.TrimSpace(text) == text
}
