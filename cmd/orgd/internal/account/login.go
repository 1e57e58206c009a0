// Package account has the commands about tokens, sessions and stored profiles.
package account

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"orgd/cmd/orgd/internal/remote"
	"orgd/cmd/orgd/internal/terminal"
)

// Login stores a server and a token as a profile, or prints a sign-in link.
type Login struct {
	remote.ProfileFlag
	linkFlags
	TokenFile string `placeholder:"FILE" help:"Take the token from a file; - is standard input." xor:"link"`
}

// Help implements kong.HelpProvider.
func (Login) Help() string {
	return `Stores a server and a token as a profile, so that other commands need neither. The token is asked for on a terminal, where it does not appear, else it is read from standard input. It is tried before it is stored, in a file of the user's configuration directory that only the user can read.

Where commands find server and token, the first that says something: the flags --server and --profile, then ORGD_SERVER and ORGD_TOKEN (or the file that ORGD_TOKEN_FILE names), then the profile (ORGD_PROFILE, else "default"), then, for a service on this machine, admin.token in the data directory of "orgd serve" or "orgd demo". A stored token is never sent to another server than its own, and a service that only a data directory names gets the token of that directory alone: give --server or ORGD_SERVER with ORGD_TOKEN.

With --link nothing is stored: a link is printed, alone on standard output, that signs a browser in to the console, once. It is for whom the token stands for, and works for five minutes. With --for it is for somebody else, as whom its first user is signed in, for a day or --ttl; that needs a token of role admin. Unless the service has a --public-url, links are made and work on its own machine only.

Examples:

    orgd login --server https://orgd.example.com

    # without a question
    orgd token create --data-dir ./data --role admin --subject ann | orgd login

    # sign a browser in
    orgd login --link

    # let somebody else in
    orgd login --link --for kim --role department_admin --departments Support --ttl 24h

    # a second service
    orgd login --profile test --server http://127.0.0.1:8081 --token-file test.token
    orgd whoami --profile test`
}

// Run tries a token and stores it, or prints a link.
func (c *Login) Run(ctx context.Context, t *terminal.Terminal) error {
	who, err := c.who()
	if err != nil {
		return err
	}
	if c.Link {
		return printLink(ctx, t, remote.ServerFlag{ProfileFlag: c.ProfileFlag}, who)
	}
	name, _ := c.Name(t.Getenv)
	store, err := remote.Profiles(t.UserDir)
	if err != nil {
		return err
	}
	saved, _, err := store.Profile(name)
	if err != nil {
		return err
	}
	to := c.connection(t.Getenv, saved)
	if _, err := to.Client(t, nil); err != nil {
		return terminal.Usage(err)
	}
	if to.Token, err = c.token(ctx, t, to.Server); err != nil {
		return err
	}
	to.Announce(t)
	service, err := to.Client(t, nil)
	if err != nil {
		return err
	}
	me, err := service.Me(ctx)
	if err != nil {
		return fmt.Errorf("nothing is stored: %w", err)
	}
	if err := store.Put(name, remote.Profile{Server: to.Server, Token: to.Token}); err != nil {
		return err
	}
	t.Say("Logged in to %s as %s, role %s, until %s (profile %q).", to.Server, me.Subject, me.Role, terminal.Time(me.ExpiresAt), name)
	for _, variable := range []string{"ORGD_SERVER", "ORGD_TOKEN", "ORGD_TOKEN_FILE"} {
		if t.Getenv(variable) != "" {
			t.Say("%s is set and stands above the profile, unless --profile is given.", variable)
		}
	}
	return nil
}

// connection returns where to log in, without a token. By default it is the server
// of the profile.
func (c *Login) connection(getenv func(string) string, saved remote.Profile) remote.Connection {
	for _, to := range []remote.Connection{
		{Server: c.Server, Setting: "--server"},
		{Server: getenv("ORGD_SERVER"), Setting: "ORGD_SERVER"},
		{Server: saved.Server, Setting: "profile"},
	} {
		if to.Server != "" {
			to.Verbose = c.Verbose
			return to
		}
	}
	return remote.Connection{Server: remote.DefaultServer, Setting: remote.DefaultSetting, Verbose: c.Verbose}
}

// token reads the token from where it is given.
func (c *Login) token(ctx context.Context, t *terminal.Terminal, server string) (token string, err error) {
	var text []byte
	switch {
	case c.TokenFile != "" && c.TokenFile != "-":
		text, err = os.ReadFile(c.TokenFile)
		token = string(text)
	case c.TokenFile == "" && t.Interactive:
		token, err = t.AskSecret(ctx, fmt.Sprintf("Token for %s: ", server))
	default:
		text, err = io.ReadAll(io.LimitReader(t.Stdin, terminal.MaxSecret))
		token = string(text)
	}
	if token = strings.TrimSpace(token); token == "" && err == nil {
		err = terminal.Usagef("there is no token: orgd token create makes one")
	}
	return token, err
}
