package operate

import (
	"context"
	"crypto/tls"
	"errors"
	"net/http"
	"time"

	"orgd/client"
	"orgd/cmd/orgd/internal/config"
	"orgd/cmd/orgd/internal/remote"
	"orgd/cmd/orgd/internal/terminal"
)

// Healthcheck asks the service of this machine whether it is ready.
type Healthcheck struct {
	config.FileFlag
	remote.VerboseFlag
	Addr    string        `placeholder:"HOST:PORT" help:"Address that the service listens on."`
	TLSCert string        `name:"tls-cert" placeholder:"FILE" help:"Certificate of the service, if it serves HTTPS."`
	Live    bool          `help:"Ask only whether the process answers, not whether it can do its work."`
	Timeout time.Duration `default:"3s" placeholder:"TIME" help:"How long the answer may take (default 3s)."`
}

// Help implements kong.HelpProvider.
func (Healthcheck) Help() string {
	return `Asks the service of this machine, or of this container, whether it is ready: exit code 0 if it is, 1 if not. It finds the service by the settings that "orgd serve" has, and needs no token.

Examples:

    orgd healthcheck
    ORGD_ADDR=0.0.0.0:9000 orgd healthcheck --live

    # in a Dockerfile
    HEALTHCHECK CMD ["/orgd", "healthcheck"]`
}

// Run asks once.
func (c *Healthcheck) Run(ctx context.Context, t *terminal.Terminal, given config.Given) error {
	cfg, err := config.Load(given, t.Getenv)
	if err != nil {
		return err
	}
	to := remote.Connection{Server: LocalURL(cfg, cfg.HTTP.Addr), Setting: "--addr", Verbose: c.Verbose}
	to.Announce(t)
	service, err := client.New(client.Config{
		BaseURL: to.Server, MaxAttempts: 1,
		HTTPClient: &http.Client{
			Timeout: c.Timeout,
			Transport: &http.Transport{
				DisableKeepAlives: true,
				// The certificate has the name that other machines use, and the request
				// holds no secret.
				TLSClientConfig: &tls.Config{InsecureSkipVerify: true},
			},
		},
	})
	if err != nil {
		return terminal.Usagef("--addr: %q must be HOST:PORT", cfg.HTTP.Addr)
	}
	if c.Live {
		_, err = service.Liveness(ctx)
	} else {
		_, err = service.Readiness(ctx)
	}
	if f, ok := errors.AsType[*client.Failure](err); ok && f.Lost && ctx.Err() == nil {
		return to.Unreachable(err)
	}
	return err
}
