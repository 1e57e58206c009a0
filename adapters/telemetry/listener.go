package telemetry

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"go.uber.org/zap"
)

// Bounds of the metrics listener, which serves one small page.
const (
	metricsTimeout = 10 * time.Second
	metricsHeaders = 16 << 10 // bytes
)

// Serve shows the metrics under GET /metrics of a listener of their own, until the
// returned function is called. It returns an error if addr, HOST:PORT, is not free.
func (m *Metrics) Serve(ctx context.Context, addr string, log *zap.Logger) (stop func(), err error) {
	var lc net.ListenConfig
	listener, err := lc.Listen(ctx, "tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("listen for metrics: %w", err)
	}
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", m.Handler())
	srv := &http.Server{
		Handler: mux, ReadTimeout: metricsTimeout, WriteTimeout: metricsTimeout,
		IdleTimeout: time.Minute, MaxHeaderBytes: metricsHeaders,
		ErrorLog: zap.NewStdLog(log.Named("metrics")),
	}
	served := make(chan error, 1)
	go func() { served <- srv.Serve(listener) }()
	log.Info("metrics are shown", zap.Stringer("addr", listener.Addr()))
	return func() {
		err := srv.Close()
		if err = errors.Join(err, <-served); !errors.Is(err, http.ErrServerClosed) {
			log.Error("the metrics listener failed", zap.Error(err))
		}
	}, nil
}
