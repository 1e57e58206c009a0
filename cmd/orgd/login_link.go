package main

import (
	"context"
	"errors"
	"fmt"

	"orgd"
)

// printLink prints a link that signs a browser in as the caller.
func printLink(ctx context.Context, p *Terminal, server ServerFlag) error {
	service, to, err := server.Open(p)
	if err != nil {
		return err
	}
	if !IsLoopback(to.Server) {
		return Usagef("--link: %s is not on this machine, and a sign-in link works only on the machine of the service", to.Server)
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
	if _, err := fmt.Fprintln(p.Stdout, orgd.SignInURL(to.Server, link.Code)); err != nil {
		return err
	}
	p.Say("Open it in a browser on this machine: it signs you in, once, until %s.", Time(link.ExpiresAt))
	return nil
}
