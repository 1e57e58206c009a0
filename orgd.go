// Package orgd is the service: its configuration, its parts, and what its operator
// does beside it.
package orgd

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"

	"go.uber.org/zap"

	"orgd/adapters/httpapi"
	"orgd/adapters/jobs"
	"orgd/adapters/jwtauth"
	"orgd/adapters/system"
	"orgd/adapters/telemetry"
	"orgd/app"
	"orgd/domain/audit"
	"orgd/domain/idempotency"
	"orgd/domain/session"
	"orgd/domain/webhook"
	"orgd/ports"
)

// App is the service with all its parts.
type App struct {
	cfg      Config
	log      *zap.Logger
	server   *httpapi.Server
	sessions *app.Sessions
	storage  ports.Storage
	clock    ports.Clock
	metrics  *telemetry.Metrics
	issuer   *jwtauth.Issuer
	auth     *jwtauth.Auth
	jobs     []jobs.Job

	stream     ports.EventStream
	streams    *app.Streams
	dispatcher *app.Dispatcher

	adminToken string
}

// Build connects the parts that cfg asks for, and opens the storage. The
// returned function closes everything again, in the opposite order; call it
// when [App.Run] has returned.
func Build(ctx context.Context, cfg Config, log *zap.Logger) (*App, func(), error) {
	return BuildAt(ctx, cfg, log, system.Clock{})
}

// BuildAt is [Build] for a service whose changes and tokens have the time of clock.
func BuildAt(ctx context.Context, cfg Config, log *zap.Logger, clock ports.Clock) (*App, func(), error) {
	if err := cfg.Validate(); err != nil {
		return nil, nil, err
	}
	first, err := isNew(cfg)
	if err != nil {
		return nil, nil, err
	}
	a, stop, err := assemble(ctx, cfg, log, clock)
	if err != nil || !first {
		return a, stop, err
	}
	if a.adminToken, _, err = sign(a.issuer, operator, clock.Now()); err != nil {
		stop()
		return nil, nil, err
	}
	return a, stop, nil
}

// AdminToken is a token of role admin if this is the first start on a new data
// directory, else "". It is stored nowhere: show it once or save it.
func (a *App) AdminToken() string { return a.adminToken }

// NewToken makes a token that begins at the time of the service's clock.
func (a *App) NewToken(in TokenRequest) (string, session.Session, error) {
	return sign(a.issuer, in, a.clock.Now())
}

// SignInLink makes a link to the console of this service, which clients on this
// machine reach at url. It signs a browser in as admin: once, within
// [session.LinkTTL], from this machine. It is a secret until then.
func (a *App) SignInLink(url string) (string, error) {
	s, err := newSession(a.issuer, operator, a.clock.Now())
	if err != nil {
		return "", err
	}
	code, _, err := a.sessions.Link(context.Background(), app.Call{Actor: s.Actor(), Route: "orgd serve"}, s)
	return code.URL(url), err
}

// Handler serves the interface without a listener. Run does not have to be
// called for it, but revocations by other replicas are seen only while it runs.
func (a *App) Handler() http.Handler { return a.server.Handler() }

// Run serves until ctx ends, then drains and returns nil. It calls ready once,
// with the address, when the service can be reached. An error means that the
// service could not start, or had to stop.
func (a *App) Run(ctx context.Context, ready func(net.Addr)) error {
	if err := a.sessions.Load(ctx); err != nil {
		return fmt.Errorf("read the revoked sessions: %w", err)
	}
	a.checkHealth(ctx)
	if a.cfg.MetricsAddr != "" {
		stopMetrics, err := a.metrics.Serve(ctx, a.cfg.MetricsAddr, a.log)
		if err != nil {
			return err
		}
		defer stopMetrics()
	}
	// The background jobs go on until the last request is answered.
	background, stop := context.WithCancel(context.WithoutCancel(ctx))
	var running sync.WaitGroup
	for _, j := range a.backgroundJobs() {
		running.Go(func() { j.Repeat(background, a.log, a.metrics) })
	}
	defer a.drain()
	defer running.Wait()
	defer stop()
	return a.server.Run(ctx, ready)
}

