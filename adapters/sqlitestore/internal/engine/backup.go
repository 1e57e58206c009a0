package engine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"orgd/adapters/keyfile"
	"orgd/adapters/sqlitestore/internal/sqlite"
)

// copyParams opens a database for a backup or a check: without the lock of its
// directory, so without any right to change it.
const copyParams = sqlite.ConnParams + "&mode=ro"

// ErrExists says that the file to write exists.
var ErrExists = errors.New("the file exists")

// Backup writes the database and the key files of a data directory to the file
// dst, readable by its owner only. The service may run meanwhile: the backup
// holds one state of the database, and writes are not held up. dst appears when
// it is complete and on disk; until then its directory needs room for twice the
// size of the database. It returns [ErrExists] if dst exists.
func Backup(ctx context.Context, dir, dst string) error {
	if err := backup(ctx, dir, dst); err != nil {
		return fmt.Errorf("sqlitestore: backup %s: %w", dir, sqlite.Translate(err))
	}
	return nil
}

func backup(ctx context.Context, dir, dst string) (err error) {
	dst, err = filepath.Abs(dst) // SQLite would take a relative name for a part of a URI
	if err != nil {
		return err
	}
	if _, err := os.Lstat(dst); err == nil {
		return fmt.Errorf("%w: %s", ErrExists, dst)
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	work, err := os.MkdirTemp(filepath.Dir(dst), ".orgd-backup-*")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	files := filepath.Join(work, "files")
	if err := os.Mkdir(files, dirMode); err != nil {
		return err
	}
	m, err := collect(ctx, dir, files)
	if err != nil {
		return err
	}
	packed := filepath.Join(work, "backup")
	if err := createFile(packed, func(w io.Writer) error { return pack(ctx, w, m, files) }); err != nil {
		return err
	}
	if err := os.Rename(packed, dst); err != nil {
		return err
	}
	return keyfile.SyncDir(filepath.Dir(dst))
}

// collect copies what belongs in a backup into the directory files.
func collect(ctx context.Context, dir, files string) (manifest, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return manifest{}, err
	}
	if err := checkRestored(dir); err != nil {
		return manifest{}, err
	}
	copied := filepath.Join(files, databaseName)
	if err := copyDatabase(ctx, filepath.Join(dir, databaseName), copied); err != nil {
		return manifest{}, err
	}
	schema, err := checkDatabase(ctx, copied)
	if err != nil {
		return manifest{}, err
	}
	if err := copyKeys(dir, files); err != nil {
		return manifest{}, err
	}
	m := manifest{Format: backupFormat, Schema: schema, Created: time.Now().UTC().Truncate(time.Millisecond)}
	m.Files, err = describeFiles(ctx, files)
	return m, err
}

// copyDatabase writes one state of a database, which may be in use, to a new
// file. Both paths are absolute: SQLite would take a relative one for a part of a URI.
func copyDatabase(ctx context.Context, src, dst string) (err error) {
	if _, err := os.Stat(src); err != nil {
		return err
	}
	empty := func(io.Writer) error { return nil }
	if err := createFile(dst, empty); err != nil { // SQLite would choose another mode
		return err
	}
	pool, err := sqlite.OpenPool(src, 1, copyParams)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, pool.Close()) }()
	_, err = pool.ExecContext(ctx, "VACUUM INTO ?", dst)
	return err
}

// checkDatabase makes sure that a database file which nobody uses is ours and
// not damaged, and returns the version of its schema.
func checkDatabase(ctx context.Context, path string) (version int, err error) {
	pool, err := sqlite.OpenPool(path, 1, copyParams+"&immutable=1")
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, pool.Close()) }()
	var mark int
	var verdict string
	err = errors.Join(
		pool.QueryRowContext(ctx, "PRAGMA application_id").Scan(&mark),
		pool.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version),
		pool.QueryRowContext(ctx, "PRAGMA integrity_check(1)").Scan(&verdict),
	)
	if err == nil && mark != applicationID {
		err = errors.New("the database belongs to another program")
	}
	if err == nil && verdict != "ok" {
		err = fmt.Errorf("the database is damaged: %s", verdict)
	}
	return version, err
}

func copyKeys(dir, files string) error {
	names, err := keyFiles(dir)
	if err != nil {
		return err
	}
	for _, name := range names {
		if err := copyFile(filepath.Join(dir, name), filepath.Join(files, name)); err != nil {
			return err
		}
	}
	return nil
}

func copyFile(src, dst string) error {
	f, err := os.Open(src)
	if err != nil {
		return err
	}
	defer f.Close() // only read
	return createFile(dst, func(w io.Writer) error {
		_, err := io.Copy(w, f)
		return err
	})
}
