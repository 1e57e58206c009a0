package faults

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"orgd/test/api"
)

// agentView is what the tests look at of an agent, its identity included.
type agentView struct {
	ID          string         `json:"id"`
	Name        string         `json:"name"`
	Role        string         `json:"role"`
	Department  string         `json:"department"`
	Level       string         `json:"level"`
	Description string         `json:"description"`
	Metadata    map[string]int `json:"metadata"`
	Version     int64          `json:"version"`
	Revision    int64          `json:"revision"`
	tags        string         // what its tags begin with
}

// versionView is what the tests look at of a version.
type versionView struct {
	Number       int64     `json:"version"`
	RestoredFrom *int64    `json:"restored_from"`
	Snapshot     agentView `json:"snapshot"`
}

// hireOne creates a department and an agent in it.
func hireOne(t *testing.T, c *api.Client, name string) agentView {
	t.Helper()
	must(t, c, api.Request{Method: http.MethodPost, Path: "/departments", Body: map[string]any{"name": "arena"}}, nil)
	var a agentView
	must(t, c, api.Request{Method: http.MethodPost, Path: "/agents", Body: map[string]any{
		"name": name, "role": "shared", "department": "arena",
	}}, &a)
	return a
}

// history collects what clients saw, for the checker.
type history struct {
	begin time.Time
	mu    sync.Mutex
	ops   []porcupine.Operation
}

// add records an operation that began at begin and has ended now.
func (h *history) add(client int, begin time.Time, in, out any) {
	end := time.Since(h.begin)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.ops = append(h.ops, porcupine.Operation{
		ClientId: client, Input: in, Output: out, Call: begin.Sub(h.begin).Nanoseconds(), Return: end.Nanoseconds(),
	})
}

// checkTime bounds the search for an order. It takes far less if there is one.
const checkTime = time.Minute

// TestGuardedWritersLoseNothing lets many clients read one agent, change it
// under If-Match, and look at what each of them was told.
func TestGuardedWritersLoseNothing(t *testing.T) {
	s := serve(t)
	guardedWrites(t, size(10, 200), s.client(guardedWriters))
}

// TestGuardedWritersOnReplicas is the same over three replicas. A client asks two
// of them: one for the agent, and another one for the change.
func TestGuardedWritersOnReplicas(t *testing.T) {
	c := startCluster(t, clusterSize, mongoURI(t))
	guardedWrites(t, size(3, 200), c.clients(c.token, guardedWriters)...)
	c.wantCleanLogs()
}

// guardedWriters is how many clients change one agent at once.
const guardedWriters = 64

func guardedWrites(t *testing.T, rounds int, clients ...*api.Client) {
	t.Helper()
	c := clients[0]
	a := hireOne(t, c, "contested")
	h := &history{begin: time.Now()}
	var wg sync.WaitGroup
	for w := range guardedWriters {
		wg.Go(func() {
			for round := range rounds {
				reader, writer := clients[(w+round)%len(clients)], clients[(w+round+1)%len(clients)]
				if err := guardedWrite(t.Context(), reader, writer, h, w, fmt.Sprintf("writer %d round %d", w, round)); err != nil {
					t.Errorf("writer %d: %v", w, err)
					return
				}
			}
		})
	}
	wg.Wait()
	took := time.Since(h.begin)
	var final agentView
	must(t, c, api.Request{Method: http.MethodGet, Path: api.Path("agents", a.Name)}, &final)
	if wins := h.wins(); wins != final.Revision-1 || wins == 0 {
		t.Errorf("%d writes succeeded and the revision is %d, want one more", wins, final.Revision)
	}
	wantVersions(t, c, final)
	if t.Failed() {
		return // the search for an order would take long and say less
	}
	first := register{a.Revision, a.Description}
	if got := porcupine.CheckOperationsTimeout(registerModel(first, h.ops), h.ops, checkTime); got != porcupine.Ok {
		t.Errorf("the history of %d operations is not linearizable: %s", len(h.ops), got)
	}
	t.Logf("R1: %d of %d writes by %d clients over %d processes succeeded in %s", h.wins(), guardedWriters*rounds, guardedWriters, len(clients), took.Round(time.Millisecond))
}

