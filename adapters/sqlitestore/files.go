package sqlitestore

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"orgd/adapters/telemetry"
)

// Files returns the sizes of the data directory as they are now.
func (db *DB) Files() (telemetry.Files, error) {
	database, err := size(db.path)
	if err != nil {
		return telemetry.Files{}, fmt.Errorf("sqlitestore: size of the database: %w", err)
	}
	log, err := size(db.path + "-wal")
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return telemetry.Files{}, fmt.Errorf("sqlitestore: size of the log: %w", err)
	}
	var disk unix.Statfs_t
	if err := unix.Statfs(filepath.Dir(db.path), &disk); err != nil {
		return telemetry.Files{}, fmt.Errorf("sqlitestore: room on the disk: %w", err)
	}
	block := uint64(disk.Bsize)
	return telemetry.Files{Database: database, Log: log, DiskFree: disk.Bavail * block, DiskSize: disk.Blocks * block}, nil
}

func size(path string) (uint64, error) {
	info, err := os.Stat(path)
	if err != nil {
		return 0, err
	}
	return uint64(info.Size()), nil
}
