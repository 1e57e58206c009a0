// Package remote finds the service that a command talks to, and the token for it.
// It makes the client, waits for limits, and explains the client's errors.
package remote

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"strings"
	"sync"

	"orgd/client"
	"orgd/cmd/orgd/internal/config"
	"orgd/cmd/orgd/internal/terminal"
)

// ProfileFlag names the running service, or the profile that names it.
type ProfileFlag struct {
	Server  string `placeholder:"URL" help:"The running service (default ${server}; $$ORGD_SERVER)."`
	Profile string `placeholder:"NAME" help:"Which profile of \"orgd login\" to use (default \"default\"; $$ORGD_PROFILE)."`
	VerboseFlag
}

// VerboseFlag asks for details of the connection and of errors.
type VerboseFlag struct {
	Verbose bool `short:"v" help:"Say which service and token are used and why, and all that is known of an error."`
}

// ServerFlag names the running service and the token for it. A command that has
// it gets a client as an argument of its Run method.
type ServerFlag struct {
	ProfileFlag
	Token string `placeholder:"TOKEN" help:"Who asks (default of the profile, or found in the data directory; $$ORGD_TOKEN). Others may see it in the list of processes: prefer \"orgd login\"."`
}

// DefaultServer is the URL of the service if nothing names another.
const DefaultServer = "http://127.0.0.1:8080"

// DefaultSetting is the setting of DefaultServer.
const DefaultSetting = "the default"

// maxAnswer bounds an answer of the service, in bytes. The longest answers are
// documents of a whole organization and their plans.
const maxAnswer = 1 << 30

// Connection is the address of a service and a token for it.
type Connection struct {
	Server  string
	Setting string // that named the server
	Token   string
	TokenOf string // the setting or file that the token comes from
	Profile string // that the token comes from, or ""
	Verbose bool

	discovered bool  // the token is of a data directory that no setting names
	missing    error // why there is no token
}

// Open returns a client of the service and where it is. It sends no request yet.
func (f ServerFlag) Open(t *terminal.Terminal) (*client.Client, Connection, error) {
	c, wrong := f.connection(t)
	service, err := c.Client(t, nil)
	if err := errors.Join(err, wrong); err != nil {
		return nil, c, terminal.Usage(err)
	}
	c.Announce(t)
	t.Explain = func(err error) (text, detail string) {
		text, detail = c.explain(err)
		return text + didYouMean(service, err), detail
	}
	return service, c, nil
}

// ProvideClient returns a client of the service, for the Run methods of commands:
// kong calls it if one has such an argument.
func (f ServerFlag) ProvideClient(t *terminal.Terminal) (*client.Client, error) {
	service, _, err := f.Open(t)
	return service, err
}

// connection looks at flags, the environment, the profile and the data directory,
// in this order. A profile that is named on the command line precedes the
// environment. A token is only sent to the service that it was stored for, and to one
// that a data directory names only the token of that directory.
func (f ServerFlag) connection(t *terminal.Terminal) (Connection, error) {
	c, err := f.given(t.Getenv)
	if err != nil || c.Server != "" && c.Token != "" {
		return c, err
	}
	name, saved, err := f.Saved(t)
	if err != nil {
		return c, err
	}
	named := fmt.Sprintf("profile %q", name)
	if c.Server == "" {
		c.Server, c.Setting = saved.Server, named
	}
	_, chosen := f.Name(t.Getenv)
	here, wrong := servedHere(t.Getenv)
	switch {
	case c.Server != "":
		if c.Setting == named && chosen == "" && here != nil && !sameListener(c.Server, here.url) {
			t.Say("orgd: %s is asked (%s), not the service of %s; orgd logout ends that", c.Server, named, here.dir)
		}
	case wrong != nil && c.Token == "":
		return c, fmt.Errorf("%w; give --server or ORGD_SERVER", wrong)
	case here == nil, c.Token != "" && sameListener(DefaultServer, here.url):
		c.Server, c.Setting = DefaultServer, DefaultSetting
	case c.Token != "":
		return c, fmt.Errorf("the token of %s is not sent to %s, which only the directory %s names; give --server or ORGD_SERVER with it, or leave it out to use that of %s", c.TokenOf, here.url, here.dir, here.file)
	default:
		c.Server, c.Setting = here.url, "the directory "+here.dir
	}
	switch {
	case c.Token != "":
	case saved.Token != "" && SameServer(c.Server, saved.Server):
		c.Token, c.TokenOf, c.Profile = saved.Token, named, name
	default:
		c.find(t.Getenv, chosen == "")
		if c.Token == "" && saved.Token != "" {
			err = fmt.Errorf("%s: the token of profile %q is for %s; give another in ORGD_TOKEN, or log in with another --profile", c.Setting, name, saved.Server)
		}
	}
	return c, err
}

