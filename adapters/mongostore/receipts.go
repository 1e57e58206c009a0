package mongostore

import (
	"context"
	"errors"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"orgd/domain/receipt"
	"orgd/ports"
)

var _ ports.Receipts = (*Receipts)(nil)

// Receipts keeps receipts and the claims of running requests. Claims only keep
// requests from running beside each other: that one commits is the business of
// the receipt's key. So they are written without a transaction.
type Receipts struct{ db *DB }

// NewReceipts returns the receipts in db.
func NewReceipts(db *DB) *Receipts { return &Receipts{db} }

type claimDoc struct {
	Key         string `bson:"_id"`
	Fingerprint string `bson:"fingerprint"`
	Owner       string `bson:"owner"`
	At          int64  `bson:"at"`
}

// Claim implements [ports.Receipts]. It takes the key before it looks for a
// receipt: whoever had the key before has then either left the receipt that is
// found, or will meet that of this request. It goes on when the client leaves, or
// the server might take the key for somebody who never gives it back.
func (s *Receipts) Claim(ctx context.Context, c ports.Claim) (*receipt.Receipt, error) {
	if err := ctx.Err(); err != nil {
		return nil, unavailable(err)
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.db.timeout)
	defer cancel()
	refused := s.take(ctx, c)
	if errors.Is(refused, ports.ErrUnavailable) {
		return nil, refused
	}
	kept, err := s.find(ctx, c.Key, c.At)
	if refused == nil && (kept != nil || err != nil) {
		err = errors.Join(err, s.Release(ctx, c))
	}
	if kept != nil || err != nil {
		return kept, err
	}
	return nil, refused
}

// take holds the key for c unless another request holds it.
func (s *Receipts) take(ctx context.Context, c ports.Claim) error {
	claims := s.db.coll(claimsColl)
	mayTake := is("$or", bson.A{
		bson.D{is("owner", c.Owner)}, bson.D{is("at", bson.D{is("$lt", millis(c.At.Add(-receipt.Lease)))})},
	})
	hold := set(is("fingerprint", c.Fingerprint), is("owner", c.Owner), is("at", millis(c.At)))
	for n := 0; ; n++ {
		_, err := claims.UpdateOne(ctx, bson.D{is("_id", string(c.Key)), mayTake}, hold, options.UpdateOne().SetUpsert(true))
		if !mongo.IsDuplicateKeyError(err) {
			return translate(err)
		}
		held, err := one[claimDoc](s.db.ask(ctx), claimsColl, byID(string(c.Key)))
		switch {
		case errors.Is(err, mongo.ErrNoDocuments), err == nil && held.Owner == c.Owner: // given back, or ours by a retry
			if err := pause(ctx, n); err != nil {
				return unavailable(err)
			}
		case err != nil:
			return err
		case held.Fingerprint != c.Fingerprint:
			return receipt.ErrReused
		default:
			return receipt.ErrRunning
		}
	}
}

// mine is the filter for a claim that c holds.
func mine(c ports.Claim) bson.D { return bson.D{is("_id", string(c.Key)), is("owner", c.Owner)} }

// Renew implements [ports.Receipts].
func (s *Receipts) Renew(ctx context.Context, c ports.Claim, at time.Time) error {
	ctx, cancel := context.WithTimeout(ctx, s.db.timeout)
	defer cancel()
	res, err := s.db.coll(claimsColl).UpdateOne(ctx, mine(c), set(is("at", millis(at))))
	if err == nil && res.MatchedCount == 0 {
		return receipt.ErrRunning
	}
	return translate(err)
}

// Release implements [ports.Receipts].
func (s *Receipts) Release(ctx context.Context, c ports.Claim) error {
	ctx, cancel := context.WithTimeout(ctx, s.db.timeout)
	defer cancel()
	_, err := s.db.coll(claimsColl).DeleteOne(ctx, mine(c))
	return translate(err)
}

// find returns the receipt under a key unless it has had its time at now.
func (s *Receipts) find(ctx context.Context, key receipt.Key, now time.Time) (*receipt.Receipt, error) {
	d, err := one[receiptDoc](s.db.ask(ctx), receiptsColl,
		bson.D{is("_id", string(key)), is("at", bson.D{is("$gte", millis(now.Add(-receipt.Kept)))})})
	if errors.Is(err, mongo.ErrNoDocuments) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return d.receipt(), nil
}
