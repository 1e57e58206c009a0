package fuzz

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"orgd/test/seed"
)

const (
	// filledFor is how long a service is asked that another test has filled.
	filledFor = time.Minute
	// maxChecked is up to how many bytes an answer of it is compared with the
	// description, which takes more time than to make it.
	maxChecked = 1 << 20
)

// TestFilledService sends requests about what is stored already, and much of it. The
// test that has filled the service runs this one: TestGenerated in test/budget.
func TestFilledService(t *testing.T) {
	at := target{url: os.Getenv("ORGD_TEST_FILLED_URL"), token: os.Getenv("ORGD_TEST_FILLED_TOKEN"), stop: func() {}}
	if at.url == "" {
		return // nothing is left out: the other test runs it
	}
	checked, doc := descriptions(t)
	t.Cleanup(http.DefaultClient.CloseIdleConnections)
	asDescribed, seed := described(checked), seed.Number(t)
	for i := range workers {
		t.Run(fmt.Sprintf("worker%d", i), func(t *testing.T) {
			t.Parallel()
			player := newPlayer(at, func(r *http.Request, a answer) *failure {
				if a.status < 300 && len(a.body) > maxChecked {
					return nil
				}
				return asDescribed(r, a)
			})
			t.Cleanup(player.http.CloseIdleConnections)
			r := &run{player: player, doc: doc, random: rand.New(rand.NewPCG(seed, uint64(i))), reached: map[string]bool{}}
			r.askFilled(t)
			t.Logf("R12: %d requests, %v; slowest %v (%s)", r.sent, r.statuses, r.slowest.Round(time.Millisecond), r.slowestOf)
		})
	}
}

func (r *run) askFilled(t *testing.T) {
	spared, err := r.ownSession()
	if err != nil {
		t.Fatal(err)
	}
	p := newPool(spared)
	g := newGenerator(values{Rand: r.random, doc: r.doc, pool: p}, r.token)
	for r.begin = time.Now(); time.Since(r.begin) < filledFor; {
		next := g.next()
		if strings.HasPrefix(next.operation, "organization.") && (strings.Contains(next.target, "prune") || r.random.IntN(8) > 0) {
			continue // it would empty the organization, or take seconds of the minute
		}
		next.head = false // the other worker may have changed what is compared
		a, f, err := r.play(t.Context(), next)
		if err != nil {
			t.Fatal(err)
		}
		r.count(next, a)
		if f != nil {
			t.Errorf("%s\n%s", f.text, curl([]step{{request: next}}, r.token))
			continue
		}
		p.learn(next.operation, next.target, a)
	}
}
