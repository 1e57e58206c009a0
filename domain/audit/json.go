package audit

import (
	"fmt"
	"strings"

	"orgd/domain/jsondoc"
	"orgd/domain/name"
)

// Type is the kind of thing that r is, such as "agent".
func (r Resource) Type() string {
	kind, _, _ := strings.Cut(string(r), "/")
	return strings.TrimSuffix(kind, "s")
}

// ID is what the interface calls the thing by.
func (r Resource) ID() string {
	if _, id, ok := strings.Cut(string(r), "/"); ok {
		return id
	}
	return string(r)
}

// Text is the JSON form of c that stores keep beside the action.
func (c Change) Text() string { return jsondoc.ObjectText(c.write) }

func (c Change) write(w *jsondoc.Writer) {
	w.Field("name").Text(c.Name)
	w.Field("department").Text(c.Department.Text)
	w.Field("reason").TextOrNull(c.Reason)
	w.Field("from_version").Int(c.FromVersion)
	w.Field("to_version").Int(c.ToVersion)
	if c.Label != "" {
		w.Field("label").Text(c.Label)
	}
	w.Field("fields").Texts(c.Fields)
	w.Field("summary").Text(c.Summary)
	w.Field("way").Text(string(c.Way))
}

// ParseChange reads the stored form of a change back.
func ParseChange(a Action, text string) (*Change, error) {
	c := Change{Action: a}
	const long = 1 << 20 // bounds what was checked when it was written
	department, way := "", ""
	err := jsondoc.ReadStored(text, func(r *jsondoc.Reader) {
		r.Text("name", &c.Name, 0, long)
		r.Text("department", &department, 0, long)
		r.TextOrNull("reason", &c.Reason, 0, long)
		r.Int("from_version", &c.FromVersion, 0, 1<<53)
		r.Int("to_version", &c.ToVersion, 0, 1<<53)
		r.Text("label", &c.Label, 0, long)
		r.Texts("fields", &c.Fields, jsondoc.Bounds{MaxItems: MaxFields, MaxLen: long})
		r.Text("summary", &c.Summary, 0, long)
		r.Text("way", &way, 0, long)
	})
	if err == nil && department != "" {
		c.Department, err = name.Parse(department)
	}
	if err != nil {
		return nil, fmt.Errorf("audit: read a change: %w", err)
	}
	c.Way = Way(way)
	return &c, nil
}

// Write writes e, an object.
func (e Entry) Write(w *jsondoc.Writer) {
	w.Open()
	w.Field("id").Text(e.ID)
	w.Field("timestamp").Time(e.At)
	w.Field("actor").Text(e.Actor)
	w.Field("action").TextOrNull(jsondoc.NonZero(string(e.Action)))
	w.Field("route").Text(e.Route)
	w.Field("resource").Text(string(e.Resource))
	w.Field("revision_from").IntOrNull(jsondoc.NonZero(e.From))
	w.Field("revision_to").IntOrNull(jsondoc.NonZero(e.To))
	w.Field("request_id").Text(e.RequestID)
	w.Field("change")
	if e.Change != nil {
		e.WriteChange(w)
	} else {
		w.Null()
	}
	w.Close()
}

// WriteChange writes what the change log shows of e, an object. e must have a Change.
func (e Entry) WriteChange(w *jsondoc.Writer) {
	c := e.Change
	w.Open()
	w.Field("id").Text(e.ID)
	w.Field("timestamp").Time(e.At)
	w.Field("action").Text(string(e.Action))
	w.Field("resource").Open()
	w.Field("type").Text(e.Resource.Type())
	w.Field("id").Text(e.Resource.ID())
	w.Field("name").Text(c.Name)
	w.Close()
	w.Field("department").TextOrNull(jsondoc.NonZero(c.Department.Text))
	w.Field("actor").Text(e.Actor)
	w.Field("reason").TextOrNull(c.Reason)
	w.Field("from_revision").IntOrNull(jsondoc.NonZero(e.From))
	w.Field("to_revision").IntOrNull(jsondoc.NonZero(e.To))
	w.Field("from_version").IntOrNull(jsondoc.NonZero(c.FromVersion))
	w.Field("to_version").IntOrNull(jsondoc.NonZero(c.ToVersion))
	w.Field("changed_fields").Texts(c.Fields)
	w.Field("summary").Text(c.Summary)
	w.Field("label").TextOrNull(jsondoc.NonZero(c.Label))
	w.Field("proposal_id").Null()
	w.Field("way").Text(string(c.Way))
	w.Close()
}
