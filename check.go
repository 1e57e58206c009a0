package orgd

import (
	"context"
	"errors"

	"orgd/adapters/redislimit"
	"orgd/adapters/system"
)

// Try connects to the servers that a valid cfg names, and reports everything
// that would keep the service from starting or from sharing its limits. It
// changes nothing. A data directory is not opened.
func Try(ctx context.Context, cfg Config) error {
	var mongo, redis error
	if cfg.Storage == MongoDB {
		var closeDB func()
		if _, closeDB, mongo = openMongo(ctx, cfg, system.Clock{}, nil); mongo == nil {
			closeDB()
		}
	}
	if cfg.sharesLimits() {
		redis = cfg.origins.rename(redislimit.Check(cfg.redis()))
	}
	return errors.Join(mongo, redis)
}
