package load

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"text/tabwriter"
	"time"

	"orgd/test/process"
)

const (
	// writers is how many of everybody have a prompt of about 2 kB, which changes.
	writers = everybody / 10
	// archived is how many agents get ten versions, to see what these take on disk.
	archived = 16 * connections
)

// contender is one of the services that are asked in turn.
type contender struct {
	*program
	name string
	side side
}

// BenchmarkEmbedded compares the embedded store with [thin] and, if the environment
// variable ORGD_LOAD_BEFORE names another program, with that. It prints a table of the
// medians of the rounds, and of the ratios in each round.
func BenchmarkEmbedded(b *testing.B) {
	binary, err := process.Build(b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	all := []contender{newThin(b)}
	if before := os.Getenv("ORGD_LOAD_BEFORE"); before != "" {
		all = append(all, newContender(b, "before", before))
	}
	all = append(all, newContender(b, "orgd", binary))
	table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "request\tservice\treq/s\tp99-µs\tcpu-µs\tkB written\t×thin\tcpu\tkB\t×before\tcpu\tkB\t")
	for _, request := range embeddedRequests {
		b.Run(request.name, func(b *testing.B) {
			measured := map[string]*rounds{}
			traffics := make([]func(int) traffic, len(all))
			for i, c := range all {
				measured[c.name], traffics[i] = &rounds{}, request.traffic(b, c.program)
			}
			for b.Loop() {
				for i, c := range all {
					measured[c.name].add(b, c.side, request.status, traffics[i])
				}
			}
			b.ReportMetric(0, "ns/op") // that of a round
			for i, c := range all {
				own, columns := measured[c.name], ""
				for _, other := range all[:i] {
					columns += own.ratios(measured[other.name])
				}
				fmt.Fprintf(table, "%s\t%s\t%.0f\t%.0f\t%.0f\t%.1f\t%s\n", request.name, c.name, median(own.rate), median(own.late), median(own.work), median(own.written), columns)
			}
		})
	}
	if err := table.Flush(); err != nil {
		b.Fatal(err)
	}
}

// ratios are the columns that compare r with other.
func (r *rounds) ratios(other *rounds) (columns string) {
	for _, of := range [][2][]float64{{r.rate, other.rate}, {r.work, other.work}, {r.written, other.written}} {
		each := make([]float64, len(of[0]))
		for i := range each {
			each[i] = of[0][i] / of[1][i]
		}
		if ratio := median(each); math.IsInf(ratio, 0) || math.IsNaN(ratio) {
			columns += "\t" // a read writes nothing
		} else {
			columns += fmt.Sprintf("%.2f\t", ratio)
		}
	}
	return columns
}

var embeddedRequests = []struct {
	name    string
	status  int
	traffic func(*testing.B, *program) func(client int) traffic
}{
	{"get", http.StatusOK, func(_ *testing.B, p *program) func(int) traffic { return p.gets(named(0, everybody)) }},
	{"list of 50", http.StatusOK, pages("/agents?limit=50", 1)},
	{"deep page", http.StatusOK, pages("/agents?limit=50", pageOf150)},
	{"feed of 50", http.StatusOK, pages("/activities?limit=50", 1)},
	{"deep feed", http.StatusOK, pages("/activities?limit=50", pageOf150)},
	{"create", http.StatusCreated, func(_ *testing.B, p *program) func(int) traffic { return p.creates() }},
	{"level and role", http.StatusOK, func(_ *testing.B, p *program) func(int) traffic {
		return p.patches(named(0, everybody-writers), func(_, change int) []byte {
			return fmt.Appendf(nil, `{"level":%q,"role":"Role %d"}`, []string{"senior", "junior"}[change%2], change)
		})
	}},
	{"text", http.StatusOK, func(_ *testing.B, p *program) func(int) traffic {
		return p.patches(named(everybody-writers, everybody), newText)
	}},
}

// pages asks for a page of a list again and again.
func pages(list string, page int) func(*testing.B, *program) func(int) traffic {
	return func(b *testing.B, p *program) func(int) traffic {
		path := list
		if page > 1 {
			path += "&cursor=" + p.cursor(b, list, page)
		}
		return always(p.request(http.MethodGet, path, nil))
	}
}

// named are agents by their names, which are known before they are hired.
func named(from, to int) []hired {
	all := make([]hired, to-from)
	for i := range all {
		all[i].id = fmt.Sprintf("Agent%%20%05d", from+i)
	}
	return all
}

// patches changes agents, each client those of its own: agent by agent, and again. body
// has the change of a number, from 1 on.
func (p *program) patches(all []hired, body func(agent, change int) []byte) func(int) traffic {
	var sent [connections]int
	return func(client int) traffic {
		begin := client * len(all) / connections
		n := (client+1)*len(all)/connections - begin
		return func() []byte {
			agent, change := begin+sent[client]%n, 1+sent[client]/n
			sent[client]++
			return p.request(http.MethodPatch, "/agents/"+all[agent].id, body(agent, change))
		}
	}
}

// newText is a change of one sentence of a prompt.
func newText(agent, change int) []byte {
	text, err := json.Marshal(map[string]string{"instructions": prompt(agent, change)})
	if err != nil {
		panic(err) // it is a string
	}
	return text
}

