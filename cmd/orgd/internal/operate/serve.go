// Package operate has the commands that run a service and look after its storage,
// keys and configuration.
package operate

import (
	"context"
	"errors"
	"time"

	"orgd"
	"orgd/cmd/orgd/internal/config"
	"orgd/cmd/orgd/internal/terminal"
)

// Serve runs the service.
type Serve struct {
	config.ServiceFlags
}

// Help implements kong.HelpProvider.
func (Serve) Help() string {
	return `Serves the API under /api/v1 until SIGTERM or SIGINT. Then readiness answers 503 at once, running requests end, everything is closed, and the exit code is 0. A second signal ends the process immediately.

The first start makes the data directory, its keys, and a token of role admin, which is written to DIR/admin.token (mode 0600) and shown nowhere. On a terminal it also prints a link that signs a browser in to the console: once, within five minutes, on this machine; orgd login --link prints another. More tokens: orgd token create.

Examples:

    # a service for this machine
    orgd serve --data-dir ./data

    # in a container, behind a proxy, metrics for the cluster only
    orgd serve --addr 0.0.0.0:8080 --data-dir /data \
      --trusted-proxies 10.0.0.0/8 --metrics-addr 0.0.0.0:9090

    # the same from the environment
    ORGD_ADDR=0.0.0.0:8080 ORGD_DATA_DIR=/data orgd serve

    # HTTPS; renewed certificates are picked up
    orgd serve --addr :8443 --tls-cert cert.pem --tls-key key.pem

    # each audit entry as a line of JSON on standard output, for what collects logs
    orgd serve --audit-log -

    # other limits
    orgd serve --limit agents.create=500/60s --limit-at-once agents.rollback=4

    # see what the service would do with a configuration
    orgd config check --config orgd.yaml`
}

// stopSpare is how long everything may take to close when the time of running requests is
// over: more than all of it needs, unless something hangs.
const stopSpare = 29 * time.Second

// errStuck is the error of a service that cannot close.
var errStuck = errors.New("stopping takes too long: something that it needs, such as a disk or a pipe, does not answer; ended without closing everything")

// Run serves until ctx ends. Whatever hangs then, it returns.
func (*Serve) Run(ctx context.Context, t *terminal.Terminal, given config.Given) error {
	cfg, err := config.LoadValid(given, t.Getenv)
	if err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- serve(ctx, t, cfg) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	late := time.NewTimer(cfg.HTTP.DrainDelay + cfg.HTTP.ShutdownTimeout + stopSpare)
	defer late.Stop()
	select {
	case err := <-ended:
		return err
	case <-late.C:
		return t.FailSoon(errStuck)
	}
}

func serve(ctx context.Context, t *terminal.Terminal, cfg orgd.Config) error {
	log, closeLog, err := BufferedLogger(t, cfg.Log)
	if err != nil {
		return err
	}
	defer closeLog()
	cfg.Stdout = t.Stdout
	service, stop, err := orgd.Build(ctx, cfg, log)
	if err != nil {
		return UnlessStopped(ctx, err)
	}
	defer stop()
	w, err := newWelcome(t, cfg, service, log)
	if err != nil {
		return err
	}
	stopping := make(chan struct{})
	defer context.AfterFunc(ctx, func() {
		log.Info("stopping: running requests end first")
		close(stopping)
	})()
	err = service.Run(ctx, w.listening)
	w.served.Close()
	if err != nil {
		return UnlessStopped(ctx, err)
	}
	<-stopping // Run returns nil only once ctx has ended
	log.Info("stopped")
	return nil
}

// UnlessStopped returns nil for the error of a start that ended because ctx ended.
// The error of a failed stop is returned.
func UnlessStopped(ctx context.Context, err error) error {
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}
