// Package engine opens a data directory: one writer, which commits changes together and tells those
// who follow, reads beside it, the steps of the schema, backups.
package engine

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"go.uber.org/zap"
	_ "modernc.org/sqlite"

	"orgd/adapters/agentindex"
	"orgd/adapters/groupcommit"
	"orgd/adapters/sqlitestore/internal/memory"
	"orgd/adapters/sqlitestore/internal/sqlite"
	"orgd/domain/activity" // the driver
)

// closeWait bounds how long closing waits for reads that are under way.
const closeWait = 5 * time.Second

// DB is an open data directory: one writer and some readers of its database. Its methods are safe for concurrent use.
type DB struct {
	path string
	file fs.FileInfo // of the database as it was opened
	log  *zap.Logger
	lock *os.File

	writePool, readPool *sql.DB
	readers             chan *sqlite.Conn
	index               *agentindex.Live

	// for the writer's goroutine
	writer       *sqlite.Conn
	maxLog       int64        // bytes
	trimmed      time.Time    // when the size of the log was last looked at
	logHasPurged bool         // whether the log may have what was purged
	lastLogged   activity.Seq // or about to be; 0 if it is not known

	finisher  Finisher
	followers []Follower
	ending    chan struct{} // holds an item while a commit ends, with all that follows it
	writes    *groupcommit.Queue[*change]
	closing   chan struct{}
	once      sync.Once
}

// Options say what to open, and who is told of commits.
type Options struct {
	Dir       string
	Readers   int  // how many reads run at once
	Filling   bool // whether what is stored is on disk only when the database is closed
	Log       *zap.Logger
	Schema    Schema
	Agents    *agentindex.Live
	Finisher  Finisher
	Followers []Follower
}

// Finisher adds to a transaction, before it is committed, what goes with all its changes.
type Finisher interface {
	Finish(*Tx, memory.Changes)
	// Lost says that a transaction was not committed.
	Lost()
}

// Open locks the data directory, creates or migrates its database and starts the writer. It
// returns [ErrInUse] if another process holds the directory, and an error if the database is newer
// than this program, or older than release 0.9.0. Work that arrives after [DB.Close] is refused.
func Open(ctx context.Context, o Options) (*DB, error) {
	db := &DB{
		log:       o.Log,
		index:     o.Agents,
		finisher:  o.Finisher,
		followers: o.Followers,
		maxLog:    maxLog,
		readers:   make(chan *sqlite.Conn, o.Readers),
		writes:    groupcommit.New[*change](),
		ending:    make(chan struct{}, 1),
		closing:   make(chan struct{}),
	}
	if err := db.start(ctx, o); err != nil {
		err = errors.Join(err, db.release())
		return nil, fmt.Errorf("sqlitestore: open %s: %w", o.Dir, sqlite.Translate(err))
	}
	go db.writes.Serve(db.serve)
	return db, nil
}

func (db *DB) start(ctx context.Context, o Options) error {
	dir, err := prepareDir(o.Dir, db.log)
	if err != nil {
		return err
	}
	db.path = filepath.Join(dir, databaseName)
	if db.lock, err = lockDir(dir); err != nil {
		return err
	}
	if err := finishRestore(dir, db.log); err != nil {
		return err
	}
	if db.file, err = prepareDatabase(dir); err != nil {
		return err
	}
	params := sqlite.WriterParams
	if o.Filling {
		params = sqlite.FillerParams
	}
	if err := db.startWriter(ctx, params); err != nil {
		return err
	}
	if err := migrate(ctx, db.writer, o.Schema, db.log); err != nil {
		return err
	}
	return db.startReaders(ctx, o.Readers)
}

func (db *DB) startWriter(ctx context.Context, params string) (err error) {
	if db.writePool, err = sqlite.OpenPool(db.path, 1, params); err != nil {
		return err
	}
	if db.writer, err = sqlite.NewConn(ctx, db.writePool); err != nil {
		return err
	}
	var mode string
	if err := db.writer.Row("PRAGMA journal_mode").Scan(&mode); err != nil {
		return err
	}
	if mode != "wal" {
		return fmt.Errorf("the file system cannot hold a write-ahead log (journal mode %s)", mode)
	}
	return nil
}

func (db *DB) startReaders(ctx context.Context, n int) (err error) {
	if db.readPool, err = sqlite.OpenPool(db.path, n, sqlite.ReaderParams); err != nil {
		return err
	}
	for range n {
		c, err := sqlite.NewConn(ctx, db.readPool)
		if err != nil {
			return err
		}
		db.readers <- c
	}
	return nil
}

// Close stops the writer after the batch under way, waits for reads, empties
// the log and frees the directory.
func (db *DB) Close() {
	db.once.Do(func() {
		close(db.closing)
		<-db.writes.Close()
		if err := db.release(); err != nil {
			db.log.Error("closing the data directory failed", zap.String("database", db.path), zap.Error(err))
		}
	})
}

// release frees what start has got hold of, readers first: the last connection
// to close has to be one that may write the log back.
func (db *DB) release() error {
	var errs []error
	if db.readPool != nil {
		errs = append(errs, db.releaseReaders(), db.readPool.Close())
	}
	if db.writer != nil {
		_, err := db.writer.EmptyLog()
		errs = append(errs, err, db.writer.Close())
	}
	if db.writePool != nil {
		errs = append(errs, db.writePool.Close())
	}
	if db.lock != nil {
		errs = append(errs, unlockDir(db.lock))
	}
	return errors.Join(errs...)
}

func (db *DB) releaseReaders() error {
	timeout := time.After(closeWait)
	var errs []error
	for range db.readPool.Stats().OpenConnections {
		select {
		case c := <-db.readers:
			errs = append(errs, c.Close())
		case <-timeout:
			return errors.Join(append(errs, errors.New("a read did not end"))...)
		}
	}
	return errors.Join(errs...)
}
