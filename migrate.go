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

// migrateEvery is how often Migrate tries while it waits for the server.
const migrateEvery = time.Second

// Migrate brings the storage that cfg names to the schema of this program and
// returns its version. A MongoDB that cannot be reached is tried again for as
// long as wait says.
func Migrate(ctx context.Context, cfg Config, wait time.Duration, log *zap.Logger) (version int, err error) {
	if cfg.Storage == SQLite {
		return sqlitestore.Migrate(ctx, cfg.SQLite, log)
	}
	end := time.Now().Add(wait)
	for {
		version, err = mongostore.Migrate(ctx, cfg.Mongo, system.Clock{})
		if !errors.Is(err, ports.ErrUnavailable) || time.Now().Add(migrateEvery).After(end) {
			return version, cfg.origins.rename(err)
		}
		log.Info("waiting for MongoDB", zap.Error(cfg.origins.rename(err)))
		select {
		case <-time.After(migrateEvery):
		case <-ctx.Done():
			return 0, ctx.Err()
		}
	}
}
