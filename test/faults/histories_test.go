package faults

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"orgd/test/api"
	"orgd/test/faultproxy"
	"orgd/test/seed"
)

const (
	// historyClients work on historyNames names at once.
	historyClients, historyNames = 16, 8
	// historyRest is how long a client waits that got no answer.
	historyRest = 20 * time.Millisecond
	// historyFault is how long connections are broken.
	historyFault = 30 * time.Millisecond
	// All is well for so long at most before the next fault, on replicas longer
	// because they need it to notice one and to forget it.
	maxHistoryPause, maxClusterPause = 200 * time.Millisecond, 4 * time.Second
	// historyReady is how long the service may take to answer again when the last
	// fault is over. How long it takes is measured elsewhere.
	historyReady = time.Minute
	// historyCheck bounds the search for an order in the history of one name.
	historyCheck = 10 * time.Second
)

// TestMixedHistories has clients read, change, roll back, delete and create the
// agents of a few names, while the service is killed, its answers are lost and
// its connections are cut. There must be an order of all that in which every
// answer is right.
func TestMixedHistories(t *testing.T) {
	t.Parallel() // it waits
	histories, each := size(3, 50), size(400, 2000)
	if testing.Short() {
		histories, each = 1, 200
	}
	rng := seed.Rand(t)
	var sum judgement
	for n := range histories {
		s := serve(t)
		r := newMixedRun(t, rng, n)
		serve := func() *faultproxy.Proxy {
			proxy := faultproxy.Start(t, strings.TrimPrefix(s.URL, "http://"))
			through := api.New("http://"+proxy.Addr(), s.token, historyClients)
			t.Cleanup(through.Close)
			r.serveBy(s.client(historyClients), through)
			return proxy
		}
		proxy := serve()
		must(t, s.client(1), api.Request{Method: http.MethodPost, Path: "/departments", Body: object{"name": department}}, nil)
		r.run(each, maxHistoryPause, func() {
			switch rng.IntN(4) {
			case 0:
				s.Kill()
				s.wantCleanLog()
				s.start()
				proxy = serve()
			case 1:
				during(historyFault, proxy.Cut, proxy.Pass)
			default:
				during(historyFault, proxy.DropReplies, proxy.Pass)
			}
		})
		sum.add(r.judge(s.client(1)))
		s.terminate()
		if t.Failed() {
			return // what follows would only repeat it
		}
	}
	sum.want(t)
}

// TestMixedHistoriesOnReplicas is the same on three replicas, of which one is
// killed, or all of which lose their storage, or what that answers.
func TestMixedHistoriesOnReplicas(t *testing.T) {
	histories, each := size(2, 50), size(300, 2000)
	rng := seed.Rand(t)
	proxy, uri := through(t, mongoURI(t))
	c := startCluster(t, clusterSize, uri)
	must(t, c.client(0, 1), api.Request{Method: http.MethodPost, Path: "/departments", Body: object{"name": department}}, nil)
	var sum judgement
	for n := range histories {
		r := newMixedRun(t, rng, n)
		serve := func() { r.serveBy(c.clients(c.token, historyClients)...) }
		serve()
		r.run(each, maxClusterPause, func() {
			switch rng.IntN(4) {
			case 0:
				during(time.Second, proxy.Cut, proxy.Pass)
			case 1:
				during(historyFault, proxy.DropReplies, proxy.Pass)
			default:
				victim := rng.IntN(clusterSize)
				c.replicas[victim].Kill()
				c.start(victim)
				serve()
			}
		})
		c.await("ready", historyReady, isReady)
		time.Sleep(underWay)
		sum.add(r.judge(c.client(n%clusterSize, 1)))
		if t.Failed() {
			return
		}
	}
	sum.want(t)
}

// during lets a fault last for a while.
func during(lasts time.Duration, fault, heal func()) {
	fault()
	time.Sleep(lasts)
	heal()
}

// mixedRun is one history.
type mixedRun struct {
	ways
	t     *testing.T
	rng   *rand.Rand
	names []string
	begun time.Time

	mu     sync.Mutex
	ops    map[string][]porcupine.Operation // by name
	agents map[string]string                // the text with which one was created, by its id
	faults int
}

func newMixedRun(t *testing.T, rng *rand.Rand, n int) *mixedRun {
	r := &mixedRun{t: t, rng: rng, begun: time.Now(), ops: map[string][]porcupine.Operation{}, agents: map[string]string{}}
	for i := range historyNames {
		r.names = append(r.names, fmt.Sprintf("history %d agent %d", n, i))
	}
	return r
}

