// Package fuzz asks the service what nobody would ask on purpose. Requests are
// made from the API description that the service serves: some as it wants them,
// some with mistakes of every kind, and about what earlier answers have told, so
// that what is created is read, changed, rolled back, deleted and asked for again.
// No answer may be a failure inside or differ from the description, and the
// service may not grow.
//
// The requests of a run follow from its seed and the answers. Those that lead to
// a failure are played again on a new service, with ever fewer and smaller ones,
// and printed as lines for a shell.
//
// A library of properties would shrink the random numbers; of a thousand
// requests those are too many to try, each on a new service.
package fuzz

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"orgd/test/apitest"
	"orgd/test/process"
	"orgd/test/seed"
)

const (
	// workers each have a service of their own and ask one request after the
	// other, so that each repeats what it does.
	workers = 2
	// episode is how many requests follow from each other; then the organization
	// is empty again.
	episode = 1000
	// maxGrowth is how much larger a service may become, in bytes.
	maxGrowth = 64 << 20
	// shrinkTime bounds how long smaller requests are looked for.
	shrinkTime = 2 * time.Minute
	// enough requests have successes for nearly every operation; more, for all.
	enough = 10_000
	// shown is how many requests are printed of those that do not fail again.
	shown = 20
)

var binary string // the program, built once

func TestMain(m *testing.M) {
	os.Exit(process.Main(m, func(dir string) (err error) {
		binary, err = process.Build(dir)
		return err
	}))
}

// size is short, or long if ORGD_LONG=1.
func size(short, long int) int {
	if os.Getenv("ORGD_LONG") == "1" {
		return long
	}
	return short
}

// number is what an environment variable says, or else otherwise.
func number(t *testing.T, variable string, otherwise uint64) uint64 {
	t.Helper()
	text := os.Getenv(variable)
	if text == "" {
		return otherwise
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatalf("%s: %v", variable, err)
	}
	return n
}

// TestGeneratedRequests sends many requests; ORGD_REQUESTS says how many.
func TestGeneratedRequests(t *testing.T) {
	seed := seed.Number(t)
	n := number(t, "ORGD_REQUESTS", uint64(size(enough, 1_000_000)))
	if testing.Short() {
		n = min(n, 2*episode)
	}
	again := fmt.Sprintf("ORGD_SEED=%d ORGD_REQUESTS=%d", seed, n)
	t.Log(again)
	checked, doc := descriptions(t)
	runs := make([]*run, workers)
	t.Cleanup(func() {
		if missed := missed(doc, runs); !t.Failed() && n > enough && len(missed) > 0 {
			t.Errorf("no request was a success for %v", missed)
		}
	})
	for i := range runs {
		t.Run(fmt.Sprintf("worker%d", i), func(t *testing.T) {
			t.Parallel()
			s := start(t)
			r := &run{player: newPlayer(s.target, described(checked)), process: s.Process, doc: doc, random: rand.New(rand.NewPCG(seed, uint64(i))), again: again, reached: map[string]bool{}}
			runs[i] = r
			t.Cleanup(r.http.CloseIdleConnections)
			if err := r.requests(t.Context(), int(n)/workers); err != nil {
				t.Fatal(err)
			}
			t.Logf("R12: %v", r.figures)
		})
	}
}

// missed are the operations that no run has had a success for.
func missed(doc *description, runs []*run) []string {
	var all []string
	for _, op := range doc.operations {
		if !slices.ContainsFunc(runs, func(r *run) bool { return r != nil && r.reached[op.id] }) {
			all = append(all, op.id)
		}
	}
	return all
}

// run is what one worker does.
type run struct {
	*player
	process *process.Process
	doc     *description
	random  *rand.Rand
	again   string // variables that repeat it
	figures
	reached map[string]bool // operations that have had a success
	steps   []step          // of this episode
}

// figures are what a run reports.
type figures struct {
	sent      int
	statuses  [6]int // by the first digit
	late      int    // answers 503 that came late
	slowest   time.Duration
	slowestOf string
	base, top int // memory of the service in the first half and the most at all, in bytes
	begin     time.Time
}

