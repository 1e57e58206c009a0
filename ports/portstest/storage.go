package portstest

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"orgd/domain/activity"
	"orgd/domain/agent"
	"orgd/domain/audit"
	"orgd/domain/session"
	"orgd/ports"
)

// Storage checks the promises of ports.Storage. What Ping says of a storage
// that is down or old is for the adapter's own test.
func Storage(t *testing.T, open func(t *testing.T) Stores) {
	run(t, open, map[string]func(*world){
		"PingAnswers":               storagePing,
		"EndedContextIsAnOutage":    storageEnded,
		"ForgetsEvents":             storageEvents,
		"KeepsFigures":              storageFigures,
		"ForgetsAudit":              storageAudit,
		"ForgetsRecords":            storageRecords,
		"ForgetsSessions":           storageSessions,
		"RevocationsKeepTheirOrder": storageRevocations,
		"ZeroTimesKeepEverything":   storageZero,
		"ForgetsAllInBoundedSteps":  storageMany,
		"ForgetsBesideOthers":       storageParallel,
	})
}

// deleteExpired deletes until there is no more.
func (w *world) deleteExpired(e ports.Expiry) {
	w.Helper()
	const tooOften = 10_000
	for range tooOften {
		more, err := w.Storage.DeleteExpired(w.Context(), e)
		w.wantNil("Forget", err)
		if !more {
			return
		}
	}
	w.Fatalf("Forget finds more after %d calls", tooOften)
}

// deleteUntil deletes until it has taken effect: an event goes only once it has
// entered the log.
func (w *world) deleteUntil(e ports.Expiry, done func() bool) {
	w.Helper()
	for until := time.Now().Add(logTime); ; time.Sleep(20 * time.Millisecond) {
		w.deleteExpired(e)
		if done() || time.Now().After(until) {
			return
		}
	}
}

// feedHas reports whether the feed has n events.
func (w *world) feedHas(n int) func() bool {
	return func() bool { return len(w.feed(activity.Query{}, 1000)) == n }
}

func storagePing(w *world) {
	start := time.Now()
	w.wantNil("Ping", w.Storage.Ping(w.Context()))
	if d := time.Since(start); d > 10*time.Second {
		w.Errorf("Ping took %v, want at most a second and what a busy machine adds", d)
	}
}

// storageEnded asks with a context that has ended: a store answers that it did
// not get to it, and what it may have stored is whole.
func storageEnded(w *world) {
	w.createDepartment("Sales")
	a := w.hire("Bob", "Sales")
	s := w.hiring("Ann", "Sales")
	ctx, end := context.WithCancel(w.Context())
	end()
	_, read := w.Agents.Records(ctx, agent.Query{Limit: 10})
	_, update := w.Agents.Update(ctx, byID(a.ID()), w.changing(`{"level":"vp"}`, nil))
	for call, err := range map[string]error{
		"Ping": w.Storage.Ping(ctx), "Records": read, "Update": update, "Create": Hire(ctx, w.Agents, s),
	} {
		w.wantErr(call+" with a context that has ended", err, ports.ErrUnavailable)
	}
	w.wantUnbroken(a.ID(), int(w.agent(a.ID()).Revision), false)
	if _, _, err := w.Agents.Resolve(w.Context(), byID(s.Agent.ID())); err != nil {
		w.wantNever(s.Agent.ID())
	} else {
		w.want("the agent hired", w.agent(s.Agent.ID()), s.Agent)
	}
}

// storageEvents has events just before, at and after the time: lifecycle events
// stay whatever their time.
func storageEvents(w *world) {
	w.createDepartment("Sales")
	id := w.hire("Bob", "Sales").ID()
	w.fire(id)
	career := w.career(id)
	at := epoch.Add(time.Hour) // after the career
	old, now, later := w.reporting(id, at.Add(-time.Millisecond)), w.reporting(id, at), w.reporting(id, at.Add(time.Millisecond))
	w.report(old, now, later)
	w.deleteUntil(ports.Expiry{Events: at}, w.feedHas(len(career)+2))
	w.want("Events", w.feed(activity.Query{}, 10), newestFirst(append(career, now.Event, later.Event)))
	w.want("Career", w.career(id), career)
	w.want("the number of versions", len(w.versions(id)), 1)
	w.deleteUntil(ports.Expiry{Events: at.Add(time.Hour)}, w.feedHas(len(career)))
	w.want("Events", w.feed(activity.Query{}, 10), newestFirst(career))
}

