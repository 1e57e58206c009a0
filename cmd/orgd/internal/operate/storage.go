package operate

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/alecthomas/kong"
	"go.uber.org/zap"

	"orgd"
	"orgd/adapters/sqlitestore"
	"orgd/cmd/orgd/internal/config"
	"orgd/cmd/orgd/internal/terminal"
)

// Check examines a data directory.
type Check struct {
	config.FileFlag
	config.DirectoryFlag
}

// Help implements kong.HelpProvider.
func (Check) Help() string {
	return `Examines the database of a data directory: its file, the references between its rows, the blocks by which the audit trail is filtered, and the text of every version of every agent, which it compares with the hash that was stored. It reads everything, and changes nothing. The service may run meanwhile; nothing is held up.

It prints what is damaged, one line each, and ends with 1 then. All that is not named can be read. The cure is "orgd restore" with the last backup that was made before.

Example:

    orgd check --data-dir ./data`
}

// errDamaged says that the lines before it name damages.
var errDamaged = errors.New("the data directory is damaged: keep it, and restore the last backup")

// Run examines the directory.
func (c *Check) Run(ctx context.Context, t *terminal.Terminal, given config.Given) error {
	cfg, err := loadEmbedded(given, t.Getenv)
	if err != nil {
		return err
	}
	found := 0
	versions, err := sqlitestore.Check(ctx, cfg.DataDir(), func(damage string) error {
		found++
		return t.Write(damage + "\n")
	})
	if found > 0 {
		err = errors.Join(err, errDamaged)
	}
	if err != nil {
		return err
	}
	t.Say("%s is intact: all %d versions of agents are as they were stored.", cfg.DataDir(), versions)
	return nil
}

// Backup writes a backup of a data directory.
type Backup struct {
	File string `arg:"" help:"File to write; it must not exist. - is standard output."`
	config.FileFlag
	config.DirectoryFlag
}

// Help implements kong.HelpProvider.
func (Backup) Help() string {
	return `Writes one state of the database, and the keys in the data directory, to a file that only its owner may read. The service may run meanwhile; nothing is held up. The file appears when it is complete and checked, and needs free space of twice the database's size until then.

The file holds the signing key: whoever has it can make tokens. Key files elsewhere (--signing-key-file, --cursor-key-file) are not in it.

Example:

    orgd backup --data-dir ./data backup-$(date +%F).orgd

    # to another machine; the backup is first written below TMPDIR
    orgd backup --data-dir ./data - | ssh backup@example.org 'cat > orgd.backup'`
}

// Run writes the backup.
func (c *Backup) Run(ctx context.Context, t *terminal.Terminal, given config.Given) error {
	cfg, err := loadEmbedded(given, t.Getenv)
	if err != nil {
		return err
	}
	to := c.File
	if c.File == terminal.StdFile {
		to, err = "standard output", pipeOut(ctx, cfg.DataDir(), t.Stdout)
	} else {
		err = sqlitestore.Backup(ctx, cfg.DataDir(), c.File)
	}
	if err != nil {
		return err
	}
	t.Say("Backup of %s written to %s.", cfg.DataDir(), to)
	for _, key := range []string{cfg.Auth.KeyFile, cfg.CursorKeyFile} {
		if key != "" && filepath.Dir(key) != filepath.Clean(cfg.DataDir()) {
			t.Say("Not in it: the key file %s.", key)
		}
	}
	return nil
}

// pipeOut writes a backup to w once it is complete and checked.
func pipeOut(ctx context.Context, dir string, w io.Writer) error {
	return inFile(func(file string) error {
		if err := sqlitestore.Backup(ctx, dir, file); err != nil {
			return err
		}
		f, err := os.Open(file)
		if err != nil {
			return err
		}
		defer f.Close() // was only read
		_, err = io.Copy(w, f)
		return err
	})
}

// pipeIn restores the backup that r has.
func pipeIn(ctx context.Context, in sqlitestore.Restoration, r io.Reader, log *zap.Logger) error {
	return inFile(func(file string) error {
		f, err := os.OpenFile(file, os.O_CREATE|os.O_WRONLY|os.O_EXCL, 0o600)
		if err != nil {
			return err
		}
		_, err = io.Copy(f, r)
		if err = errors.Join(err, f.Close()); err != nil {
			return err
		}
		in.Backup = file
		return sqlitestore.Restore(ctx, in, log)
	})
}

