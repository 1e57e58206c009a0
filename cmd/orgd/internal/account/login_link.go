package account

import (
	"context"
	"errors"
	"fmt"

	"orgd"
	"orgd/cmd/orgd/internal/remote"
	"orgd/cmd/orgd/internal/terminal"
)

// printLink prints a link that signs a browser in as the caller.
func printLink(ctx context.Context, t *terminal.Terminal, server remote.ServerFlag) error {
	service, to, err := server.Open(t)
	if err != nil {
		return err
	}
	if !remote.IsLoopback(to.Server) {
		return terminal.Usagef("--link: %s is not on this machine, and a sign-in link works only on the machine of the service", to.Server)
	}
	can, err := service.Capabilities(ctx)
	if err != nil {
		return err
	}
	if !can.Console {
		return errors.New("the service serves no console to sign in to: start it with orgd serve --console")
	}
	link, err := service.MakeSignInLink(ctx)
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintln(t.Stdout, orgd.SignInURL(to.Server, link.Code)); err != nil {
		return err
	}
	t.Say("Open it in a browser on this machine: it signs you in, once, until %s.", terminal.Time(link.ExpiresAt))
	return nil
}
