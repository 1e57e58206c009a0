package account

import (
	"context"
	"strings"

	"orgd/client"
	"orgd/cmd/orgd/internal/remote"
	"orgd/cmd/orgd/internal/terminal"
)

// TokenList lists sessions.
type TokenList struct {
	remote.ServerFlag
	terminal.ListFlag
}

// Help implements kong.HelpProvider.
func (TokenList) Help() string {
	return `Lists the sessions that have not expired, latest first: all of them for a token of role admin, else the caller's own. A session is listed once its token was issued by the service or used for the first time. When it was used last is exact to five minutes. The token is that of "orgd login", or of $ORGD_TOKEN or the file that $ORGD_TOKEN_FILE names.

Example:

    export ORGD_SERVER=https://orgd.example.com ORGD_TOKEN=...
    orgd token list`
}

// Run prints the sessions on standard output.
func (c *TokenList) Run(ctx context.Context, t *terminal.Terminal, service *client.Client) error {
	all, err := remote.Collect(service.Sessions(ctx, remote.Pages(0)), 0)
	if err != nil {
		return err
	}
	return c.Print(t, all, func(table *terminal.Table) {
		table.Header("SESSION", "SUBJECT", "ROLE", "ISSUED", "EXPIRES", "LAST USED", "STATE", "KIND", "LABEL", "DEPARTMENTS")
		for _, s := range all {
			state := "good"
			if s.RevokedAt != nil {
				state = "revoked"
			}
			table.Row(s.SID, s.Subject, string(s.Role), terminal.Time(s.IssuedAt), terminal.Time(s.ExpiresAt),
				terminal.TimeOrNone(s.LastUsedAt), state, string(s.Kind), terminal.Word(s.Label), strings.Join(s.Departments, ", "))
		}
	})
}

// TokenRevoke ends sessions.
type TokenRevoke struct {
	remote.ServerFlag
	Sessions []string `arg:"" name:"session" help:"Sessions to end, as \"orgd token list\" shows them."`
}

// Help implements kong.HelpProvider.
func (TokenRevoke) Help() string {
	return `Ends sessions: all of their tokens stop working, at once on the replica that is asked and within a second on the others. Other people's sessions need a token of role admin.

Example:

    orgd token revoke 0198c3f2-1c7e-7d4b-9a51-0a3f5e8b2c6d`
}

// Run revokes one session after the other and stops at the first failure.
func (c *TokenRevoke) Run(ctx context.Context, t *terminal.Terminal, service *client.Client) error {
	for _, sid := range c.Sessions {
		known, err := isKnown(ctx, service, sid)
		if err == nil {
			err = service.RevokeSession(ctx, sid)
		}
		if err != nil {
			return err
		}
		t.Say("Session %s is revoked.", sid)
		if !known {
			t.Say("No request has come from it so far: compare it with \"orgd token list\" if it should be in use.")
		}
	}
	return nil
}

// isKnown reports whether the service lists a session.
func isKnown(ctx context.Context, service *client.Client, sid string) (bool, error) {
	for s, err := range service.Sessions(ctx, client.PageQuery{}) {
		if err != nil || s.SID == sid {
			return err == nil, err
		}
	}
	return false, nil
}
