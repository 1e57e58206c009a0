package faults

import (
	"errors"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"orgd/test/api"
	"orgd/test/seed"
)

const (
	// newcomers are hired into a department that is deleted meanwhile, and as many
	// move into it.
	newcomers = 32
	// aheadOfDeletion is how long they have at most before the others begin.
	aheadOfDeletion = 15 * time.Millisecond
)

// TestDeletionBesideHiresOnReplicas deletes departments while agents are hired
// and moved into them on all replicas. A department is deleted, or has agents.
func TestDeletionBesideHiresOnReplicas(t *testing.T) {
	rng := seed.Rand(t)
	c := startCluster(t, clusterSize, mongoURI(t))
	clients := c.clients(c.token, newcomers)
	must(t, clients[0], makeDepartment("origin"), nil)
	deleted, rounds := 0, size(8, 100)
	for round := range rounds {
		name := fmt.Sprint("contested ", round)
		must(t, clients[0], makeDepartment(name), nil)
		joins := joinRequests(t, clients, name)
		var deletion api.Answer
		var deleting sync.WaitGroup
		deleting.Go(func() {
			deletion = together(t, clients[round%clusterSize:], api.Request{Method: http.MethodDelete, Path: api.Path("departments", name)})[0]
		})
		time.Sleep(upTo(rng, aheadOfDeletion)) // or the deletion would never be the first
		joined := wantJoined(t, together(t, clients, joins...))
		deleting.Wait()
		if deletion.OK() {
			deleted++
		} else if deletion.Status != http.StatusBadRequest || deletion.Code() != 2000 {
			t.Errorf("deletion = %v, want success or 400/2000", deletion.Err())
		}
		members, err := orderOf(t.Context(), clients[round%clusterSize], name)
		if deletion.OK() == (joined > 0) || err != nil || len(members) != joined {
			t.Errorf("%s: deleted %t, %d hires and moves succeeded, and it has %d agents, %v", name, deletion.OK(), joined, len(members), err)
		}
	}
	c.wantWhole()
	c.wantCleanLogs()
	t.Logf("of %d departments %d were deleted beside %d hires and %d moves", rounds, deleted, newcomers, newcomers)
}

// joinRequests are hires into a department, and moves of new agents into it.
func joinRequests(t *testing.T, clients []*api.Client, department string) (joins []api.Request) {
	t.Helper()
	var hires []api.Request
	for i := range newcomers {
		mover := fmt.Sprintf("mover %d to %s", i, department)
		hires = append(hires, hireInto(mover, "origin"))
		joins = append(joins, hireInto(fmt.Sprintf("hire %d into %s", i, department), department),
			api.Request{Method: http.MethodPatch, Path: api.Path("agents", mover), Body: object{"department": department}})
	}
	for _, a := range together(t, clients, hires...) {
		if a.Status != http.StatusCreated {
			t.Fatalf("hire = %v, want 201", a.Err())
		}
	}
	return joins
}

// wantJoined counts those who have come into the department. The others were told
// that there is none.
func wantJoined(t *testing.T, answers []api.Answer) (joined int) {
	t.Helper()
	for _, a := range answers {
		switch {
		case a.OK():
			joined++
		case a.Status != http.StatusBadRequest || a.Code() != 2000:
			t.Errorf("a hire or move = %v, want success or 400/2000", a.Err())
		}
	}
	return joined
}

// together sends requests at once, by turns through the clients, and returns the
// answers.
func together(t *testing.T, clients []*api.Client, requests ...api.Request) []api.Answer {
	t.Helper()
	answers, errs := make([]api.Answer, len(requests)), make([]error, len(requests))
	begin := make(chan struct{})
	var sending sync.WaitGroup
	for i, r := range requests {
		sending.Go(func() {
			<-begin
			answers[i], errs[i] = clients[i%len(clients)].Do(t.Context(), r)
		})
	}
	close(begin)
	sending.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Error(err)
	}
	return answers
}

func makeDepartment(name string) api.Request {
	return api.Request{Method: http.MethodPost, Path: "/departments", Body: object{"name": name}}
}

func hireInto(name, department string) api.Request {
	return api.Request{Method: http.MethodPost, Path: "/agents", Body: object{"name": name, "role": "newcomer", "department": department}}
}
