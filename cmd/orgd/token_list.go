package main

import (
	"context"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"
)

type tokenListCmd struct {
	serverFlag
}

// Help implements kong.HelpProvider.
func (tokenListCmd) Help() string {
	return `Lists the sessions that have not expired, latest first: all of them for a token of role admin, else the caller's own. A session is listed once its token was issued by the service or used for the first time. The token is taken from $ORGD_TOKEN or the file that $ORGD_TOKEN_FILE names.

Example:

    export ORGD_SERVER=https://orgd.example.com ORGD_TOKEN=...
    orgd token list`
}

// sessionRow is what the service says about a session.
type sessionRow struct {
	SID         string     `json:"sid"`
	Subject     string     `json:"subject"`
	Role        string     `json:"role"`
	Departments []string   `json:"departments"`
	IssuedAt    time.Time  `json:"issued_at"`
	ExpiresAt   time.Time  `json:"expires_at"`
	RevokedAt   *time.Time `json:"revoked_at"`
}

// Run prints a table on standard output.
func (c *tokenListCmd) Run(ctx context.Context, p *process) error {
	service, err := c.connect(p)
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(p.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "SESSION\tSUBJECT\tROLE\tISSUED\tEXPIRES\tSTATE\tDEPARTMENTS")
	err = service.sessions(ctx, func(s sessionRow) {
		state := "good"
		if s.RevokedAt != nil {
			state = "revoked"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", s.SID, s.Subject, s.Role,
			s.IssuedAt.Format(time.RFC3339), s.ExpiresAt.Format(time.RFC3339), state, strings.Join(s.Departments, ", "))
	})
	if err != nil {
		return err
	}
	return w.Flush()
}
