package orgd

import (
	"context"
	"errors"
	"time"

	"go.uber.org/zap"

	"orgd/adapters/mongostore"
	"orgd/adapters/sqlitestore"
	"orgd/adapters/system"
	"orgd/ports"
)

// migrateEvery is how often a MongoDB is tried that cannot be reached yet.
const migrateEvery = time.Second

// Migrate brings the storage that cfg names to the schema of this program and
// returns its version. A MongoDB that cannot be reached is tried again for as
// long as wait says.
func Migrate(ctx context.Context, cfg Config, wait time.Duration, log *zap.Logger) (version int, err error) {
	if cfg.Storage == SQLite {
		return sqlitestore.Migrate(ctx, cfg.SQLite, log)
	}
	err = whenReachable(ctx, cfg, wait, log, func() error {
		version, err = mongostore.Migrate(ctx, cfg.Mongo, system.Clock{})
		return err
	})
	return version, err
}

// Initiate initiates the replica set of the MongoDB that cfg names, unless that has
// been done. One that cannot be reached is tried again for as long as wait says.
func Initiate(ctx context.Context, cfg Config, wait time.Duration, log *zap.Logger) error {
	return whenReachable(ctx, cfg, wait, log, func() error { return mongostore.Initiate(ctx, cfg.Mongo) })
}

// whenReachable does something with a MongoDB, again and again while that cannot be
// reached.
func whenReachable(ctx context.Context, cfg Config, wait time.Duration, log *zap.Logger, do func() error) error {
	for end := time.Now().Add(wait); ; {
		err := do()
		if !errors.Is(err, ports.ErrUnavailable) || time.Now().Add(migrateEvery).After(end) {
			return cfg.origins.rename(err)
		}
		log.Info("waiting for MongoDB", zap.Error(cfg.origins.rename(err)))
		select {
		case <-time.After(migrateEvery):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
