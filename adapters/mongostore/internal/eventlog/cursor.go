package eventlog

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"orgd/adapters/groupcommit"
	"orgd/adapters/mongostore/internal/mongodb"
	"orgd/domain/activity"
)

// cursor reads the log behind a position. The server answers a read when it has found
// enough events or is at the end of its log, but not before: a read of a million
// commits without an event takes as long as the server needs for them, and whoever
// gives up begins again where the cursor was opened. So a read has no time-out.
type cursor struct {
	log    Log
	name   string // that the server knows it by
	stream *mongo.ChangeStream
	id     int64 // of the server's cursor
	behind activity.Seq
	last   bson.Timestamp
	rank   int
}

// batchOfLog is how many events the server sends at once.
const batchOfLog = 500

// cursor begins with the whole commit of a position: that is how what is in it gets
// its ranks. At the end of the log the cursor waits for the time wait.
func (l Log) cursor(ctx context.Context, behind activity.Seq, wait time.Duration) (*cursor, error) {
	at, name := TimeOf(behind), bson.NewObjectID().Hex()
	pipeline := mongo.Pipeline{{mongodb.Is("$match", bson.D{mongodb.Is("operationType", "insert"), l.Filter})}}
	ctx, cancel := context.WithTimeout(ctx, l.Timeout)
	defer cancel()
	// An empty first batch is had at once, however long the log is.
	stream, err := l.Data.Watch(ctx, pipeline,
		options.ChangeStream().SetStartAtOperationTime(&at).SetMaxAwaitTime(wait).SetBatchSize(0).SetComment(name))
	if err != nil {
		return nil, tooOld(err)
	}
	stream.SetBatchSize(batchOfLog)
	stream.TryNext(ctx) // takes the empty batch
	return &cursor{log: l, name: name, stream: stream, id: stream.ID(), behind: behind}, nil
}

// next returns the next event, if there is one now, and how far the log was read.
func (c *cursor) next(ctx context.Context) (*activity.Logged, activity.Seq, error) {
	for c.read(ctx) {
		e, err := c.current()
		if err != nil {
			return nil, 0, err
		}
		if e.Seq > c.behind {
			return &e, e.Seq, nil
		}
	}
	if err := c.stream.Err(); err != nil {
		return nil, 0, tooOld(err)
	}
	switch id := c.stream.ID(); id {
	case 0:
		return nil, 0, groupcommit.Unavailable(groupcommit.ErrClosing)
	case c.id:
	default: // the driver has begun anew behind the last event, which need not be the last of its commit
		c.id = id
		return nil, 0, nil
	}
	return nil, reachedBy(c.stream.ResumeToken()), nil
}

// firstChange is the rank of the first change of a commit. Changes are behind the events of
// their commit, whose ranks are those that they had before changes were in the log.
const firstChange = 1 << (rankBits - 1)

// current is what the stream has read.
func (c *cursor) current() (e activity.Logged, err error) {
	var d struct {
		Time bson.Timestamp `bson:"clusterTime"`
		From struct {
			Coll string `bson:"coll"`
		} `bson:"ns"`
		Doc bson.Raw `bson:"fullDocument"`
	}
	if err := c.stream.Decode(&d); err != nil {
		return e, err
	}
	if c.rank++; d.Time != c.last {
		c.last, c.rank = d.Time, 1
	}
	if !c.log.IsEvent(d.From.Coll) {
		c.rank = max(c.rank, firstChange)
	}
	e, err = c.log.Read(d.From.Coll, d.Doc)
	e.Seq = SeqOf(d.Time, c.rank)
	return e, err
}

// LongestRead is a time-out that no read comes to: the driver has its own, that of an
// operation, where there is none.
const LongestRead = 24 * time.Hour

// read reads one event, if there is one. It ends early if the server turns out not to
// be reading, as after a connection was lost without a word.
func (c *cursor) read(ctx context.Context) bool {
	if c.stream.RemainingBatchLength() > 0 {
		return c.stream.TryNext(ctx)
	}
	ctx, cancel := context.WithTimeout(ctx, LongestRead)
	defer cancel()
	go c.watch(ctx, cancel)
	return c.stream.TryNext(ctx)
}

// watch ends a read of which the server knows nothing, twice in a row: its answer may
// be on the way. What cannot be asked counts as known: then the driver, which
// looks after all servers, ends the read.
func (c *cursor) watch(ctx context.Context, end context.CancelFunc) {
	ask := time.NewTicker(max(c.log.Timeout, longestWait))
	defer ask.Stop()
	for unknown := 0; unknown < 2; {
		select {
		case <-ctx.Done():
			return
		case <-ask.C:
		}
		if known, err := c.log.isReading(ctx, c.name); known || err != nil {
			unknown = 0
		} else {
			unknown++
		}
	}
	end()
}

// longestWait is how long a cursor waits at the end of the log at most.
const longestWait = time.Second

// isReading asks the server whether a cursor is at work.
func (l Log) isReading(ctx context.Context, name string) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, l.Timeout)
	defer cancel()
	var answer struct {
		Cursor struct {
			Batch []bson.Raw `bson:"firstBatch"`
		}
	}
	// Only operations of the own user, which needs no right.
	err := l.Data.Client().Database("admin").RunCommand(ctx, bson.D{mongodb.Is("aggregate", 1), mongodb.Is("cursor", bson.D{}), mongodb.Is("pipeline", bson.A{
		bson.D{mongodb.Is("$currentOp", bson.D{mongodb.Is("allUsers", false)})},
		bson.D{mongodb.Is("$match", bson.D{mongodb.Is("command.comment", name)})},
		bson.D{mongodb.Is("$project", bson.D{mongodb.Is("_id", 1)})},
	})}).Decode(&answer)
	return len(answer.Cursor.Batch) > 0, err
}

func (c *cursor) close() {
	ctx, cancel := context.WithTimeout(context.Background(), mongodb.CloseTime)
	defer cancel()
	_ = c.stream.Close(ctx)
}

// reachedBy returns the position of a resume token, whose text begins with the time
// up to which the log was read: a type, four bytes and four bytes.
func reachedBy(token bson.Raw) activity.Seq {
	text, _ := token.Lookup("_data").StringValueOK()
	if len(text) < 18 {
		return 0
	}
	b, err := hex.DecodeString(text[2:18])
	if err != nil {
		return 0
	}
	return SeqOf(bson.Timestamp{T: binary.BigEndian.Uint32(b), I: binary.BigEndian.Uint32(b[4:])}, LastRank)
}

// Codes of a position that the server's log does not reach back to.
var tooOldCodes = []int{136, 280, 286}

func isTooOld(err error) bool { return mongodb.HasCode(err, tooOldCodes...) }

func tooOld(err error) error {
	if isTooOld(err) {
		return activity.ErrTooOld.Because(err)
	}
	return mongodb.Translate(err)
}
