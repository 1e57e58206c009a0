package account

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"orgd"
	"orgd/cmd/orgd/internal/config"
	"orgd/cmd/orgd/internal/terminal"
	"orgd/domain/access"
	"orgd/domain/name"
	"orgd/domain/session"
)

// TokenCreate makes a token with the signing key.
type TokenCreate struct {
	Role        string   `required:"" placeholder:"ROLE" help:"What the bearer may do: ${roles}."`
	Subject     string   `required:"" placeholder:"NAME" help:"Who the bearer is; for role agent the agent's id."`
	TTL         string   `name:"ttl" placeholder:"TIME" default:"12h" help:"How long the token is good, up to 30d (default ${default})."`
	Departments []string `placeholder:"NAME" help:"Departments that a department_admin manages, or of which a reporter reports, separated by commas."`
	Label       string   `placeholder:"TEXT" help:"What the token is for, as \"orgd token list\" shows it."`
	config.FileFlag
	config.DirectoryFlag
	kong.Plugins // signing key, issuer and audience
}

// Help implements kong.HelpProvider.
func (TokenCreate) Help() string {
	return `Prints nothing but the token on standard output. Only the signing key is needed, so this works while the service runs, and before its first start if the data directory exists. Whoever can read the key can make tokens: keep the directory private.

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

    # where replicas share a key file
    orgd token create --signing-key-file /run/secrets/signing.key --role editor --subject ci`
}

// Run prints a token.
func (c *TokenCreate) Run(t *terminal.Terminal, given config.Given) error {
	cfg, err := config.Load(given, t.Getenv)
	in, mistakes := c.request()
	if err = errors.Join(err, mistakes); err != nil {
		return terminal.Usage(err)
	}
	token, s, err := orgd.NewToken(cfg, in)
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintln(t.Stdout, token); err != nil {
		return err
	}
	if t.StderrIsTerminal {
		t.Say("Session %s of %s, role %s, until %s.", s.ID, s.Subject, s.Role, s.ExpiresAt.Format(time.RFC3339))
	}
	return nil
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