// run lets the clients make so many operations, and disturbs them soon, and then
// again and again after a pause, until they are through.
func (r *mixedRun) run(operations int, maxPause time.Duration, disturb func()) {
	r.t.Helper()
	ctx := context.WithoutCancel(r.t.Context())
	through := make(chan struct{})
	var wg sync.WaitGroup
	for i := range historyClients {
		p := &player{mixedRun: r, id: i, rng: rand.New(rand.NewPCG(r.rng.Uint64(), 0)), seen: map[string]agentView{}}
		wg.Go(func() {
			for n := range operations / historyClients {
				if err := p.play(ctx, n); err != nil {
					r.t.Errorf("client %d: %v", i, err)
					return
				}
			}
		})
	}
	go func() {
		wg.Wait()
		close(through)
	}()
	for pause := maxHistoryPause; ; pause = maxPause {
		select {
		case <-through:
			return
		case <-time.After(time.Duration(r.rng.Int64N(int64(pause)))):
		}
		disturb()
		r.faults++
	}
}

// player is one client of a history.
type player struct {
	*mixedRun
	id   int
	rng  *rand.Rand
	seen map[string]agentView // what it knows of each name; no id if nobody has it
}

// play makes an operation.
func (p *player) play(ctx context.Context, n int) error {
	name := pick(p.rng, p.names)
	in, request := p.next(name, fmt.Sprintf("%d.%d", p.id, n))
	for {
		begin := time.Now()
		answer, err := p.replica(p.rng).Do(ctx, request)
		if refused := new(net.OpError); errors.As(err, &refused) && refused.Op == "dial" {
			time.Sleep(historyRest) // nobody was asked
			continue
		}
		out, err := p.understand(name, in, answer, err)
		if err != nil {
			return fmt.Errorf("%s %s: %w", request.Method, request.Path, err)
		}
		p.record(name, p.id, begin, in, out)
		if out.unknown {
			time.Sleep(max(historyRest, answer.RetryAfter()))
		}
		return nil
	}
}

// next chooses an operation on the agent of a name. Half of the changes are
// under the revision that the client knows, which is often not the latest one.
func (p *player) next(name, text string) (ask, api.Request) {
	known := p.seen[name]
	in := ask{what: toRead}
	switch n := p.rng.IntN(100); {
	case n < 30:
	case n < 65:
		in = ask{what: toChange, text: text}
	case n < 80 && known.ID != "":
		in = ask{what: toRollBack, agent: known.Role, target: 1 + p.rng.Int64N(known.Revision)}
	case n < 87:
		in = ask{what: toDelete}
	default:
		in = ask{what: toCreate, text: text}
	}
	if known.ID == "" && p.rng.IntN(4) == 0 {
		in = ask{what: toCreate, text: text}
	}
	path := api.Path("agents", name)
	request := map[string]api.Request{
		toRead:     {Method: http.MethodGet, Path: path},
		toChange:   {Method: http.MethodPatch, Path: path, Body: object{"description": text}},
		toRollBack: {Method: http.MethodPost, Path: api.Path("agents", known.ID, "versions", "rollback"), Body: object{"target_version": in.target}},
		toDelete:   {Method: http.MethodDelete, Path: path},
		toCreate:   {Method: http.MethodPost, Path: "/agents", Body: object{"name": name, "role": text, "description": text, "department": department}},
	}[in.what]
	if known.ID != "" && in.what != toRead && in.what != toCreate && p.rng.IntN(2) == 0 {
		in.agent, in.condition = known.Role, known.Revision
		request.IfMatch = fmt.Sprintf(`"%s%s.%d"`, known.tags, known.ID, known.Revision)
	}
	return in, request
}

// understand says what an answer tells of a name, and remembers what the client
// knows then.
func (p *player) understand(name string, in ask, a api.Answer, err error) (reply, error) {
	switch {
	case err != nil || a.Status == http.StatusServiceUnavailable:
		return reply{unknown: true}, nil
	case a.Status == http.StatusNotFound || a.Status == http.StatusNoContent:
		p.seen[name] = agentView{}
		return reply{status: a.Status, code: a.Code()}, nil
	case a.Status == http.StatusConflict:
		return reply{status: a.Status, code: a.Code()}, nil
	case !a.OK():
		return reply{}, a.Err()
	}
	var v agentView
	if err := a.Data(&v); err != nil {
		return reply{}, err
	}
	// A rollback answers with the identity, which has no numbers; all have a tag. It ends with the
	// number of the schema, from the second on.
	v.tags = a.TagPrefix()
	number, _, _ := strings.Cut(strings.Trim(strings.TrimPrefix(a.ETag(), `"`+v.tags+v.ID+"."), `"`), ".")
	revision, err := strconv.ParseInt(number, 10, 64)
	if err != nil || v.Name != name || in.what != toRollBack && (v.Revision != revision || v.Version != revision) {
		return reply{}, fmt.Errorf("is answered with %s and %+v", a.ETag(), v)
	}
	v.Revision = revision // in these histories, it is the version
	p.seen[name] = v
	return reply{status: a.Status, agent: v.Role, revision: v.Revision, text: v.Description}, p.meet(v.ID, v.Role)
}

// meet remembers which agent has an id.
func (r *mixedRun) meet(id, agent string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if known, ok := r.agents[id]; ok && known != agent {
		return fmt.Errorf("agent %s was created by %q and by %q", id, known, agent)
	}
	r.agents[id] = agent
	return nil
}

