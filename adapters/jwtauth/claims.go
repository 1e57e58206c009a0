package jwtauth

import (
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"orgd/domain/name"
	"orgd/domain/session"
)

// lookup returns a claim by its name, or by the path of a nested one: "a.b" is
// the member b of the claim a. A claim of that very name comes first, because
// issuers like to use URLs as names.
func lookup(claims map[string]any, path string) any {
	if v, ok := claims[path]; ok {
		return v
	}
	head, rest, nested := strings.Cut(path, ".")
	inner, ok := claims[head].(map[string]any)
	if !nested || !ok {
		return nil
	}
	return lookup(inner, rest)
}

// textOf returns a claim's text, "" if it is none.
func textOf(v any) string {
	s, _ := v.(string)
	return s
}

// textsOf returns the texts of a claim that is one text or a list of them.
func textsOf(v any) []string {
	switch v := v.(type) {
	case string:
		return []string{v}
	case []any:
		texts := make([]string, 0, len(v))
		for _, item := range v {
			if s, ok := item.(string); ok {
				texts = append(texts, s)
			}
		}
		return texts
	}
	return nil
}

// namesOf returns the names in a claim. What cannot be the name of a department
// grants nothing, so it is left out, as is what exceeds the bound.
func namesOf(v any) []name.Name {
	var names []name.Name
	for _, text := range textsOf(v) {
		if n, err := name.Parse(text); err == nil && len(names) < session.MaxDepartments {
			names = append(names, n)
		}
	}
	return names
}

// timesOf returns iat and exp, which the rules have checked. iat is zero if the
// token has none.
func timesOf(claims jwt.MapClaims) (iat, exp time.Time, err error) {
	if d, err := claims.GetIssuedAt(); err == nil && d != nil {
		iat = d.UTC()
	}
	if d, err := claims.GetExpirationTime(); err == nil && d != nil {
		exp = d.UTC()
	}
	if !writable(exp) || !iat.IsZero() && !writable(iat) {
		return time.Time{}, time.Time{}, refuse("the token's times are out of range")
	}
	return iat, exp, nil
}

// writable reports whether t can be written with a four-digit year.
func writable(t time.Time) bool { return t.Year() >= 1970 && t.Year() <= 9999 }
