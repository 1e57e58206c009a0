package mongostore

import (
	"go.mongodb.org/mongo-driver/v2/bson"

	"orgd/domain/access"
	"orgd/domain/name"
	"orgd/domain/session"
)

// sessionDoc is what is known of a session: its record, its revocation, or
// both. They share a document so that renewing and revoking conflict in it.
type sessionDoc struct {
	ID         string         `bson:"_id"`
	Record     *recordDoc     `bson:"record,omitempty"`
	Revocation *revocationDoc `bson:"revocation,omitempty"`
}

type recordDoc struct {
	Issuer      string   `bson:"issuer"`
	Subject     string   `bson:"subject"`
	Role        string   `bson:"role"`
	Departments []nameOf `bson:"departments"`
	Agent       string   `bson:"agent"`
	IssuedAt    int64    `bson:"issued_at"`
	ExpiresAt   int64    `bson:"expires_at"`
	Own         bool     `bson:"own"`
}

type nameOf struct {
	Text string `bson:"text"`
	Key  string `bson:"key"`
}

type revocationDoc struct {
	By    string `bson:"by"`
	At    int64  `bson:"at"`
	Until int64  `bson:"until"`
}

func recordOf(s session.Session) recordDoc {
	d := recordDoc{
		Issuer: s.Issuer, Subject: s.Subject, Role: string(s.Role), Departments: []nameOf{}, Agent: s.Agent,
		IssuedAt: millis(s.IssuedAt), ExpiresAt: millis(s.ExpiresAt), Own: s.Own,
	}
	for _, n := range s.Departments {
		d.Departments = append(d.Departments, nameOf{n.Text, string(n.Key)})
	}
	return d
}

// record returns a document that has a record.
func (d sessionDoc) record() (session.Record, error) {
	s := session.Session{
		ID: d.ID, Issuer: d.Record.Issuer, Subject: d.Record.Subject, Role: access.Role(d.Record.Role),
		Agent: d.Record.Agent, Own: d.Record.Own,
		IssuedAt: fromMillis(d.Record.IssuedAt), ExpiresAt: fromMillis(d.Record.ExpiresAt),
	}
	for _, n := range d.Record.Departments {
		s.Departments = append(s.Departments, name.Name{Text: n.Text, Key: name.Key(n.Key)})
	}
	r := session.Record{Session: s}
	if d.Revocation != nil {
		revoked, _ := d.revocation()
		r.Revocation = &revoked
	}
	return r, nil
}

// revocation returns that of a document that has one.
func (d sessionDoc) revocation() (session.Revocation, error) {
	return session.Revocation{
		ID: d.ID, By: d.Revocation.By, At: fromMillis(d.Revocation.At), Until: fromMillis(d.Revocation.Until),
	}, nil
}

// record writes a session; a record that is known only lives longer.
func (t *tx) record(known sessionDoc, s session.Session) {
	switch {
	case known.Record == nil:
		t.upsert(sessionsColl, s.ID, set(is("record", recordOf(s))))
	case known.Record.ExpiresAt < millis(s.ExpiresAt):
		t.update(sessionsColl, s.ID, set(is("record.expires_at", millis(s.ExpiresAt))), nil)
	}
}

// revocationsID names the document that every revocation writes: two at once would
// both follow the same one otherwise.
const revocationsID = "revocations"

// revoke writes a revocation, behind the latest; the first one of a session stays and
// lasts as long as the longest.
func (t *tx) revoke(known, latest sessionDoc, r session.Revocation) {
	switch {
	case known.Revocation == nil:
		at := millis(r.At)
		if latest.Revocation != nil {
			at = max(at, latest.Revocation.At+1)
		}
		t.upsert(metaColl, revocationsID, bson.D{is("$inc", bson.D{is("stored", 1)})})
		t.upsert(sessionsColl, r.ID, set(is("revocation", revocationDoc{r.By, at, millis(r.Until)})))
	case known.Revocation.Until < millis(r.Until):
		t.update(sessionsColl, r.ID, set(is("revocation.until", millis(r.Until))), nil)
	}
}
