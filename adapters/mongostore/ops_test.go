package mongostore

import (
	"errors"
	"testing"

	"go.mongodb.org/mongo-driver/v2/mongo"
)

// TestTakenAndKept: a document that a majority may not have is not one whose _id
// is taken. A server says both at once when it is cut off from the others.
func TestTakenAndKept(t *testing.T) {
	taken, other := mongo.WriteError{Code: 11000}, mongo.WriteError{Code: 121}
	cutOff := &mongo.WriteConcernError{Code: 64}
	for name, c := range map[string]struct {
		err         error
		taken, lost bool
	}{
		"nothing":             {err: nil},
		"one":                 {err: mongo.WriteException{WriteErrors: mongo.WriteErrors{taken}}, taken: true},
		"one, not kept":       {err: mongo.WriteException{WriteErrors: mongo.WriteErrors{taken}, WriteConcernError: cutOff}, lost: true},
		"one, another error":  {err: mongo.WriteException{WriteErrors: mongo.WriteErrors{other}}},
		"many":                {err: mongo.BulkWriteException{WriteErrors: []mongo.BulkWriteError{{WriteError: taken}}}, taken: true},
		"many, not kept":      {err: mongo.BulkWriteException{WriteErrors: []mongo.BulkWriteError{{WriteError: taken}}, WriteConcernError: cutOff}, lost: true},
		"many, another error": {err: mongo.BulkWriteException{WriteErrors: []mongo.BulkWriteError{{WriteError: taken}, {WriteError: other}}}},
		"something else":      {err: errors.New("no")},
	} {
		if got := isTaken(c.err); got != c.taken {
			t.Errorf("%s: isTaken = %t", name, got)
		}
		if got := isOutage(translate(c.err)); got != c.lost {
			t.Errorf("%s: it is an outage: %t", name, got)
		}
	}
}
