package account

import (
	"context"
	"strings"

	"orgd/client"
	"orgd/cmd/orgd/internal/remote"
	"orgd/cmd/orgd/internal/terminal"
	"orgd/domain/session"
)

// Whoami prints whom the token stands for.
type Whoami struct {
	remote.ServerFlag
	terminal.OutputFlag
}

// Help implements kong.HelpProvider.
func (Whoami) Help() string {
	return `Asks the service whom the token stands for, and until when.

Examples:

    orgd whoami
    orgd whoami -o json | jq -r .role`
}

// identity is a caller and the URL of the service.
type identity struct {
	Server string `json:"server"`
	client.Caller
}

// Run prints the caller on standard output.
func (c *Whoami) Run(ctx context.Context, t *terminal.Terminal) error {
	service, to, err := c.Open(t)
	if err != nil {
		return err
	}
	me, err := service.Me(ctx)
	if err != nil {
		return err
	}
	return c.Print(t, identity{to.Server, me}, func(table *terminal.Table) {
		label := terminal.Word(me.Label)
		table.Field("Server", to.Server)
		if name := nameOf(me); name != me.Subject {
			table.Field("Name", name)
			label = ""
		}
		table.Field("Subject", me.Subject)
		table.Field("Role", string(me.Role))
		table.Field("Departments", strings.Join(me.Departments, ", "))
		table.Field("Session", me.SID)
		table.Field("Kind", string(me.Kind))
		table.Field("Label", label)
		table.Field("Issued", terminal.Time(me.IssuedAt))
		table.Field("Expires", terminal.Time(me.ExpiresAt))
	})
}

// nameOf is what people call a caller.
func nameOf(me client.Caller) string { return session.NameOf(me.Subject, terminal.Word(me.Label)) }
