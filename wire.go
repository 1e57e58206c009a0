//go:build wireinject

package orgd

import (
	"context"

	"github.com/google/wire"
	"go.uber.org/zap"
)

func buildEmbedded(ctx context.Context, cfg Config, log *zap.Logger) (*App, func(), error) {
	panic(wire.Build(commonSet, localLimitSet, embeddedSet))
}
