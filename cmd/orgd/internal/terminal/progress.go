package terminal

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

// Progress shows how far a long command has come: a bar on a terminal, else a
// line every ten seconds. It is safe for concurrent use.
type Progress struct {
	Out      io.Writer
	Terminal bool // Out is a terminal

	mu    sync.Mutex
	name  string
	done  int
	total int    // 0 if it is unknown
	pause string // why nothing is done now
	began time.Time
	drawn time.Time
}

// Begin starts a part of total steps, where 0 is an unknown number.
func (g *Progress) Begin(name string, total int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := time.Now()
	g.name, g.done, g.total, g.pause, g.began, g.drawn = name, 0, total, "", now, now
	if g.Terminal {
		g.draw()
	}
}

// Add counts n steps that were done.
func (g *Progress) Add(n int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.done += n
	g.pause = ""
	g.show()
}

// Wait shows that nothing is done for a time, and why.
func (g *Progress) Wait(d time.Duration, why string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.pause = fmt.Sprintf("waiting %s: %s", d.Round(redrawEvery), why)
	if g.Terminal {
		g.drawn = time.Time{} // nothing else will show it
	}
	g.show()
}

// End finishes the part and prints a line about it.
func (g *Progress) End(format string, args ...any) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.Stop()
	fmt.Fprintln(g.Out, Visible(fmt.Sprintf("%-12s "+format, append([]any{g.name}, args...)...)))
}

// Stop removes the bar of a part that did not end.
func (g *Progress) Stop() {
	if g.Terminal {
		fmt.Fprint(g.Out, "\r\x1b[K")
	}
}

// show prints where the part is, unless that was printed a moment ago.
func (g *Progress) show() {
	every := reportEvery
	if g.Terminal {
		every = redrawEvery
	}
	if now := time.Now(); now.Sub(g.drawn) >= every {
		g.drawn = now
		g.draw()
	}
}

func (g *Progress) draw() {
	text := g.pause
	if g.name != "" { // else no part has begun yet
		text = fmt.Sprintf("%-12s %s", g.name, g.state())
		if g.pause != "" {
			text += ", " + g.pause
		}
	}
	text = Visible(text) // it may hold input of others
	if g.Terminal {
		fmt.Fprintf(g.Out, "\r%s\x1b[K", text)
		return
	}
	fmt.Fprintln(g.Out, text)
}

func (g *Progress) state() string {
	if g.total == 0 {
		return fmt.Sprintf("%d in %s", g.done, time.Since(g.began).Round(time.Second))
	}
	count := fmt.Sprintf("%d of %d", g.done, g.total)
	if !g.Terminal {
		return count
	}
	full := min(barWidth*g.done/g.total, barWidth)
	return "[" + strings.Repeat("#", full) + strings.Repeat(".", barWidth-full) + "] " + count
}

// WaitFor calls do. On a terminal it shows for how many seconds do has been
// running.
func (t *Terminal) WaitFor(what string, do func() error) error {
	if !t.StderrIsTerminal {
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
				fmt.Fprintf(t.Stderr, "\r%s: %s\x1b[K", what, time.Since(began).Round(time.Second))
			case <-over:
				if time.Since(began) >= time.Second {
					fmt.Fprint(t.Stderr, "\r\x1b[K")
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
