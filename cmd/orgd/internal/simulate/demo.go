package simulate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"orgd"
	"orgd/adapters/sqlitestore"
	"orgd/cmd/orgd/internal/config"
	"orgd/cmd/orgd/internal/operate"
	"orgd/cmd/orgd/internal/remote"
	"orgd/cmd/orgd/internal/scenario"
	"orgd/cmd/orgd/internal/terminal"
	"orgd/domain/access"
	"orgd/domain/session"
)

// Demo runs a service and plays an organization through it.
type Demo struct {
	Addr string `default:"127.0.0.1:8080" placeholder:"HOST:PORT" help:"Address to listen on (default 127.0.0.1:8080, or a free port if that is in use)."`
	Dir  string `default:"./demo" placeholder:"DIR" help:"Directory that holds all of it (default ./demo)."`
	Days int    `default:"90" hidden:""` // of history; tests have no time for so many
}

const (
	// With this seed agents improve and agents decline on whichever day the demo
	// is made.
	demoAgents, demoSeed, demoTasks = 40, 120, 4
	// At first there is always something to see. A demo that is left alone goes
	// on as its history does, so that its figures stay what they are.
	livelyFor  = 15 * time.Minute
	livelyRate = 0.5 // events a second
	catchUp    = time.Minute
)

// demoFile marks the directory of a demo.
const demoFile = "orgd.demo"

// Help implements kong.HelpProvider.
func (Demo) Help() string {
	return `Makes up a company of 40 agents in 8 departments with three months of history, and serves it with the console until Ctrl-C. Nothing else is needed: everything lies in one directory, and limits are off. For the first minutes something happens every other second; after that agents work at the pace of the history.

A second run goes on with the same company: it finishes what was cut short and adds the days that have passed since. To remove the demo, remove its directory.

Examples:

    orgd demo
    orgd demo --dir /tmp/demo --addr 127.0.0.1:9000`
}

// demo is a demo that runs.
type demo struct {
	Demo
	t       *terminal.Terminal
	cfg     orgd.Config
	service *orgd.App
	level   zap.AtomicLevel // of the log
}

// Run serves the demo until ctx ends.
func (c *Demo) Run(ctx context.Context, t *terminal.Terminal, given config.Given) error {
	c.Dir = filepath.Clean(c.Dir)
	cfg, err := c.configuration(given)
	if err != nil {
		return err
	}
	if err := c.takeDirectory(); err != nil {
		return err
	}
	log, closeLog, err := operate.BufferedLogger(t, cfg.Log)
	if err != nil {
		return err
	}
	defer closeLog()
	d := demo{Demo: *c, t: t, cfg: cfg}
	d.level = zap.NewAtomicLevelAt(zapcore.FatalLevel) // until the demo is made, its error is enough
	var stop func()
	d.service, stop, err = orgd.Build(ctx, cfg, log.WithOptions(zap.IncreaseLevel(d.level)))
	if err != nil {
		return operate.UnlessStopped(ctx, c.explain(err))
	}
	defer stop()
	if cfg.HTTP.Addr != c.Addr {
		t.Say("%s is in use, so the demo takes a free port.", c.Addr)
	}
	return d.run(ctx)
}

// configuration returns that of a service for this machine only. Settings in the
// environment are not used: they are for other services.
func (c *Demo) configuration(given config.Given) (orgd.Config, error) {
	addr := c.Addr
	if _, ok := given["addr"]; !ok {
		l, err := net.Listen("tcp", addr)
		if err == nil {
			err = l.Close()
		}
		if errors.Is(err, syscall.EADDRINUSE) {
			addr = "127.0.0.1:0"
		}
	}
	flags := config.Given{"addr": addr, "data-dir": c.Dir, "limits": "off", "console": true, "retention": "0", "log-level": "warn"}
	return config.LoadValid(flags, func(string) string { return "" })
}

// takeDirectory makes the directory and marks it as that of a demo. It fails if the
// directory holds something else.
func (c *Demo) takeDirectory() error {
	entries, err := os.ReadDir(c.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		err = os.MkdirAll(c.Dir, 0o700)
	}
	if err != nil {
		return err
	}
	mark := filepath.Join(c.Dir, demoFile)
	if _, err := os.Lstat(mark); err == nil {
		return nil
	}
	if len(entries) > 0 {
		return fmt.Errorf("%s holds something else than a demo; name another directory with --dir", c.Dir)
	}
	return os.WriteFile(mark, nil, 0o600)
}

