// Package demo has the command that runs a service with a company that is made up. A story
// says what happened in it; a generator says what the agents did meanwhile.
package demo

import (
	"context"
	"errors"
	"net"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"orgd"
	"orgd/cmd/orgd/internal/config"
	"orgd/cmd/orgd/internal/operate"
	"orgd/cmd/orgd/internal/remote"
	"orgd/cmd/orgd/internal/terminal"
)

// Demo runs a service with a made-up company.
type Demo struct {
	Addr string `default:"127.0.0.1:8080" placeholder:"HOST:PORT" help:"Address to listen on (default 127.0.0.1:8080, or a free port if that is in use)."`
	Dir  string `default:"./demo" placeholder:"DIR" help:"Directory that holds all of it (default ./demo)."`
	Days int    `default:"100" hidden:""` // of what the agents did; tests need fewer
}

const (
	// At first there is always something to see. A demo that is left alone goes
	// on as its history does, so that its figures stay what they are.
	livelyFor   = 15 * time.Minute
	nextCatchUp = time.Minute
)

// Help implements kong.HelpProvider.
func (Demo) Help() string {
	return `Makes up a company of 40 agents in 8 departments with three months of history, and serves it with the console until Ctrl-C. Five people hire, promote, change and release agents in it; one of their changes makes an agent worse, until another one takes it back. Nothing else is needed: everything lies in one directory, and limits are off. For the first minutes somebody does a task every five seconds; after that agents work at the pace of the history.

A second run goes on with the same company and adds the days that have passed since. One that was cut short while it was made is made again. To remove the demo, remove its directory.

Examples:

    orgd demo
    orgd demo --dir /tmp/demo --addr 127.0.0.1:9000`
}

// demo is a demo that runs.
type demo struct {
	Demo
	t       *terminal.Terminal
	cfg     orgd.Config
	mark    mark
	service *orgd.App
	player  *player
}

// Run makes the demo, or opens it, and serves it until ctx ends.
func (c *Demo) Run(ctx context.Context, t *terminal.Terminal, given config.Given) error {
	c.Dir = filepath.Clean(c.Dir)
	cfg, err := c.configuration(given)
	if err != nil {
		return err
	}
	d := &demo{Demo: *c, t: t, cfg: cfg}
	if d.mark, err = takeDirectory(c.Dir); err != nil {
		return err
	}
	log, closeLog, err := operate.BufferedLogger(t, cfg.Log)
	if err != nil {
		return err
	}
	defer closeLog()
	level := zap.NewAtomicLevelAt(zapcore.FatalLevel) // until the demo is made, its error is enough
	stop, err := d.build(ctx, log.WithOptions(zap.IncreaseLevel(level)))
	if err != nil {
		return operate.UnlessStopped(ctx, explain(c.Dir, err))
	}
	defer stop()
	if err := d.prepare(ctx); err != nil {
		return terminal.Interrupted(ctx, explain(c.Dir, err), "the same command makes it again")
	}
	level.SetLevel(zapcore.WarnLevel)
	if cfg.HTTP.Addr != c.Addr {
		t.Say("%s is in use, so the demo takes a free port.", c.Addr)
	}
	return d.serve(ctx)
}

// configuration returns that of a service for this machine only. Settings in the
// environment are not used: they are for other services.
func (c *Demo) configuration(given config.Given) (orgd.Config, error) {
	addr := c.Addr
	l, err := net.Listen("tcp", addr)
	if err == nil {
		err = l.Close()
	}
	if _, asked := given["addr"]; asked && err != nil {
		return orgd.Config{}, err
	}
	if errors.Is(err, syscall.EADDRINUSE) {
		addr = "127.0.0.1:0"
	}
	flags := config.Given{"addr": addr, "data-dir": c.Dir, "limits": "off", "console": true, "retention": "0", "log-level": "warn"}
	return config.LoadValid(flags, func(string) string { return "" })
}

