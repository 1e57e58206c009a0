package eventlog

import (
	"go.mongodb.org/mongo-driver/v2/bson"

	"orgd/domain/activity"
)

// A position in the log is the server's time of a commit, which ascends by itself,
// also when another member becomes primary, and the rank of the event in it.
const (
	rankBits      = 12 // more than a change has events
	IncrementBits = 19 // commits in a second
	LastRank      = 1<<rankBits - 1
)

// SeqOf is the position of an event of a commit.
func SeqOf(t bson.Timestamp, rank int) activity.Seq {
	return activity.Seq(int64(t.T)<<(IncrementBits+rankBits) | int64(t.I)<<rankBits | int64(min(rank, LastRank)))
}

// TimeOf returns the commit of a position.
func TimeOf(position activity.Seq) bson.Timestamp {
	return bson.Timestamp{T: uint32(position >> (IncrementBits + rankBits)), I: uint32(position>>rankBits) & (1<<IncrementBits - 1)}
}

// LongestChange is how many seconds lie between the insertion of an event and its
// commit at most: that is how long the server lets a transaction run.
const LongestChange = 60

// Ahead is how many seconds a position may be ahead of the primary: one that was
// elected just now learns a little later what the one before has committed.
const Ahead = 60
