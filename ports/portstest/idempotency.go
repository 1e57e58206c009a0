package portstest

import (
	"context"
	"fmt"
	"testing"
	"time"

	"orgd/domain/audit"
	"orgd/domain/idempotency"
	"orgd/domain/name"
	"orgd/domain/session"
)

// Idempotency checks the promises of ports.IdempotencyStore. That steps store their
// idempotency records, once, is checked with the stores of the steps.
func Idempotency(t *testing.T, open func(t *testing.T) Stores) {
	run(t, open, map[string]func(*world){
		"FreeKeyIsLocked":             lockFree,
		"LockedKeyIsRefused":          lockRunning,
		"RecordAnswersForItsKey":      recordAnswers,
		"RecordsKeepEverything":       recordKeeps,
		"WhatTellsATextIsDeleted":     recordDeleteReplies,
		"ReleaseFreesTheKey":          lockRelease,
		"ReleaseOfAnotherDoesNothing": lockForeignRelease,
		"ReleaseLeavesTheRecord":      lockReleaseAfter,
		"RenewalHoldsOn":              lockRenewal,
		"LostLockIsNotRenewed":        lockLostRenewal,
		"LeavingHoldsNothing":         lockLeaving,
		"OldLockIsTakenOver":          lockTakeOver,
		"TakenOverHappensOnce":        lockTakenOver,
		"OldRecordFreesItsKey":        recordOld,
		"KeysAreBytes":                lockKeys,
		"ParallelLocksHaveOneWinner":  lockParallel,
		"ParallelTakeOversAlso":       lockParallelTakeOver,
		"SessionsStoreTheirRecords":   recordSessions,
		"ParallelAttemptsHappenOnce":  lockAttempts,
	})
}

func (w *world) lock(key string, at time.Time) idempotency.Lock {
	return idempotency.Lock{Key: idempotency.Key(key), Fingerprint: "fingerprint", Owner: w.id(), At: at}
}

// wantLock locks and checks the outcome.
func (w *world) wantLock(c idempotency.Lock, want *idempotency.Record, wantErr error) {
	w.Helper()
	got, err := w.Idempotency.Lock(w.Context(), c)
	call := fmt.Sprintf("Lock(%q)", c.Key)
	w.wantErr(call, err, wantErr)
	w.want(call, got, want)
}

// finish stores the idempotency record with a change.
func (w *world) finish(r *idempotency.Record) error {
	_, err := w.Company.Update(w.Context(), w.directing(`{"communication_pattern":"`+w.id()+`"}`, r))
	return err
}

func lockFree(w *world) {
	w.wantLock(w.lock("a", epoch), nil, nil)
	w.wantLock(w.lock("b", epoch), nil, nil)
}

func lockRunning(w *world) {
	c := w.lock("a", epoch)
	w.wantLock(c, nil, nil)
	for _, later := range []time.Duration{0, time.Millisecond, idempotency.Lease} {
		second := w.lock("a", epoch.Add(later))
		w.wantLock(second, nil, idempotency.ErrRunning)
		second.Fingerprint = "another"
		w.wantLock(second, nil, idempotency.ErrReused)
	}
	w.wantNil("the change of the first", w.finish(&idempotency.Record{Key: c.Key, Fingerprint: c.Fingerprint, At: c.At}))
}

func recordAnswers(w *world) {
	c := w.lock("a", epoch)
	w.wantLock(c, nil, nil)
	r := w.newRecord("a")
	r.At = c.At
	w.wantNil("the change", w.finish(r))
	for _, later := range []time.Duration{0, idempotency.Lease + time.Millisecond, idempotency.Kept} {
		again := w.lock("a", epoch.Add(later))
		w.wantLock(again, r, nil)
		again.Fingerprint = "another" // is for the idempotency record to judge
		w.wantLock(again, r, nil)
	}
	w.wantErr("a second change", w.finish(r), idempotency.ErrRunning)
}

func recordKeeps(w *world) {
	for i, reply := range []*idempotency.Reply{
		nil, // held a secret
		{Status: 204},
		{Status: 201, Body: []byte("\x00\xff\"$ne\"\n"), ETag: `"é"`, Location: "/api/v1/agents/a%2Fb"},
		{Status: 200, Body: make([]byte, 1<<20)},
	} {
		r := &idempotency.Record{Key: idempotency.Key(fmt.Sprint(i)), Fingerprint: "é\x00$", At: epoch.Add(time.Millisecond), Reply: reply}
		if i > 1 {
			r.Departments = []name.Key{"sales", "\u00e9 $ne.b"}[:i-1]
		}
		w.wantNil("the change", w.finish(r))
		w.wantLock(idempotency.Lock{Key: r.Key, Fingerprint: r.Fingerprint, Owner: w.id(), At: r.At}, r, nil)
	}
}