// find takes the token of a data directory, if it may look there, else it sets why
// there is none.
func (c *Connection) find(getenv func(string) string, mayLook bool) {
	if !mayLook || !IsLoopback(c.Server) {
		c.missing = terminal.Usagef(`there is no token for %s: store one with "orgd login", or give it in ORGD_TOKEN`, c.Server)
		return
	}
	at, err := servedBy(getenv, c.Server)
	if err == nil {
		c.Token, c.TokenOf, err = at.token, at.file, at.missing
	}
	c.discovered = err == nil
	if err != nil {
		c.missing = terminal.Usagef(`there is no token for %s: %w; call this in the directory of "orgd serve", or store a token with "orgd login"`, c.Server, err)
	}
}

// given returns the connection of flags and environment.
func (f ServerFlag) given(getenv func(string) string) (Connection, error) {
	c := Connection{Server: f.Server, Setting: "--server", Token: f.Token, TokenOf: "--token", Verbose: f.Verbose}
	if f.Profile != "" {
		return c, nil
	}
	if c.Server == "" {
		c.Server, c.Setting = getenv("ORGD_SERVER"), "ORGD_SERVER"
	}
	if c.Token != "" {
		return c, nil
	}
	token, err := config.ReadSecret(getenv, "ORGD_TOKEN")
	c.Token, c.TokenOf = strings.TrimSpace(token), "ORGD_TOKEN"
	if getenv("ORGD_TOKEN") == "" {
		c.TokenOf = "ORGD_TOKEN_FILE"
	}
	return c, err
}

// Name returns the name of the profile and the setting that gives it, "" for the
// default.
func (f ProfileFlag) Name(getenv func(string) string) (name, setting string) {
	if f.Profile != "" {
		return f.Profile, "--profile"
	}
	if name := getenv("ORGD_PROFILE"); name != "" {
		return name, "ORGD_PROFILE"
	}
	return defaultProfile, ""
}

// Saved reads the profile. Only the default profile may be missing.
func (f ProfileFlag) Saved(t *terminal.Terminal) (name string, one Profile, err error) {
	name, setting := f.Name(t.Getenv)
	store, err := Profiles(t.UserDir)
	if err != nil {
		if setting == "" {
			err = nil
		}
		return name, Profile{}, err
	}
	one, ok, err := store.Profile(name)
	if err == nil && !ok && setting != "" {
		err = fmt.Errorf("%s: there is no profile %q; orgd login --profile %s makes it", setting, name, name)
	}
	return name, one, err
}

// SameServer reports whether two URLs differ at most in a slash at the end.
func SameServer(a, b string) bool { return strings.TrimRight(a, "/") == strings.TrimRight(b, "/") }

// Announce makes errors that are printed from now on name this connection, and
// prints it if it is verbose.
func (c Connection) Announce(t *terminal.Terminal) {
	t.Explain, t.Verbose = c.explain, c.Verbose
	if !c.Verbose {
		return
	}
	t.Say("orgd: service: %s (%s)", c.Server, c.Setting)
	if c.Token != "" {
		t.Say("orgd: token: of %s", c.TokenOf)
	}
}

// Client returns a client of the service. Before its first request it checks that
// the service answers. If progress is not nil, it shows the pauses between the
// attempts of the client.
func (c Connection) Client(t *terminal.Terminal, progress *terminal.Progress) (*client.Client, error) {
	if c.Server == "" { // the caller reports why
		return nil, nil
	}
	cfg := client.Config{BaseURL: c.Server, MaxAnswer: maxAnswer}
	if progress != nil {
		cfg.Logger = slog.New(retryHandler{slog.DiscardHandler, progress})
	}
	var first sync.Mutex
	reached := false
	cfg.Token = func(ctx context.Context) (string, error) {
		first.Lock()
		defer first.Unlock()
		if !reached {
			if err := c.reach(ctx, t); err != nil {
				return "", err
			}
			reached = true
		}
		return c.Token, c.missing
	}
	service, err := client.New(cfg)
	if err != nil { // only the URL can be wrong
		err = fmt.Errorf("%s: %q must be a URL such as %s", c.Setting, withoutPassword(c.Server), DefaultServer)
	}
	return service, err
}

// withoutPassword returns a URL for an error.
func withoutPassword(server string) string {
	if u, err := url.Parse(server); err == nil {
		return u.Redacted()
	}
	return server
}
