// Package httpapi serves the interface over HTTP: it reads requests strictly,
// calls one use case, and answers with an envelope, a page or an error. It and its
// internal packages are the only ones that know statuses and headers, and that log an
// error of a request.
package httpapi

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/gin-gonic/gin"
	"go.uber.org/zap"
	"golang.org/x/sync/singleflight"

	"orgd/adapters/httpapi/internal/protocol"
	"orgd/adapters/httpapi/internal/request"
	"orgd/adapters/settings"
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
	SignIns      *app.SignIns
	Webhooks     *app.Webhooks
	Audit        ports.AuditLog
	Trail        *app.Trail
	Changes      *app.Changes
	Idempotency  ports.IdempotencyStore
	Storage      ports.Storage
	Limiter      ports.Limiter
	Caps         limit.Caps
	Clock        ports.Clock
	IDs          ports.IDs
	Metrics      *telemetry.Metrics
	Traces       *telemetry.Traces // nil without
	CursorKey    CursorKey
	Build        BuildInfo
	Capabilities func() Capabilities // called for each GET /capabilities
	SharedLimits SharedLimits
	MCP          MCP
}

// CursorKey signs the cursors of lists, and tags and plans are good for one key. Replicas share it.
type CursorKey []byte

// MinCursorKey is the least length of a [CursorKey] in bytes.
const MinCursorKey = 32

// SharedLimits reports whether replicas share their limits at the moment; nil if they
// need not.
type SharedLimits func() bool

// BuildInfo identifies the program.
type BuildInfo struct{ Version, Commit, Committed string }

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
	paths     paths
	env       *request.Env
	clients   protocol.Clients
	browsers  browsers
	started   time.Time
	probe     singleflight.Group
	streaming streamTimes
	documents *limit.Places // of requests that deal with the whole organization
	// Streams end with ending, which end cancels.
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
		cfg: cfg, parts: parts, log: log, clients: clients, browsers: newBrowsers(cfg),
		started: time.Now(), streaming: usualStreamTimes, documents: limit.Documents(),
	}
	s.env = &request.Env{
		Log: log, IDs: parts.IDs, Cursors: protocol.Cursors{Key: parts.CursorKey}, ErrorDocs: cfg.ErrorDocsURL,
		Incarnation: func() string { return protocol.Incarnation(parts.CursorKey, parts.Storage.Incarnation()) },
		Timeout:     cfg.RequestTimeout, LongTimeout: cfg.OrganizationTimeout, MaxDocument: int64(cfg.OrganizationMaxBody),
		Bodies: request.NewBodies(),
		Turns:  request.NewTurns(func(limiter string) { parts.Metrics.LimiterDecision(limiter, "denied") }),
	}
	s.ending, s.end = context.WithCancel(context.Background())
	s.engine = s.newEngine()
	return s, nil
}

// quiet keeps gin from printing routes. The mode is one variable for all engines.
var quiet = sync.OnceFunc(func() { gin.SetMode(gin.ReleaseMode) })

