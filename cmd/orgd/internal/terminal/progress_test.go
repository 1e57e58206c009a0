package terminal

import (
	"bytes"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestProgress(t *testing.T) {
	for name, c := range map[string]struct {
		terminal bool
		want     string
	}{
		"plain": {false, `waiting 1.1s: nobody is there
agents       30 of 60
agents       30 of 60, waiting 12s: as its limit asks
agents       60 requests in 23s
live         5 in 11s
`},
		"terminal": {true, "\rwaiting 1.1s: nobody is there\x1b[K" +
			"\ragents       [..............................] 0 of 60\x1b[K" +
			"\ragents       [###############...............] 30 of 60\x1b[K" +
			"\ragents       [###############...............] 30 of 60, waiting 12s: as its limit asks\x1b[K" +
			"\ragents       [##############################] 60 of 60\x1b[K" +
			"\r\x1b[Kagents       60 requests in 23s\n" +
			"\rlive         0 in 0s\x1b[K\rlive         5 in 11s\x1b[K\r\x1b[K"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				out := &bytes.Buffer{}
				g := &Progress{Out: out, Terminal: c.terminal}
				g.Wait(1_057*time.Millisecond, "nobody is there")
				g.Begin("agents", 60)
				g.Add(1) // too soon to be shown
				time.Sleep(11 * time.Second)
				g.Add(29)
				time.Sleep(11 * time.Second)
				g.Wait(12*time.Second, "as its limit asks")
				time.Sleep(time.Second)
				g.Add(30)
				g.End("%d requests in %s", 60, 23*time.Second)
				g.Begin("live", 0)
				time.Sleep(11 * time.Second)
				g.Add(5)
				g.Stop()
				if diff := cmp.Diff(c.want, out.String()); diff != "" {
					t.Errorf("progress (-want +got):\n%s", diff)
				}
			})
		})
	}
}

// A terminal shows for how long the work has been running, and then clears that.
func TestWaitFor(t *testing.T) {
	for name, c := range map[string]struct {
		terminal bool
		want     string
	}{
		"terminal": {true, "\rApplying: 1s\x1b[K\rApplying: 2s\x1b[K\r\x1b[K"},
		"file":     {false, ""},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var out bytes.Buffer
				p := &Terminal{Stderr: &out, StderrIsTerminal: c.terminal}
				if err := p.WaitFor("Applying", func() error { time.Sleep(2500 * time.Millisecond); return ErrDeclined }); err != ErrDeclined {
					t.Errorf("WaitFor = %v, want the error of the work", err)
				}
				if out.String() != c.want {
					t.Errorf("terminal shows %q, want %q", &out, c.want)
				}
			})
		})
	}
}