// guardedWrite reads the agent and writes a text under the tag that it saw.
func guardedWrite(ctx context.Context, reader, writer *api.Client, h *history, client int, text string) error {
	var a agentView
	begin := time.Now()
	answer, err := reader.Get(ctx, "/agents/contested", &a)
	if err != nil {
		return err
	}
	h.add(client, begin, access{}, outcome{seen: register{a.Revision, a.Description}})
	in := access{a.Revision, text}
	begin = time.Now()
	answer, err = writer.Do(ctx, api.Request{
		Method: http.MethodPatch, Path: "/agents/contested", IfMatch: answer.ETag(), Body: map[string]any{"description": text},
	})
	switch {
	case err != nil:
		return err
	case answer.Status == http.StatusConflict && answer.Code() == 4002:
		h.add(client, begin, in, outcome{refused: true})
		return nil
	case answer.Status != http.StatusOK:
		return fmt.Errorf("want 200 or 409/4002: %w", answer.Err())
	}
	if err := answer.Data(&a); err != nil {
		return err
	}
	h.add(client, begin, in, outcome{seen: register{a.Revision, a.Description}})
	if a.Revision != in.condition+1 {
		return fmt.Errorf("the write under revision %d made revision %d", in.condition, a.Revision)
	}
	return nil
}

// wins counts the writes that succeeded.
func (h *history) wins() (n int64) {
	for _, op := range h.ops {
		if op.Input.(access).condition > 0 && !op.Output.(outcome).refused {
			n++
		}
	}
	return n
}

// wantVersions checks that an agent has the versions 1 to its own number, each
// once, and that the newest is what the agent is.
func wantVersions(t *testing.T, c *api.Client, a agentView) []versionView {
	t.Helper()
	list, err := api.All[versionView](t.Context(), c, api.Path("agents", a.ID, "versions"), nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range list {
		if want := a.Version - int64(i); v.Number != want {
			t.Errorf("%s: version %d stands where %d should", a.Name, v.Number, want)
			break
		}
	}
	if int64(len(list)) != a.Version {
		t.Errorf("%s: has %d versions and says that it is at %d", a.Name, len(list), a.Version)
	}
	if len(list) > 0 && list[0].Snapshot.Description != a.Description {
		t.Errorf("%s: the newest version is not what the agent is", a.Name)
	}
	return list
}

// TestUnguardedWritersLoseNothing lets many clients write one agent without a
// condition, each a field of its own. Nobody may undo what another was told is
// done.
func TestUnguardedWritersLoseNothing(t *testing.T) {
	const writers = 32
	rounds := size(500, 10_000) / writers
	s := serve(t)
	c := s.client(writers)
	a := hireOne(t, c, "shared")
	done := newDone(writers)
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			for round := 1; round <= rounds; round++ {
				if err := done.write(t.Context(), c, w, round); err != nil {
					t.Errorf("writer %d round %d: %v", w, round, err)
					return
				}
			}
		})
	}
	wg.Wait()
	var final agentView
	must(t, c, api.Request{Method: http.MethodGet, Path: api.Path("agents", a.Name)}, &final)
	if err := done.missing(done.snapshot(), final); err != nil {
		t.Errorf("at the end: %v", err)
	}
	if want := int64(writers*rounds) + 1; final.Revision != want {
		t.Errorf("revision = %d, want %d", final.Revision, want)
	}
	wantVersions(t, c, final)
	t.Logf("R3: %d writes by %d clients, none lost", writers*rounds, writers)
}

// TestMovesOfLabelsLoseNothing lets many clients move few labels of one agent: the history
// of each is a chain, and every move is in the change log and in the revision.
func TestMovesOfLabelsLoseNothing(t *testing.T) {
	s := serve(t)
	moveLabels(t, size(500, 10_000), s.client(labelMovers))
}