// explain returns in one sentence why the directory cannot be used. The errors of
// the service do not have the reasons of the operating system.
func (c *Demo) explain(err error) error {
	if errors.Is(err, sqlitestore.ErrInUse) {
		return fmt.Errorf("%s is in use by %s", c.Dir, cmp.Or(remote.ServedAt(c.Dir), "another process"))
	}
	file := filepath.Join(c.Dir, "space")
	full := os.WriteFile(file, make([]byte, 1<<20), 0o600)
	gone := os.Remove(file) // also what was written in part
	if failed, ok := errors.AsType[*fs.PathError](cmp.Or(full, gone)); ok {
		return fmt.Errorf("%s cannot be written to: %w; the same command goes on when it can", c.Dir, failed.Err)
	}
	return err
}

// run serves and plays until ctx ends, or one of the two fails.
func (d *demo) run(ctx context.Context) error {
	ctx, end := context.WithCancel(ctx)
	defer end()
	var playing sync.WaitGroup
	var failed error
	err := d.service.Run(ctx, func(addr net.Addr) {
		playing.Go(func() {
			if failed = d.play(ctx, operate.LocalURL(d.cfg, addr.String())); failed != nil {
				end()
			}
		})
	})
	end()
	playing.Wait()
	if err != nil {
		return operate.UnlessStopped(ctx, err)
	}
	return failed
}

// play makes what is missing, prints what to look at, and goes on until ctx ends. It
// returns an error if the demo could not be made.
func (d *demo) play(ctx context.Context, url string) error {
	s := &simulation{
		server: url, say: func(string, ...any) {}, progress: &terminal.Progress{Out: d.t.Stderr, Terminal: d.t.StderrIsTerminal, Quiet: true},
		demo: true,
	}
	served, err := remote.MarkServed(d.Dir, url)
	if err == nil {
		defer served.Close()
		err = d.signIn(s)
	}
	if err == nil {
		err = s.prepare(ctx, scenario.Options{
			Seed: demoSeed, Agents: demoAgents, Days: d.Days, Tasks: demoTasks, Began: time.Now().UTC(),
		}, false)
	}
	if err != nil && ctx.Err() == nil {
		err = d.explain(err)
	}
	if err != nil {
		return err
	}
	d.level.SetLevel(zapcore.WarnLevel)
	if err := d.print(s); err != nil {
		return err
	}
	if err := s.goOn(ctx); err != nil {
		d.t.Say("orgd: nothing new happens in the demo any more: %v", err)
	}
	return nil
}

// signIn makes a token for the simulation, and one of role admin for the user.
func (d *demo) signIn(s *simulation) error {
	err := orgd.RenewAdminToken(d.cfg)
	own, _, failed := orgd.NewToken(d.cfg, orgd.TokenRequest{Subject: "simulation", Role: access.Editor, TTL: session.MaxTTL})
	err = errors.Join(err, failed)
	if err == nil {
		to := remote.Connection{Server: s.server, Setting: "the demo", Token: own}
		to.Announce(d.t)
		s.service, err = to.Client(d.t, nil)
	}
	return err
}

// goOn lets the agents work until ctx ends.
func (s *simulation) goOn(ctx context.Context) error {
	s.progress = &terminal.Progress{Out: io.Discard}
	lively, stop := context.WithTimeout(ctx, livelyFor)
	defer stop()
	err := s.live(lively, livelyRate)
	for err == nil && remote.Sleep(ctx, catchUp) {
		err = s.history(ctx, true)
	}
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// print prints what to look at.
func (d *demo) print(s *simulation) error {
	how, page := "In a browser:", s.server+"/console"
	if d.t.StderrIsTerminal && remote.IsLoopback(s.server) { // else the link would be written to a file, or not work
		var err error
		how = "This link signs your browser in. It works once, for five minutes, on this machine only:"
		if page, err = d.service.SignInLink(s.server); err != nil {
			return err
		}
	}
	export := ""
	if d.Dir != remote.DemoDir {
		export = "\n    export ORGD_DATA_DIR=" + terminal.ShellWord(d.Dir)
	}
	d.t.Say(`The demo is open: a company of %d agents in %d departments, with %.0f days of history.
%s

    %s

In another shell, in this directory, for example:%s
    %[7]s get departments
    %[7]s agent diff %[8]s 2 3
    %[7]s get activities --watch
    %[7]s login --link    # signs a browser in
Ctrl-C stops it, the same command goes on with it, and rm -r %[9]s removes it.`,
		len(s.org.Agents()), len(s.org.Departments()), time.Since(s.org.First()).Hours()/24+0.5,
		how, page, export, operate.Program(), terminal.ShellWord(s.org.Regretted()), terminal.ShellWord(d.Dir))
	return nil
}
