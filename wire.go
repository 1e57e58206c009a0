//go:build wireinject

package orgd

import (
	"context"

	"github.com/google/wire"
	"go.uber.org/zap"
)

// Everything in a data directory.
func buildEmbedded(ctx context.Context, cfg Config, log *zap.Logger) (*App, func(), error) {
	panic(wire.Build(commonSet, embeddedSet, localLimitSet))
}

// A data directory, and limits in Redis.
func buildEmbeddedRedis(ctx context.Context, cfg Config, log *zap.Logger) (*App, func(), error) {
	panic(wire.Build(commonSet, embeddedSet, sharedLimitSet))
}

// Replicas on one MongoDB; each admits its part of the limits.
func buildMongo(ctx context.Context, cfg Config, log *zap.Logger) (*App, func(), error) {
	panic(wire.Build(commonSet, mongoSet, localLimitSet))
}

// Replicas on one MongoDB that share their limits through Redis.
func buildMongoRedis(ctx context.Context, cfg Config, log *zap.Logger) (*App, func(), error) {
	panic(wire.Build(commonSet, mongoSet, sharedLimitSet))
}
