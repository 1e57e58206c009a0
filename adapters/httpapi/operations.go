package httpapi

import (
	"context"
	_ "embed"
	"net/http"
	"time"

	"orgd/adapters/httpapi/apidoc"
	"orgd/adapters/httpapi/internal/protocol"
	"orgd/domain/fault"
	"orgd/domain/jsondoc"
	"orgd/domain/receipt"
	"orgd/ports"
)

// operations are the handlers of the operational endpoints.
type operations struct{ s *Server }

// live serves GET /healthz. It asks nobody: a process that answers is alive.
func (o operations) live(x *exchange) error {
	return x.send(receipt.Reply{Status: http.StatusOK, Body: envelope(128, object(func(w *jsondoc.Writer) {
		w.Field("status").Text("ok")
		o.writeAge(w)
	}))})
}

func (o operations) writeAge(w *jsondoc.Writer) {
	w.Field("version").Text(o.s.parts.Build.Version)
	w.Field("uptime_seconds").Int(int64(time.Since(o.s.started) / time.Second))
}

// pingTimeout bounds how long readiness asks the storage.
const pingTimeout = time.Second

// ready serves GET /readyz.
func (o operations) ready(x *exchange) error {
	if err := o.s.Check(x.ctx()); err != nil {
		return err
	}
	return x.send(receipt.Reply{Status: http.StatusOK, Body: envelope(192, object(func(w *jsondoc.Writer) {
		w.Field("status").Text("ok")
		w.Field("persistence").Bool(true)
		w.Field("shared_limits")
		if shared := o.s.parts.SharedLimits; shared == nil {
			w.Null()
		} else {
			w.Bool(shared())
		}
		o.writeAge(w)
	}))})
}

// Check returns nil if the service can answer requests, else why it cannot. It
// tells the metrics. However many ask, the storage is asked once at a time: who
// asks needs no token, and is not counted.
func (s *Server) Check(ctx context.Context) error {
	if s.env.draining.Load() {
		return ports.ErrUnavailable.With("draining")
	}
	_, err, _ := s.probe.Do("storage", func() (any, error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), pingTimeout)
		defer cancel()
		return nil, s.parts.Storage.Ping(ctx)
	})
	s.parts.Metrics.Dependency("storage", err == nil)
	s.parts.Metrics.Ready(err == nil && !s.env.draining.Load())
	if err != nil {
		return unavailable(err)
	}
	return nil
}

// unavailable makes whatever keeps the storage from answering a 503.
func unavailable(err error) error {
	if fault.Of(err).Code == fault.Unavailable {
		return err
	}
	return ports.ErrUnavailable.Because(err)
}

// metrics serves GET /metrics.
func (o operations) metrics(x *exchange) error {
	o.s.parts.Metrics.Handler().ServeHTTP(x.Writer, x.Request)
	return nil
}

// capabilities serves GET /capabilities.
func (o operations) capabilities(x *exchange) error {
	c := o.s.parts.Capabilities()
	return x.send(receipt.Reply{Status: http.StatusOK, Body: envelope(256, object(func(w *jsondoc.Writer) {
		w.Field("activity_ingest").Bool(c.ActivityIngest)
		w.Field("activity_stream").Bool(c.ActivityStream)
		w.Field("webhooks").Bool(c.Webhooks)
		w.Field("shared_limits").Bool(c.SharedLimits)
		w.Field("external_identity").Bool(c.ExternalIdentity)
		w.Field("telemetry").Bool(c.Telemetry)
		w.Field("api_docs").Bool(c.APIDocs)
		w.Field("console").Bool(c.Console)
	}))})
}

// openapiJSON serves GET /openapi.json.
func (o operations) openapiJSON(x *exchange) error {
	x.write(http.StatusOK, protocol.JSON, apidoc.JSON())
	return nil
}

// openapiYAML serves GET /openapi.yaml.
func (o operations) openapiYAML(x *exchange) error {
	x.write(http.StatusOK, "application/yaml", apidoc.YAML())
	return nil
}

// index serves GET /: it leads people to the console, or else to the reference, and
// says to programs what there is.
func (o operations) index(x *exchange) error {
	h := x.Writer.Header()
	h.Add("Vary", "Accept")
	if protocol.Prefers(x.Request.Header, "text/html", protocol.JSON) {
		h.Set("Location", "docs")
		if o.s.cfg.Console {
			h.Set("Location", "console")
		}
		x.Writer.WriteHeader(http.StatusSeeOther)
		x.Writer.WriteHeaderNow()
		return nil
	}
	return x.send(receipt.Reply{Status: http.StatusOK, Body: envelope(256, object(func(w *jsondoc.Writer) {
		w.Field("name").Text("orgd")
		w.Field("version").Text(o.s.parts.Build.Version)
		w.Field("links").Open()
		w.Field("openapi").Text(prefix + "/openapi.json")
		w.Field("docs").Text("/docs")
		if w.Field("console"); o.s.cfg.Console {
			w.Text("/console")
		} else {
			w.Null()
		}
		w.Close()
	}))})
}

//go:embed errors.html
var errorPage []byte

// errorDocs serves GET /docs/errors, where the types of problems lead.
func (o operations) errorDocs(x *exchange) error {
	x.Writer.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'")
	x.write(http.StatusOK, "text/html; charset=utf-8", errorPage)
	return nil
}
