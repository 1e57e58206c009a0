package load

import (
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"orgd/test/redisserver"
)

const (
	// runTime is how long each side of a comparison is asked in one round. A
	// benchmark has as many rounds as -benchtime says, such as 3x.
	runTime = 2 * time.Second
	// pageOf150 is a page that a reader of 10 000 agents may well reach.
	pageOf150 = 150
)

// BenchmarkSharedLimits compares reads whose limits are in Redis with those of a program that
// has them in memory.
func BenchmarkSharedLimits(b *testing.B) {
	addr := redisserver.Start(b).Addr
	var all [2]asked
	for i, flags := range [][]string{nil, {"--redis-addr", addr}} {
		dir := filepath.Join(b.TempDir(), "data")
		token, hired := settle(b, dir, 0)
		p := serve(b, dir, token, flags...)
		all[i] = asked{p.side(), http.StatusOK, p.gets(hired)}
	}
	beside(b, all[0], all[1])
}

// settle makes an organization of 10 000 agents with prompts of a length.
func settle(b *testing.B, dir string, prompt int) (token string, all []hired) {
	b.Helper()
	s, stop := openIn(b, dir)
	defer stop()
	all = s.hire(everybody, func(i int) []byte { return newAgent(fmt.Sprintf("Agent %05d", i), prompt) })
	return s.token, all
}

// newAgent is what a client sends to create an agent with a prompt of a length.
func newAgent(name string, prompt int) []byte {
	const sentence = "Say what you do not know before you say \"what you do\".\n"
	return newAgentWith(name, strings.Repeat(sentence, 1+prompt/len(sentence))[:prompt])
}

func newAgentWith(name, prompt string) []byte {
	instructions, err := json.Marshal(prompt)
	if err != nil {
		panic(err) // it is a string
	}
	return fmt.Appendf(nil, `{"name":%q,"role":"Researcher","department":"Research","level":"senior",`+
		`"model":{"provider":"acme","model_id":"large"},"tools":{"allowed":["Read","Grep","Bash"]},"instructions":%s}`,
		name, instructions)
}

func (p *program) gets(all []hired) func(int) traffic {
	return p.each(all, func(a hired) []byte { return p.request(http.MethodGet, "/agents/"+a.id, nil) })
}

func (p *program) conditionalGets(all []hired) func(int) traffic {
	return p.each(all, func(a hired) []byte {
		return p.request(http.MethodGet, "/agents/"+a.id, nil, "If-None-Match: "+a.etag)
	})
}

func (p *program) each(all []hired, request func(hired) []byte) func(int) traffic {
	requests := make([][]byte, len(all))
	for i, a := range all {
		requests[i] = request(a)
	}
	return inTurn(requests)
}

// creates makes agents that nobody else makes.
func (p *program) creates() func(int) traffic {
	var made atomic.Int64
	return func(int) traffic {
		return func() []byte {
			return p.request(http.MethodPost, "/agents", newAgent(fmt.Sprintf("New %08d", made.Add(1)), 0))
		}
	}
}

// cursor returns the cursor of a page of a list.
func (p *program) cursor(b *testing.B, list string, page int) (cursor string) {
	b.Helper()
	path := list
	for range page - 1 {
		cursor = cursorOf(b, p.sample(b, p.request(http.MethodGet, path, nil)))
		path = list + "&cursor=" + cursor
	}
	return cursor
}

// side is a process that answers.
type side struct {
	addr string
	pid  int
}

// rounds are what was measured of one side, a value for each round.
type rounds struct {
	rate, work, late []float64 // requests/s; µs: processor time for each, within which 99 % were answered
	written          []float64 // kB to disk for each
}

func (r *rounds) add(b *testing.B, s side, status int, make func(int) traffic) {
	b.Helper()
	busy, written := used(b, s.pid), figure(b, s.pid, "io", "write_bytes:")
	o := drive(b, s.addr, status, make, runTime)
	r.work = append(r.work, micros(used(b, s.pid)-busy)/float64(len(o.took)))
	r.written = append(r.written, (figure(b, s.pid, "io", "write_bytes:")-written)/float64(len(o.took))/1000)
	r.rate = append(r.rate, o.rate())
	r.late = append(r.late, micros(o.within(0.99)))
}

// asked is a kind of request, and who answers it.
type asked struct {
	side
	status  int
	traffic func(client int) traffic
}

// beside asks for two kinds of requests in turn and reports the medians of the second one, and
// how many times those of the first one they are.
func beside(b *testing.B, first, second asked) {
	b.Helper()
	var its, own rounds
	for b.Loop() {
		its.add(b, first.side, first.status, first.traffic)
		own.add(b, second.side, second.status, second.traffic)
	}
	b.ReportMetric(0, "ns/op") // that of a round
	b.ReportMetric(median(own.rate), "req/s")
	b.ReportMetric(median(own.work), "cpu-µs")
	b.ReportMetric(median(own.late), "p99-µs")
	b.ReportMetric(median(own.rate)/median(its.rate), "×rate")
	b.ReportMetric(median(own.work)/median(its.work), "×cpu")
	b.ReportMetric(median(own.late)/median(its.late), "×p99")
}

func median(values []float64) float64 {
	return slices.Sorted(slices.Values(values))[len(values)/2]
}

func micros(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1000 }
