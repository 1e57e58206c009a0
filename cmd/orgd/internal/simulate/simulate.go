// Package simulate has the commands that play a made-up organization through a
// service.
package simulate

import (
	"context"
	"errors"
	"fmt"
	"time"

	"orgd/cmd/orgd/internal/remote"
	"orgd/cmd/orgd/internal/scenario"
	"orgd/cmd/orgd/internal/terminal"
)

// Simulate plays an organization through a running service.
type Simulate struct {
	remote.ServerFlag
	numbers
	Rate  float64 `placeholder:"N" help:"Go on live with so many events a second; 0 ends after the history (default 0)."`
	For   string  `placeholder:"TIME" help:"How long to go on live, such as 10m (default until Ctrl-C)."`
	Force bool    `help:"Also write into an organization that has departments or agents of its own."`
}

const maxRate = 100_000

// Help implements kong.HelpProvider.
func (Simulate) Help() string {
	return `Plays an organization that could be real through the API of a running service: departments with teams and ceremonies, agents with prompts that change, promotions and departures, projects, and what everybody did on each of the last days. Some agents improve, some decline. Afterwards every list, feed and figure of the service shows something.

What agents did is told with the time of then; that agents were hired or promoted is noted by the service with the time of now. The token needs role editor or admin.

The service remembers in company.settings.simulation what was made. A second run on it adds nothing twice: it finishes what was cut short, adds the days that have passed since, and goes on live if asked. Another organization is left alone unless --force is given, and even then nothing that exists is changed.

Limits are waited for. A service with default limits admits 60 new agents a minute; "orgd serve --limits off" makes thousands of them quick.

Examples:

    export ORGD_TOKEN=$(orgd token create --data-dir ./data --role editor --subject simulation)
    orgd simulate
    orgd simulate --rate 20                    # then live, until Ctrl-C
    orgd simulate --agents 500 --days 90 --seed 7`
}

// Run makes the organization and its history, and goes on live if a rate is given.
func (c *Simulate) Run(ctx context.Context, t *terminal.Terminal) error {
	_, to, connecting := c.Open(t)
	length, wrong := c.validate()
	if err := errors.Join(wrong, connecting); err != nil {
		return terminal.Usage(err)
	}
	s := &simulation{
		server: to.Server, say: t.Say, progress: &terminal.Progress{Out: t.Stderr, Terminal: t.StderrIsTerminal},
		given: c.numbers,
	}
	var err error
	if s.service, err = to.Client(t, s.progress); err != nil {
		return err
	}
	if err := s.prepare(ctx, c.options(), c.Force); err != nil {
		return err
	}
	s.printSights()
	if c.Rate == 0 {
		return nil
	}
	living := ctx
	if length > 0 {
		var stop context.CancelFunc
		living, stop = context.WithTimeout(ctx, length)
		defer stop()
	}
	if err := s.live(living, c.Rate); err != nil {
		return err
	}
	return ctx.Err()
}

// validate reports every mistake in the flags.
func (c *Simulate) validate() (length time.Duration, err error) {
	var errs []error
	errs = append(errs, c.options().Validate())
	if !(c.Rate >= 0 && c.Rate <= maxRate) {
		errs = append(errs, fmt.Errorf("--rate: must be 0 to %d", maxRate))
	}
	if c.For != "" {
		if length, err = terminal.ParseDuration(c.For); err != nil || length <= 0 {
			errs = append(errs, fmt.Errorf("--for: %q must be a time such as 30s, 10m or 12h", c.For))
		}
	}
	return length, errors.Join(errs...)
}

func (c *Simulate) options() scenario.Options {
	return c.in(scenario.Options{Seed: 1, Agents: 50, Days: 30, Began: time.Now().UTC()})
}