func storageFigures(w *world) {
	w.createDepartment("Sales")
	id := w.hire("Bob", "Sales").ID()
	reports := []ports.Report{w.reporting(id, epoch, measuring(largest)), w.reporting(id, epoch, measuring(smallest))}
	w.report(reports...)
	w.deleteExpired(ports.Expiry{Events: epoch.Add(time.Hour)})
	w.wantAgentDays(id, 0, reports)
	w.wantDepartmentDays(salesID, 0, reports)
}

func storageAudit(w *world) {
	var all []audit.Entry
	for i := range 4 {
		all = append([]audit.Entry{{ID: w.id(), At: epoch.Add(time.Duration(i) * time.Millisecond)}}, all...)
		w.putEntry(all[0])
	}
	w.deleteExpired(ports.Expiry{Audit: epoch.Add(2 * time.Millisecond)})
	w.want("Entries", w.trail(audit.Query{}, 10), all[:2])
}

func storageRecords(w *world) {
	old, now := w.newRecord("old"), w.newRecord("now")
	old.At, now.At = epoch.Add(-time.Millisecond), epoch
	w.wantNil("the change", w.finish(old))
	w.wantNil("the change", w.finish(now))
	w.deleteExpired(ports.Expiry{Idempotency: epoch})
	w.wantLock(w.lock("old", epoch), nil, nil)
	w.wantLock(w.lock("now", epoch), now, nil)
}

func storageSessions(w *world) {
	over, going := sessionOf("over", "ann", epoch), sessionOf("going", "ann", epoch.Add(time.Millisecond))
	w.wantNil("See", w.Sessions.See(w.Context(), over))
	w.wantNil("See", w.Sessions.See(w.Context(), going))
	w.wantNil("Used", w.Sessions.Used(w.Context(), []session.Use{{ID: "over", At: epoch}}))
	lapsed := session.Revocation{ID: "over", By: "ann", At: epoch, Until: over.ExpiresAt}
	kept := session.Revocation{ID: "going", By: "ann", At: epoch.Add(time.Millisecond), Until: going.ExpiresAt}
	alone := session.Revocation{ID: "unseen", By: "ann", At: epoch.Add(time.Second), Until: going.ExpiresAt}
	for _, r := range []session.Revocation{lapsed, kept, alone} {
		w.wantNil("Revoke", w.Sessions.Revoke(w.Context(), r, w.trailOf(nil)(audit.Session(r.ID), 0, 1)))
	}
	for n, until := range []time.Time{over.ExpiresAt, going.ExpiresAt} {
		w.wantNil("KeepLink", w.Sessions.KeepLink(w.Context(), linkHash(n), linkOf("ann", until), w.trailOf(nil)(audit.Session("over"), 0, 1)))
	}
	w.deleteExpired(ports.Expiry{Now: over.ExpiresAt})
	_, err := w.Sessions.TakeLink(w.Context(), linkHash(0), epoch)
	w.wantErr("TakeLink of one that has ended", err, session.ErrLink)
	_, err = w.Sessions.TakeLink(w.Context(), linkHash(1), epoch)
	w.wantNil("TakeLink", err)
	_, err = w.Sessions.Session(w.Context(), "over")
	w.wantErr("Session(over)", err, session.ErrNotFound)
	got, err := w.Sessions.Session(w.Context(), "going")
	w.wantNil("Session(going)", err)
	w.want("Session(going)", got, session.Record{Session: going, Revocation: &kept})
	revoked, err := w.Sessions.Revoked(w.Context(), time.Time{}, epoch)
	w.wantNil("Revoked", err)
	slices.SortFunc(revoked, func(a, b session.Revocation) int { return a.At.Compare(b.At) })
	w.want("Revoked", revoked, []session.Revocation{kept, alone})
	w.wantNil("See", w.Sessions.See(w.Context(), over)) // its use has gone, too
	got, err = w.Sessions.Session(w.Context(), "over")
	w.wantNil("Session(over)", err)
	w.want("Session(over)", got, session.Record{Session: over}) // its revocation has gone
}

