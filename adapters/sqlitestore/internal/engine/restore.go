package engine

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"go.uber.org/zap"

	"orgd/adapters/keyfile"
	"orgd/adapters/sqlitestore/internal/sqlite"
)

// ErrNotEmpty says that a restore would replace a database.
var ErrNotEmpty = errors.New("the data directory holds a database or keys")

// Restoration says what to restore and where.
type Restoration struct {
	// Backup is a file written by [Backup].
	Backup string
	// Dir is the data directory, created if it is missing. No process may have
	// it open.
	Dir string
	// Force allows to replace the database and the key files in Dir. Other
	// files there stay as they are.
	Force bool
}

// Restore checks a backup completely and then puts its files into a data
// directory, all or nothing even if the process is killed. It returns
// [ErrNotEmpty] if Dir holds a database or keys and Force is not set,
// [ErrInUse] if a process has it open, and an error if the backup is damaged or
// newer than this program or older than release 0.9.0. One in between is migrated
// when it is opened.
func Restore(ctx context.Context, in Restoration, log *zap.Logger) error {
	if err := restore(ctx, in, log); err != nil {
		return fmt.Errorf("sqlitestore: restore %s: %w", in.Backup, sqlite.Translate(err))
	}
	return nil
}

func restore(ctx context.Context, in Restoration, log *zap.Logger) (err error) {
	dir, err := prepareDir(in.Dir, log)
	if err != nil {
		return err
	}
	lock, err := lockDir(dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unlockDir(lock)) }()
	if err := finishRestore(dir, log); err != nil {
		return err
	}
	if !in.Force {
		if err := checkEmpty(dir); err != nil {
			return err
		}
	}
	if err := stage(ctx, in.Backup, dir); err != nil {
		return errors.Join(err, os.RemoveAll(filepath.Join(dir, restoringName)))
	}
	return finishRestore(dir, log)
}

func checkEmpty(dir string) error {
	keys, err := keyFiles(dir)
	if err != nil {
		return err
	}
	_, err = os.Lstat(filepath.Join(dir, databaseName))
	if err == nil || len(keys) > 0 {
		return fmt.Errorf("%w: %s", ErrNotEmpty, dir)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// stage unpacks and checks a backup and, if it is good, decides for it.
func stage(ctx context.Context, backup, dir string) error {
	restoring := filepath.Join(dir, restoringName)
	if err := os.Mkdir(restoring, dirMode); err != nil {
		return err
	}
	if err := unpackFile(ctx, backup, restoring); err != nil {
		return err
	}
	if err := keyfile.SyncDir(restoring); err != nil {
		return err
	}
	if err := os.Rename(restoring, filepath.Join(dir, restoredName)); err != nil {
		return err
	}
	return keyfile.SyncDir(dir)
}

func unpackFile(ctx context.Context, backup, dir string) error {
	f, err := os.Open(backup)
	if err != nil {
		return err
	}
	defer f.Close() // only read
	m, err := unpack(ctx, f, dir)
	if err != nil {
		return err
	}
	own, err := OwnSchema()
	if err != nil {
		return err
	}
	version, err := checkDatabase(ctx, filepath.Join(dir, databaseName))
	if err != nil {
		return err
	}
	if version != m.Schema {
		return fmt.Errorf("the database has schema version %d and the manifest says %d", version, m.Schema)
	}
	if err := own.check(version); err != nil {
		return err
	}
	return catchUp(ctx, filepath.Join(dir, databaseName), time.Now())
}

// catchUp makes the database of a backup fit what may have happened since.
func catchUp(ctx context.Context, path string, now time.Time) (err error) {
	pool, err := sqlite.OpenPool(path, 1, sqlite.ConnParams+"&_pragma=synchronous(full)")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, pool.Close()) }()
	if err := advanceLog(ctx, pool, now); err != nil {
		return err
	}
	if _, err := pool.ExecContext(ctx, RenewIncarnation); err != nil {
		return err
	}
	_, err = pool.ExecContext(ctx, "DELETE FROM sign_in_links") // each works once, and may have been used
	return err
}

// RenewIncarnation gives a database that is restored a name of its own.
const RenewIncarnation = "DROP TABLE IF EXISTS incarnation; " +
	"CREATE TABLE incarnation (name TEXT NOT NULL) STRICT; " +
	"INSERT INTO incarnation (name) VALUES (lower(hex(randomblob(16))))"

// InsertSequence has the numbers of the log go on behind one, if there was none yet.
const InsertSequence = "INSERT INTO sqlite_sequence (name, seq) VALUES ('events', ?)"

// advanceLog makes the log of events go on behind every position that it can have
// had since the backup: clients may come back with positions of events that are
// lost, and other events must not have these. No log grows by more than an
// event each microsecond.
func advanceLog(ctx context.Context, pool *sql.DB, now time.Time) error {
	head := now.UnixMicro()
	res, err := pool.ExecContext(ctx, "UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = 'events'", head)
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil || n > 0 {
		return err
	}
	_, err = pool.ExecContext(ctx, InsertSequence, head)
	return err
}

// finishRestore completes a restore that was decided and forgets one that was
// not. Cut short at any point it can run again. It runs under the lock and
// before the database is opened.
func finishRestore(dir string, log *zap.Logger) error {
	if err := os.RemoveAll(filepath.Join(dir, restoringName)); err != nil {
		return err
	}
	restored := filepath.Join(dir, restoredName)
	text, err := os.ReadFile(filepath.Join(restored, manifestName))
	if errors.Is(err, fs.ErrNotExist) {
		return removeIfPresent(restored) // empty: it was cut short at its last step
	}
	if err != nil {
		return err
	}
	m, err := parseManifest(text)
	if err != nil {
		return err
	}
	if err := moveIn(m, restored, dir); err != nil {
		return err
	}
	log.Info("backup restored", zap.String("dir", dir), zap.Int("schema", m.Schema), zap.Time("of", m.Created))
	return errors.Join(os.RemoveAll(restored), keyfile.SyncDir(dir))
}

// moveIn makes the database and the key files in dir those of the manifest.
func moveIn(m manifest, from, dir string) error {
	stale := []string{databaseName + "-wal", databaseName + "-shm", databaseName + "-journal"}
	keys, err := keyFiles(dir)
	if err != nil {
		return err
	}
	for _, key := range keys {
		if !m.has(key) {
			stale = append(stale, key)
		}
	}
	for _, name := range stale {
		if err := removeIfPresent(filepath.Join(dir, name)); err != nil {
			return err
		}
	}
	for _, f := range m.Files {
		err := os.Rename(filepath.Join(from, f.Name), filepath.Join(dir, f.Name))
		if err != nil && !errors.Is(err, fs.ErrNotExist) { // moved before
			return err
		}
	}
	return keyfile.SyncDir(dir)
}

func removeIfPresent(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