// prompt is a text of about 2 kB after a number of changes, each of one sentence.
func prompt(agent, changes int) string {
	const sentences = 36
	words := strings.Fields("agent answer ask before check client data decide document explain find first follow from " +
		"give keep know language long make never number open order part people person plan question read reason report " +
		"review rule say search send sentence short source state step table task team test text time tool use value when " +
		"which with without word work write")
	var text strings.Builder
	for i := range sentences {
		edition := (changes + sentences - 1 - i) / sentences
		r := rand.New(rand.NewPCG(uint64(agent*sentences+i), uint64(edition)))
		for range 10 {
			text.WriteString(words[r.IntN(len(words))] + " ")
		}
		text.WriteString("now.\n")
	}
	return text.String()
}

// newThin starts [thin] with everybody.
func newThin(b *testing.B) contender {
	b.Helper()
	s := startThin(b)
	p := &program{addr: s.addr, credentials: "Accept: application/json"}
	p.employ(b, everybody, everybody-writers)
	return contender{program: p, name: "thin", side: s}
}

// newContender starts a program of orgd with everybody, and prints what it takes for that.
func newContender(b *testing.B, name, binary string) contender {
	b.Helper()
	data := filepath.Join(b.TempDir(), "data")
	token, err := process.Token(b.Context(), binary, data, "load")
	if err != nil {
		b.Fatal(err)
	}
	p := serveBinary(b, binary, data, token)
	p.found(b)
	p.employ(b, everybody, everybody-writers)
	p.stop(b)
	p = serveBinary(b, binary, data, token)
	fmt.Printf("%s: ready after %d ms with %d agents, then %.1f MiB resident; on disk %s\n", name,
		p.ReadyAfter.Milliseconds(), everybody, figure(b, p.PID(), "status", "VmRSS:")/1024, onDisk(b, binary))
	return contender{p, name, side{p.addr, p.PID()}}
}

// onDisk says what a program takes there for an agent whose prompt changes, and for events.
func onDisk(b *testing.B, binary string) string {
	b.Helper()
	data := filepath.Join(b.TempDir(), "data")
	token, err := process.Token(b.Context(), binary, data, "load")
	if err != nil {
		b.Fatal(err)
	}
	// stored is how many kB the file has grown by.
	size := 0.0
	stored := func(store func(p *program)) float64 {
		p := serveBinary(b, binary, data, token)
		store(p)
		p.stop(b)
		info, err := os.Stat(filepath.Join(data, "orgd.db"))
		if err != nil {
			b.Fatal(err)
		}
		before := size
		size = float64(info.Size()) / 1000
		return size - before
	}
	var ids []string
	agents := stored(func(p *program) {
		p.found(b)
		p.employ(b, archived, 0)
		ids = p.ids(b)
	})
	versions := stored(func(p *program) {
		change := p.patches(named(0, archived), newText)
		p.fill(b, http.StatusOK, 9*archived, func(client int) []byte { return change(client)() })
	})
	const batches = 100
	events := stored(func(p *program) {
		r := newReporter(ids, seeds.Add(1))
		var turn sync.Mutex
		p.fill(b, http.StatusCreated, batches, func(int) []byte {
			turn.Lock()
			defer turn.Unlock()
			return p.request(http.MethodPost, "/activities", r.request(eachRequest, time.Now()))
		})
	})
	return fmt.Sprintf("%.1f kB for an agent, %.1f kB with ten versions, %.2f kB for an event",
		agents/archived, (agents+versions)/archived, events/batches/eachRequest)
}

// ids are those of a page of agents.
func (p *program) ids(b *testing.B) (ids []string) {
	b.Helper()
	var page struct{ Data []struct{ ID string } }
	if err := json.Unmarshal(p.sample(b, p.request(http.MethodGet, "/agents?limit=100", nil)), &page); err != nil {
		b.Fatal(err)
	}
	for _, a := range page.Data {
		ids = append(ids, a.ID)
	}
	return ids
}

// found makes the department of the agents.
func (p *program) found(b *testing.B) {
	b.Helper()
	p.sample(b, p.request(http.MethodPost, "/departments", []byte(`{"name":"Research"}`)))
}

// employ makes so many agents, those from a number on with prompts.
func (p *program) employ(b *testing.B, agents, writers int) {
	b.Helper()
	var made atomic.Int64
	p.fill(b, http.StatusCreated, agents, func(int) []byte {
		i, text := int(made.Add(1)-1), ""
		if i >= writers {
			text = prompt(i-writers, 0)
		}
		return p.request(http.MethodPost, "/agents", newAgentWith(fmt.Sprintf("Agent %05d", i), text))
	})
}

// fill sends n requests, each client as many as the others.
func (p *program) fill(b *testing.B, status, n int, request func(client int) []byte) {
	b.Helper()
	drive(b, p.addr, status, func(client int) traffic {
		left := (client+1)*n/connections - client*n/connections
		return func() []byte {
			if left--; left < 0 {
				return nil
			}
			return request(client)
		}
	}, time.Hour)
}

func (p *program) stop(b *testing.B) {
	b.Helper()
	if _, err := p.Terminate(); err != nil {
		b.Fatal(err)
	}
}
