package main

import (
	"context"

	"orgd/adapters/sqlitestore"
)

type migrateCmd struct {
	fileFlag
	directoryFlag
}

// Help implements kong.HelpProvider.
func (migrateCmd) Help() string {
	return `Starting the service migrates too. This command does it ahead of time and without serving, so that a failure shows before the switch to a new release. Make a backup first: an older release refuses the newer schema.

Example:

    orgd backup --data-dir ./data before.orgd && orgd migrate --data-dir ./data`
}

// Run migrates the data directory.
func (c *migrateCmd) Run(ctx context.Context, p *process) error {
	cfg, err := p.embedded()
	if err != nil {
		return err
	}
	log, err := p.logger(cfg.Log)
	if err != nil {
		return err
	}
	version, err := sqlitestore.Migrate(ctx, cfg.SQLite, log)
	if err != nil {
		return err
	}
	p.say("%s has schema version %d.", cfg.DataDir(), version)
	return nil
}
