package account

import (
	"context"
	"errors"
	"fmt"

	"orgd/client"
	"orgd/cmd/orgd/internal/remote"
	"orgd/cmd/orgd/internal/terminal"
)

// Logout ends the session of a profile and deletes the profile.
type Logout struct {
	remote.ProfileFlag
	Local bool `help:"Only forget the token; its session goes on."`
}

// Help implements kong.HelpProvider.
func (Logout) Help() string {
	return `Ends the session of the profile's token at the service, so that all of its tokens stop working, and forgets the profile.

Example:

    orgd logout --profile test`
}

// Run ends the session and deletes the profile.
func (c *Logout) Run(ctx context.Context, t *terminal.Terminal) error {
	store, err := remote.Profiles(t.UserDir)
	if err != nil {
		return err
	}
	name, saved, err := c.Saved(t)
	if err != nil {
		return err
	}
	switch {
	case saved.Token == "":
		return fmt.Errorf("there is no profile %q", name)
	case c.Server != "" && !remote.SameServer(c.Server, saved.Server):
		return terminal.Usagef("--server: profile %q is for %s", name, saved.Server)
	}
	if !c.Local {
		if err := endSession(ctx, t, c.Verbose, name, saved); err != nil {
			return fmt.Errorf("%w; the profile is kept; --local forgets it all the same", err)
		}
	}
	if err := store.Delete(name); err != nil {
		return err
	}
	t.Say("Logged out of %s (profile %q).", saved.Server, name)
	return nil
}

// endSession ends the session of a token. One that is over is no error.
func endSession(ctx context.Context, t *terminal.Terminal, verbose bool, name string, saved remote.Profile) error {
	setting := fmt.Sprintf("profile %q", name)
	to := remote.Connection{Server: saved.Server, Setting: setting, Token: saved.Token, TokenOf: setting, Verbose: verbose}
	to.Announce(t)
	service, err := to.Client(t, nil)
	if err != nil {
		return err
	}
	err = service.Logout(ctx)
	if errors.Is(err, client.ErrUnauthorized) || errors.Is(err, client.ErrSessionRevoked) {
		return nil
	}
	return err
}
