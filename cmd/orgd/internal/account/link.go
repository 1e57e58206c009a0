package account

import (
	"context"
	"errors"
	"fmt"
	"time"

	"orgd/client"
	"orgd/cmd/orgd/internal/remote"
	"orgd/cmd/orgd/internal/terminal"
	"orgd/domain/session"
)

// linkFlags say which sign-in link to make.
type linkFlags struct {
	Link        bool     `help:"Print a link that signs a browser in to the console, and store nothing." xor:"link"`
	For         string   `placeholder:"NAME" help:"With --link: for somebody else, or, with role agent, the agent with this id."`
	Role        string   `placeholder:"ROLE" help:"With --for: the role, one of ${roles}."`
	Departments []string `placeholder:"NAME" help:"With --for: departments that a department_admin manages, or of which a reporter reports, separated by commas."`
	Label       string   `placeholder:"TEXT" help:"With --for: what the session is for, as \"orgd token list\" shows it."`
	TTL         string   `name:"ttl" placeholder:"TIME" help:"With --for: how long the link can be used, 1m to 7d (default 24h)."`
}

// who returns whom a link is for, nil for the caller.
func (f *linkFlags) who() (*client.TokenInput, error) {
	switch {
	case f.For == "" && (f.Role != "" || f.Departments != nil || f.Label != "" || f.TTL != ""):
		return nil, terminal.Usagef("--role, --departments, --label and --ttl go with --for")
	case f.For == "":
		return nil, nil
	case !f.Link:
		return nil, terminal.Usagef("--for goes with --link")
	case f.Role == "":
		return nil, terminal.Usagef("--for: give --role, too")
	}
	in := &client.TokenInput{Subject: f.For, Role: client.Role(f.Role), Departments: f.Departments, Label: f.Label}
	if f.TTL == "" {
		return in, nil
	}
	ttl, err := parseTTL(f.TTL, session.FitsLinkTTL, "1m to 7d")
	if err != nil {
		return nil, terminal.Usage(err)
	}
	in.TTLSeconds = int64(ttl / time.Second)
	return in, nil
}

// printLink prints a link that signs a browser in, as the caller if who is nil.
func printLink(ctx context.Context, t *terminal.Terminal, server remote.ServerFlag, who *client.TokenInput) error {
	service, to, err := server.Open(t)
	if err != nil {
		return err
	}
	can, err := service.Capabilities(ctx)
	if err != nil {
		return err
	}
	if !can.Console {
		return errors.New("the service serves no console to sign in to: start it with orgd serve --console")
	}
	var link client.SignInLink
	name := "you"
	if who == nil {
		link, err = service.MakeSignInLink(ctx)
	} else {
		name = who.Subject
		link, err = service.MakeSignInLinkFor(ctx, *who)
	}
	if err != nil {
		return err
	}
	url, where := session.Code(link.Code).URL(to.Server), " on this machine"
	if link.URL != nil {
		url, where = *link.URL, ""
	}
	if _, err := fmt.Fprintln(t.Stdout, terminal.Visible(url)); err != nil {
		return err
	}
	t.Say("Open it in a browser%s: it signs %s in, once, until %s.", where, name, terminal.Time(link.ExpiresAt))
	return nil
}