// recordDeleteReplies has more records than one step looks at.
func recordDeleteReplies(w *world) {
	const many = 700
	records := map[string]*idempotency.Record{}
	for i := range many {
		r := w.newRecord(fmt.Sprint("k", i))
		r.Reply = &idempotency.Reply{Status: 201, Body: fmt.Appendf(nil, `{"id":"%d","name":"n%[1]d"}`, i), ETag: `"1"`, Location: fmt.Sprint("/n", i)}
		records[string(r.Key)] = r
		w.wantNil("the change", w.finish(r))
	}
	secret := w.newRecord("secret")
	secret.Reply = nil
	w.wantNil("the change", w.finish(secret))

	w.wantNil("DeleteReplies", w.Idempotency.DeleteReplies(w.Context(), []string{`"n0"`, `"id":"699"`, "nobody"}))
	records["k0"].Reply, records["k699"].Reply = &idempotency.Reply{}, &idempotency.Reply{}
	for _, key := range []string{"k0", "k1", "k350", "k69", "k698", "k699"} {
		r := records[key]
		w.wantLock(idempotency.Lock{Key: r.Key, Fingerprint: r.Fingerprint, Owner: w.id(), At: r.At}, r, nil)
	}
	w.wantLock(idempotency.Lock{Key: secret.Key, Fingerprint: secret.Fingerprint, Owner: w.id(), At: secret.At}, secret, nil)
	w.wantErr("a change with such a key", w.finish(records["k0"]), idempotency.ErrRunning)
}

func lockRelease(w *world) {
	first := w.lock("a", epoch)
	w.wantLock(first, nil, nil)
	w.wantNil("Release", w.Idempotency.Release(w.Context(), first))
	w.wantNil("Release again", w.Idempotency.Release(w.Context(), first))
	second := w.lock("a", epoch)
	second.Fingerprint = "another" // nothing is left of the first
	w.wantLock(second, nil, nil)
	w.wantLock(first, nil, idempotency.ErrReused)
}

func lockForeignRelease(w *world) {
	first := w.lock("a", epoch)
	w.wantLock(first, nil, nil)
	other := first
	other.Owner = w.id()
	w.wantNil("Release by another", w.Idempotency.Release(w.Context(), other))
	w.wantNil("Release of an unknown key", w.Idempotency.Release(w.Context(), w.lock("b", epoch)))
	w.wantLock(w.lock("a", epoch), nil, idempotency.ErrRunning)

	second := w.lock("a", epoch.Add(idempotency.Lease+time.Millisecond))
	w.wantLock(second, nil, nil)
	w.wantNil("Release by the first", w.Idempotency.Release(w.Context(), first))
	w.wantLock(w.lock("a", second.At), nil, idempotency.ErrRunning)
}

func lockRenewal(w *world) {
	c := w.lock("a", epoch)
	w.wantLock(c, nil, nil)
	at := epoch
	for range 3 {
		at = at.Add(idempotency.Lease - time.Millisecond)
		w.wantNil("Renew", w.Idempotency.Renew(w.Context(), c, at))
		w.wantLock(w.lock("a", at.Add(idempotency.Lease)), nil, idempotency.ErrRunning)
	}
	r := &idempotency.Record{Key: c.Key, Fingerprint: c.Fingerprint, At: c.At, Reply: &idempotency.Reply{Status: 200}}
	w.wantNil("the change of a renewed lock", w.finish(r))
	w.wantLock(w.lock("a", at), r, nil)

	c = w.lock("b", epoch)
	w.wantLock(c, nil, nil)
	w.wantNil("Renew", w.Idempotency.Renew(w.Context(), c, at))
	w.wantNil("Release", w.Idempotency.Release(w.Context(), c))
	w.wantLock(w.lock("b", at), nil, nil)
}

