// Package sqlitestore keeps an organization in one SQLite database in a data
// directory that one process uses at a time.
//
// All changes go through one writer, which commits what waits for it together
// and answers after the disk has it. Reads run beside it on connections of
// their own, each on one consistent state.
package sqlitestore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"go.uber.org/zap"
	_ "modernc.org/sqlite" // the driver

	"orgd/adapters/agentindex"
	"orgd/adapters/contents"
	"orgd/adapters/groupcommit"
	"orgd/adapters/telemetry"
	"orgd/domain/activity"
	"orgd/domain/agent"
	"orgd/domain/audit"
	"orgd/domain/idempotency"
	"orgd/ports"
)

// What every connection gets: text in double quotes is never a string, SQL
// cannot damage the file on purpose. But for a restore nothing is spilled to temporary files.
const (
	safeParams = "_busy_timeout=" + busyTimeout + "&_dqs=0&_defensive=1&_error_rc=1&_pragma=trusted_schema(0)"
	connParams = safeParams + "&_pragma=temp_store(memory)"
)

// busyTimeout is how many milliseconds a connection waits for another program
// that has locked the database.
const busyTimeout = "2000"

// The writer syncs every commit. It copies its log into the database whenever
// that has 48 MiB, as far as readers allow. What it deletes it overwrites: nothing of a text that was
// purged stays in the file.
const (
	walParams    = "&_pragma=journal_mode(wal)&_pragma=fullfsync(1)&_pragma=foreign_keys(1)&_pragma=wal_autocheckpoint(12288)&_pragma=secure_delete(1)"
	writerParams = connParams + walParams + "&_pragma=synchronous(full)&_pragma=cache_size(-16384)"
)

// fillerParams are those of the writer of a restore, which needs no answer before its end: what
// is lost with the power is restored again. Sorting many rows for an index takes files, and as
// much memory as the cache.
const fillerParams = safeParams + walParams + "&_pragma=synchronous(normal)&_pragma=temp_store(file)&_pragma=cache_size(-4096)"

const readerParams = connParams + "&mode=ro&_query_only=1&_pragma=cache_size(-2048)"

// closeWait bounds how long closing waits for reads that are under way.
const closeWait = 5 * time.Second

// DB is an open data directory. Its methods are safe for concurrent use.
type DB struct {
	observer telemetry.Observer
	path     string
	file     fs.FileInfo // of the database as it was opened
	log      *zap.Logger
	lock     *os.File
	fields   agent.Schema

	writePool, readPool *sql.DB
	readers             chan *conn
	known               *records
	agents              *agentindex.Live
	contents            *contents.Memory
	events              *events
	newest              newest
	figures             *agentFigures
	idempotency         *Idempotency
	incarnation         atomic.Pointer[string]

	// for the writer's goroutine
	writer       *conn
	maxLog       int64        // bytes
	trimmed      time.Time    // when the size of the log was last looked at
	logHasPurged bool         // whether the log may have what was purged
	lastLogged   activity.Seq // or about to be; 0 if it is not known
	unblocked    unblocked

	followers []follower
	commits   chan struct{}       // holds an item while a commit ends, with all that follows it
	changed   ports.Broadcast     // when the log has grown
	committed func([]audit.Entry) // see [ports.AuditLog]; may be nil
	writes    *groupcommit.Queue[*change]
	closing   chan struct{}
	once      sync.Once
}

// Open locks the data directory, creates or migrates its database and starts
// the writer. The returned function finishes the writes under way, closes the
// database and frees the lock; work that arrives later is refused.
//
// It returns [ErrInUse] if another process holds the directory, and an error
// if the database is newer than this program.
func Open(ctx context.Context, cfg Config, log *zap.Logger) (*DB, func(), error) {
	return openCurrent(ctx, cfg, log, writerParams)
}

// OpenEmpty is [Open] for [Archive.Load]: what it stores is on disk only when the database is
// closed.
func OpenEmpty(ctx context.Context, cfg Config, log *zap.Logger) (*DB, func(), error) {
	return openCurrent(ctx, cfg, log, fillerParams)
}

