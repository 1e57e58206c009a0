package main

import (
	"context"
	"errors"
	"fmt"

	"orgd/client"
)

type logoutCmd struct {
	profileFlag
	Local bool `help:"Only forget the token; its session goes on."`
}

// Help implements kong.HelpProvider.
func (logoutCmd) Help() string {
	return `Ends the session of the profile's token at the service, so that all of its tokens stop working, and forgets the profile.

Example:

    orgd logout --profile test`
}

// Run ends the session, then forgets its token.
func (c *logoutCmd) Run(ctx context.Context, p *process) error {
	store, err := p.profiles()
	if err != nil {
		return err
	}
	name, saved, err := c.saved(p)
	if err != nil {
		return err
	}
	switch {
	case saved.Token == "":
		return fmt.Errorf("there is no profile %q", name)
	case c.Server != "" && !sameServer(c.Server, saved.Server):
		return usageError{fmt.Errorf("--server: profile %q is for %s", name, saved.Server)}
	}
	if !c.Local {
		if err := p.endSession(ctx, c.Verbose, name, saved); err != nil {
			return fmt.Errorf("%w; the profile is kept; --local forgets it all the same", err)
		}
	}
	if err := store.remove(name); err != nil {
		return err
	}
	p.say("Logged out of %s (profile %q).", saved.Server, name)
	return nil
}

// endSession ends the session of a token. One that is over is no error.
func (p *process) endSession(ctx context.Context, verbose bool, name string, saved profile) error {
	to := connection{server: saved.Server, setting: fmt.Sprintf("profile %q", name), token: saved.Token, tokenOf: fmt.Sprintf("profile %q", name), verbose: verbose, within: p.within}
	p.talkTo(to)
	service, err := to.client()
	if err != nil {
		return err
	}
	err = service.Logout(ctx)
	if errors.Is(err, client.ErrUnauthorized) || errors.Is(err, client.ErrSessionRevoked) {
		return nil
	}
	return err
}
