package ports

import (
	"context"

	"orgd/domain/archive"
	"orgd/domain/fault"
)

var (
	// ErrNotEmpty is a storage that an archive cannot be restored into.
	ErrNotEmpty = fault.New(fault.Conflict, "the storage is not empty; restore into an empty one: another data directory, or another database")
	// ErrRestoring is a storage into which an archive was restored in part.
	ErrRestoring = fault.New(fault.Conflict, "an archive has been restored into this storage in part; "+
		"run the same \"orgd archive restore\" again, or begin again with an empty storage: another data directory, or another database")
)

// ArchiveReader reads everything that an archive has of a storage.
type ArchiveReader interface {
	// Read calls each with every record of one state of the storage: the parts in the order
	// of archive.Parts, and the records of a part in an order that is the same for all
	// storages with the same content; those of the log are in its order. Webhooks have their
	// secrets. A record is valid until each returns. It ends with the first error of each.
	// What is left of agents that were purged is no part of it.
	Read(ctx context.Context, each func(archive.Record) error) error
}

// Archive also fills an empty storage. Every implementation passes portstest.Archive.
type Archive interface {
	ArchiveReader

	// Begin begins to restore the archive of an id, or goes on with it, and returns how many
	// records have been loaded. From then on the service does not start on the storage until
	// End. It returns ErrNotEmpty if the storage holds anything, and ErrRestoring if it holds
	// a part of another archive.
	Begin(ctx context.Context, id string) (loaded int64, err error)

	// Load stores records of one part, behind which so many are loaded. They come in the
	// order of Read. Those that are stored already, by a call that was cut short, stay as
	// they are.
	Load(ctx context.Context, records []archive.Record, loaded int64) error

	// End makes the storage ready for the service, in another incarnation: no delivery is made of what was loaded,
	// none of it is written elsewhere as audit trail, and positions in the log of the storage
	// that the archive is from are too old.
	End(ctx context.Context) error
}
