package orgd

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"

	"go.uber.org/zap"

	"orgd/adapters/auditlog"
	"orgd/adapters/httpapi"
	"orgd/adapters/jobs"
	"orgd/adapters/jwtauth"
	"orgd/adapters/mcpserver"
	"orgd/adapters/memlimit"
	"orgd/adapters/redislimit"
	"orgd/adapters/sqlitestore"
	"orgd/adapters/system"
	"orgd/adapters/telemetry"
	"orgd/adapters/webhooksend"
	"orgd/app"
	"orgd/domain/limit"
	"orgd/ports"
)

// What the injector needs beside the constructors of the adapters.

// Version says which program this is, as far as it knows.
func Version() httpapi.BuildInfo {
	return httpapi.BuildInfo(system.ThisBuild())
}

// newMCP makes the server for models.
func newMCP(b httpapi.BuildInfo) httpapi.MCP {
	return func(api http.Handler) http.Handler { return mcpserver.Handler(b.Version, api) }
}

// serverConfig is the configuration of the server, with what depends on other
// settings.
func serverConfig(cfg Config) httpapi.Config {
	c := cfg.HTTP
	c.Console = cfg.ServesConsole()
	return c
}

// storage is what depends on where the data is stored. Once it is open, the key files
// exist.
type storage struct {
	stores ports.Stores
	jobs   []jobs.Job
}

// openAudited opens the storage. If cfg says so, the audit entries of what this process
// commits are written to standard output.
func openAudited(ctx context.Context, cfg Config, clock ports.Clock, m *telemetry.Metrics, t *telemetry.Traces, log *zap.Logger) (storage, func(), error) {
	s, closeStorage, err := openStorage(ctx, cfg, clock, m, t, log)
	if err != nil || cfg.AuditLog == "" {
		return s, closeStorage, err
	}
	out := io.Writer(os.Stdout)
	if cfg.Stdout != nil {
		out = cfg.Stdout
	}
	lines := auditlog.New(out, m.AuditMissed, log)
	s.stores.Audit.OnCommit(lines.Add)
	return s, func() {
		closeStorage()
		ctx, cancel := context.WithTimeout(context.Background(), drainTimeout)
		defer cancel()
		if err := lines.Close(ctx); err != nil {
			log.Error("the last audit entries are left out of standard output; orgd get audit has them", zap.Error(err))
		}
	}, nil
}

// openStorage opens the storage that cfg names.
func openStorage(ctx context.Context, cfg Config, clock ports.Clock, m *telemetry.Metrics, t *telemetry.Traces, log *zap.Logger) (storage, func(), error) {
	observer := telemetry.Observer{Metrics: m, Traces: t}
	if cfg.Storage == MongoDB {
		db, closeDB, err := openMongo(ctx, cfg, clock, observer)
		if err != nil {
			return storage{}, nil, err
		}
		reorders := jobs.Job{Name: "unfinished reorders", Every: reordersEvery, Run: db.NewReorderFinisher().Run}
		return storage{db.Stores(), []jobs.Job{reorders}}, closeDB, nil
	}
	cfg.SQLite.Observer = observer
	db, closeDB, err := sqlitestore.Open(ctx, cfg.SQLite, log)
	if err != nil {
		return storage{}, nil, err
	}
	if err = db.CheckLoaded(ctx); err == nil {
		err = createOwnKeys(cfg)
	}
	if err != nil {
		closeDB()
		return storage{}, nil, err
	}
	sizes := jobs.Job{Name: "storage metrics", Every: backlogEvery, Run: func(context.Context) error {
		files, err := db.Files()
		if err == nil {
			m.StoreFiles(files)
		}
		return err
	}}
	return storage{db.Stores(), []jobs.Job{sizes}}, closeDB, nil
}

// createOwnKeys creates the key files that belong in the data directory, because cfg
// names no others, and that do not exist yet.
func createOwnKeys(cfg Config) error {
	var own Config
	if cfg.Auth.KeyFile == "" {
		own.Auth.KeyFile = cfg.auth().KeyFile
	}
	if cfg.CursorKeyFile == "" {
		own.CursorKeyFile = cfg.keyFile("", cursorKeyName)
	}
	_, err := CreateKeys(own)
	return err
}

// authConfig is the configuration of authentication with its key file.
func authConfig(cfg Config, _ storage) jwtauth.Config { return cfg.auth() }

func newProvider(cfg Config, auth *jwtauth.Auth, log *zap.Logger) *jwtauth.Provider {
	return jwtauth.NewProvider(auth, cfg.HTTP.PublicURL, log)
}

// readCursorKey reads the key for cursors. Its errors never repeat the content.
func readCursorKey(cfg Config, _ storage) (httpapi.CursorKey, error) {
	path := cfg.keyFile(cfg.CursorKeyFile, cursorKeyName)
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read the cursor key: %w", err)
	}
	key, err := base64.StdEncoding.DecodeString(strings.TrimSpace(string(content)))
	if err != nil || len(key) < httpapi.MinCursorKey {
		return nil, fmt.Errorf("cursor key file %s must hold at least %d bytes in base64, as made by: openssl rand -base64 %d",
			path, httpapi.MinCursorKey, httpapi.MinCursorKey)
	}
	return key, nil
}

// limits is how requests are limited.
type limits struct {
	limiter ports.Limiter
	caps    limit.Caps
	shared  httpapi.SharedLimits // nil unless limits are counted in Redis
}

// openLimits counts in Redis if cfg names one, and in this process otherwise and
// while Redis is lost. A Redis that is lost does not keep the service from starting,
// one that refuses this program does.
func openLimits(cfg Config, m *telemetry.Metrics, t *telemetry.Traces, log *zap.Logger) (limits, func(), error) {
	local := memlimit.New(memlimit.Uptime())
	if !cfg.sharesLimits() {
		return limits{limiter: local, caps: cfg.Limits.PerReplica(cfg.Replicas)}, func() {}, nil
	}
	if err := redislimit.Check(cfg.redis()); err != nil && !errors.Is(err, redislimit.ErrLost) {
		return limits{}, nil, cfg.Origins.Rename(err)
	}
	redis, closeRedis, err := redislimit.Open(cfg.redis(), m.Fallback(local), m.LimitsShared, log)
	if err != nil {
		return limits{}, nil, err
	}
	return limits{t.Limiter(redis), cfg.Limits, redis.Shared}, closeRedis, nil
}

func newActivities(cfg Config, clock ports.Clock, ids ports.IDs, log ports.ActivityLog, agents ports.AgentNames) *app.Activities {
	return app.NewActivities(clock, ids, log, agents, cfg.Retention)
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
	c.Policy, c.Timeout = cfg.Webhooks, cfg.WebhookTimeout
	return webhooksend.New(c)
}

// capabilities returns what is configured and works at the moment.
func capabilities(cfg httpapi.Config, auth *jwtauth.Auth, shared httpapi.SharedLimits, streams *app.Streams, dispatcher *app.Dispatcher, t *telemetry.Traces) func() httpapi.Capabilities {
	return func() httpapi.Capabilities {
		return httpapi.Capabilities{
			ActivityIngest: true, ActivityStream: streams.Working(), ExternalIdentity: auth.External(),
			SharedLimits: shared != nil && shared(), Webhooks: dispatcher.Working(),
			Telemetry: t.Working(), APIDocs: true, Console: cfg.Console,
		}
	}
}