func (s *Server) newEngine() *gin.Engine {
	quiet()
	e := gin.New()
	e.RedirectTrailingSlash = false
	e.RedirectFixedPath = false
	e.HandleMethodNotAllowed = true
	e.UseRawPath = true
	e.UnescapePathValues = false // see Request.Param
	e.ForwardedByClientIP = false
	for _, rt := range s.routes() {
		rt.Name = rt.Method + " " + rt.Pattern()
		serve := s.traced(&rt, s.serve(&rt))
		for _, method := range methodsOf(rt) {
			e.Handle(method, rt.RouterPath(), serve)
		}
		s.paths.add(rt)
	}
	refuse := s.traced(noMethod, s.serve(noMethod))
	for _, p := range s.paths {
		for _, method := range allMethods {
			if !slices.Contains(p.methods, method) {
				e.Handle(method, p.router, refuse) // or a parameter of another path would match
			}
		}
	}
	e.NoRoute(s.traced(noRoute, s.serve(noRoute)))
	e.NoMethod(refuse)
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

// The routes of requests that match nothing.
var (
	noRoute  = &request.Route{Name: "unmatched"}
	noMethod = &request.Route{Name: "unmatched"}
)

// serve answers the requests of one route.
func (s *Server) serve(rt *request.Route) gin.HandlerFunc {
	return func(c *gin.Context) {
		r := request.New(s.env, c, rt)
		r.Trace = s.parts.Traces.Fields(r.Client)
		defer s.afterwards(r)
		defer r.Close()
		s.parts.Metrics.InFlight(1)
		defer s.parts.Metrics.InFlight(-1)
		defer s.finish(r)
		err := s.run(r)
		switch {
		case err == nil:
		case r.Client.Err() != nil && !errors.Is(err, request.ErrIncomplete) && !errors.Is(err, request.ErrBodies):
			abandon(r)
		default:
			if r.Later != nil {
				r.Writer.Header().Set("Connection", "close") // or the client's next request would wait behind it
			}
			r.Fail(err)
		}
	}
}

// afterwards runs what the answer did not wait for.
func (s *Server) afterwards(r *request.Request) {
	if r.Later == nil {
		return
	}
	if r.Code != 0 { // or the client has left
		r.Writer.Flush()
	}
	r.Later()
}

// statusAbandoned is the status in metrics and the log of a request whose client has
// left. It is never sent.
const statusAbandoned = 499

// abandon ends a request whose client has left. It closes the connection: a client that
// only seems to have left gets no answer rather than an empty success.
func abandon(r *request.Request) {
	r.Writer.WriteHeader(statusAbandoned)
	panic(http.ErrAbortHandler)
}

// run admits and handles the request. A panic becomes an error.
func (s *Server) run(r *request.Request) (err error) {
	defer fault.Recover(&err, "httpapi: panic")
	if r.Route.Long {
		// The answer is made before it is sent; sending it sets a deadline.
		if err := r.SetWriteDeadline(time.Time{}); err != nil {
			return err
		}
	}
	return s.admit(r)
}

// finish reports the request to the metrics and the access log.
func (s *Server) finish(r *request.Request) {
	took := time.Since(r.Started)
	r.CountRead()
	status := r.Writer.Status()
	s.parts.Metrics.Request(r.Route.Label(), r.HTTP.Method, status, took)
	if r.Route.Uncounted && status < http.StatusBadRequest {
		return // probes come every few seconds
	}
	level := zap.InfoLevel
	if r.Route.Op == access.Console && status < http.StatusBadRequest {
		level = zap.DebugLevel // a page has dozens of files
	}
	entry := s.log.Check(level, "request")
	if entry == nil {
		return
	}
	list := fieldLists.Get().(*[]zap.Field)
	defer fieldLists.Put(list)
	fields := append((*list)[:0], zap.String("instance", r.ID), zap.String("method", r.ShortMethod()),
		zap.String("route", r.Route.Name), zap.Int("status", status),
		zap.Duration("took", took), zap.Int("bytes", max(0, r.Writer.Size())))
	if r.Session != nil {
		fields = append(fields, zap.String("subject", r.Session.Subject))
	}
	if r.Code != 0 {
		fields = append(fields, zap.Int("code", int(r.Code)))
	}
	*list = append(fields, r.Trace...)
	entry.Write(*list...)
}

// fieldLists are those of lines that were logged, for others.
var fieldLists = sync.Pool{New: func() any { return new([]zap.Field) }}

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
		ReadTimeout:       headerTimeout + request.BodyTimeout,
		WriteTimeout:      request.WriteTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeaderBytes,
		// "OPTIONS *" is answered as any path without a route.
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
		return nil, settings.Mistakef("addr", "%w", err)
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

// drain waits until load balancers have noticed, then ends streams and waits for
// requests.
func (s *Server) drain(srv *http.Server) error {
	s.env.Draining.Store(true)
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
