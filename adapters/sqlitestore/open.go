package sqlitestore

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"go.uber.org/zap"

	"orgd/adapters/sqlitestore/internal/engine"
	"orgd/adapters/sqlitestore/internal/memory"
	"orgd/adapters/sqlitestore/internal/sqlite"
	"orgd/domain/activity"
	"orgd/domain/agent"
)

// Open locks the data directory, creates or migrates its database and starts
// the writer. The returned function finishes the writes under way, closes the
// database and frees the lock; work that arrives later is refused.
//
// It returns [engine.ErrInUse] if another process holds the directory, and an error
// if the database is newer than this program, or older than release 0.9.0.
func Open(ctx context.Context, cfg Config, log *zap.Logger) (*DB, func(), error) {
	return openCurrent(ctx, cfg, log, false)
}

// OpenEmpty is [Open] for [Archive.Load]: what it stores is on disk only when the database is
// closed.
func OpenEmpty(ctx context.Context, cfg Config, log *zap.Logger) (*DB, func(), error) {
	return openCurrent(ctx, cfg, log, true)
}

// openCurrent opens a data directory with the schema of this program.
func openCurrent(ctx context.Context, cfg Config, log *zap.Logger, filling bool) (*DB, func(), error) {
	own, err := engine.OwnSchema()
	if err != nil {
		return nil, nil, fmt.Errorf("sqlitestore: %w", err)
	}
	db, closeDB, err := open(ctx, cfg, log, own, filling)
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

func open(ctx context.Context, cfg Config, log *zap.Logger, to engine.Schema, filling bool) (*DB, func(), error) {
	if err := cfg.Validate(); err != nil {
		return nil, nil, fmt.Errorf("sqlitestore: %w", err)
	}
	db := &DB{Memory: memory.New(), observer: cfg.Observer, log: log, fields: agent.Current(), blocks: &blocks{log: log}, locks: newLocks()}
	var err error
	db.DB, err = engine.Open(ctx, engine.Options{
		Dir: cfg.Dir, Readers: cfg.Readers, Filling: filling, Log: log, Schema: to, Agents: db.Memory.Agents, Finisher: db.blocks,
		Followers: []engine.Follower{db.Memory, engine.Followed(db.followEvents), engine.Followed(db.tell)},
	})
	if err != nil {
		return nil, nil, err
	}
	if err := db.readIncarnation(ctx); err != nil {
		db.Close()
		return nil, nil, err
	}
	db.readNewest()
	return db, db.Close, nil
}

// tell tells those who wait for changes of what a commit has stored.
func (db *DB) tell(c memory.Changes, err error) {
	if err != nil {
		return
	}
	if len(c.Trail) > 0 && db.told != nil {
		db.told(c.Trail)
	}
	if c.Logged {
		db.changed.Notify()
	}
}

// followEvents tells the newest events what a commit has stored and deleted. If they cannot follow,
// they are read anew.
func (db *DB) followEvents(c memory.Changes, err error) {
	if !db.Newest.Follow(c, err) {
		db.readNewest()
	}
}

// readNewest reads the newest events as the last commit has left them. If that fails, feeds are
// read without them, and their readers get the error.
func (db *DB) readNewest() {
	query, args := feedQuery("seq, at, id", activity.Query{Limit: memory.MaxNewest})
	found, err := sqlite.Rows(db.Committed(), query, args, func(r sqlite.Row) (e memory.FeedPosition, err error) {
		err = r.Scan(&e.Seq, &e.At, &e.ID)
		return e, err
	})
	slices.Reverse(found)
	db.Newest.Set(found, err == nil)
}