// openCurrent opens a data directory with the schema of this program.
func openCurrent(ctx context.Context, cfg Config, log *zap.Logger, params string) (*DB, func(), error) {
	steps, err := ownMigrations()
	if err != nil {
		return nil, nil, fmt.Errorf("sqlitestore: %w", err)
	}
	db, closeDB, err := open(ctx, cfg, log, steps, params)
	if err != nil {
		return nil, nil, err
	}
	ctx, stop := context.WithCancel(context.WithoutCancel(ctx))
	var reading sync.WaitGroup
	reading.Go(func() { db.readIndex(ctx) })
	return db, func() {
		stop()
		reading.Wait()
		closeDB()
	}, nil
}

// Migrate brings the database of a directory that no process uses to the
// schema of this program, creating it if need be, and returns the version.
func Migrate(ctx context.Context, cfg Config, log *zap.Logger) (int, error) {
	db, closeDB, err := Open(ctx, cfg, log)
	if err != nil {
		return 0, err
	}
	defer closeDB()
	return db.SchemaVersion(ctx)
}

func open(ctx context.Context, cfg Config, log *zap.Logger, steps []migration, params string) (*DB, func(), error) {
	if err := cfg.Validate(); err != nil {
		return nil, nil, fmt.Errorf("sqlitestore: %w", err)
	}
	db := &DB{
		observer: cfg.Observer,
		log:      log,
		fields:   agent.Current(),
		known:    newRecords(maxRecords),
		agents:   agentindex.NewLive(),
		contents: contents.New(),
		events:   newEvents(maxEvents),
		figures:  newAgentFigures(),
		maxLog:   maxLog,
		readers:  make(chan *conn, cfg.Readers),
		writes:   groupcommit.New[*change](),
		commits:  make(chan struct{}, 1),
		closing:  make(chan struct{}),
	}
	db.followers = db.all()
	db.idempotency = &Idempotency{db: db, locks: map[idempotency.Key]idempotency.Lock{}}
	if err := db.start(ctx, cfg, steps, params); err != nil {
		err = errors.Join(err, db.release())
		return nil, nil, fmt.Errorf("sqlitestore: open %s: %w", cfg.Dir, translate(err))
	}
	go db.writes.Serve(db.serve)
	return db, db.close, nil
}

// Stores returns the stores in db.
func (db *DB) Stores() ports.Stores {
	return ports.Stores{
		Agents: &Agents{db}, Identities: &Identities{db}, Departments: &Departments{db}, Company: &Company{db},
		Projects: &Projects{db}, Activities: &Activities{db}, Stream: &Stream{db}, Measures: &Measures{db}, Audit: &Audit{db},
		Idempotency: db.idempotency, Sessions: &Sessions{db}, Webhooks: &Webhooks{db}, Outbox: &Outbox{db}, Archive: &Archive{db}, Storage: &Storage{db},
	}
}

func (db *DB) start(ctx context.Context, cfg Config, steps []migration, params string) error {
	dir, err := prepareDir(cfg.Dir, db.log)
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
	if err := db.startWriter(ctx, params); err != nil {
		return err
	}
	if err := migrate(ctx, db.writer, steps, db.log); err != nil {
		return err
	}
	if err := db.readIncarnation(db.writer); err != nil {
		return err
	}
	db.readNewest()
	return db.startReaders(ctx, cfg.Readers)
}

func (db *DB) startWriter(ctx context.Context, params string) (err error) {
	if db.writePool, err = openPool(db.path, 1, params); err != nil {
		return err
	}
	if db.writer, err = newConn(ctx, db.writePool); err != nil {
		return err
	}
	var mode string
	if err := db.writer.row("PRAGMA journal_mode").Scan(&mode); err != nil {
		return err
	}
	if mode != "wal" {
		return fmt.Errorf("the file system cannot hold a write-ahead log (journal mode %s)", mode)
	}
	return nil
}

func (db *DB) startReaders(ctx context.Context, n int) (err error) {
	if db.readPool, err = openPool(db.path, n, readerParams); err != nil {
		return err
	}
	for range n {
		c, err := newConn(ctx, db.readPool)
		if err != nil {
			return err
		}
		db.readers <- c
	}
	return nil
}

// close stops the writer after the batch under way, waits for reads, empties
// the log and frees the directory.
func (db *DB) close() {
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
		_, err := db.writer.emptyLog()
		errs = append(errs, err, db.writer.close())
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
			errs = append(errs, c.close())
		case <-timeout:
			return errors.Join(append(errs, errors.New("a read did not end"))...)
		}
	}
	return errors.Join(errs...)
}
