package operate

import (
	"orgd"
	"orgd/cmd/orgd/internal/config"
	"orgd/cmd/orgd/internal/terminal"
)

// KeysCreate makes the key files that replicas share.
type KeysCreate struct {
	config.FileFlag
	SigningKeyFile string `placeholder:"FILE" help:"Key that signs and verifies tokens."`
	CursorKeyFile  string `placeholder:"FILE" help:"Key that signs the cursors of lists."`
}

// Help implements kong.HelpProvider.
func (KeysCreate) Help() string {
	return `Makes the files that replicas share, readable by their owner only. A file that exists stays as it is, so the command may run before every start. Whoever has the signing key can make tokens: keep it out of images and repositories.

The embedded store needs none of this: its keys are made with the data directory.

Example:

    orgd keys create --signing-key-file signing.key --cursor-key-file cursor.key`
}

// Run makes what is missing, and names it.
func (*KeysCreate) Run(t *terminal.Terminal, given config.Given) error {
	cfg, err := config.Load(given, t.Getenv)
	if err != nil {
		return err
	}
	if cfg.Auth.KeyFile == "" && cfg.CursorKeyFile == "" {
		return terminal.Usagef("--signing-key-file, --cursor-key-file: name the files to make")
	}
	made, err := orgd.CreateKeys(cfg)
	for _, path := range made {
		t.Say("%s was made.", path)
	}
	return err
}
