package main

import (
	"context"
	"strings"

	"orgd/client"
	"orgd/cmd/orgd/internal/remote"
	"orgd/cmd/orgd/internal/terminal"
)

type tokenListCmd struct {
	remote.ServerFlag
	terminal.OutputFlag
}

// Help implements kong.HelpProvider.
func (tokenListCmd) Help() string {
	return `Lists the sessions that have not expired, latest first: all of them for a token of role admin, else the caller's own. A session is listed once its token was issued by the service or used for the first time. The token is that of "orgd login", or of $ORGD_TOKEN or the file that $ORGD_TOKEN_FILE names.

Example:

    export ORGD_SERVER=https://orgd.example.com ORGD_TOKEN=...
    orgd token list`
}

// Run prints the sessions on standard output.
func (c *tokenListCmd) Run(ctx context.Context, t *terminal.Terminal, service *client.Client) error {
	all, err := remote.Collect(service.Sessions(ctx, remote.Pages(0)), 0)
	if err != nil {
		return err
	}
	return c.Print(t, all, func(table *terminal.Table) {
		table.Header("SESSION", "SUBJECT", "ROLE", "ISSUED", "EXPIRES", "STATE", "DEPARTMENTS")
		for _, s := range all {
			state := "good"
			if s.RevokedAt != nil {
				state = "revoked"
			}
			table.Row(s.SID, s.Subject, string(s.Role), terminal.Time(s.IssuedAt), terminal.Time(s.ExpiresAt), state, strings.Join(s.Departments, ", "))
		}
	})
}
