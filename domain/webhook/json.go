package webhook

import (
	"fmt"

	"orgd/domain/jsondoc"
	"orgd/domain/name"
)

// Canonical returns the JSON form of w that stores keep: what clients see of
// it, with the keys of departments. Identity, place, secrets, revision and times
// are kept beside it.
func (w Webhook) Canonical() []byte {
	out := jsondoc.NewWriter(make([]byte, 0, 256))
	out.Open()
	out.Field("url").Text(w.URL)
	w.writeTypes(out)
	out.Field("departments").OpenList()
	for _, d := range w.Departments {
		out.Open()
		out.Field("key").Text(string(d.Key))
		out.Field("text").Text(d.Text)
		out.Close()
	}
	out.CloseList()
	out.Field("disabled").Text(string(w.Disabled))
	out.Field("allow_http").Bool(w.Allowed.AllowHTTP)
	out.Field("allow_private").Bool(w.Allowed.AllowPrivate)
	out.Close()
	return out.Bytes()
}

// Parse reads a stored form back. What is kept beside it is the caller's to fill
// in.
func Parse(canonical []byte) (Webhook, error) {
	var w Webhook
	err := jsondoc.ReadStored(canonical, func(r *jsondoc.Reader) {
		readURL(r, &w.URL)
		readTypes(r, &w.EventTypes)
		jsondoc.List(r, "departments", &w.Departments, maxDepartments, func(r *jsondoc.Reader, n *name.Name) {
			r.Text("text", &n.Text, 1, name.MaxLength)
			key := ""
			r.Text("key", &key, 1, maxKey)
			n.Key = name.Key(key)
		})
		jsondoc.Enum(r, "disabled", &w.Disabled, reasons...)
		r.Bool("allow_http", &w.Allowed.AllowHTTP)
		r.Bool("allow_private", &w.Allowed.AllowPrivate)
	})
	if err != nil {
		return Webhook{}, fmt.Errorf("webhook: parse: %w", err)
	}
	return w, nil
}

// maxKey is more code points than the key of any name has: a folded character
// becomes at most three.
const maxKey = 3 * name.MaxLength

// Write writes the members of w that everybody who may see it sees into the
// object that out has open. Secrets are not among them.
func (w Webhook) Write(out *jsondoc.Writer) {
	out.Field("id").Text(string(w.ID))
	out.Field("url").Text(w.URL)
	w.writeTypes(out)
	out.Field("departments").OpenList()
	for _, d := range w.Departments {
		out.Text(d.Text)
	}
	out.CloseList()
	out.Field("enabled").Bool(w.Enabled())
	out.Field("disabled_reason").TextOrNull(jsondoc.NonZero(string(w.Disabled)))
	out.Field("revision").Int(w.Revision)
	out.Field("created_at").Time(w.CreatedAt)
	out.Field("updated_at").Time(w.UpdatedAt)
}

func (w Webhook) writeTypes(out *jsondoc.Writer) {
	out.Field("event_types").OpenList()
	for _, t := range w.EventTypes {
		out.Text(t)
	}
	out.CloseList()
}