// drainTimeout is how long deliveries to webhooks, writing the last audit entries and storing
// what sessions did may take to end when the service stops. A delivery that is cancelled is due
// again at once.
const drainTimeout = 5 * time.Second

func (a *App) drain() {
	ctx, cancel := context.WithTimeout(context.Background(), drainTimeout)
	defer cancel()
	var all sync.WaitGroup
	all.Go(func() {
		if err := a.dispatcher.Drain(ctx); err != nil {
			a.log.Error("the last deliveries to webhooks were not recorded; they are made again", zap.Error(err))
		}
	})
	all.Go(func() {
		if err := a.sessions.StoreUses(ctx); err != nil {
			a.log.Error("when sessions were used last was not stored", zap.Error(err))
		}
	})
	all.Wait()
}

const (
	// refreshEvery is the time between two reads of what other replicas have revoked. It is half of
	// the second in which a revocation must be seen; the rest is for the read.
	refreshEvery = time.Second / 2
	// reloadEvery is the time between two full reads of the revocations, which remove the
	// expired ones from memory.
	reloadEvery = time.Hour
	// expireEvery is the time between two removals of expired records from the storage.
	expireEvery = time.Minute
	// expirePause leaves the storage to requests between two steps.
	expirePause = 50 * time.Millisecond
	// expireSteps bounds the steps of one run, which may take 30 seconds.
	expireSteps = 200
	// webhooksEvery is the time between two searches for events and deliveries that no
	// notification announced.
	webhooksEvery = time.Second
	// webhooksGather is how long events wait for others before their webhooks are
	// looked up. A busy storage commits hundreds of times a second.
	webhooksGather = 20 * time.Millisecond
	// backlogEvery is the time between two counts of pending deliveries.
	backlogEvery = 15 * time.Second
	// reordersEvery is the time between two looks for reorders that another process has
	// left unfinished.
	reordersEvery = 2 * time.Second
	// healthEvery is the time between two checks of what can be used, for the metrics.
	healthEvery = 5 * time.Second
)

// backgroundJobs are the jobs that every storage needs, and those of this one.
func (a *App) backgroundJobs() []jobs.Job {
	return append([]jobs.Job{
		{Name: "revocations", Every: refreshEvery, Run: a.sessions.Refresh},
		{Name: "forgotten revocations", Every: reloadEvery, Run: a.sessions.Load},
		{Name: "uses of sessions", Every: app.StoreUsesEvery, Run: a.sessions.StoreUses},
		{Name: "retention", Every: expireEvery, Run: a.expire},
		{Name: "log of events", Every: app.WatchEvery, Run: a.streams.Watch},
		{Name: "events for webhooks", Every: webhooksEvery, Run: a.dispatcher.Record, Wake: a.stream.Changed, Gather: webhooksGather},
		{Name: "deliveries to webhooks", Every: webhooksEvery, Run: a.dispatcher.Dispatch, Wake: a.dispatcher.Notified},
		{Name: "webhook metrics", Every: backlogEvery, Run: a.dispatcher.Measure},
		{Name: "health metrics", Every: healthEvery, Run: func(ctx context.Context) error { a.checkHealth(ctx); return nil }},
	}, a.jobs...)
}

// checkHealth updates the metrics of what can be used. A failure is logged where the
// dependency is used.
func (a *App) checkHealth(ctx context.Context) {
	if external, answer := a.auth.Issuers(); external {
		a.metrics.Dependency("token_issuers", answer)
	}
	_ = a.server.Check(ctx)
}

// expire removes expired records, in steps that do not hold up requests. What is
// left after the last step is for the next run.
func (a *App) expire(ctx context.Context) error {
	for range expireSteps {
		more, err := a.storage.DeleteExpired(ctx, a.expiry())
		if err != nil || !more {
			return err
		}
		select {
		case <-time.After(expirePause):
		case <-ctx.Done():
			return nil
		}
	}
	return nil
}

func (a *App) expiry() ports.Expiry {
	now := a.clock.Now()
	e := ports.Expiry{Audit: now.Add(-audit.Kept), Idempotency: now.Add(-idempotency.Kept), Deliveries: now.Add(-webhook.Kept), Now: now}
	if a.cfg.Retention > 0 {
		e.Events = now.Add(-a.cfg.Retention)
	}
	return e
}
