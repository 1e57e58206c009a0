package operate

import (
	"context"
	"errors"
	"fmt"

	"orgd/adapters/sqlitestore"
	"orgd/cmd/orgd/internal/config"
	"orgd/cmd/orgd/internal/terminal"
)

// Restore puts a backup into a data directory.
type Restore struct {
	File  string `arg:"" help:"Backup to restore."`
	Force bool   `help:"Replace the database and the keys in the data directory."`
	config.FileFlag
	config.DirectoryFlag
}

// Help implements kong.HelpProvider.
func (Restore) Help() string {
	return `Checks the backup completely and then puts its files into the data directory: all of them or none, also if the command is killed. Stop the service first; a directory in use is refused. A backup of an older release is migrated by the next start.

Sessions that were revoked after the backup was made are good again until they expire. If that matters, remove DIR/signing.key before the next start: it ends all sessions.

Examples:

    orgd restore --data-dir ./data backup-2026-01-31.orgd

    # over what is there
    orgd restore --force --data-dir ./data backup-2026-01-31.orgd`
}

// Run restores the backup.
func (c *Restore) Run(ctx context.Context, t *terminal.Terminal, given config.Given) error {
	cfg, err := loadEmbedded(given, t.Getenv)
	if err != nil {
		return err
	}
	log, err := newLogger(t, cfg.Log)
	if err != nil {
		return err
	}
	in := sqlitestore.Restoration{Archive: c.File, Dir: cfg.DataDir(), Force: c.Force}
	err = sqlitestore.Restore(ctx, in, log)
	if errors.Is(err, sqlitestore.ErrNotEmpty) {
		return fmt.Errorf("%w; --force replaces them", err)
	}
	if err != nil {
		return err
	}
	t.Say("Restored %s into %s.", c.File, cfg.DataDir())
	return nil
}