func (f figures) String() string {
	return fmt.Sprintf("%d requests, %.0f a second; 2xx %d, 3xx %d, 4xx %d, late 503 %d; slowest %v (%s); memory %d MiB, then up to %d MiB",
		f.sent, float64(f.sent)/time.Since(f.begin).Seconds(), f.statuses[2], f.statuses[3], f.statuses[4], f.late,
		f.slowest.Round(time.Millisecond), f.slowestOf, f.base>>20, f.top>>20)
}

// service is the program, serving.
type service struct {
	*process.Process
	target
}

// serve starts the program on a new directory. It sends nothing to anybody but
// this machine, and limits nothing but what runs at once.
//
// What it remembers of pages, tokens and identities takes more than maxGrowth,
// but hundreds of thousands of requests to fill up. So that this does not look
// like growth without end, there is one reader with its pages, few tokens are
// remembered, garbage is collected early, and growth counts from the half on.
func serve(ctx context.Context, dir string) (*service, error) {
	token, err := process.Token(ctx, binary, dir, "fuzz")
	if err != nil {
		return nil, err
	}
	p, err := process.Serve(context.WithoutCancel(ctx), binary, []string{"GOGC=25"},
		"--data-dir", dir, "--limits", "off", "--readers", "1", "--token-cache-size", "100",
		"--webhook-allow-http", "--webhook-allow-private", "--limit-at-once", "organization.apply=1,activities.stream=8,changes.stream=8")
	if err != nil {
		return nil, err
	}
	return &service{p, target{url: p.URL, token: token, stop: p.Kill}}, nil
}

