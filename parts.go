package orgd

import (
	"context"
	"errors"

	"go.uber.org/zap"

	"orgd/adapters/httpapi"
	"orgd/adapters/jobs"
	"orgd/adapters/jwtauth"
	"orgd/adapters/memlimit"
	"orgd/adapters/mongostore"
	"orgd/adapters/redislimit"
	"orgd/adapters/sqlitestore"
	"orgd/adapters/telemetry"
	"orgd/adapters/webhooksend"
	"orgd/app"
	"orgd/domain/limit"
	"orgd/ports"
)

// What the injectors need beside the constructors of the adapters.

// serverConfig is the configuration of the server, with what depends on other
// settings.
func serverConfig(cfg Config) httpapi.Config {
	c := cfg.HTTP
	c.Console = cfg.ServesConsole()
	return c
}

// openAuth starts to fetch the keys of external issuers.
func openAuth(cfg Config, issuer *jwtauth.Issuer, k keyFiles, clock ports.Clock, log *zap.Logger) (*jwtauth.Auth, func(), error) {
	c := cfg.Auth
	c.KeyFile = k.signing
	return jwtauth.Open(c, issuer, clock, log)
}

// newLocalLimiter counts in this process.
func newLocalLimiter() *memlimit.Limiter { return memlimit.New(memlimit.Uptime()) }

// openSharedLimiter counts in Redis. A Redis that is lost is no reason not to
// start, one that refuses this program is.
func openSharedLimiter(cfg Config, local *memlimit.Limiter, m *telemetry.Metrics, log *zap.Logger) (*redislimit.Limiter, func(), error) {
	if err := redislimit.Check(cfg.redis()); err != nil && !errors.Is(err, redislimit.ErrLost) {
		return nil, nil, cfg.origins.rename(err)
	}
	return redislimit.Open(cfg.redis(), m.Fallback(local), m.LimitsShared, log)
}

// notShared says that limits are not meant to be shared.
func notShared() httpapi.SharedLimits { return nil }

// sharedLimiter is the limiter as requests get it.
func sharedLimiter(l *redislimit.Limiter, t *telemetry.Traces) ports.Limiter { return t.Limiter(l) }

func sharedState(l *redislimit.Limiter) httpapi.SharedLimits { return l.Shared }

// localCaps are what this process may admit while nobody shares its limits.
func localCaps(cfg Config) limit.Caps { return cfg.Limits.PerReplica(cfg.Replicas) }

func newActivities(cfg Config, kit app.Kit, log ports.ActivityLog, agents ports.AgentStore) *app.Activities {
	return app.NewActivities(kit, log, agents, cfg.Retention)
}

// sqliteStores are the stores of a data directory.
func sqliteStores(db *sqlitestore.DB) ports.Stores { return db.Stores() }

// openMongo opens the database if it answers and has been migrated.
func openMongo(ctx context.Context, cfg Config, clock ports.Clock, t *telemetry.Traces) (*mongostore.DB, func(), error) {
	cfg.Mongo.Traces = t
	db, closeDB, err := mongostore.Open(cfg.Mongo, clock)
	if err != nil {
		return nil, nil, cfg.origins.rename(err)
	}
	if err = db.Check(ctx); err == nil {
		return db, closeDB, nil
	}
	closeDB()
	if ctx.Err() != nil {
		return nil, nil, ctx.Err()
	}
	return nil, nil, cfg.origins.rename(err)
}

// mongoStores are the stores of a MongoDB.
func mongoStores(db *mongostore.DB) ports.Stores { return db.Stores() }

// sqliteJobs are the background jobs of a data directory.
func sqliteJobs(db *sqlitestore.DB, m *telemetry.Metrics) []jobs.Job {
	return []jobs.Job{{Name: "storage metrics", Every: backlogEvery, Run: func(context.Context) error {
		files, err := db.Files()
		if err == nil {
			m.StoreFiles(files)
		}
		return err
	}}}
}

// mongoJobs are the background jobs of a MongoDB: none.
func mongoJobs() []jobs.Job { return nil }

// measured are the stores as the use cases get them.
type measured ports.Stores

func measuredStores(m *telemetry.Metrics, t *telemetry.Traces, s ports.Stores) measured {
	return measured(m.Measured(s, t))
}

func newMetrics(b httpapi.BuildInfo) *telemetry.Metrics {
	return telemetry.NewMetrics(b.Version, b.Commit)
}

// openTraces returns nil without a collector.
func openTraces(cfg Config, b httpapi.BuildInfo, m *telemetry.Metrics, log *zap.Logger) (*telemetry.Traces, func(), error) {
	return telemetry.OpenTraces(cfg.Traces, b.Version, m, log)
}

func newWebhookSender(cfg Config, b httpapi.BuildInfo, t *telemetry.Traces) (*webhooksend.Sender, func()) {
	c := webhooksend.Default(b.Version)
	c.Traces = t
	c.Policy = cfg.Webhooks
	return webhooksend.New(c)
}

// capabilities tells what is wired and works at the moment.
func capabilities(cfg httpapi.Config, auth *jwtauth.Auth, shared httpapi.SharedLimits, dispatcher *app.Dispatcher, t *telemetry.Traces) func() httpapi.Capabilities {
	return func() httpapi.Capabilities {
		return httpapi.Capabilities{
			ActivityIngest: true, ActivityStream: true, ExternalIdentity: auth.External(),
			SharedLimits: shared != nil && shared(), Webhooks: dispatcher.Working(),
			Telemetry: t.Working(), APIDocs: true, Console: cfg.Console,
		}
	}
}