// inFile calls work with the name of a file in a directory that only this user may read,
// and removes it.
func inFile(work func(file string) error) (err error) {
	dir, err := os.MkdirTemp("", "orgd-backup-*")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	return work(filepath.Join(dir, "backup"))
}

// loadEmbedded reads the configuration of a command that works on a data directory.
func loadEmbedded(given config.Given, getenv func(string) string) (orgd.Config, error) {
	cfg, err := config.Load(given, getenv)
	return cfg, terminal.Usage(errors.Join(err, cfg.ValidateDirectory()))
}

// loadStorage reads the configuration of a command that works on a storage of either kind.
func loadStorage(given config.Given, getenv func(string) string) (orgd.Config, error) {
	cfg, err := config.Load(given, getenv)
	return cfg, terminal.Usage(errors.Join(err, cfg.ValidateStorage()))
}

// Restore puts a backup into a data directory.
type Restore struct {
	File  string `arg:"" help:"Backup to restore; - is standard input."`
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
	in := sqlitestore.Restoration{Backup: c.File, Dir: cfg.DataDir(), Force: c.Force}
	from := c.File
	if c.File == terminal.StdFile {
		from, err = "standard input", pipeIn(ctx, in, t.Stdin, log)
	} else {
		err = sqlitestore.Restore(ctx, in, log)
	}
	if errors.Is(err, sqlitestore.ErrNotEmpty) {
		return fmt.Errorf("%w; --force replaces them", err)
	}
	if err != nil {
		return err
	}
	t.Say("Restored %s into %s.", from, cfg.DataDir())
	return nil
}

// Migrate brings the storage to the schema of this program.
type Migrate struct {
	config.FileFlag
	config.DirectoryFlag
	Storage      string        `placeholder:"KIND" help:"sqlite or mongodb."`
	Wait         time.Duration `placeholder:"TIME" help:"How long to wait for a MongoDB that cannot be reached yet, such as 2m (default: not at all)."`
	Initiate     bool          `help:"First initiate the replica set of a new MongoDB: its members are the hosts of --mongo-uri. Does nothing if that has been done."`
	kong.Plugins               // of MongoDB
}

// migrationTime bounds the work on a MongoDB, whose indexes take as long to
// build as there is data.
const migrationTime = time.Hour

// Help implements kong.HelpProvider.
func (Migrate) Help() string {
	return `A data directory is migrated by every start of the service too; no process may use it meanwhile. A MongoDB is migrated by this command only, while the service runs or not: before the first start, and before a new release is rolled out. Running it again does no harm.

Make a backup first: an older release may refuse the newer schema.

Examples:

    orgd backup --data-dir ./data before.orgd && orgd migrate --data-dir ./data

    # the connection string comes from a file, because it holds a password
    ORGD_MONGO_URI_FILE=/run/secrets/mongo-uri orgd migrate --storage mongodb

    # a new MongoDB of one member, started by "mongod --replSet orgd"; several hosts make several members
    orgd migrate --storage mongodb --mongo-uri 'mongodb://db.example:27017/?replicaSet=orgd' --initiate`
}

// Run migrates the storage.
func (c *Migrate) Run(ctx context.Context, t *terminal.Terminal, given config.Given) error {
	cfg, err := loadStorage(given, t.Getenv)
	if err != nil {
		return err
	}
	if c.Initiate && cfg.Storage != orgd.MongoDB {
		return terminal.Usagef("--initiate: needs --storage mongodb, and the storage is %s", cfg.Storage)
	}
	log, err := newLogger(t, cfg.Log)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, migrationTime)
	defer cancel()
	if c.Initiate {
		if err := orgd.Initiate(ctx, cfg, c.Wait, log); err != nil {
			return err
		}
	}
	version, err := orgd.Migrate(ctx, cfg, c.Wait, log)
	if err != nil {
		return err
	}
	t.Say("%s has schema version %d.", cfg.Place(), version)
	return nil
}
