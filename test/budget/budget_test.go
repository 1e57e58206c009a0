package budget

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

const (
	atOnce    = 8 // requests
	documents = 4 // that a process deals with at once, whoever asks
	timed     = 3 // requests, one after the other
	calls     = atOnce + timed

	maxMemory         = 32 << 20 // that a request takes beyond its body
	maxDocumentMemory = 64 << 20 // that one takes that deals with the whole organization
	maxCPU            = 100 * time.Millisecond
	// kept is what the process may have that is of no request: caches of the storage and
	// of agents, which are bounded, and garbage of former requests.
	kept = 48 << 20
)

// allowedCPU is maxCPU, or more of it in the short form: beside other tests a processor
// shares its caches, and does less in the same time.
var allowedCPU = size(5*maxCPU, maxCPU)

// TestEmbedded calls every operation with every filter, on the embedded store.
func TestEmbedded(t *testing.T) { budget(t, embedded) }

// TestMongoDB is the same on MongoDB.
func TestMongoDB(t *testing.T) { budget(t, onMongoDB) }

func budget(t *testing.T, open func(*testing.T) *service) {
	if testing.Short() {
		t.Skip("makes 300 MiB and reads them again and again")
	}
	begin := time.Now()
	w := fill(open(t))
	w.restart()
	t.Logf("budget: filled in %v; %d MiB at rest", time.Since(begin).Round(time.Second), w.base>>20)
	t.Logf("budget: %-52s %11s %7s %9s", "", "KiB each", "ms CPU", "bytes")
	for _, op := range w.operations() {
		if strings.HasPrefix(op.id, "auth.oidc_") {
			continue // there is no provider
		}
		for _, query := range w.variants(op) {
			w.measure(op, query)
		}
	}
	t.Logf("budget: %v", time.Since(begin).Round(time.Second))
}

// measure calls an operation a few times one after the other, for its processor time,
// and then several times at once, for its memory.
func (w *world) measure(op operation, query []string) {
	w.Helper()
	name := op.id
	for _, q := range query {
		name += fmt.Sprintf(" %.17s", q)
	}
	first, together, most := timed, atOnce, maxMemory
	if op.document() { // more would be refused
		first, together, most = 0, documents, maxDocumentMemory
	}
	requests, bodies := make([]request, first+together), 0
	for i := range requests {
		requests[i] = w.request(op, query, i)
	}
	if op.method == http.MethodGet && !op.document() {
		// The first one finds nothing in the caches of the database.
		if _, err := w.call(requests[0], nil); err != nil {
			w.Errorf("%s: %v", name, err)
		}
	}
	took := make([]time.Duration, first)
	for i, r := range requests[together:] {
		before := w.used()
		if _, err := w.call(r, func() { took[i] = w.used() - before }); err != nil {
			w.Errorf("%s: %v", name, err)
		}
	}
	slices.Sort(took) // the median counts
	if w.memory("VmRSS")-w.base > kept {
		w.restart()
	}
	w.resetPeak()
	before := w.used()
	var all sync.WaitGroup
	sizes, problems := make([]int64, together), make([]error, together)
	for i, r := range requests[:together] {
		if bodies += len(r.body); op.document() {
			bodies = 0 // they are in files
		}
		all.Go(func() { sizes[i], problems[i] = w.call(r, nil) })
	}
	all.Wait()
	if err := errors.Join(problems...); err != nil {
		w.Errorf("%s: %v", name, err)
	}
	each := max(0, w.memory("VmHWM")-w.base-kept-bodies) / together
	cpu, note := (w.used()-before)/time.Duration(together), "" // all of it, without a bound
	if !op.document() {
		cpu = took[first/2]
	}
	if each > most {
		note = fmt.Sprintf(" MORE THAN %d MiB", most>>20)
	}
	if cpu > maxCPU && !op.document() {
		note += " MORE THAN " + maxCPU.String()
	}
	w.Logf("budget: %-52s %11d %7.1f %9d%s", name, each>>10, float64(cpu.Microseconds())/1000, slices.Max(sizes), note)
	if strings.Contains(note, "MiB") || cpu > allowedCPU && !op.document() {
		w.Errorf("%s takes %d KiB and %v of processor time, want at most %d KiB and %v", name, each>>10, cpu, most>>10, allowedCPU)
	}
}