// record adds an operation that has ended now.
func (r *mixedRun) record(name string, client int, begin time.Time, in ask, out reply) {
	end := time.Since(r.begun).Nanoseconds()
	if out.unknown {
		if in.what == toRead {
			return // it says nothing and does nothing
		}
		end = math.MaxInt64
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ops[name] = append(r.ops[name], porcupine.Operation{
		ClientId: client, Input: in, Output: out, Call: begin.Sub(r.begun).Nanoseconds(), Return: end,
	})
}

// judgement counts what became of histories.
type judgement struct{ histories, operations, unknown, faults, unsure int }

func (j *judgement) add(other judgement) {
	j.histories += other.histories
	j.operations += other.operations
	j.unknown += other.unknown
	j.faults += other.faults
	j.unsure += other.unsure
}

// want reports the histories. One in a hundred names whose history takes too long
// to judge is accepted in the long form, and each in the short one, whose machine
// may be as slow as it likes.
func (j judgement) want(t *testing.T) {
	t.Helper()
	if rare := j.histories * historyNames / 100; j.unsure > rare && size(0, 1) == 1 {
		t.Errorf("%d of %d names could not be judged in %s", j.unsure, j.histories*historyNames, historyCheck)
	}
	t.Logf("R2: %d histories, %d operations by %d clients on %d names, %d faults, %d operations with an unknown outcome, %d names not judged in time",
		j.histories, j.operations, historyClients, historyNames, j.faults, j.unknown, j.unsure)
}

// judge looks at what is there in the end, by one client, and at whether there is
// an order of the history.
func (r *mixedRun) judge(c *api.Client) judgement {
	r.t.Helper()
	if r.t.Failed() {
		return judgement{}
	}
	last := &player{mixedRun: r, id: historyClients, seen: map[string]agentView{}}
	for _, name := range r.names {
		begin, in := time.Now(), ask{what: toRead}
		answer, err := c.Do(r.t.Context(), api.Request{Method: http.MethodGet, Path: api.Path("agents", name)})
		out, err := last.understand(name, in, answer, err)
		if err != nil || out.unknown {
			r.t.Fatalf("GET %s in the end = %v, %v", name, answer.Err(), err)
		}
		r.record(name, last.id, begin, in, out)
	}
	all := r.careers(c)
	sum := judgement{histories: 1, faults: r.faults}
	for _, name := range r.names {
		ops := r.ops[name]
		sum.operations += len(ops)
		for _, op := range ops {
			if op.Output.(reply).unknown {
				sum.unknown++
			}
		}
		switch porcupine.CheckOperationsTimeout(all.model(ops), ops, historyCheck) {
		case porcupine.Illegal:
			r.t.Errorf("there is no order of the %d operations on %q in which every answer is right:\n%s", len(ops), name, listed(ops))
		case porcupine.Unknown:
			sum.unsure++
		}
	}
	return sum
}

// listed shows operations in the order in which they were asked for.
func listed(ops []porcupine.Operation) string {
	var b strings.Builder
	for _, op := range slices.SortedFunc(slices.Values(ops), func(x, y porcupine.Operation) int { return cmp.Compare(x.Call, y.Call) }) {
		end := "never"
		if op.Return < math.MaxInt64 {
			end = time.Duration(op.Return).String()
		}
		fmt.Fprintf(&b, "  client %d, %s to %s: %+v = %+v\n", op.ClientId, time.Duration(op.Call), end, op.Input, op.Output)
	}
	return b.String()
}

// careers reads the versions of all agents that ever had one of the names.
func (r *mixedRun) careers(c *api.Client) careers {
	r.t.Helper()
	hired, err := api.All[struct {
		ID   string `json:"agent_id"`
		Name string `json:"agent_name"`
	}](r.t.Context(), c, "/activities", url.Values{"event_type": {"hired"}})
	if err != nil {
		r.t.Fatal(err)
	}
	ids := maps.Clone(r.agents)
	for _, h := range hired {
		for _, name := range r.names {
			if h.Name == name {
				ids[h.ID] = ""
			}
		}
	}
	all := careers{}
	for id := range ids {
		list, err := api.All[versionView](r.t.Context(), c, api.Path("agents", id, "versions"), nil)
		if err != nil {
			r.t.Fatal(err)
		}
		texts := make([]versionText, len(list))
		for i, v := range list {
			at := len(list) - 1 - i
			if v.Number != int64(at+1) {
				r.t.Errorf("agent %s: version %d stands where %d should", id, v.Number, at+1)
			}
			texts[at].text = v.Snapshot.Description
			if v.RestoredFrom != nil {
				texts[at].from = *v.RestoredFrom
			}
		}
		if len(texts) == 0 {
			r.t.Errorf("agent %s has no version", id)
			continue
		}
		if err := r.meet(id, texts[0].text); err != nil {
			r.t.Error(err)
		}
		all[texts[0].text] = texts
	}
	return all
}
