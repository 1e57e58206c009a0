package main

import (
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
				out := &output{}
				g := &progress{out: out, terminal: c.terminal}
				g.wait(1_057*time.Millisecond, "nobody is there")
				g.begin("agents", 60)
				g.add(1) // too soon to be shown
				time.Sleep(11 * time.Second)
				g.add(29)
				time.Sleep(11 * time.Second)
				g.wait(12*time.Second, "as its limit asks")
				time.Sleep(time.Second)
				g.add(30)
				g.end("%d requests in %s", 60, 23*time.Second)
				g.begin("live", 0)
				time.Sleep(11 * time.Second)
				g.add(5)
				g.stop()
				if diff := cmp.Diff(c.want, out.String()); diff != "" {
					t.Errorf("progress (-want +got):\n%s", diff)
				}
			})
		})
	}
}
