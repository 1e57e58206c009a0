package portstest

import (
	"context"
	"fmt"
	"testing"
	"time"

	"orgd/domain/audit"
	"orgd/domain/name"
	"orgd/domain/receipt"
	"orgd/domain/session"
	"orgd/ports"
)

// Receipts checks the promises of ports.Receipts. That steps store their
// receipts, once, is checked with the stores of the steps.
func Receipts(t *testing.T, open func(t *testing.T) Stores) {
	run(t, open, map[string]func(*world){
		"FreeKeyIsClaimed":            receiptClaim,
		"ClaimedKeyIsRefused":         receiptRunning,
		"ReceiptAnswersForItsKey":     receiptAnswers,
		"ReceiptsKeepEverything":      receiptKeeps,
		"ReleaseFreesTheKey":          receiptRelease,
		"ReleaseOfAnotherDoesNothing": receiptForeignRelease,
		"ReleaseLeavesTheReceipt":     receiptReleaseAfter,
		"RenewalHoldsOn":              receiptRenewal,
		"LostClaimIsNotRenewed":       receiptLostRenewal,
		"LeavingHoldsNothing":         receiptLeaving,
		"OldClaimIsTakenOver":         receiptTakeOver,
		"TakenOverHappensOnce":        receiptTakenOver,
		"OldReceiptFreesItsKey":       receiptOld,
		"KeysAreBytes":                receiptKeys,
		"ParallelClaimsHaveOneWinner": receiptParallel,
		"ParallelTakeOversAlso":       receiptParallelTakeOver,
		"SessionsStoreTheirReceipts":  receiptSessions,
		"ParallelAttemptsHappenOnce":  receiptAttempts,
	})
}

func (w *world) claim(key string, at time.Time) ports.Claim {
	return ports.Claim{Key: receipt.Key(key), Fingerprint: "fingerprint", Owner: w.id(), At: at}
}

// wantClaim claims and checks the outcome.
func (w *world) wantClaim(c ports.Claim, want *receipt.Receipt, wantErr error) {
	w.Helper()
	got, err := w.Receipts.Claim(w.Context(), c)
	call := fmt.Sprintf("Claim(%q)", c.Key)
	w.wantErr(call, err, wantErr)
	w.want(call, got, want)
}

// finish stores the receipt with a change.
func (w *world) finish(r *receipt.Receipt) error {
	_, err := w.Company.Update(w.Context(), w.directing(`{"communication_pattern":"`+w.id()+`"}`, r))
	return err
}

func receiptClaim(w *world) {
	w.wantClaim(w.claim("a", epoch), nil, nil)
	w.wantClaim(w.claim("b", epoch), nil, nil)
}

func receiptRunning(w *world) {
	c := w.claim("a", epoch)
	w.wantClaim(c, nil, nil)
	for _, later := range []time.Duration{0, time.Millisecond, receipt.Lease} {
		second := w.claim("a", epoch.Add(later))
		w.wantClaim(second, nil, receipt.ErrRunning)
		second.Fingerprint = "another"
		w.wantClaim(second, nil, receipt.ErrReused)
	}
	w.wantNil("the change of the first", w.finish(&receipt.Receipt{Key: c.Key, Fingerprint: c.Fingerprint, At: c.At}))
}

func receiptAnswers(w *world) {
	c := w.claim("a", epoch)
	w.wantClaim(c, nil, nil)
	r := w.receipt("a")
	r.At = c.At
	w.wantNil("the change", w.finish(r))
	for _, later := range []time.Duration{0, receipt.Lease + time.Millisecond, receipt.Kept} {
		again := w.claim("a", epoch.Add(later))
		w.wantClaim(again, r, nil)
		again.Fingerprint = "another" // is for the receipt to judge
		w.wantClaim(again, r, nil)
	}
	w.wantErr("a second change", w.finish(r), receipt.ErrRunning)
}

func receiptKeeps(w *world) {
	for i, reply := range []*receipt.Reply{
		nil, // held a secret
		{Status: 204},
		{Status: 201, Body: []byte("\x00\xff\"$ne\"\n"), ETag: `"é"`, Location: "/api/v1/agents/a%2Fb"},
		{Status: 200, Body: make([]byte, 1<<20)},
	} {
		r := &receipt.Receipt{Key: receipt.Key(fmt.Sprint(i)), Fingerprint: "é\x00$", At: epoch.Add(time.Millisecond), Reply: reply}
		if i > 1 {
			r.Departments = []name.Key{"sales", "\u00e9 $ne.b"}[:i-1]
		}
		w.wantNil("the change", w.finish(r))
		w.wantClaim(ports.Claim{Key: r.Key, Fingerprint: r.Fingerprint, Owner: w.id(), At: r.At}, r, nil)
	}
}

func receiptRelease(w *world) {
	first := w.claim("a", epoch)
	w.wantClaim(first, nil, nil)
	w.wantNil("Release", w.Receipts.Release(w.Context(), first))
	w.wantNil("Release again", w.Receipts.Release(w.Context(), first))
	second := w.claim("a", epoch)
	second.Fingerprint = "another" // nothing is left of the first
	w.wantClaim(second, nil, nil)
	w.wantClaim(first, nil, receipt.ErrReused)
}

