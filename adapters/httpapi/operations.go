package httpapi

import (
	"context"
	_ "embed"
	"net/http"
	"time"

	"orgd/adapters/httpapi/internal/protocol"
	"orgd/adapters/httpapi/internal/request"
	"orgd/domain/fault"
	"orgd/domain/jsondoc"
	"orgd/ports"
)

// operations are the handlers of the operational endpoints.
type operations struct{ s *Server }

// live serves GET /healthz. It checks nothing: a process that answers is alive.
func (o operations) live(r *request.Request) error {
	return r.SendObject(func(w *jsondoc.Writer) {
		w.Field("status").Text("ok")
		o.writeAge(w)
	})
}

func (o operations) writeAge(w *jsondoc.Writer) {
	w.Field("version").Text(o.s.parts.Build.Version)
	w.Field("uptime_seconds").Int(int64(time.Since(o.s.started) / time.Second))
}

// pingTimeout bounds the check of the storage.
const pingTimeout = time.Second

// ready serves GET /readyz.
func (o operations) ready(r *request.Request) error {
	if err := o.s.Check(r.Ctx()); err != nil {
		return err
	}
	return r.SendObject(func(w *jsondoc.Writer) {
		w.Field("status").Text("ok")
		w.Field("persistence").Bool(true)
		w.Field("shared_limits")
		if shared := o.s.parts.SharedLimits; shared == nil {
			w.Null()
		} else {
			w.Bool(shared())
		}
		o.writeAge(w)
	})
}

// Check returns nil if the service can answer requests, or the error that keeps it from
// that. It sets the metrics of readiness. Concurrent calls share one check of the storage,
// because callers of GET /readyz need no token and have no limit.
func (s *Server) Check(ctx context.Context) error {
	if s.env.Draining.Load() {
		return ports.ErrUnavailable.With("draining")
	}
	_, err, _ := s.probe.Do("storage", func() (any, error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), pingTimeout)
		defer cancel()
		return nil, s.parts.Storage.Ping(ctx)
	})
	s.parts.Metrics.Dependency("storage", err == nil)
	s.parts.Metrics.Ready(err == nil && !s.env.Draining.Load())
	if err == nil || fault.Of(err).Code == fault.Unavailable {
		return err
	}
	return ports.ErrUnavailable.Because(err)
}

// metrics serves GET /metrics.
func (o operations) metrics(r *request.Request) error {
	o.s.parts.Metrics.Handler().ServeHTTP(r.Writer, r.HTTP)
	return nil
}

// capabilities serves GET /capabilities.
func (o operations) capabilities(r *request.Request) error {
	c := o.s.parts.Capabilities()
	return r.SendObject(func(w *jsondoc.Writer) {
		w.Field("activity_ingest").Bool(c.ActivityIngest)
		w.Field("activity_stream").Bool(c.ActivityStream)
		w.Field("webhooks").Bool(c.Webhooks)
		w.Field("shared_limits").Bool(c.SharedLimits)
		w.Field("external_identity").Bool(c.ExternalIdentity)
		w.Field("telemetry").Bool(c.Telemetry)
		w.Field("api_docs").Bool(c.APIDocs)
		w.Field("console").Bool(c.Console)
	})
}

// openapi serves GET /openapi.json and /openapi.yaml.
func openapi(mediaType string, document func() []byte) func(*request.Request) error {
	return func(r *request.Request) error {
		r.Write(http.StatusOK, mediaType, document())
		return nil
	}
}

// index serves GET /. It redirects browsers to the console, or else to the reference, and
// answers programs with links.
func (o operations) index(r *request.Request) error {
	h := r.Writer.Header()
	h.Add("Vary", "Accept")
	if protocol.Prefers(r.HTTP.Header, "text/html", protocol.JSON) {
		h.Set("Location", "docs")
		if o.s.cfg.Console {
			h.Set("Location", "console")
		}
		r.WriteStatus(http.StatusSeeOther)
		return nil
	}
	return r.SendObject(func(w *jsondoc.Writer) {
		w.Field("name").Text("orgd")
		w.Field("version").Text(o.s.parts.Build.Version)
		w.Field("links").Open()
		w.Field("openapi").Text(request.Prefix + "/openapi.json")
		w.Field("docs").Text("/docs")
		if w.Field("console"); o.s.cfg.Console {
			w.Text("/console")
		} else {
			w.Null()
		}
		w.Close()
	})
}

//go:embed errors.html
var errorPage []byte

// errorDocs serves GET /docs/errors, which describes the types of problems.
func (o operations) errorDocs(r *request.Request) error {
	r.Writer.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'")
	r.Write(http.StatusOK, "text/html; charset=utf-8", errorPage)
	return nil
}
