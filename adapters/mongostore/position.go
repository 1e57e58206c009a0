package mongostore

import (
	"go.mongodb.org/mongo-driver/v2/bson"

	"orgd/domain/activity"
)

// A position in the log is the server's time of a commit, which ascends by itself,
// also when another member becomes primary, and the rank of the event in it.
const (
	rankBits      = 12 // more than a change has events
	incrementBits = 19 // commits in a second
	lastRank      = 1<<rankBits - 1
)

func seqOf(t bson.Timestamp, rank int) activity.Seq {
	return activity.Seq(int64(t.T)<<(incrementBits+rankBits) | int64(t.I)<<rankBits | int64(min(rank, lastRank)))
}

// timeOf returns the commit of a position.
func timeOf(position activity.Seq) bson.Timestamp {
	return bson.Timestamp{T: uint32(position >> (incrementBits + rankBits)), I: uint32(position>>rankBits) & (1<<incrementBits - 1)}
}

// longestChange is how many seconds lie between the insertion of an event and its
// commit at most: that is how long the server lets a transaction run.
const longestChange = 60
