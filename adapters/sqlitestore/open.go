package sqlitestore

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"go.uber.org/zap"

	"orgd/domain/activity"
	"orgd/domain/agent"
)

// Open locks the data directory, creates or migrates its database and starts
// the writer. The returned function finishes the writes under way, closes the
// database and frees the lock; work that arrives later is refused.
//
// It returns [ErrInUse] if another process holds the directory, and an error
// if the database is newer than this program.
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
	steps, err := ownMigrations()
	if err != nil {
		return nil, nil, fmt.Errorf("sqlitestore: %w", err)
	}
	db, closeDB, err := open(ctx, cfg, log, steps, filling)
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

func open(ctx context.Context, cfg Config, log *zap.Logger, steps []migration, filling bool) (*DB, func(), error) {
	if err := cfg.Validate(); err != nil {
		return nil, nil, fmt.Errorf("sqlitestore: %w", err)
	}
	db := &DB{memory: newMemory(), observer: cfg.Observer, fields: agent.Current(), blocks: &blocks{log: log}, locks: newLocks()}
	var err error
	db.engine, err = openEngine(ctx, options{
		Dir: cfg.Dir, Readers: cfg.Readers, Filling: filling, Log: log, Steps: steps, Agents: db.memory.agents, Finisher: db.blocks,
		Followers: []follower{db.memory, followed(db.followEvents), followed(db.tell)},
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
func (db *DB) tell(c changes, err error) {
	if err != nil {
		return
	}
	if len(c.trail) > 0 && db.told != nil {
		db.told(c.trail)
	}
	if c.logged {
		db.grown.Notify()
	}
}

// followEvents tells the newest events what a commit has stored and deleted. If they cannot follow,
// they are read anew.
func (db *DB) followEvents(c changes, err error) {
	if !db.newest.follow(c, err) {
		db.readNewest()
	}
}

// readNewest reads the newest events as the last commit has left them. If that fails, feeds are
// read without them, and their readers get the error.
func (db *DB) readNewest() {
	query, args := feedQuery("seq, at, id", activity.Query{Limit: maxNewest})
	found, err := rows(db.Committed(), query, args, func(r Row) (e feedPosition, err error) {
		err = r.Scan(&e.seq, &e.at, &e.id)
		return e, err
	})
	slices.Reverse(found)
	db.newest.set(found, err == nil)
}
