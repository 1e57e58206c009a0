// Package operate has the commands that run a service and look after its storage,
// keys and configuration.
package operate

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"

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

    # each audit entry as a line of JSON, for what collects logs; SIGHUP after the file was moved
    orgd serve --audit-log /var/log/orgd/audit.log

    # other limits
    orgd serve --limit agents.create=500/60s --limit-at-once agents.rollback=4

    # see what the service would do with a configuration
    orgd config check --config orgd.yaml`
}

// Run serves until ctx ends.
func (*Serve) Run(ctx context.Context, t *terminal.Terminal, given config.Given) error {
	cfg, err := config.LoadValid(given, t.Getenv)
	if err != nil {
		return err
	}
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
	defer onHangup(cfg, service)()
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
	w.served.Close() // if there is one
	if err != nil {
		return UnlessStopped(ctx, err)
	}
	<-stopping // Run returns nil only once ctx has ended
	log.Info("stopped")
	return nil
}

// onHangup opens the file of the audit log again whenever the process gets a SIGHUP, until
// the function that it returns is called. Without such a file SIGHUP ends the process, as it
// does when its terminal goes.
func onHangup(cfg orgd.Config, service *orgd.App) (end func()) {
	if cfg.AuditLog == "" || cfg.AuditLog == "-" {
		return func() {}
	}
	hangups, ended := make(chan os.Signal, 1), make(chan struct{})
	signal.Notify(hangups, syscall.SIGHUP)
	go func() {
		defer close(ended)
		for range hangups {
			service.ReopenAuditLog()
		}
	}()
	return func() {
		signal.Stop(hangups)
		close(hangups)
		<-ended
	}
}

// UnlessStopped returns nil for the error of a start that ended because ctx ended.
// The error of a failed stop is returned.
func UnlessStopped(ctx context.Context, err error) error {
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}
