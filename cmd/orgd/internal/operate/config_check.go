package operate

import (
	"context"
	"fmt"

	"orgd"
	"orgd/cmd/orgd/internal/config"
	"orgd/cmd/orgd/internal/terminal"
)

// ConfigCheck reports the mistakes in the configuration, or prints it.
type ConfigCheck struct {
	Offline bool `help:"Connect to nothing."`
	config.ServiceFlags
}

// Help implements kong.HelpProvider.
func (ConfigCheck) Help() string {
	return `Takes the flags of "orgd serve", reads the environment and the file as it would, and reports every mistake at once, with exit code 2. Without mistakes it prints the whole configuration as a file for --config: each setting with where it comes from, secrets masked.

MongoDB and Redis are asked whether they can be used, with exit code 1 if not. They are not changed, and a data directory is not opened. External token issuers are asked for their discovery document and their keys, and whether they know the client, its secret and its redirect address, with which people are to sign in.

Examples:

    orgd config check --config orgd.yaml

    # where the servers cannot be reached from
    orgd config check --config orgd.yaml --offline

    # begin a file with the defaults
    orgd config check > orgd.yaml`
}

// Run prints the effective configuration on standard output.
func (c *ConfigCheck) Run(ctx context.Context, t *terminal.Terminal, given config.Given) error {
	cfg, err := config.LoadValid(given, t.Getenv)
	if err != nil {
		return err
	}
	text, err := config.Describe(cfg)
	if err != nil {
		return err
	}
	if _, err = fmt.Fprint(t.Stdout, text); err != nil || c.Offline {
		return err
	}
	hints, err := orgd.Try(ctx, cfg)
	for _, hint := range hints {
		t.Say("Perhaps: %s", hint)
	}
	return err
}
