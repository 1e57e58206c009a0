package orgd

import (
	"context"
	"io"

	"go.uber.org/zap"

	"orgd/adapters/mongostore"
	"orgd/adapters/sqlitestore"
	"orgd/adapters/system"
	"orgd/adapters/telemetry"
	"orgd/app"
	"orgd/domain/archive"
	"orgd/ports"
)

// What the operator does to carry everything of a service from one storage to another.

// ArchiveOptions are those of creating and restoring an archive.
type ArchiveOptions struct {
	// Passphrase encrypts the secrets of webhooks; "" leaves them out.
	Passphrase string
	// Progress is called with how many records of a part are done; nil if nobody wants to know.
	Progress func(p archive.Part, records int64)
}

func archives() *app.Archives {
	return app.NewArchives(system.Clock{}, system.IDs{}, system.Random{})
}

// CreateArchive writes an archive of the storage that cfg names, and returns what it holds. The
// service may run meanwhile: the archive is of one state.
func CreateArchive(ctx context.Context, cfg Config, to io.Writer, o ArchiveOptions) ([]archive.Sum, error) {
	in := app.CreateArchive{
		From: dataDir(cfg.SQLite.Dir), To: to, Version: Version().Version, Storage: string(cfg.Storage),
		Passphrase: o.Passphrase, Progress: o.Progress,
	}
	if cfg.Storage == MongoDB {
		db, closeDB, err := openMongo(ctx, cfg, system.Clock{}, telemetry.Observer{})
		if err != nil {
			return nil, err
		}
		defer closeDB()
		in.From = db.Stores().Archive
	}
	return archives().Create(ctx, in)
}

// dataDir is a data directory that a service may have open.
type dataDir string

// Read implements [ports.ArchiveReader].
func (d dataDir) Read(ctx context.Context, each func(archive.Record) error) error {
	return sqlitestore.ReadArchive(ctx, string(d), each)
}

// CheckArchive reads an archive to its end, and returns what it holds.
func CheckArchive(ctx context.Context, from io.Reader) (archive.Header, []archive.Sum, error) {
	return archives().Check(ctx, from)
}

// RestoreArchive fills the storage that cfg names, which must be empty and which no service
// may use. Cut short, it goes on where it was when it is called again.
func RestoreArchive(ctx context.Context, cfg Config, from io.Reader, o ArchiveOptions, log *zap.Logger) (app.RestoredArchive, error) {
	to, closeDB, err := openEmpty(ctx, cfg, log)
	if err != nil {
		return app.RestoredArchive{}, err
	}
	defer closeDB()
	return archives().Restore(ctx, app.RestoreArchive{From: from, To: to, Passphrase: o.Passphrase, Progress: o.Progress})
}

// openEmpty opens the storage that cfg names to be filled, with the schema of this program.
func openEmpty(ctx context.Context, cfg Config, log *zap.Logger) (ports.Archive, func(), error) {
	if cfg.Storage == SQLite {
		db, closeDB, err := sqlitestore.OpenEmpty(ctx, cfg.SQLite, log)
		if err != nil {
			return nil, nil, err
		}
		return db.Stores().Archive, closeDB, nil
	}
	if _, err := mongostore.Migrate(ctx, cfg.Mongo, system.Clock{}); err != nil {
		return nil, nil, cfg.Origins.Rename(err)
	}
	db, closeDB, err := mongostore.Open(cfg.Mongo, system.Clock{})
	if err != nil {
		return nil, nil, cfg.Origins.Rename(err)
	}
	return db.Stores().Archive, closeDB, nil
}
