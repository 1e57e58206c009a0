// Package httpapi serves the interface over HTTP: it reads requests strictly,
// asks one use case, and answers with an envelope, a page or an error. It is
// the only package that knows statuses and headers, and the only one that logs
// an error of a request.
package httpapi

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"runtime/debug"
	"time"

	"github.com/gin-gonic/gin"
	"go.uber.org/zap"
	"golang.org/x/sync/singleflight"

	"orgd/adapters/httpapi/internal/protocol"
	"orgd/adapters/telemetry"
	"orgd/app"
	"orgd/domain/access"
	"orgd/domain/fault"
	"orgd/domain/limit"
	"orgd/ports"
)

// Parts are what a server is made of.
type Parts struct {
	Agents       *app.Agents
	Departments  *app.Departments
	Company      *app.Company
	Documents    *app.Documents
	Projects     *app.Projects
	Activities   *app.Activities
	Streams      *app.Streams
	Measures     *app.Measures
	Sessions     *app.Sessions
	Webhooks     *app.Webhooks
	Audit        ports.AuditLog
	Receipts     ports.Receipts
	Storage      ports.Storage
	Limiter      ports.Limiter
	Caps         limit.Caps
	Clock        ports.Clock
	IDs          ports.IDs
	Metrics      *telemetry.Metrics
	Traces       *telemetry.Traces // nil without
	CursorKey    CursorKey
	Build        BuildInfo
	Capabilities func() Capabilities // asked at every probe
	SharedLimits SharedLimits
}

// CursorKey signs the cursors of lists. Replicas share it.
type CursorKey []byte

// MinCursorKey is the least length of a [CursorKey] in bytes.
const MinCursorKey = 32

// SharedLimits tells whether replicas share their limits at the moment; nil where
// they are not meant to.
type SharedLimits func() bool

// BuildInfo says which program this is.
type BuildInfo struct{ Version, Commit string }

// Capabilities says which optional subsystems are wired and working in this
// process.
type Capabilities struct {
	ActivityIngest   bool
	ActivityStream   bool
	Webhooks         bool
	SharedLimits     bool
	ExternalIdentity bool
	Telemetry        bool
	APIDocs          bool
	Console          bool
}

// Server serves the interface. Its handler may be used without its listener.
type Server struct {
	cfg       Config
	parts     Parts
	log       *zap.Logger
	engine    *gin.Engine
	env       *env
	clients   protocol.Clients
	origins   map[string]bool
	started   time.Time
	probe     singleflight.Group
	streaming streamTimes
	documents *limit.Places // of requests that deal with the whole organization
	// Streams end with ending, which end brings about.
	ending context.Context
	end    context.CancelFunc
}

// New returns a server of the parts. It does no I/O.
func New(cfg Config, parts Parts, log *zap.Logger) (*Server, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	if len(parts.CursorKey) < MinCursorKey {
		return nil, fmt.Errorf("httpapi: the cursor key has %d bytes, at least %d are needed", len(parts.CursorKey), MinCursorKey)
	}
	clients, err := protocol.NewClients(cfg.TrustedProxies)
	if err != nil {
		return nil, err
	}
	s := &Server{
		cfg: cfg, parts: parts, log: log, clients: clients,
		origins: map[string]bool{}, started: time.Now(), streaming: usualStreamTimes, documents: limit.Documents(),
	}
	s.env = &env{
		log: log, ids: parts.IDs, cursors: protocol.Cursors{Key: parts.CursorKey}, timeout: cfg.RequestTimeout, longTimeout: cfg.OrganizationTimeout,
		maxDocument: int64(cfg.OrganizationMaxBody), errorDocs: cfg.ErrorDocsURL,
		turns: newTurns(func(limiter string) { parts.Metrics.LimiterDecision(limiter, "denied") }),
	}
	s.ending, s.end = context.WithCancel(context.Background())
	for _, o := range cfg.CORSOrigins {
		s.origins[o] = true
	}
	s.engine = s.newEngine()
	return s, nil
}

func (s *Server) newEngine() *gin.Engine {
	gin.SetMode(gin.ReleaseMode)
	e := gin.New()
	e.RedirectTrailingSlash = false
	e.RedirectFixedPath = false
	e.HandleMethodNotAllowed = true
	e.UseRawPath = true
	e.UnescapePathValues = false // see exchange.param
	e.ForwardedByClientIP = false
	for _, r := range s.routes() {
		rt := r
		rt.name = rt.method + " " + rt.pattern()
		serve := s.traced(&rt, s.serve(&rt))
		e.Handle(rt.method, rt.ginPath(), serve)
		if rt.method == http.MethodGet {
			e.Handle(http.MethodHead, rt.ginPath(), serve)
		}
	}
	e.NoRoute(s.traced(noRoute, s.serve(noRoute)))
	e.NoMethod(s.traced(noMethod, s.serve(noMethod)))
	return e
}

// Handler returns the interface as a handler.
func (s *Server) Handler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.allowCORS(w, r) {
			return
		}
		r.URL.RawPath = protocol.UnescapeUnreserved(r.URL.RawPath)
		s.engine.ServeHTTP(w, r)
	})
}

