package main

import (
	"context"
	"strings"

	"orgd/client"
)

type whoamiCmd struct {
	ServerFlag
	OutputFlag
}

// Help implements kong.HelpProvider.
func (whoamiCmd) Help() string {
	return `Asks the service whom the token stands for, and until when.

Examples:

    orgd whoami
    orgd whoami -o json | jq -r .role`
}

// identity is a caller and the service that knows it.
type identity struct {
	Server string `json:"server"`
	client.Caller
}

// Run prints the caller on standard output.
func (c *whoamiCmd) Run(ctx context.Context, p *Terminal) error {
	service, to, err := c.Open(p)
	if err != nil {
		return err
	}
	me, err := service.Me(ctx)
	if err != nil {
		return err
	}
	return c.Print(p, identity{to.Server, me}, func(table *Table) {
		table.Field("Server", to.Server)
		table.Field("Subject", me.Subject)
		table.Field("Role", string(me.Role))
		table.Field("Departments", strings.Join(me.Departments, ", "))
		table.Field("Session", me.SID)
		table.Field("Issued", Time(me.IssuedAt))
		table.Field("Expires", Time(me.ExpiresAt))
	})
}
