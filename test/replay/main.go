// Command replay plays the change history of an organization through the API of
// a running service and checks that the service kept all of it:
//
//	go run ./test/replay -input history.jsonl.gz -server http://127.0.0.1:8080 -token TOKEN
//
// The service must be empty. With -verify nothing is played and nothing is
// written: the checks look at what an earlier run has left. Exit codes: 0 all
// is well, 1 a mismatch or a failure, 2 usage.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"time"

	"orgd/test/api"
	"orgd/test/history"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	code := run(ctx, os.Args[1:], os.Getenv, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// options is what the command line says.
type options struct {
	input, server, token string
	verify               bool
}

var (
	// errMismatch says that the report names what is wrong.
	errMismatch = errors.New("the service and the history do not agree")
	errUsage    = errors.New("-input, -server and -token are required")
)

// run is the command without the process around it. It returns the exit code.
func run(ctx context.Context, args []string, getenv func(string) string, out, problems io.Writer) int {
	o, err := parse(args, getenv, problems)
	if errors.Is(err, flag.ErrHelp) {
		return 0
	}
	if err != nil {
		fmt.Fprintln(problems, "replay:", err)
		return 2
	}
	if err := o.replay(ctx, out); err != nil {
		fmt.Fprintln(problems, "replay:", err)
		return 1
	}
	return 0
}

func parse(args []string, getenv func(string) string, problems io.Writer) (options, error) {
	var o options
	flags := flag.NewFlagSet("replay", flag.ContinueOnError)
	flags.SetOutput(problems)
	flags.StringVar(&o.input, "input", "", "`file` with the history: JSON lines, gzip or plain")
	flags.StringVar(&o.server, "server", getenv("ORGD_SERVER"), "`URL` of the service; default $ORGD_SERVER")
	flags.StringVar(&o.token, "token", "", "`token` of role editor or admin; default $ORGD_TOKEN")
	flags.BoolVar(&o.verify, "verify", false, "check what an earlier run has left; play and write nothing")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	if o.token == "" {
		o.token = getenv("ORGD_TOKEN") // not as a default, which -h would print
	}
	if o.input == "" || o.server == "" || o.token == "" || flags.NArg() > 0 {
		return o, errUsage
	}
	return o, nil
}

// replay plays, unless it is to verify only, checks, and writes the report.
func (o options) replay(ctx context.Context, out io.Writer) error {
	entries, err := history.ReadFile(o.input)
	if err != nil {
		return err
	}
	c := &checker{client: api.New(o.server, o.token, 1), lives: Lives(entries)}
	defer c.client.Close()
	describe(out, entries, c.lives)
	if !o.verify {
		if err := c.play(ctx, entries, out); err != nil {
			return err
		}
	}
	return c.check(ctx, o.verify, out)
}

// play plays the history on an empty service and keeps the ids.
func (c *checker) play(ctx context.Context, entries []history.Entry, out io.Writer) error {
	present, err := api.All[agentView](ctx, c.client, api.Path("agents"), nil)
	if err != nil {
		return err
	}
	if len(present) > 0 {
		return fmt.Errorf("the service has %d agents; start with an empty one, or use -verify", len(present))
	}
	p := newPlayer(c.client)
	begin := time.Now()
	err = p.play(ctx, entries)
	p.describe(out, time.Since(begin))
	c.ids = p.ids
	return err
}

// check does all checks, the trial of versions last, because it writes.
func (c *checker) check(ctx context.Context, dry bool, out io.Writer) error {
	begin := time.Now()
	if err := c.all(ctx); err != nil {
		return err
	}
	most, err := busiest(Employed(c.lives))
	if err != nil {
		return err
	}
	t := &trial{checker: c, life: most}
	if err := t.run(ctx, dry); err != nil {
		return err
	}
	c.describe(out, time.Since(begin), t.said)
	if len(c.problems) > 0 {
		return errMismatch
	}
	return nil
}
