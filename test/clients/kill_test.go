package clients

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"orgd/test/seed"
)

// TestKills kills a driver while it reports, again and again, and has the next one go on:
// each event that was taken is at the service once.
func TestKills(t *testing.T) {
	kills := 10
	if isLong() {
		kills = 100
	}
	for _, d := range drivers {
		t.Run(d.name, func(t *testing.T) {
			t.Parallel()
			service := serve(t, 0)
			dir := t.TempDir()
			g := &stage{
				command: d.command(t), service: service, drivers: map[string]*running{},
				proxy:     startProxy(t, service.url, time.Now),
				directory: filepath.Join(dir, "kept"), tokenFile: filepath.Join(dir, "token"),
			}
			g.writeToken(t, service.token(t, "editor", ""))
			service.hire(t, "Ada", "Engineering", 0)
			var taken []string
			chance := seed.Rand(t)
			for i := range kills {
				g.proxy.set([]*fault{nil, {Lost: true, Path: "/activities"}, {Slow: 0.02}}[i%3])
				taken = append(taken, g.reportUntilKilled(t, time.Duration(chance.IntN(100))*time.Millisecond)...)
			}
			g.proxy.set(nil)
			r := must(g.driver(t, ""))(t)
			if answer, err := r.do(map[string]any{"do": "flush", "timeout": 30}); err != nil || fmt.Sprint(answer["pending"]) != "0" {
				t.Fatalf("flush = %v, %v", answer, err)
			}
			r.leave(t)
			tools, _, err := service.tools(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			for _, tool := range taken {
				if tools[tool] == 0 {
					t.Errorf("the event of %s is lost", tool)
				}
			}
			for tool, n := range tools {
				if n != 1 {
					t.Errorf("the event of %s is there %d times", tool, n)
				}
			}
			if len(taken) < kills {
				t.Errorf("only %d events were taken", len(taken))
			}
			t.Logf("%d events over %d kills", len(taken), kills)
		})
	}
}

// reportUntilKilled has a driver report until it is killed, a while after it took the first events,
// and returns the tools of the events that it has said to have taken.
func (g *stage) reportUntilKilled(t *testing.T, after time.Duration) (taken []string) {
	t.Helper()
	r := must(g.driver(t, ""))(t)
	defer r.kill()
	for {
		if len(taken) == 3 {
			time.AfterFunc(after, func() { _ = r.cmd.Process.Kill() })
		}
		first := g.events + 1
		answer, err := r.do(map[string]any{"do": "report", "events": g.makeEvents(3, "Ada")})
		if err != nil {
			return taken
		}
		if fmt.Sprint(answer["taken"]) != "3" {
			t.Fatalf("report = %v", answer)
		}
		for n := first; n <= g.events; n++ {
			taken = append(taken, fmt.Sprintf("t%d", n))
		}
	}
}