func lockLostRenewal(w *world) {
	c := w.lock("a", epoch)
	w.wantErr("Renew of a key that nobody holds", w.Idempotency.Renew(w.Context(), c, epoch), idempotency.ErrRunning)
	w.wantLock(c, nil, nil)
	late := epoch.Add(idempotency.Lease + time.Millisecond)
	w.wantLock(w.lock("a", late), nil, nil)
	w.wantErr("Renew after a take-over", w.Idempotency.Renew(w.Context(), c, late.Add(time.Hour)), idempotency.ErrRunning)
	w.wantLock(w.lock("a", late.Add(idempotency.Lease+time.Millisecond)), nil, nil)
}

func lockReleaseAfter(w *world) {
	c := w.lock("a", epoch)
	w.wantLock(c, nil, nil)
	r := w.newRecord("a")
	r.At = c.At
	w.wantNil("the change", w.finish(r))
	w.wantNil("Release", w.Idempotency.Release(w.Context(), c))
	w.wantLock(w.lock("a", epoch), r, nil)
}

// lockLeaving lets clients leave at all points of a lock. Whoever asks next
// for the key gets it.
func lockLeaving(w *world) {
	for i := range 10 * rounds {
		c := w.lock(fmt.Sprint("key ", i), epoch)
		ctx, cancel := context.WithCancel(w.Context())
		gone := time.AfterFunc(time.Duration(i)*50*time.Microsecond, cancel)
		if _, err := w.Idempotency.Lock(ctx, c); err == nil {
			w.wantNil("Release", w.Idempotency.Release(w.Context(), c))
		}
		gone.Stop()
		cancel()
		w.wantLock(w.lock(string(c.Key), epoch), nil, nil)
	}
}

func recordOld(w *world) {
	old := w.newRecord("a")
	old.At = epoch
	w.wantNil("the change", w.finish(old))
	w.wantLock(w.lock("a", epoch.Add(idempotency.Kept)), old, nil)
	c := w.lock("a", epoch.Add(idempotency.Kept+time.Millisecond))
	c.Fingerprint = "another"
	w.wantLock(c, nil, nil)
	w.wantLock(w.lock("a", c.At), nil, idempotency.ErrReused) // than the new lock
	r := &idempotency.Record{Key: c.Key, Fingerprint: c.Fingerprint, At: c.At, Reply: &idempotency.Reply{Status: 200}}
	w.wantNil("the change of the new request", w.finish(r))
	w.wantLock(w.lock("a", c.At), r, nil)
}

func lockKeys(w *world) {
	for _, k := range []string{"a", "A", "a ", "%", "_", "$ne", "a.b", "é"} {
		w.wantLock(w.lock(k, epoch), nil, nil)
	}
}

func recordSessions(w *world) {
	s := sessionOf("s1", "ann", epoch)
	issue := func(r *idempotency.Record) error {
		s.ExpiresAt = s.ExpiresAt.Add(time.Hour)
		return w.Sessions.Issue(w.Context(), s, w.trailOf(r)(audit.Session("s1"), 0, 1))
	}
	revocation := s.Revoke("ann", epoch)
	revoke := func(r *idempotency.Record) error {
		revocation.Until = revocation.Until.Add(time.Hour)
		return w.Sessions.Revoke(w.Context(), revocation, w.trailOf(r)(audit.Session("s1"), 1, 2))
	}
	w.wantRecordOnce("Issue", issue)
	got, err := w.Sessions.Session(w.Context(), "s1")
	w.wantNil("Session", err)
	w.want("the expiry after a refused second Issue", got.ExpiresAt, epoch.Add(2*time.Hour))
	w.wantRecordOnce("Revoke", revoke)
	revoked, err := w.Sessions.Revoked(w.Context(), time.Time{}, epoch)
	w.wantNil("Revoked", err)
	revocation.Until = revocation.Until.Add(-time.Hour)
	w.want("Revoked after a refused second Revoke", revoked, []session.Revocation{revocation})
	links := 0
	w.wantRecordOnce("KeepLink", func(r *idempotency.Record) error {
		links++
		return w.Sessions.KeepLink(w.Context(), linkHash(links), linkOf("ann", epoch.Add(time.Hour)), w.trailOf(r)(audit.Session("s1"), 0, 1))
	})
	_, err = w.Sessions.TakeLink(w.Context(), linkHash(1), epoch)
	w.wantNil("TakeLink", err)
	_, err = w.Sessions.TakeLink(w.Context(), linkHash(2), epoch)
	w.wantErr("TakeLink after a refused KeepLink", err, session.ErrLink)
}
