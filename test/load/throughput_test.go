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

// comparison is one kind of request, which the program and a baseline answer in
// turn.
type comparison struct {
	name    string
	traffic func(client int) traffic
}

// BenchmarkThroughput compares the program with gin that answers the same bytes
// from memory: 10 000 agents, without prompts and with prompts as long as real
// ones, 32 connections on the same processors.
func BenchmarkThroughput(b *testing.B) {
	for _, prompt := range []int{0, 6000} {
		b.Run(fmt.Sprintf("prompt=%d", prompt), func(b *testing.B) {
			dir := filepath.Join(b.TempDir(), "data")
			token, hired := settle(b, dir, prompt)
			p := serve(b, dir, token)
			for _, c := range p.comparisons(b, hired, prompt) {
				b.Run(c.name, func(b *testing.B) { p.compare(b, c.traffic) })
			}
			b.Run("memory", func(b *testing.B) {
				for b.Loop() {
				}
				b.ReportMetric(resident(b, p.PID()), "MiB")
			})
		})
	}
}

// BenchmarkThroughputSharedLimits compares reads whose limits are in Redis with
// the same baselines: gin from memory, gin that asks Redis for a PING or for a
// script that does nothing.
func BenchmarkThroughputSharedLimits(b *testing.B) {
	addr := redisserver.Start(b).Addr
	dir := filepath.Join(b.TempDir(), "data")
	token, hired := settle(b, dir, 0)
	p := serve(b, dir, token, "--redis-addr", addr)
	get := p.gets(hired)
	b.Run("get", func(b *testing.B) { p.compare(b, get) })
	for _, script := range []bool{false, true} {
		b.Run(fmt.Sprintf("redis/script=%t", script), func(b *testing.B) {
			r, _ := p.sample(b, get(0)(nil))
			r.Redis, r.Script = addr, script
			plain, asking := r, r
			plain.Redis = ""
			race(b, get, r.Status, plain.start(b), asking.start(b))
		})
	}
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

func (p *program) comparisons(b *testing.B, all []hired, prompt int) []comparison {
	last := p.cursor(b, "/agents?limit=50", pageOf150)
	return []comparison{
		{"get", p.gets(all)},
		{"not-modified", p.conditionalGets(all)},
		{"list/page=1", always(p.request(http.MethodGet, "/agents?limit=50", nil))},
		{fmt.Sprintf("list/page=%d", pageOf150), always(p.request(http.MethodGet, "/agents?limit=50&cursor="+last, nil))},
		{"create", p.creates(prompt)},
		{"update", p.updates(all)},
	}
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
func (p *program) creates(prompt int) func(int) traffic {
	var made atomic.Int64
	return func(int) traffic {
		return func([]byte) []byte {
			return p.request(http.MethodPost, "/agents", newAgent(fmt.Sprintf("New %08d", made.Add(1)), prompt))
		}
	}
}

// updates changes the description of agents under the condition that they are as
// the client left them. Each client has agents of its own. A baseline answers
// without entity tags, so the agents keep theirs.
func (p *program) updates(all []hired) func(int) traffic {
	var changes atomic.Int64
	return func(client int) traffic {
		mine := all[client*len(all)/connections : (client+1)*len(all)/connections]
		at := -1
		return func(etag []byte) []byte {
			if at >= 0 && len(etag) > 0 {
				mine[at].etag = string(etag)
			}
			at = (at + 1) % len(mine)
			body := fmt.Appendf(nil, `{"description":"change %d"}`, changes.Add(1))
			return p.request(http.MethodPatch, "/agents/"+mine[at].id, body, "If-Match: "+mine[at].etag)
		}
	}
}

// cursor returns the cursor of a page of a list.
func (p *program) cursor(b *testing.B, list string, page int) (cursor string) {
	b.Helper()
	path := list
	for range page - 1 {
		r, _ := p.sample(b, p.request(http.MethodGet, path, nil))
		cursor = cursorOf(b, r.Body)
		path = list + "&cursor=" + cursor
	}
	return cursor
}

// compare asks the program and gin in turn, with the same requests.
func (p *program) compare(b *testing.B, make func(client int) traffic) {
	client := make(0)
	r, header := p.sample(b, client(nil))
	client([]byte(header.Get("ETag")))
	race(b, make, r.Status, r.start(b), side{p.addr, p.PID()})
}

// side is one of two processes that answer the same requests.
type side struct {
	addr string
	pid  int
}

// rounds are what was measured of one side, a value for each round.
type rounds struct {
	rate, work, half, late []float64 // requests/s; µs: processor time for each, within which 50 % and 99 % were answered
	written                []float64 // kB to disk for each
}

func (r *rounds) add(b *testing.B, s side, status int, make func(int) traffic) {
	b.Helper()
	busy, written := used(b, s.pid), figure(b, s.pid, "io", "write_bytes:")
	o := drive(b, s.addr, status, make, runTime)
	r.work = append(r.work, micros(used(b, s.pid)-busy)/float64(len(o.took)))
	r.written = append(r.written, (figure(b, s.pid, "io", "write_bytes:")-written)/float64(len(o.took))/1000)
	r.rate = append(r.rate, o.rate())
	r.half = append(r.half, micros(o.within(0.5)))
	r.late = append(r.late, micros(o.within(0.99)))
}

// race asks two processes in turn and reports the medians of the second one, and
// how many times as good they are as those of the first.
func race(b *testing.B, make func(int) traffic, status int, first, second side) {
	var memory, own rounds
	for b.Loop() {
		memory.add(b, first, status, make)
		own.add(b, second, status, make)
	}
	b.ReportMetric(0, "ns/op") // that of a round
	b.ReportMetric(median(own.rate), "req/s")
	b.ReportMetric(median(own.rate)/median(memory.rate), "×memory")
	b.ReportMetric(median(own.work), "cpu-µs")
	b.ReportMetric(median(memory.work), "memory-cpu-µs")
	b.ReportMetric(median(own.half), "p50-µs")
	b.ReportMetric(median(own.late), "p99-µs")
	b.ReportMetric(median(own.late)/median(memory.late), "×memory-p99")
}

func median(values []float64) float64 {
	return slices.Sorted(slices.Values(values))[len(values)/2]
}

func micros(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1000 }
