package main

import (
	"context"
	"strings"

	"orgd/client"
)

type whoamiCmd struct {
	serverFlag
	outputFlag
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
func (c *whoamiCmd) Run(ctx context.Context, p *process) error {
	service, to, err := c.open(p)
	if err != nil {
		return err
	}
	me, err := service.Me(ctx)
	if err != nil {
		return err
	}
	return c.print(p, identity{to.server, me}, func(t *table) {
		t.field("Server", to.server)
		t.field("Subject", me.Subject)
		t.field("Role", string(me.Role))
		t.field("Departments", strings.Join(me.Departments, ", "))
		t.field("Session", me.SID)
		t.field("Issued", when(me.IssuedAt))
		t.field("Expires", when(me.ExpiresAt))
	})
}
