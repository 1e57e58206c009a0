package load

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"testing"
	"time"
)

// scale is how many agents and events there are.
type scale struct{ agents, events int }

func (s scale) String() string { return fmt.Sprintf("agents=%d,events=%d", s.agents, s.events) }

var smallScale = scale{100, 1000}

// largeScale is a hundred times as large, or ten thousand times with ORGD_LONG=1,
// which takes a quarter of an hour to fill and 6 GB.
func largeScale() scale {
	if os.Getenv("ORGD_LONG") == "1" {
		return scale{1_000_000, 10_000_000}
	}
	return scale{10_000, 100_000}
}

// grown is an organization of some scale.
type grown struct {
	*service
	ids  []string
	last string // a cursor near the end of the list of agents
	far  string // a cursor near the end of the feed
	rng  *rand.Rand
	made int
}

func grow(b *testing.B, to scale) *grown {
	b.Helper()
	g := &grown{service: open(b), rng: rand.New(rand.NewPCG(seeds.Add(1), 0))}
	g.ids = g.staff(to.agents)
	g.report(newReporter(g.ids, seeds.Add(1)), time.Now(), to.events, quarter)
	g.last = g.skipIn("/agents", url.Values{}, to.agents-pageSize)
	g.far = g.skip(url.Values{}, to.events-pageSize)
	return g
}

func (g *grown) anybody() string { return g.ids[g.rng.IntN(len(g.ids))] }

// regular is one of a hundred agents, whatever their number.
func (g *grown) regular() string { return g.ids[g.rng.IntN(smallScale.agents)] }

// growing are requests that every organization is asked.
var growing = []struct {
	name string
	next func(g *grown) *http.Request
}{
	{"GetRegular", func(g *grown) *http.Request { return g.get("/agents/" + g.regular()) }},
	{"GetAnybody", func(g *grown) *http.Request { return g.get("/agents/" + g.anybody()) }},
	{"List/first", func(g *grown) *http.Request { return g.list("/agents", "") }},
	{"List/last", func(g *grown) *http.Request { return g.list("/agents", g.last) }},
	{"ListActive/first", func(g *grown) *http.Request {
		return g.get("/agents?status=active&department=Research&limit=50")
	}},
	{"Versions", func(g *grown) *http.Request { return g.get("/agents/" + g.anybody() + "/versions") }},
	{"History", func(g *grown) *http.Request { return g.get("/agents/" + g.anybody() + "/history") }},
	{"Performance", func(g *grown) *http.Request { return g.get("/agents/" + g.anybody() + "/performance") }},
	{"Health", func(g *grown) *http.Request { return g.get("/agents/" + g.anybody() + "/health") }},
	{"DepartmentHealth", func(g *grown) *http.Request { return g.get("/departments/Research/health") }},
	{"Company", func(g *grown) *http.Request { return g.get("/company") }},
	{"Feed/first", func(g *grown) *http.Request { return g.list("/activities", "") }},
	{"Feed/last", func(g *grown) *http.Request { return g.list("/activities", g.far) }},
	{"Create", func(g *grown) *http.Request {
		g.made++
		return g.request(http.MethodPost, "/agents", fmt.Appendf(nil, `{"name":"new-%d","role":"Researcher","department":"Research"}`, g.made))
	}},
	{"Change", func(g *grown) *http.Request {
		g.made++
		return g.request(http.MethodPatch, "/agents/"+g.anybody(), fmt.Appendf(nil, `{"description":"change %d"}`, g.made))
	}},
	{"Report", func(g *grown) *http.Request {
		return g.request(http.MethodPost, "/activities", newReporter([]string{g.anybody()}, seeds.Add(1)).request(1, time.Now()))
	}},
}

// BenchmarkGrowth asks a small organization and a large one in turn. What a
// request takes must not grow with the organization.
func BenchmarkGrowth(b *testing.B) {
	small, large := grow(b, smallScale), grow(b, largeScale())
	b.Logf("%v beside %v", largeScale(), smallScale)
	for _, r := range growing {
		b.Run(r.name, func(b *testing.B) {
			alternate(b, "×small", func() time.Duration { return small.timed(b, r.next(small)) },
				func() time.Duration { return large.timed(b, r.next(large)) })
		})
	}
}

func (g *grown) get(path string) *http.Request { return g.request(http.MethodGet, path, nil) }

func (g *grown) list(path, cursor string) *http.Request {
	return g.get(listPath(path, url.Values{}, pageSize, cursor))
}
