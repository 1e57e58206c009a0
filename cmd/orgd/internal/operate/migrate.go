package operate

import (
	"context"
	"errors"
	"time"

	"github.com/alecthomas/kong"

	"orgd"
	"orgd/cmd/orgd/internal/config"
	"orgd/cmd/orgd/internal/terminal"
)

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
	cfg, err := config.Load(given, t.Getenv)
	if err = errors.Join(err, cfg.ValidateStorage()); err != nil {
		return terminal.Usage(err)
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
