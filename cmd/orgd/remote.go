package main

import (
	"errors"
	"fmt"
	"log/slog"
	"strings"

	"orgd"
	"orgd/client"
)

// serverFlag names the running service, and as whom to talk to it.
type serverFlag struct {
	Server  string `placeholder:"URL" help:"The running service (default ${server}; $$ORGD_SERVER)."`
	Profile string `placeholder:"NAME" help:"Which profile of \"orgd login\" to use (default \"default\"; $$ORGD_PROFILE)."`
}

const defaultServer = "http://127.0.0.1:8080"

// maxDocument bounds what the service answers, in bytes. The longest answers are
// documents of a whole organization and their plans.
const maxDocument = 1 << 30

// connection is where the service is, and who asks.
type connection struct {
	server  string
	setting string // which says so
	token   string
}

// connection looks in flags, in the environment and in the profile, in this
// order. A profile that is named on the command line stands above the
// environment too. A token is sent to no other service than it was stored for.
func (f serverFlag) connection(p *process) (connection, error) {
	c, err := f.given(p)
	if err != nil || c.server != "" && c.token != "" {
		return c, err
	}
	name, saved, err := f.saved(p)
	if err != nil {
		return c, err
	}
	if c.server == "" {
		c.server, c.setting = saved.Server, fmt.Sprintf("profile %q", name)
	}
	if c.server == "" {
		c.server = defaultServer
	}
	switch {
	case c.token != "":
	case saved.Token == "":
		err = errors.New("ORGD_TOKEN: is required, unless orgd login has stored a token; orgd token create makes one")
	case !sameServer(c.server, saved.Server):
		err = fmt.Errorf("%s: the token of profile %q is for %s; give another in ORGD_TOKEN, or log in with another --profile", c.setting, name, saved.Server)
	default:
		c.token = saved.Token
	}
	return c, err
}

// given is what flags and the environment say.
func (f serverFlag) given(p *process) (connection, error) {
	c := connection{server: f.Server, setting: "--server"}
	if f.Profile != "" {
		return c, nil
	}
	if c.server == "" {
		c.server, c.setting = p.getenv("ORGD_SERVER"), "ORGD_SERVER"
	}
	token, err := orgd.ReadSecret(p.getenv, "ORGD_TOKEN")
	c.token = strings.TrimSpace(token)
	return c, err
}

// name is the name of the profile, and which setting says so.
func (f serverFlag) name(p *process) (name, setting string) {
	if f.Profile != "" {
		return f.Profile, "--profile"
	}
	if name := p.getenv("ORGD_PROFILE"); name != "" {
		return name, "ORGD_PROFILE"
	}
	return defaultProfile, ""
}

// saved reads the profile. Only the one that nobody has named may be missing.
func (f serverFlag) saved(p *process) (name string, one profile, err error) {
	name, setting := f.name(p)
	store, err := p.profiles()
	if err != nil {
		if setting == "" {
			err = nil
		}
		return name, profile{}, err
	}
	one, found, err := store.profile(name)
	if err == nil && !found && setting != "" {
		err = fmt.Errorf("%s: there is no profile %q; orgd login --profile %s makes it", setting, name, name)
	}
	return name, one, err
}

// sameServer reports whether two URLs are written the same but for the end.
func sameServer(a, b string) bool { return strings.TrimRight(a, "/") == strings.TrimRight(b, "/") }

// connect returns a client of the service. It does not ask yet.
func (f serverFlag) connect(p *process) (*client.Client, error) {
	service, _, err := f.open(p)
	return service, err
}

// open is connect for whoever also wants to know where the service is.
func (f serverFlag) open(p *process) (*client.Client, connection, error) {
	c, missing := f.connection(p)
	service, err := c.client()
	if err := errors.Join(err, missing); err != nil {
		return nil, c, usageError{err}
	}
	return service, c, nil
}

func (c connection) client() (*client.Client, error) { return c.clientWith(client.Config{}) }

// waiting returns a client that shows for how long it waits.
func (c connection) waiting(g *progress) (*client.Client, error) {
	return c.clientWith(client.Config{Logger: slog.New(waits{slog.DiscardHandler, g})})
}

// clientWith returns a client that has more settings.
func (c connection) clientWith(cfg client.Config) (*client.Client, error) {
	if c.server == "" { // whose reason is told elsewhere
		return nil, nil
	}
	cfg.BaseURL, cfg.Token, cfg.MaxAnswer = c.server, client.StaticToken(c.token), maxDocument
	service, err := client.New(cfg)
	if err != nil { // the URL is all that can be wrong
		err = fmt.Errorf("%s: %q must be a URL such as %s", c.setting, c.server, defaultServer)
	}
	return service, err
}
