package fuzz

import (
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"orgd/test/seed"
)

// filledFor is how long a service is asked that another test has filled.
const filledFor = time.Minute

// TestFilledService sends requests about what is stored already, and much of it. The
// test that has filled the service runs this one: TestGenerated in test/budget.
func TestFilledService(t *testing.T) {
	at := target{url: os.Getenv("ORGD_TEST_FILLED_URL"), token: os.Getenv("ORGD_TEST_FILLED_TOKEN"), stop: func() {}}
	if at.url == "" {
		return // nothing is left out: the other test runs it
	}
	checked, doc := descriptions(t)
	random := rand.New(rand.NewPCG(seed.Number(t), workers))
	r := &run{player: newPlayer(at, described(checked)), doc: doc, random: random, reached: map[string]bool{}}
	t.Cleanup(r.http.CloseIdleConnections)
	spared, err := r.ownSession()
	if err != nil {
		t.Fatal(err)
	}
	var p *pool
	var g *generator
	for r.begin = time.Now(); time.Since(r.begin) < filledFor; {
		if r.sent%episode == 0 {
			p = newPool(spared)
			g = newGenerator(values{Rand: random, doc: doc, pool: p}, at.token)
		}
		next := g.next()
		if next.operation == "organization.apply" && strings.Contains(next.target, "prune") {
			continue // it would empty the organization
		}
		a, f, err := r.play(t.Context(), next)
		if err != nil {
			t.Fatal(err)
		}
		r.count(next, a)
		if f != nil {
			t.Errorf("%s\n%s", f.text, curl([]step{{request: next}}, at.token))
			continue
		}
		p.learn(next.operation, next.target, a)
	}
	t.Logf("R12: %v", r.figures)
}
