package operate

import (
	"context"
	"errors"
	"path/filepath"

	"orgd"
	"orgd/adapters/sqlitestore"
	"orgd/cmd/orgd/internal/config"
	"orgd/cmd/orgd/internal/terminal"
)

// Backup writes a backup of a data directory.
type Backup struct {
	File string `arg:"" help:"File to write; it must not exist."`
	config.FileFlag
	config.DirectoryFlag
}

// Help implements kong.HelpProvider.
func (Backup) Help() string {
	return `Writes one state of the database, and the keys in the data directory, to a file that only its owner may read. The service may run meanwhile; nothing is held up. The file appears when it is complete and checked, and needs free space of twice the database's size until then.

The file holds the signing key: whoever has it can make tokens. Key files elsewhere (--signing-key-file, --cursor-key-file) are not in it.

Example:

    orgd backup --data-dir ./data backup-$(date +%F).orgd`
}

// Run writes the backup.
func (c *Backup) Run(ctx context.Context, t *terminal.Terminal, given config.Given) error {
	cfg, err := loadEmbedded(given, t.Getenv)
	if err != nil {
		return err
	}
	if err := sqlitestore.Backup(ctx, cfg.DataDir(), c.File); err != nil {
		return err
	}
	t.Say("Backup of %s written to %s.", cfg.DataDir(), c.File)
	for _, key := range []string{cfg.Auth.KeyFile, cfg.CursorKeyFile} {
		if key != "" && filepath.Dir(key) != filepath.Clean(cfg.DataDir()) {
			t.Say("Not in it: the key file %s.", key)
		}
	}
	return nil
}

// loadEmbedded reads the configuration of a command that works on a data directory.
func loadEmbedded(given config.Given, getenv func(string) string) (orgd.Config, error) {
	cfg, err := config.Load(given, getenv)
	return cfg, terminal.Usage(errors.Join(err, cfg.SQLite.Validate()))
}