// storageRevocations has the clock of a replica run ahead, and its revocations expire.
// Who asks from the latest that he has read gets those that are stored later.
func storageRevocations(w *world) {
	revoke := func(id string, at, until time.Time) {
		r := session.Revocation{ID: id, By: "ann", At: at, Until: until}
		w.wantNil("Revoke", w.Sessions.Revoke(w.Context(), r, w.trailOf(nil)(audit.Session(id), 0, 1)))
	}
	var since time.Time
	wantNew := func(id string) {
		all, err := w.Sessions.Revoked(w.Context(), since, epoch)
		w.wantNil("Revoked", err)
		found := slices.DeleteFunc(all, func(r session.Revocation) bool { return !r.At.After(since) })
		if len(found) != 1 || found[0].ID != id {
			w.Fatalf("Revoked(since %v) = %v behind the latest, want %s", since, found, id)
		}
		since = found[0].At
	}
	later := epoch.Add(24 * time.Hour)
	for i, ahead := range []time.Duration{time.Hour, 2 * time.Hour, 0, time.Hour} {
		expires := epoch.Add(3 * time.Hour)
		fast, slow := fmt.Sprint("fast", i), fmt.Sprint("slow", i)
		revoke(fast, epoch.Add(ahead), expires)
		wantNew(fast)
		w.deleteExpired(ports.Expiry{Now: expires})
		revoke(slow, epoch, later)
		wantNew(slow)
		revoke(slow, epoch, later.Add(time.Hour)) // one that is revoked already is not new
	}
	w.deleteExpired(ports.Expiry{Now: later.Add(time.Hour)})
	revoke("last", epoch, later)
	wantNew("last")
}

func storageZero(w *world) {
	w.createDepartment("Sales")
	id := w.hire("Bob", "Sales").ID()
	w.report(w.reporting(id, time.Unix(0, 0).UTC()))
	w.wantNil("See", w.Sessions.See(w.Context(), sessionOf("s1", "ann", epoch)))
	r := w.newRecord("a")
	w.wantNil("the change", w.finish(r))
	before := w.everything()
	w.deleteExpired(ports.Expiry{})
	w.want("the storage", w.everything(), before)
	w.want("the record", w.kept(r), r)
	_, err := w.Sessions.Session(w.Context(), "s1")
	w.wantNil("Session", err)
}

// storageMany deletes more than one step should take, and nothing else.
func storageMany(w *world) {
	const batches, each = 10, 1000
	w.createDepartment("Sales")
	id := w.hire("Bob", "Sales").ID()
	var newest []ports.Report
	for i := range batches {
		var batch []ports.Report
		for j := range each {
			batch = append(batch, w.reporting(id, epoch.Add(time.Duration(i*each+j)*time.Millisecond)))
		}
		w.report(batch...)
		newest = batch[each-3:]
	}
	w.deleteUntil(ports.Expiry{Events: newest[0].Event.At}, w.feedHas(len(w.career(id))+len(newest)))
	got := slices.DeleteFunc(w.feed(activity.Query{}, 100), func(e activity.Event) bool { return e.Type.Lifecycle() })
	w.want("Events", got, eventsOf(newest))
}

// storageParallel deletes while others report and read.
func storageParallel(w *world) {
	w.createDepartment("Sales")
	id := w.hire("Bob", "Sales").ID()
	var stay []ports.Report
	batches := make([][]ports.Report, 6)
	for i := range batches {
		for j := range 20 {
			r := w.reporting(id, epoch.Add(time.Duration(j%2)*time.Hour), measuring(largest))
			batches[i] = append(batches[i], r)
			if j%2 == 1 {
				stay = append(stay, r)
			}
		}
	}
	at := epoch.Add(time.Hour)
	errs := atOnce(8, func(i int) error {
		if i < len(batches) {
			_, err := w.Activities.Append(w.Context(), batches[i], w.sealed(nil))
			return err
		}
		for range 10 {
			if _, err := w.Storage.DeleteExpired(w.Context(), ports.Expiry{Events: at, Audit: epoch, Idempotency: epoch, Now: epoch}); err != nil {
				return err
			}
		}
		return nil
	})
	w.wantEach("forgetting beside others", errs)
	w.deleteUntil(ports.Expiry{Events: at}, w.feedHas(len(w.career(id))+len(stay)))
	got := slices.DeleteFunc(w.feed(activity.Query{}, 100), func(e activity.Event) bool { return e.Type.Lifecycle() })
	w.want("Events", got, eventsOf(stay))
	_, completed, err := w.Measures.AgentDays(w.Context(), id, 0)
	w.wantNil("AgentDays", err)
	w.want("the tasks completed", completed, int64(6*20))
}