// start is serve until the test ends.
func start(t *testing.T) *service {
	t.Helper()
	s, err := serve(t.Context(), filepath.Join(t.TempDir(), "data"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.stop)
	return s
}

// descriptions reads the description that the service serves: to check answers
// by, and to make requests from.
func descriptions(t *testing.T) (*apitest.Description, *description) {
	t.Helper()
	text, err := start(t).get("/api/v1/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	checked, err := apitest.Describe(text)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := readDescription(text)
	if err != nil {
		t.Fatal(err)
	}
	return checked, doc
}

// get asks for what must be there.
func (t target) get(path string) ([]byte, error) {
	req, err := http.NewRequest(http.MethodGet, t.url+path, nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+t.token)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("GET %s = %d %.200s", path, resp.StatusCode, text)
	}
	return text, err
}

var ownSession = regexp.MustCompile(`"sid":"([^"]+)"`)

// ownSession is the session of the administrator, which must not end.
func (r *run) ownSession() (string, error) {
	me, err := r.get("/api/v1/auth/me")
	if err != nil {
		return "", err
	}
	if found := ownSession.FindStringSubmatch(string(me)); found != nil {
		return found[1], nil
	}
	return "", fmt.Errorf("GET /auth/me = %s, want a session", me)
}

// requests sends n requests in episodes, and looks at the service after each.
func (r *run) requests(ctx context.Context, n int) error {
	spared, err := r.ownSession()
	if err != nil {
		return err
	}
	for r.begin = time.Now(); r.sent < n; {
		if err := r.episode(ctx, newPool(spared), min(episode, n-r.sent)); err != nil {
			return err
		}
		if err := r.look(n); err != nil {
			return err
		}
	}
	return nil
}

// episode sends requests that follow from each other, beginning with nothing but
// tokens of every role.
func (r *run) episode(ctx context.Context, p *pool, n int) error {
	g := newGenerator(values{Rand: r.random, doc: r.doc, pool: p}, r.token)
	r.steps = nil
	for _, role := range []string{"admin", "editor", "department_admin", "agent"} {
		if err := r.send(ctx, p, request{
			operation: "auth.tokens", method: http.MethodPost, target: "/api/v1/auth/tokens", body: fmt.Sprintf(`{"subject":%q,"role":%q}`, nobody, role),
			headers: []header{{"Authorization", "Bearer " + r.token}, {"Content-Type", "application/json"}},
		}); err != nil {
			return err
		}
	}
	for range n {
		if err := r.send(ctx, p, g.next()); err != nil {
			return err
		}
	}
	for _, request := range clean(r.token, p) {
		if err := r.send(ctx, p, request); err != nil {
			return err
		}
	}
	return r.wantEmpty()
}

// wantEmpty wants nothing to be left of an episode, so that the next one does not
// depend on it.
func (r *run) wantEmpty() error {
	left, err := r.get("/api/v1/organization")
	if err != nil {
		return err
	}
	if !strings.Contains(string(left), `"settings":{}},"departments":[],"agents":[]}`) {
		return fmt.Errorf("the organization that was emptied has %.2000s", left)
	}
	return nil
}

// send sends a request, learns from the answer, and explains a failure.
func (r *run) send(ctx context.Context, p *pool, next request) error {
	r.steps = append(r.steps, step{request: next})
	last := &r.steps[len(r.steps)-1]
	a, f, err := r.play(ctx, next)
	if err != nil {
		return err
	}
	r.count(next, a)
	if f != nil {
		return r.explain(ctx, f)
	}
	last.gave = p.learn(next.operation, next.target, a)
	if next.method == http.MethodDelete && a.status < 300 {
		p.forget(next.target)
	}
	return nil
}

func (r *run) count(next request, a answer) {
	r.sent++
	r.statuses[a.status/100]++
	switch {
	case a.status < 300:
		r.reached[next.operation] = true
	case a.status == http.StatusServiceUnavailable:
		r.late++
	}
	if a.took > r.slowest {
		path, _, _ := strings.Cut(next.target, "?")
		r.slowest, r.slowestOf = a.took, next.method+" "+path
	}
}

var memory = regexp.MustCompile(`(?m)^process_resident_memory_bytes (\S+)$`)

// look wants the service to be ready, to have logged no error, and not to have
// grown since the first half of the requests.
func (r *run) look(n int) error {
	if _, err := r.get("/api/v1/readyz"); err != nil {
		return err
	}
	if lines := r.process.Errors(); len(lines) > 0 {
		return fmt.Errorf("the service logged errors (%s):\n%s", r.again, strings.Join(lines, "\n"))
	}
	text, err := r.get("/api/v1/metrics")
	if err != nil {
		return err
	}
	found := memory.FindSubmatch(text)
	if found == nil {
		return nil // not every system tells
	}
	bytes, err := strconv.ParseFloat(string(found[1]), 64)
	if err != nil {
		return err
	}
	if r.sent <= n/2+episode {
		r.base = max(r.base, int(bytes))
	}
	if r.top = max(r.top, int(bytes)); r.top > r.base+maxGrowth {
		return fmt.Errorf("%v: more than %d MiB more (%s)", r.figures, maxGrowth>>20, r.again)
	}
	return nil
}

// explain looks for the least that fails in the same way.
func (r *run) explain(ctx context.Context, f *failure) error {
	s := &shrinker{judge: r.judge, key: f.key, until: time.Now().Add(shrinkTime), start: func() (target, error) { return fresh(ctx) }}
	steps, ok := s.shrink(ctx, r.steps)
	note := "# the least that fails on a new service:"
	if !ok {
		note = fmt.Sprintf("# it does not fail again on a new service (%v); the last of %d requests:", s.err, len(steps))
		steps = steps[max(0, len(steps)-shown):]
	}
	return fmt.Errorf("%s\n%s\n%s\n%s go test -count=1 -timeout 10h -run TestGeneratedRequests ./test/fuzz", f.text, note, curl(steps, r.token), r.again)
}

// fresh is a service on a directory that goes when it is stopped.
func fresh(ctx context.Context) (target, error) {
	dir, err := os.MkdirTemp("", "orgd-fuzz-")
	if err != nil {
		return target{}, err
	}
	s, err := serve(ctx, filepath.Join(dir, "data"))
	if err != nil {
		return target{}, errors.Join(err, os.RemoveAll(dir))
	}
	kill := s.stop
	s.stop = func() {
		kill()
		_ = os.RemoveAll(dir) // what it leaves is temporary
	}
	return s.target, nil
}