// serve answers the requests of one route.
func (s *Server) serve(rt *route) gin.HandlerFunc {
	return func(c *gin.Context) {
		x := newExchange(s.env, c, rt)
		x.trace = s.parts.Traces.Fields(x.client)
		defer s.afterwards(x)
		defer x.close()
		s.parts.Metrics.InFlight(1)
		defer s.parts.Metrics.InFlight(-1)
		defer s.finish(x)
		err := s.run(x)
		switch {
		case err == nil:
		case x.client.Err() != nil && !errors.Is(err, errIncomplete):
			abandon(x)
		default:
			if x.later != nil {
				x.Writer.Header().Set("Connection", "close") // or the client's next request would wait behind it
			}
			x.fail(err)
		}
	}
}

// afterwards does what the answer did not wait for.
func (s *Server) afterwards(x *exchange) {
	if x.later == nil {
		return
	}
	if x.code != 0 { // or the client has left
		x.Writer.Flush()
	}
	x.later()
}

// statusAbandoned is what metrics and the log show of a request whose client
// has left. Nobody is sent it.
const statusAbandoned = 499

// abandon ends an exchange whose client has left. The connection is cut, so
// that a client that only seems to be gone gets no answer rather than an empty
// success.
func abandon(x *exchange) {
	x.Writer.WriteHeader(statusAbandoned)
	panic(http.ErrAbortHandler)
}

// errPanic is what a panic in a handler becomes.
var errPanic = errors.New("httpapi: panic")

// run admits and handles the request. A panic becomes an error.
func (s *Server) run(x *exchange) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("%w: %s\n%s", errPanic, fault.PanicText(v), debug.Stack())
		}
	}()
	if x.route.long {
		if err := x.setWriteDeadline(noDeadline); err != nil {
			return err
		}
	}
	return s.admit(x)
}

// finish reports the exchange to the metrics and the access log.
func (s *Server) finish(x *exchange) {
	took := time.Since(x.started)
	x.countRead()
	status := x.Writer.Status()
	s.parts.Metrics.Request(x.route.label(), x.Request.Method, status, took)
	if x.route.uncounted && status < http.StatusBadRequest {
		return // probes come every few seconds and tell nothing
	}
	fields := make([]zap.Field, 0, 9)
	fields = append(fields, zap.String("instance", x.id), zap.String("method", x.method()),
		zap.String("route", x.route.name), zap.Int("status", status),
		zap.Duration("took", took), zap.Int("bytes", max(0, x.Writer.Size())))
	if x.session != nil {
		fields = append(fields, zap.String("subject", x.session.Subject))
	}
	if x.code != 0 {
		fields = append(fields, zap.Int("code", int(x.code)))
	}
	fields = append(fields, x.trace...)
	log := s.log.Info
	if x.route.op == access.Console && status < http.StatusBadRequest {
		log = s.log.Debug // a page has dozens of files
	}
	log("request", fields...)
}

const (
	headerTimeout  = 5 * time.Second
	idleTimeout    = 120 * time.Second
	maxHeaderBytes = 64 << 10
)

// Run listens, calls ready with the address, and serves until ctx ends. Then
// readiness answers 503 at once, running requests end, and Run returns nil.
func (s *Server) Run(ctx context.Context, ready func(net.Addr)) error {
	listener, err := s.listen(ctx)
	if err != nil {
		return err
	}
	srv := &http.Server{
		Handler:           s.Handler(),
		ReadHeaderTimeout: headerTimeout,
		ReadTimeout:       headerTimeout + bodyTimeout,
		WriteTimeout:      writeTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeaderBytes,
		// "OPTIONS *" is answered as every path that is not ours.
		DisableGeneralOptionsHandler: true,
		ErrorLog:                     zap.NewStdLog(s.log.Named("http")),
	}
	served := make(chan error, 1)
	go func() { served <- srv.Serve(listener) }()
	ready(listener.Addr())
	select {
	case err := <-served:
		return fmt.Errorf("httpapi: serve: %w", err)
	case <-ctx.Done():
	}
	return s.drain(srv)
}

func (s *Server) listen(ctx context.Context) (net.Listener, error) {
	var lc net.ListenConfig
	listener, err := lc.Listen(ctx, "tcp", s.cfg.Addr)
	if err != nil {
		return nil, fmt.Errorf("--addr: %w", err)
	}
	if s.cfg.TLSCert == "" {
		return listener, nil
	}
	files := &protocol.Certificate{CertFile: s.cfg.TLSCert, KeyFile: s.cfg.TLSKey, Expires: s.parts.Metrics.CertificateExpires}
	files.Failed = func(err error) { s.log.Warn("certificate not reloaded, the old one stays in use", zap.Error(err)) }
	if err := files.Load(); err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	return tls.NewListener(listener, &tls.Config{
		MinVersion:     tls.VersionTLS12,
		NextProtos:     []string{"http/1.1"},
		GetCertificate: files.Current,
	}), nil
}

// drain lets load balancers notice, then ends what runs. Streams would never end
// by themselves.
func (s *Server) drain(srv *http.Server) error {
	s.env.draining.Store(true)
	s.parts.Metrics.Ready(false)
	time.Sleep(s.cfg.DrainDelay)
	s.end()
	ctx, cancel := context.WithTimeout(context.Background(), s.cfg.ShutdownTimeout)
	defer cancel()
	if err := srv.Shutdown(ctx); err != nil {
		return errors.Join(fmt.Errorf("httpapi: drain: %w", err), srv.Close())
	}
	return nil
}