// TestMovesOfLabelsOnReplicas is the same over three replicas.
func TestMovesOfLabelsOnReplicas(t *testing.T) {
	c := startCluster(t, clusterSize, mongoURI(t))
	moveLabels(t, size(200, 10_000), c.clients(c.token, labelMovers)...)
	c.wantCleanLogs()
}

// labelMovers move labels of one agent at once, two of them each label.
const labelMovers = 32

func moveLabels(t *testing.T, moves int, clients ...*api.Client) {
	t.Helper()
	c := clients[0]
	a := hireOne(t, c, "shared")
	for n := range labelMovers {
		must(t, c, api.Request{Method: http.MethodPatch, Path: "/agents/shared", Body: map[string]any{"description": fmt.Sprint(n)}}, nil)
	}
	name := func(w int) string { return fmt.Sprintf("label-%d", w%(labelMovers/2)) }
	begin := time.Now()
	var wg sync.WaitGroup
	for w := range labelMovers {
		wg.Go(func() {
			for n := range moves / labelMovers {
				_, err := clients[w%len(clients)].Do(t.Context(), api.Request{
					Method: http.MethodPut, Path: api.Path("agents", "shared", "labels", name(w)), Body: map[string]any{"version": 1 + (w+n)%labelMovers},
				})
				if err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	took := time.Since(begin)
	total := 0
	for w := range labelMovers / 2 {
		i := &inspector{ctx: t.Context(), c: c}
		list := all[moveView](i, api.Path("agents", a.ID, "labels", name(w), "history"))
		total += len(list)
		for n, m := range list[:len(list)-1] {
			if m.From != list[n+1].Version {
				t.Errorf("%s: a move begins with version %d, the one before ends with %d", name(w), m.From, list[n+1].Version)
			}
		}
		for _, problem := range i.problems {
			t.Error(problem)
		}
	}
	var final agentView
	must(t, c, api.Request{Method: http.MethodGet, Path: "/agents/shared"}, &final)
	i := &inspector{ctx: t.Context(), c: c}
	logged := selected[struct{}](i, "/changes", url.Values{"action": {"agent.label_set"}})
	if revision := final.Version + int64(total); final.Revision != revision || len(logged) != total || len(i.problems) > 0 {
		t.Errorf("%d moves: the revision is %d, want %d, and the change log has %d %v", total, final.Revision, revision, len(logged), i.problems)
	}
	if least := moves / labelMovers * labelMovers / 2; total < least {
		t.Errorf("%d moves are in the histories, want at least %d", total, least)
	}
	t.Logf("R3: %d of %d moves of %d labels by %d clients in %s, each in the history, the change log and the revision", total, moves, labelMovers/2, labelMovers, took.Round(time.Millisecond))
}

// done is the last round of each writer that was answered with 200.
type done struct {
	mu     sync.Mutex
	rounds []int
}

func newDone(writers int) *done { return &done{rounds: make([]int, writers)} }

func (d *done) snapshot() []int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return append([]int(nil), d.rounds...)
}

func field(writer int) string { return fmt.Sprintf("writer-%d", writer) }

// write sets the writer's field. The answer must show everything that was done
// before the question.
func (d *done) write(ctx context.Context, c *api.Client, writer, round int) error {
	before := d.snapshot()
	answer, err := c.Do(ctx, api.Request{
		Method: http.MethodPatch, Path: "/agents/shared", Body: map[string]any{"metadata": map[string]int{field(writer): round}},
	})
	if err != nil {
		return err
	}
	if answer.Status != http.StatusOK {
		return answer.Err()
	}
	var a agentView
	if err := answer.Data(&a); err != nil {
		return err
	}
	d.mu.Lock()
	d.rounds[writer] = round
	d.mu.Unlock()
	before[writer] = round
	return d.missing(before, a)
}

// missing reports a field that is older than a round that was done.
func (d *done) missing(rounds []int, a agentView) error {
	for w, round := range rounds {
		if got := a.Metadata[field(w)]; got < round {
			return fmt.Errorf("%s is %d, although %d was answered with 200", field(w), got, round)
		}
	}
	return nil
}
