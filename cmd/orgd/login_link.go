package main

import (
	"context"
	"errors"
	"fmt"

	"orgd"
)

// printLink prints a link that signs a browser in as the caller.
func (f serverFlag) printLink(ctx context.Context, p *process) error {
	service, to, err := f.open(p)
	if err != nil {
		return err
	}
	if !isLoopback(to.server) {
		return usageError{fmt.Errorf("--link: %s is not on this machine, and a sign-in link works only on the machine of the service", to.server)}
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
	if _, err := fmt.Fprintln(p.stdout, orgd.SignInURL(to.server, link.Code)); err != nil {
		return err
	}
	p.say("Open it in a browser on this machine: it signs you in, once, until %s.", when(link.ExpiresAt))
	return nil
}
