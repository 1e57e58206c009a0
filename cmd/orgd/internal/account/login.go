// Package account has the commands about tokens, sessions and stored profiles.
package account

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"orgd/client"
	"orgd/cmd/orgd/internal/remote"
	"orgd/cmd/orgd/internal/terminal"
	"orgd/domain/session"
)

// otherWays are for who cannot sign in with an identity provider.
const otherWays = "log in with a token (orgd login --with-token); an admin makes links for browsers (orgd login --link)"

// Login stores a server and a token as a profile, or prints a sign-in link.
type Login struct {
	remote.ProfileFlag
	linkFlags
	Web       bool   `help:"Sign in with a browser on this machine, also where standard input is not a terminal." xor:"link"`
	Code      bool   `help:"Ask for a one-time code, as the console's page Access shows it, or read it from standard input." xor:"link"`
	WithToken bool   `help:"Ask for a token, or read it from standard input, also where people sign in with a browser." xor:"link"`
	TokenFile string `placeholder:"FILE" help:"Take the token from a file; - is standard input." xor:"link"`
}

// Help implements kong.HelpProvider.
func (Login) Help() string {
	return `Stores a server and a token as a profile, so that other commands need neither, in a file of the user's configuration directory that only the user can read.

On a terminal, if the service has an identity provider, a browser opens to sign in there; orgd listens on a loopback address for its answer, for ten minutes. Where there is no browser, a one-time code signs in: sign in to the console anywhere, open its page Access, and give the code from there to --code. What it gives ends when the sign-in of that browser ends. Without a provider the token is asked for, and does not appear. Where standard input is not a terminal, the token is read from it. A token is tried before it is stored.

Where commands find server and token, the first that says something: the flags --server and --profile, then ORGD_SERVER and ORGD_TOKEN (or the file that ORGD_TOKEN_FILE names), then the profile (ORGD_PROFILE, else "default"), then, for a service on this machine, admin.token in the data directory of "orgd serve" or "orgd demo". A stored token is never sent to another server than its own, and a service that only a data directory names gets the token of that directory alone: give --server or ORGD_SERVER with ORGD_TOKEN.

With --link nothing is stored: a link is printed, alone on standard output, that signs a browser in to the console, once. It is for whom the token stands for, and works for five minutes. With --for it is for somebody else, as whom its first user is signed in, for a day or --ttl; that needs a token of role admin. Unless the service has a --public-url, links are made and work on its own machine only.

Examples:

    orgd login --server https://orgd.example.com

    # on a machine without a browser
    orgd login --server https://orgd.example.com --code

    # with a token, although there is an identity provider
    orgd login --with-token

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
	service, err := to.Client(t, nil)
	if err != nil {
		return terminal.Usage(err)
	}
	to.Announce(t)
	finish := func(token string) (string, error) { return c.store(ctx, t, store, to, token) }
	provider, err := c.useProvider(ctx, t, to)
	if err != nil {
		return err
	}
	if provider {
		return signInWithBrowser(ctx, t, to, service, finish)
	}
	token := ""
	if c.Code {
		token, err = redeemCode(ctx, t, to.Server, service)
	} else {
		token, err = c.token(ctx, t, to.Server)
	}
	if err == nil {
		_, err = finish(token)
	}
	return err
}

// useProvider reports whether to sign in with the identity provider of the service.
func (c *Login) useProvider(ctx context.Context, t *terminal.Terminal, to remote.Connection) (bool, error) {
	if c.Code || c.WithToken || c.TokenFile != "" || !c.Web && !t.Interactive {
		return false, nil
	}
	found, err := to.HasProvider(ctx, t)
	if err == nil && c.Web && !found {
		err = fmt.Errorf("%s has no identity provider to sign in with: %s", to.Server, otherWays)
	}
	return found, err
}

// store tries a token and stores it as the profile. It returns who that is.
func (c *Login) store(ctx context.Context, t *terminal.Terminal, profiles remote.ProfileStore, to remote.Connection, token string) (string, error) {
	to.Token = token
	service, err := to.Client(t, nil)
	if err != nil {
		return "", err
	}
	me, err := service.Me(ctx)
	if err != nil {
		return "", fmt.Errorf("nothing is stored: %w", err)
	}
	name, _ := c.Name(t.Getenv)
	if err := profiles.Put(name, remote.Profile{Server: to.Server, Token: token}); err != nil {
		return "", err
	}
	who := fmt.Sprintf("%s, role %s", nameOf(me), me.Role)
	t.Say("Logged in to %s as %s, until %s (profile %q).", to.Server, who, terminal.Time(me.ExpiresAt), name)
	for _, variable := range []string{"ORGD_SERVER", "ORGD_TOKEN", "ORGD_TOKEN_FILE"} {
		if t.Getenv(variable) != "" {
			t.Say("%s is set and stands above the profile, unless --profile is given.", variable)
		}
	}
	return who, nil
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
func (c *Login) token(ctx context.Context, t *terminal.Terminal, server string) (string, error) {
	text, err := "", error(nil)
	if c.TokenFile != "" && c.TokenFile != "-" {
		var file []byte
		file, err = os.ReadFile(c.TokenFile)
		text = string(file)
	} else {
		text, err = readSecret(ctx, t, t.Interactive && c.TokenFile == "", fmt.Sprintf("Token for %s: ", server))
	}
	text = strings.TrimSpace(text)
	if text == "" && err == nil {
		err = terminal.Usagef("there is no token: orgd token create makes one")
	}
	return text, err
}

// redeemCode returns the token that the code of a sign-in link gives.
func redeemCode(ctx context.Context, t *terminal.Terminal, server string, service *client.Client) (string, error) {
	text, err := readSecret(ctx, t, t.Interactive, fmt.Sprintf("Code for %s, which the console shows on its page Access: ", server))
	if err != nil {
		return "", err
	}
	code := session.ReadCode(text)
	if code == "" {
		return "", terminal.Usagef("there is no code: the console shows one on its page Access")
	}
	issued, err := service.SignIn(ctx, string(code))
	if refused, ok := errors.AsType[*client.Error](err); ok && refused.Code == client.ErrUnauthorized {
		err = errors.New(refused.Detail) // no token is the cause
	}
	return issued.Token, err
}

// readSecret asks somebody at a terminal for a secret, or reads it from standard input.
func readSecret(ctx context.Context, t *terminal.Terminal, ask bool, question string) (string, error) {
	if ask {
		return t.AskSecret(ctx, question)
	}
	text, err := io.ReadAll(io.LimitReader(t.Stdin, terminal.MaxSecret))
	return string(text), err
}
