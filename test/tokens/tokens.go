// Package tokens makes tokens for the tests of the whole interface.
package tokens

import (
	"orgd"
	"orgd/domain/access"
	"orgd/domain/name"
	"orgd/test/apitest"
)

// Minter makes tokens as the command line does, with the key that cfg names.
func Minter(cfg orgd.Config) func(apitest.Grant) (string, error) {
	return func(g apitest.Grant) (string, error) {
		in := orgd.TokenRequest{Subject: g.Subject, Role: access.Role(g.Role), TTL: g.TTL}
		for _, d := range g.Departments {
			n, err := name.Parse(d)
			if err != nil {
				return "", err
			}
			in.Departments = append(in.Departments, n)
		}
		token, _, err := orgd.NewToken(cfg, in)
		return token, err
	}
}
