package mongostore

import (
	"go.mongodb.org/mongo-driver/v2/bson"

	"orgd/domain/audit"
	"orgd/domain/name"
	"orgd/domain/receipt"
	"orgd/ports"
)

// leave writes the note of an effective change.
func (t *tx) leave(n ports.Note) {
	t.leaveReceipt(n.Receipt)
	t.insert(auditColl, entryOf(n.Audit), nil)
}

// leaveReceipt writes a receipt, if there is one. It takes over a key whose
// receipt has had its time, and no other.
func (t *tx) leaveReceipt(r *receipt.Receipt) {
	if r == nil {
		return
	}
	over := is("at", bson.D{is("$lt", millis(r.At.Add(-receipt.Kept)))})
	t.replace(receiptsColl, bson.D{is("_id", string(r.Key)), over}, receiptOf(*r), receipt.ErrRunning)
}

// entryDoc is an entry of the audit trail.
type entryDoc struct {
	ID        string `bson:"_id"`
	At        int64  `bson:"at"`
	Actor     string `bson:"actor"`
	Route     string `bson:"route"`
	Resource  string `bson:"resource"`
	From      int64  `bson:"from"`
	To        int64  `bson:"to"`
	RequestID string `bson:"request_id"`
}

func entryOf(e audit.Entry) entryDoc {
	return entryDoc{
		ID: e.ID, At: millis(e.At), Actor: e.Actor, Route: e.Route, Resource: string(e.Resource),
		From: e.From, To: e.To, RequestID: e.RequestID,
	}
}

func (d entryDoc) entry() (audit.Entry, error) {
	return audit.Entry{
		ID: d.ID, At: fromMillis(d.At), Actor: d.Actor, Route: d.Route, Resource: audit.Resource(d.Resource),
		From: d.From, To: d.To, RequestID: d.RequestID,
	}, nil
}

type receiptDoc struct {
	Key         string    `bson:"_id"`
	Fingerprint string    `bson:"fingerprint"`
	At          int64     `bson:"at"`
	Departments []string  `bson:"departments,omitempty"`
	Reply       *replyDoc `bson:"reply,omitempty"`
}

type replyDoc struct {
	Status   int    `bson:"status"`
	Body     []byte `bson:"body"`
	ETag     string `bson:"etag"`
	Location string `bson:"location"`
}

func receiptOf(r receipt.Receipt) receiptDoc {
	d := receiptDoc{Key: string(r.Key), Fingerprint: r.Fingerprint, At: millis(r.At), Reply: (*replyDoc)(r.Reply)}
	for _, k := range r.Departments {
		d.Departments = append(d.Departments, string(k))
	}
	return d
}

func (d receiptDoc) receipt() *receipt.Receipt {
	r := &receipt.Receipt{Key: receipt.Key(d.Key), Fingerprint: d.Fingerprint, At: fromMillis(d.At), Reply: (*receipt.Reply)(d.Reply)}
	for _, k := range d.Departments {
		r.Departments = append(r.Departments, name.Key(k))
	}
	return r
}
