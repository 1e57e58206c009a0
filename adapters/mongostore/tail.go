package mongostore

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"slices"
	"sync"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"orgd/adapters/groupcommit"
	"orgd/domain/activity"
	"orgd/ports"
)

// maxWindow bounds the events that a process remembers of the log.
const maxWindow = 16_384

// tail follows the log for everybody in the process, from the first call on.
type tail struct {
	db      *DB
	changed ports.Broadcast

	mu     sync.Mutex
	from   activity.Seq // the window has all events behind it; 0: none yet
	to     activity.Seq // and up to it
	window []activity.Logged
}

// run follows the log until the store closes. After an outage it goes on where it
// was; if that is too old it begins anew.
func (t *tail) run() {
	ctx := t.db.open
	for n := 0; ctx.Err() == nil; n++ {
		from := t.reached()
		if from == 0 {
			var err error
			if from, err = t.db.now(ctx); err != nil {
				_ = pause(ctx, n)
				continue
			}
			t.begin(from)
		}
		if err := t.follow(ctx, from); isTooOld(err) {
			t.begin(0)
		}
		_ = pause(ctx, n)
	}
}

// begin discards the window. What entered the log up to there is not followed, so
// whoever waits for it is told to look.
func (t *tail) begin(from activity.Seq) {
	t.mu.Lock()
	t.from, t.to, t.window = from, from, nil
	t.mu.Unlock()
	t.changed.Notify()
}

// reached is how far the log was read.
func (t *tail) reached() activity.Seq {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.to
}

// reach remembers that there are no other events up to a position.
func (t *tail) reach(to activity.Seq) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.to = max(t.to, to)
}

func (t *tail) follow(ctx context.Context, from activity.Seq) error {
	c, err := t.db.openLog(ctx, from, time.Second)
	if err != nil {
		return err
	}
	defer c.close()
	for ctx.Err() == nil {
		e, reached, err := c.next(ctx)
		switch {
		case err != nil:
			return err
		case e != nil:
			t.push(*e)
		default:
			t.reach(reached)
		}
	}
	return nil
}

func (t *tail) push(e activity.Logged) {
	t.mu.Lock()
	if len(t.window) == 2*maxWindow {
		t.from = t.window[maxWindow-1].Seq
		t.window = slices.Clone(t.window[maxWindow:])
	}
	t.window = append(t.window, e)
	t.to = e.Seq
	t.mu.Unlock()
	t.changed.Notify()
}

// after returns the first events behind a position, false if it is not in the
// window.
func (t *tail) after(position activity.Seq, limit int) (ports.LogPage, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.from == 0 || position < t.from {
		return ports.LogPage{}, false
	}
	i, found := slices.BinarySearchFunc(t.window, position, func(e activity.Logged, at activity.Seq) int { return int(e.Seq - at) })
	if found {
		i++
	}
	page := ports.LogPage{Events: slices.Clone(t.window[i:min(i+limit, len(t.window))]), Next: max(position, t.to)}
	if n := len(page.Events); n == limit {
		page.Next = page.Events[n-1].Seq
	}
	return page, true
}

// catchUp reads behind a position from the server, up to now.
func (db *DB) catchUp(ctx context.Context, position, now activity.Seq, limit int) (ports.LogPage, error) {
	c, err := db.openLog(ctx, position, time.Millisecond)
	if err != nil {
		return ports.LogPage{}, err
	}
	defer c.close()
	page := ports.LogPage{Next: position}
	for len(page.Events) < limit && page.Next < now {
		e, reached, err := c.next(ctx)
		if err != nil {
			return ports.LogPage{}, err
		}
		if e != nil {
			page.Events = append(page.Events, *e)
			reached = e.Seq
		}
		page.Next = max(page.Next, reached)
	}
	return page, nil
}

// cursor reads the log behind a position.
type cursor struct {
	stream *mongo.ChangeStream
	behind activity.Seq
	last   bson.Timestamp
	rank   int
}

// openLog begins with the whole commit of a position: that is how its events get
// their ranks.
func (db *DB) openLog(ctx context.Context, behind activity.Seq, wait time.Duration) (*cursor, error) {
	at := timeOf(behind)
	pipeline := mongo.Pipeline{{is("$match", bson.D{is("operationType", "insert")})}}
	stream, err := db.coll(eventsColl).Watch(ctx, pipeline,
		options.ChangeStream().SetStartAtOperationTime(&at).SetMaxAwaitTime(wait))
	if err != nil {
		return nil, tooOld(err)
	}
	return &cursor{stream: stream, behind: behind}, nil
}

// next returns the next event, if there is one now, and how far the log was read.
func (c *cursor) next(ctx context.Context) (*activity.Logged, activity.Seq, error) {
	for c.stream.TryNext(ctx) {
		var d struct {
			Time  bson.Timestamp `bson:"clusterTime"`
			Event eventDoc       `bson:"fullDocument"`
		}
		if err := c.stream.Decode(&d); err != nil {
			return nil, 0, err
		}
		if c.rank++; d.Time != c.last {
			c.last, c.rank = d.Time, 1
		}
		if seq := seqOf(d.Time, c.rank); seq > c.behind {
			e := d.Event.logged(seq)
			return &e, seq, nil
		}
	}
	if err := c.stream.Err(); err != nil {
		return nil, 0, tooOld(err)
	}
	if c.stream.ID() == 0 {
		return nil, 0, groupcommit.Unavailable(groupcommit.ErrClosing)
	}
	return nil, reachedBy(c.stream.ResumeToken()), nil
}

func (c *cursor) close() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
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
	return seqOf(bson.Timestamp{T: binary.BigEndian.Uint32(b), I: binary.BigEndian.Uint32(b[4:])}, lastRank)
}

// Codes of a position that the server's log does not reach back to.
var tooOldCodes = []int{136, 280, 286}

func isTooOld(err error) bool { return hasCode(err, tooOldCodes...) }

func tooOld(err error) error {
	if isTooOld(err) {
		return activity.ErrTooOld.Because(err)
	}
	return translate(err)
}
