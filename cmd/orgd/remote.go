package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"

	"orgd"
	"orgd/client"
)

// profileFlag names the running service, or who has stored it.
type profileFlag struct {
	Server  string `placeholder:"URL" help:"The running service (default ${server}; $$ORGD_SERVER)."`
	Profile string `placeholder:"NAME" help:"Which profile of \"orgd login\" to use (default \"default\"; $$ORGD_PROFILE)."`
	verboseFlag
}

// verboseFlag asks for more than a sentence.
type verboseFlag struct {
	Verbose bool `short:"v" help:"Say which service and token are used and why, and all that is known of an error."`
}

// serverFlag names the running service, and as whom to talk to it.
type serverFlag struct {
	profileFlag
	Token string `placeholder:"TOKEN" help:"Who asks (default of the profile, or found in the data directory; $$ORGD_TOKEN). Others may see it in the list of processes: prefer \"orgd login\"."`
}

const (
	defaultServer = "http://127.0.0.1:8080"
	// byDefault is the setting of what nothing else says.
	byDefault = "the default"
)

// maxDocument bounds what the service answers, in bytes. The longest answers are
// documents of a whole organization and their plans.
const maxDocument = 1 << 30

// connection is where the service is, and who asks.
type connection struct {
	server  string
	setting string // which says so
	token   string
	tokenOf string // where the token comes from
	profile string // whose token it is, or ""
	found   bool   // the token is of a data directory that nobody has named
	missing error  // why there is no token
	verbose bool
	p       *process
}

// connection looks in flags, in the environment, in the profile and in the data
// directory, in this order. A profile that is named on the command line stands
// above the environment too. A token is sent to no other service than it was
// stored for.
func (f serverFlag) connection(p *process) (connection, error) {
	c, err := f.given(p)
	if err != nil || c.server != "" && c.token != "" {
		return c, err
	}
	name, saved, err := f.saved(p)
	if err != nil {
		return c, err
	}
	named := fmt.Sprintf("profile %q", name)
	if c.server == "" {
		c.server, c.setting = saved.Server, named
	}
	_, chosen := f.name(p)
	dir, here := p.servedHere()
	switch {
	case c.server == "" && here != "":
		c.server, c.setting = here, "the directory "+dir
	case c.server == "":
		c.server, c.setting = defaultServer, byDefault
	case c.setting == named && chosen == "" && here != "" && !sameListener(c.server, here):
		p.say("orgd: %s is asked (%s), not the service of %s; orgd logout ends that", c.server, named, dir)
	}
	switch {
	case c.token != "":
	case saved.Token != "" && sameServer(c.server, saved.Server):
		c.token, c.tokenOf, c.profile = saved.Token, named, name
	default:
		c.find(p, chosen == "")
		if c.token == "" && saved.Token != "" {
			err = fmt.Errorf("%s: the token of profile %q is for %s; give another in ORGD_TOKEN, or log in with another --profile", c.setting, name, saved.Server)
		}
	}
	return c, err
}

// find takes the token of a data directory, if it may look there, or says why
// there is none.
func (c *connection) find(p *process, mayLook bool) {
	if !mayLook || !isLoopback(c.server) {
		c.missing = usageError{fmt.Errorf(`there is no token for %s: store one with "orgd login", or give it in ORGD_TOKEN`, c.server)}
		return
	}
	var err error
	c.token, c.tokenOf, err = p.foundToken(c.server)
	c.found = err == nil
	if err != nil {
		c.missing = usageError{fmt.Errorf(`there is no token for %s: %w; call this in the directory of "orgd serve", or store a token with "orgd login"`, c.server, err)}
	}
}

// given is what flags and the environment say.
func (f serverFlag) given(p *process) (connection, error) {
	c := connection{server: f.Server, setting: "--server", token: f.Token, tokenOf: "--token", verbose: f.Verbose, p: p}
	if f.Profile != "" {
		return c, nil
	}
	if c.server == "" {
		c.server, c.setting = p.getenv("ORGD_SERVER"), "ORGD_SERVER"
	}
	if c.token != "" {
		return c, nil
	}
	token, err := orgd.ReadSecret(p.getenv, "ORGD_TOKEN")
	c.token, c.tokenOf = strings.TrimSpace(token), "ORGD_TOKEN"
	if p.getenv("ORGD_TOKEN") == "" {
		c.tokenOf = "ORGD_TOKEN_FILE"
	}
	return c, err
}

// name is the name of the profile, and which setting says so.
func (f profileFlag) name(p *process) (name, setting string) {
	if f.Profile != "" {
		return f.Profile, "--profile"
	}
	if name := p.getenv("ORGD_PROFILE"); name != "" {
		return name, "ORGD_PROFILE"
	}
	return defaultProfile, ""
}

// saved reads the profile. Only the one that nobody has named may be missing.
func (f profileFlag) saved(p *process) (name string, one profile, err error) {
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
	c, wrong := f.connection(p)
	service, err := c.client()
	if err := errors.Join(err, wrong); err != nil {
		return nil, c, usageError{err}
	}
	p.talkTo(c)
	return service, c, nil
}

// talkTo remembers the service for what is said later.
func (p *process) talkTo(c connection) {
	p.to = &c
	if !c.verbose {
		return
	}
	p.say("orgd: service: %s (%s)", c.server, c.setting)
	if c.token != "" {
		p.say("orgd: token: of %s", c.tokenOf)
	}
}

func (c connection) client() (*client.Client, error) { return c.clientWith(client.Config{}) }

// waiting returns a client that shows for how long it waits.
func (c connection) waiting(g *progress) (*client.Client, error) {
	return c.clientWith(client.Config{Logger: slog.New(waits{slog.DiscardHandler, g})})
}

// clientWith returns a client that has more settings. Before its first request it
// looks whether a service answers at all.
func (c connection) clientWith(cfg client.Config) (*client.Client, error) {
	if c.server == "" { // whose reason is told elsewhere
		return nil, nil
	}
	var first sync.Mutex
	reached := false
	cfg.BaseURL, cfg.MaxAnswer = c.server, maxDocument
	cfg.Token = func(ctx context.Context) (string, error) {
		first.Lock()
		defer first.Unlock()
		if !reached {
			if err := c.reach(ctx); err != nil {
				return "", err
			}
			reached = true
		}
		return c.token, c.missing
	}
	service, err := client.New(cfg)
	if err != nil { // the URL is all that can be wrong
		err = fmt.Errorf("%s: %q must be a URL such as %s", c.setting, c.server, defaultServer)
	}
	return service, err
}
