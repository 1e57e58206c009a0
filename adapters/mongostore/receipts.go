package mongostore

import (
	"context"
	"errors"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"

	"orgd/domain/receipt"
	"orgd/ports"
)

var _ ports.Receipts = (*Receipts)(nil)

// Receipts keeps receipts and the claims of running requests.
type Receipts struct{ db *DB }

// NewReceipts returns the receipts in db.
func NewReceipts(db *DB) *Receipts { return &Receipts{db} }

// claimDoc is a request's hold on a key. Claims keep requests from running
// beside each other; that only one commits is the business of reservations.
type claimDoc struct {
	Key         string `bson:"_id"`
	Fingerprint string `bson:"fingerprint"`
	Owner       string `bson:"owner"`
	At          int64  `bson:"at"`
}

// Claim implements [ports.Receipts]. It takes the key before it looks for a
// receipt: whoever had the key before has then either left the receipt that is
// found, or will meet the reservation of this request.
//
// It goes on when the client leaves, or the server might take the key for
// somebody who never gives it back.
func (s *Receipts) Claim(ctx context.Context, c ports.Claim) (*receipt.Receipt, error) {
	if err := ctx.Err(); err != nil {
		return nil, unavailable(err)
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.db.timeout)
	defer cancel()
	refused := s.take(ctx, c)
	if isOutage(refused) {
		return nil, refused
	}
	kept, err := s.db.receipt(ctx, c.Key, c.At)
	if refused == nil && (kept != nil || err != nil && !isOutage(err)) {
		err = errors.Join(err, s.Release(ctx, c))
	}
	if kept != nil || err != nil {
		return kept, err
	}
	return nil, refused
}

// take holds the key for c unless another request holds it.
func (s *Receipts) take(ctx context.Context, c ports.Claim) error {
	mine := claimDoc{Key: string(c.Key), Fingerprint: c.Fingerprint, Owner: c.Owner, At: millis(c.At)}
	return retry(ctx, func() (bool, error) {
		stored, err := s.db.insert(ctx, claimsColl, mine)
		if stored || err != nil {
			return stored, err
		}
		var held claimDoc
		err = s.db.find(ctx, s.db.coll(claimsColl), byKey(mine.Key), nil, &held)
		if errors.Is(err, mongo.ErrNoDocuments) {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		if held.Owner != c.Owner && c.At.Sub(fromMillis(held.At)) <= receipt.Lease {
			return false, held.refuse(c)
		}
		return s.db.update(ctx, claimsColl,
			bson.D{is("_id", held.Key), is("owner", held.Owner), is("at", held.At)},
			set(is("fingerprint", mine.Fingerprint), is("owner", mine.Owner), is("at", mine.At)))
	})
}

func (held claimDoc) refuse(c ports.Claim) error {
	if held.Fingerprint != c.Fingerprint {
		return receipt.ErrReused
	}
	return receipt.ErrRunning
}

// Renew implements [ports.Receipts].
func (s *Receipts) Renew(ctx context.Context, c ports.Claim, at time.Time) error {
	held, err := s.db.update(ctx, claimsColl, bson.D{is("_id", string(c.Key)), is("owner", c.Owner)}, set(is("at", millis(at))))
	if err == nil && !held {
		return receipt.ErrRunning
	}
	return err
}

// Release implements [ports.Receipts].
func (s *Receipts) Release(ctx context.Context, c ports.Claim) error {
	_, err := s.db.remove(ctx, claimsColl, bson.D{is("_id", string(c.Key)), is("owner", c.Owner)})
	return err
}

// receipt returns the receipt under a key unless it has had its time at now.
// One that is still a debt of its home is paid first.
func (db *DB) receipt(ctx context.Context, key receipt.Key, now time.Time) (*receipt.Receipt, error) {
	kept, err := db.readReceipt(ctx, key)
	if err == nil && !kept.Done && kept.Home != (home{}) {
		if err := db.settleOf(ctx, kept.Home, kept.Op); err != nil {
			return nil, err
		}
		kept, err = db.readReceipt(ctx, key)
	}
	if errors.Is(err, mongo.ErrNoDocuments) {
		return nil, nil
	}
	if err != nil || !kept.Done || kept.isOver(now) {
		return nil, err
	}
	return kept.receipt(), nil
}

func (db *DB) readReceipt(ctx context.Context, key receipt.Key) (kept receiptDoc, err error) {
	err = db.find(ctx, db.coll(receiptsColl), byKey(string(key)), nil, &kept)
	return kept, err
}

// settleOf settles the attempt op if it is true. If it owes nothing it has not
// committed, or somebody else has settled it.
func (db *DB) settleOf(ctx context.Context, h home, op string) error {
	found, err := db.headOrNil(ctx, h)
	if err != nil || found == nil || !found.has(op) {
		return err
	}
	return db.settle(ctx, h, found.Pending)
}