func receiptForeignRelease(w *world) {
	first := w.claim("a", epoch)
	w.wantClaim(first, nil, nil)
	other := first
	other.Owner = w.id()
	w.wantNil("Release by another", w.Receipts.Release(w.Context(), other))
	w.wantNil("Release of an unknown key", w.Receipts.Release(w.Context(), w.claim("b", epoch)))
	w.wantClaim(w.claim("a", epoch), nil, receipt.ErrRunning)

	second := w.claim("a", epoch.Add(receipt.Lease+time.Millisecond))
	w.wantClaim(second, nil, nil)
	w.wantNil("Release by the first", w.Receipts.Release(w.Context(), first))
	w.wantClaim(w.claim("a", second.At), nil, receipt.ErrRunning)
}

func receiptRenewal(w *world) {
	c := w.claim("a", epoch)
	w.wantClaim(c, nil, nil)
	at := epoch
	for range 3 {
		at = at.Add(receipt.Lease - time.Millisecond)
		w.wantNil("Renew", w.Receipts.Renew(w.Context(), c, at))
		w.wantClaim(w.claim("a", at.Add(receipt.Lease)), nil, receipt.ErrRunning)
	}
	r := &receipt.Receipt{Key: c.Key, Fingerprint: c.Fingerprint, At: c.At, Reply: &receipt.Reply{Status: 200}}
	w.wantNil("the change of a renewed claim", w.finish(r))
	w.wantClaim(w.claim("a", at), r, nil)

	c = w.claim("b", epoch)
	w.wantClaim(c, nil, nil)
	w.wantNil("Renew", w.Receipts.Renew(w.Context(), c, at))
	w.wantNil("Release", w.Receipts.Release(w.Context(), c))
	w.wantClaim(w.claim("b", at), nil, nil)
}

func receiptLostRenewal(w *world) {
	c := w.claim("a", epoch)
	w.wantErr("Renew of a key that nobody holds", w.Receipts.Renew(w.Context(), c, epoch), receipt.ErrRunning)
	w.wantClaim(c, nil, nil)
	late := epoch.Add(receipt.Lease + time.Millisecond)
	w.wantClaim(w.claim("a", late), nil, nil)
	w.wantErr("Renew after a take-over", w.Receipts.Renew(w.Context(), c, late.Add(time.Hour)), receipt.ErrRunning)
	w.wantClaim(w.claim("a", late.Add(receipt.Lease+time.Millisecond)), nil, nil)
}

func receiptReleaseAfter(w *world) {
	c := w.claim("a", epoch)
	w.wantClaim(c, nil, nil)
	r := w.receipt("a")
	r.At = c.At
	w.wantNil("the change", w.finish(r))
	w.wantNil("Release", w.Receipts.Release(w.Context(), c))
	w.wantClaim(w.claim("a", epoch), r, nil)
}

// receiptLeaving lets clients leave at all points of a claim. Whoever asks next
// for the key gets it.
func receiptLeaving(w *world) {
	for i := range 10 * rounds {
		c := w.claim(fmt.Sprint("key ", i), epoch)
		ctx, cancel := context.WithCancel(w.Context())
		gone := time.AfterFunc(time.Duration(i)*50*time.Microsecond, cancel)
		if _, err := w.Receipts.Claim(ctx, c); err == nil {
			w.wantNil("Release", w.Receipts.Release(w.Context(), c))
		}
		gone.Stop()
		cancel()
		w.wantClaim(w.claim(string(c.Key), epoch), nil, nil)
	}
}

func receiptOld(w *world) {
	old := w.receipt("a")
	old.At = epoch
	w.wantNil("the change", w.finish(old))
	w.wantClaim(w.claim("a", epoch.Add(receipt.Kept)), old, nil)
	c := w.claim("a", epoch.Add(receipt.Kept+time.Millisecond))
	c.Fingerprint = "another"
	w.wantClaim(c, nil, nil)
	w.wantClaim(w.claim("a", c.At), nil, receipt.ErrReused) // than the new claim
	r := &receipt.Receipt{Key: c.Key, Fingerprint: c.Fingerprint, At: c.At, Reply: &receipt.Reply{Status: 200}}
	w.wantNil("the change of the new request", w.finish(r))
	w.wantClaim(w.claim("a", c.At), r, nil)
}

func receiptKeys(w *world) {
	for _, k := range []string{"a", "A", "a ", "%", "_", "$ne", "a.b", "é"} {
		w.wantClaim(w.claim(k, epoch), nil, nil)
	}
}

func receiptSessions(w *world) {
	s := sessionOf("s1", "ann", epoch)
	issue := func(r *receipt.Receipt) error {
		s.ExpiresAt = s.ExpiresAt.Add(time.Hour)
		return w.Sessions.Issue(w.Context(), s, w.leave(r)(audit.Session("s1"), 0, 1))
	}
	revocation := s.Revoke("ann", epoch)
	revoke := func(r *receipt.Receipt) error {
		revocation.Until = revocation.Until.Add(time.Hour)
		return w.Sessions.Revoke(w.Context(), revocation, w.leave(r)(audit.Session("s1"), 1, 2))
	}
	w.wantReceiptOnce("Issue", issue)
	got, err := w.Sessions.Session(w.Context(), "s1")
	w.wantNil("Session", err)
	w.want("the expiry after a refused second Issue", got.ExpiresAt, epoch.Add(2*time.Hour))
	w.wantReceiptOnce("Revoke", revoke)
	revoked, err := w.Sessions.Revoked(w.Context(), time.Time{}, epoch)
	w.wantNil("Revoked", err)
	revocation.Until = revocation.Until.Add(-time.Hour)
	w.want("Revoked after a refused second Revoke", revoked, []session.Revocation{revocation})
}
