package main

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
)

const (
	barWidth    = 30
	redrawEvery = 100 * time.Millisecond
	reportEvery = 10 * time.Second // where there is no terminal
)

// progress shows how far a long command has come: a bar on a terminal, else a
// line now and then. It is safe for concurrent use.
type progress struct {
	out      io.Writer
	terminal bool
	quiet    bool // parts that have ended leave no line

	mu    sync.Mutex
	name  string
	done  int
	total int    // 0 if nobody knows
	note  string // until something is done again
	began time.Time
	shown time.Time
}

// begin starts a part of total steps.
func (g *progress) begin(name string, total int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := time.Now()
	g.name, g.done, g.total, g.note, g.began, g.shown = name, 0, total, "", now, now
	if g.terminal {
		g.draw()
	}
}

// add tells that n steps were done.
func (g *progress) add(n int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.done += n
	g.note = ""
	g.show()
}

// wait tells that nothing is done for a time, and why.
func (g *progress) wait(d time.Duration, why string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.note = fmt.Sprintf("waiting %s: %s", d.Round(redrawEvery), why)
	if g.terminal {
		g.shown = time.Time{} // nothing else will show it
	}
	g.show()
}

// end finishes the part with a line about it.
func (g *progress) end(format string, args ...any) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.terminal {
		fmt.Fprint(g.out, "\r\x1b[K")
	}
	if g.quiet {
		return
	}
	fmt.Fprintf(g.out, "%-12s "+format+"\n", append([]any{g.name}, args...)...)
}

// stop takes away the bar of a part that did not end.
func (g *progress) stop() {
	if g.terminal {
		fmt.Fprint(g.out, "\r\x1b[K")
	}
}

// show shows where the part is, unless that was shown a moment ago.
func (g *progress) show() {
	every := reportEvery
	if g.terminal {
		every = redrawEvery
	}
	if now := time.Now(); now.Sub(g.shown) >= every {
		g.shown = now
		g.draw()
	}
}

// waitFor does something of which nobody knows how far it has come. Who waits at
// a terminal sees for how long.
func (p *process) waitFor(what string, do func() error) error {
	if !p.terminal {
		return do()
	}
	began := time.Now()
	over, cleared := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(cleared)
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				fmt.Fprintf(p.stderr, "\r%s: %s\x1b[K", what, time.Since(began).Round(time.Second))
			case <-over:
				if time.Since(began) >= time.Second {
					fmt.Fprint(p.stderr, "\r\x1b[K")
				}
				return
			}
		}
	}()
	err := do()
	close(over)
	<-cleared
	return err
}

func (g *progress) draw() {
	text := g.note
	if g.name != "" { // else no part has begun yet
		text = fmt.Sprintf("%-12s %s", g.name, g.state())
		if g.note != "" {
			text += ", " + g.note
		}
	}
	if g.terminal {
		fmt.Fprintf(g.out, "\r%s\x1b[K", text)
		return
	}
	fmt.Fprintln(g.out, text)
}

func (g *progress) state() string {
	if g.total == 0 {
		return fmt.Sprintf("%d in %s", g.done, time.Since(g.began).Round(time.Second))
	}
	count := fmt.Sprintf("%d of %d", g.done, g.total)
	if !g.terminal {
		return count
	}
	full := min(barWidth*g.done/g.total, barWidth)
	return "[" + strings.Repeat("#", full) + strings.Repeat(".", barWidth-full) + "] " + count
}
