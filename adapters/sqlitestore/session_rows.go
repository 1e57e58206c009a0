package sqlitestore

import (
	"fmt"

	"orgd/domain/jsondoc"
	"orgd/domain/name"
	"orgd/domain/session"
)

const sessionColumns = `s.id, s.issuer, s.subject, s.role, s.departments, s.agent, s.issued_at, s.expires_at, s.own,
	r.revoked_by, r.at, r.until`

const withRevocation = " LEFT JOIN revocations r ON r.session_id = s.id"

const selectSession = "SELECT " + sessionColumns + " FROM sessions s" + withRevocation + " WHERE s.id = ?"

// sessionsQuery reads along one index. The two columns of its order run in
// opposite directions, so the position to go on from is a range of the first and a
// condition on those that share its end.
func sessionsQuery(q session.Query) (string, []any) {
	var f filter
	index := "sessions_order"
	if q.Subject != "" {
		index = "sessions_subject"
		f.and("s.subject = ?", q.Subject)
	}
	if q.After != nil {
		at := millis(q.After.IssuedAt)
		f.and("s.issued_at <= ? AND (s.issued_at < ? OR s.id > ?)", at, at, q.After.ID)
	}
	f.and("s.expires_at > ?", millis(q.At))
	return "SELECT " + sessionColumns + " FROM sessions s INDEXED BY " + index + withRevocation + f.where() +
		" ORDER BY s.issued_at DESC, s.id LIMIT (? + 0)", append(f.args, q.Limit)
}

func scanSession(r Row) (rec session.Record, err error) {
	var departments []byte
	var issued, expires int64
	var by *string
	var at, until *int64
	err = r.Scan(&rec.ID, &rec.Issuer, &rec.Subject, &rec.Role, &departments, &rec.Agent, &issued, &expires, &rec.Own,
		&by, &at, &until)
	if err != nil {
		return session.Record{}, err
	}
	if rec.Departments, err = unpackNames(departments); err != nil {
		return session.Record{}, err
	}
	rec.IssuedAt, rec.ExpiresAt = fromMillis(issued), fromMillis(expires)
	if by != nil {
		rec.Revocation = &session.Revocation{ID: rec.ID, By: *by, At: fromMillis(*at), Until: fromMillis(*until)}
	}
	return rec, nil
}

// packNames is the stored form of names: their texts and keys.
func packNames(names []name.Name) string {
	w := jsondoc.NewWriter(nil)
	w.OpenList()
	for _, n := range names {
		w.Open()
		w.Field("key").Text(string(n.Key))
		w.Field("text").Text(n.Text)
		w.Close()
	}
	w.CloseList()
	return string(w.Bytes())
}

func unpackNames(stored []byte) ([]name.Name, error) {
	v, err := jsondoc.ParseStored(stored)
	if err != nil {
		return nil, fmt.Errorf("sqlitestore: read names: %w", err)
	}
	var names []name.Name
	for _, item := range v.Items() {
		key, _ := item.Get("key")
		text, _ := item.Get("text")
		names = append(names, name.Name{Text: text.Text(), Key: name.Key(key.Text())})
	}
	return names, nil
}
