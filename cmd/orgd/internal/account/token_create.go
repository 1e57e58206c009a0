package account

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"orgd"
	"orgd/client"
	"orgd/cmd/orgd/internal/config"
	"orgd/cmd/orgd/internal/remote"
	"orgd/cmd/orgd/internal/terminal"
	"orgd/domain/access"
	"orgd/domain/name"
	"orgd/domain/session"
)

// TokenCreate makes a token, with the signing key or by a running service.
type TokenCreate struct {
	Role        string   `required:"" placeholder:"ROLE" help:"What the bearer may do: ${roles}."`
	Subject     string   `required:"" placeholder:"NAME" help:"Who the bearer is; for role agent the agent's id."`
	TTL         string   `name:"ttl" placeholder:"TIME" default:"12h" help:"How long the token is good, up to 30d (default ${default})."`
	Departments []string `placeholder:"NAME" help:"Departments that a department_admin manages, or of which a reporter reports, separated by commas."`
	Label       string   `placeholder:"TEXT" help:"What the token is for, as \"orgd token list\" shows it."`
	Server      string   `placeholder:"URL" help:"Have this running service make the token; the caller is found as by other commands."`
	Profile     string   `placeholder:"NAME" help:"Have the service of this profile of \"orgd login\" make it."`
	config.FileFlag
	config.DirectoryFlag
	kong.Plugins // signing key, issuer and audience
}

// Help implements kong.HelpProvider.
func (TokenCreate) Help() string {
	return `Prints nothing but the token on standard output. Only the signing key is needed, so this works while the service runs, and before its first start if the data directory exists. Where the key is not, --server or --profile has a running service make the token, for who has one of role admin there. Whoever can read the key can make tokens: keep the directory private.

The token stops working when its time is over or its session is revoked; see "orgd token revoke".

Examples:

    # a token in a variable
    export ORGD_TOKEN=$(orgd token create --data-dir ./data --role admin --subject ann)

    # for an hour, for two departments
    orgd token create --data-dir ./data --role department_admin --subject bob \
      --departments Design,Research --ttl 1h

    # for a program, with what it does
    orgd token create --data-dir ./data --role viewer --subject ci --label "nightly reports"

    # for an agent that reports its own activity
    orgd token create --data-dir ./data --role agent --subject 0198c3f2-1c7e-7d4b-9a51-0a3f5e8b2c6d

    # by a service elsewhere
    orgd token create --server https://orgd.example.com --role viewer --subject ci

    # where replicas share a key file
    orgd token create --signing-key-file /run/secrets/signing.key --role editor --subject ci`
}

// Run prints a token.
func (c *TokenCreate) Run(ctx context.Context, t *terminal.Terminal, given config.Given) error {
	in, mistakes := c.request()
	create := c.here
	if c.Server != "" || c.Profile != "" {
		create = c.elsewhere
	}
	issued, err := create(ctx, t, given, in, mistakes)
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintln(t.Stdout, issued.Token); err != nil {
		return err
	}
	if t.StderrIsTerminal {
		t.Say("Session %s of %s, role %s, until %s.", issued.SID, in.Subject, in.Role, issued.ExpiresAt.Format(time.RFC3339))
	}
	return nil
}

// here makes a token with the signing key.
func (c *TokenCreate) here(_ context.Context, t *terminal.Terminal, given config.Given, in orgd.TokenRequest, mistakes error) (issued client.IssuedToken, _ error) {
	cfg, err := config.Load(given, t.Getenv)
	if err = errors.Join(err, mistakes); err != nil {
		return issued, terminal.Usage(err)
	}
	token, s, err := orgd.NewToken(cfg, in)
	return client.IssuedToken{Token: token, SID: s.ID, ExpiresAt: s.ExpiresAt}, err
}

// elsewhere has a running service make it.
func (c *TokenCreate) elsewhere(ctx context.Context, t *terminal.Terminal, _ config.Given, in orgd.TokenRequest, mistakes error) (issued client.IssuedToken, _ error) {
	if mistakes != nil {
		return issued, terminal.Usage(mistakes)
	}
	at := remote.ServerFlag{ProfileFlag: remote.ProfileFlag{Server: c.Server, Profile: c.Profile}}
	service, _, err := at.Open(t)
	if err != nil {
		return issued, err
	}
	asked := client.TokenInput{
		Subject: in.Subject, Role: client.Role(in.Role), Departments: c.Departments, Label: in.Label, TTLSeconds: int64(in.TTL / time.Second),
	}
	return service.IssueToken(ctx, asked)
}

// request reads the flags and reports every mistake in them.
func (c *TokenCreate) request() (in orgd.TokenRequest, err error) {
	var errs []error
	flag := func(name string, err error) {
		if err != nil {
			rule := strings.TrimPrefix(err.Error(), name+": ")
			errs = append(errs, fmt.Errorf("--%s: %s", name, rule))
		}
	}
	in.Role, err = access.ParseRole(c.Role)
	flag("role", err)
	in.Subject, err = session.ParseOwnSubject(c.Subject)
	flag("subject", err)
	if in.Role == access.Agent && !name.IsUUID(in.Subject) {
		errs = append(errs, errors.New("--subject: a token of role agent needs the id of an agent"))
	}
	for _, text := range c.Departments {
		n, err := name.Parse(text)
		flag("departments", err)
		in.Departments = append(in.Departments, n)
	}
	if len(in.Departments) > session.MaxDepartments {
		flag("departments", session.ErrDepartments)
	}
	if c.Label != "" {
		in.Label, err = session.ParseLabel(c.Label)
		flag("label", err)
	}
	in.TTL, err = parseTTL(c.TTL, session.FitsTTL, "1s to 30d")
	return in, errors.Join(append(errs, err)...)
}

// parseTTL reads the flag --ttl, which has to fit into bounds.
func parseTTL(text string, fits func(time.Duration) bool, bounds string) (time.Duration, error) {
	ttl, err := terminal.ParseDuration(text)
	if err == nil && !fits(ttl) {
		err = fmt.Errorf("%s must be whole seconds, %s", text, bounds)
	}
	if err != nil {
		return 0, fmt.Errorf("--ttl: %w", err)
	}
	return ttl, nil
}