// build makes the service, whose clock is that of the story as long as that is played.
func (d *demo) build(ctx context.Context, log *zap.Logger) (stop func(), err error) {
	if !d.mark.Complete {
		d.mark.Made = time.Now().UTC().Truncate(day)
		d.mark.Reported = d.mark.Made.AddDate(0, 0, -d.Days)
	}
	s, err := readStory(d.mark.Made)
	if err != nil {
		return nil, err
	}
	c := &clock{}
	if d.mark.Complete {
		s.Steps = nil
	} else {
		c.at.Store(&s.Steps[0].time)
	}
	if d.service, stop, err = orgd.BuildAt(ctx, d.cfg, log, c); err == nil {
		d.player, err = newPlayer(s, c, d.service)
	}
	return stop, err
}

// prepare plays the story, or adds what has happened since the demo ran last.
func (d *demo) prepare(ctx context.Context) error {
	if err := d.t.WaitFor("making the demo", func() error { return d.catchUp(ctx) }); err != nil {
		return err
	}
	return orgd.RenewAdminToken(d.cfg)
}

// catchUp adds what the agents have done since they reported last, and before that the story.
func (d *demo) catchUp(ctx context.Context) error {
	now := time.Now().UTC()
	if err := d.player.play(ctx, d.mark.Reported, now); err != nil {
		return err
	}
	d.mark.Complete, d.mark.Reported = true, now
	return d.mark.save(d.Dir)
}

// serve serves until ctx ends, or the demo cannot be opened.
func (d *demo) serve(ctx context.Context) error {
	ctx, end := context.WithCancel(ctx)
	defer end()
	var opened sync.WaitGroup
	var failed error
	err := d.service.Run(ctx, func(addr net.Addr) {
		opened.Go(func() {
			if failed = d.open(ctx, operate.LocalURL(d.cfg, addr.String())); failed != nil {
				end()
			}
		})
	})
	end()
	opened.Wait()
	if err != nil {
		return operate.UnlessStopped(ctx, err)
	}
	return failed
}

// open prints what to look at, and goes on until ctx ends.
func (d *demo) open(ctx context.Context, url string) error {
	served, err := remote.MarkServed(d.Dir, url)
	if err != nil {
		return explain(d.Dir, err)
	}
	defer served.Close()
	if err := d.print(url); err != nil {
		return err
	}
	lively, stop := context.WithTimeout(ctx, livelyFor)
	defer stop()
	if err = d.player.live(lively); lively.Err() != nil {
		err = nil
	}
	for err == nil && remote.Sleep(ctx, nextCatchUp) {
		err = d.catchUp(ctx)
	}
	if err != nil && ctx.Err() == nil {
		d.t.Say("orgd: nothing new happens in the demo any more: %v", err)
	}
	return nil
}

// print prints what to look at.
func (d *demo) print(url string) error {
	how, page := "In a browser:", url+"/console"
	if remote.IsLoopback(url) { // elsewhere the link does not work
		var err error
		how = "This link signs your browser in. It works once, for five minutes, on this machine only:"
		if page, err = d.service.SignInLink(url); err != nil {
			return err
		}
	}
	export := ""
	if d.Dir != remote.DemoDir {
		export = "\n    export ORGD_DATA_DIR=" + terminal.ShellWord(d.Dir)
	}
	d.t.Say(`The demo is open: a company of %d agents in 8 departments, with 90 days of history.
%s

    %s

Three weeks ago somebody changed Paz Quispe, who got worse, and a week ago somebody changed it back. In another shell, in this directory:%s
    %[5]s get changes --agent 'Paz Quispe'
    %[5]s agent diff 'Paz Quispe' 2 3
    %[5]s get agents --department 'Customer Support' --sort success --window 30d
    %[5]s login --link    # signs a browser in
Ctrl-C stops it, the same command goes on with it, and rm -r %[6]s removes it.`,
		len(d.player.workers), how, page, export, operate.Program(), terminal.ShellWord(d.Dir))
	return nil
}
