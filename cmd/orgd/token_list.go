package main

import (
	"context"
	"strings"
)

type tokenListCmd struct {
	serverFlag
	outputFlag
}

// Help implements kong.HelpProvider.
func (tokenListCmd) Help() string {
	return `Lists the sessions that have not expired, latest first: all of them for a token of role admin, else the caller's own. A session is listed once its token was issued by the service or used for the first time. The token is that of "orgd login", or of $ORGD_TOKEN or the file that $ORGD_TOKEN_FILE names.

Example:

    export ORGD_SERVER=https://orgd.example.com ORGD_TOKEN=...
    orgd token list`
}

// Run prints the sessions on standard output.
func (c *tokenListCmd) Run(ctx context.Context, p *process) error {
	service, err := c.connect(p)
	if err != nil {
		return err
	}
	all, err := collect(service.Sessions(ctx, pages(0)), 0)
	if err != nil {
		return err
	}
	return c.print(p, all, func(t *table) {
		t.header("SESSION", "SUBJECT", "ROLE", "ISSUED", "EXPIRES", "STATE", "DEPARTMENTS")
		for _, s := range all {
			state := "good"
			if s.RevokedAt != nil {
				state = "revoked"
			}
			t.row(s.SID, s.Subject, string(s.Role), when(s.IssuedAt), when(s.ExpiresAt), state, strings.Join(s.Departments, ", "))
		}
	})
}
