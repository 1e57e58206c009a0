package webhook

import (
	"slices"
	"time"

	"orgd/domain/activity"
	"orgd/domain/jsondoc"
	"orgd/domain/name"
)

// Patch is a checked JSON Merge Patch of a webhook's writable fields. It is also
// what a webhook is made from.
type Patch struct {
	value   jsondoc.Value
	isNew   bool
	written Webhook // the fields that the patch has, over nothing
	allowed Policy  // goes with the URL
}

// ParseNew reads what a new webhook is to be.
func ParseNew(v jsondoc.Value) (Patch, error) { return parse(Patch{value: v, isNew: true}) }

// ParsePatch reads a change of a webhook.
func ParsePatch(v jsondoc.Value) (Patch, error) { return parse(Patch{value: v}) }

func parse(patch Patch) (Patch, error) {
	err := patch.apply(&patch.written)
	return patch, err
}

func (patch Patch) apply(w *Webhook) error {
	if patch.written.URL != "" {
		w.Allowed = patch.allowed
	}
	if patch.isNew {
		return jsondoc.ReadWhole(patch.value, func(r *jsondoc.Reader) {
			r.ReadOnly(readOnly...)
			w.read(r)
			r.Require("url")
		})
	}
	return jsondoc.Read(patch.value, func(r *jsondoc.Reader) {
		r.ReadOnly(readOnly...)
		w.read(r)
	})
}

// readOnly are the fields that clients read and cannot write.
var readOnly = []string{"id", "disabled_reason", "revision", "created_at", "updated_at", "secret"}

// Departments lists the departments that the patch names.
func (patch Patch) Departments() []name.Name { return patch.written.Departments }

// Under returns the patch as one that is made where p is allowed. It returns an
// occurrence of [ErrURL] if the patch has a URL that p does not allow.
func (patch Patch) Under(p Policy) (Patch, error) {
	if patch.written.URL == "" {
		return patch, nil
	}
	patch.allowed = p
	return patch, p.Check(patch.written.URL)
}

// Bounds of the filters.
const maxDepartments = 256

var typeBounds = jsondoc.Bounds{MaxItems: len(activity.Types()), MinLen: 1, MaxLen: 64}

func (w *Webhook) read(r *jsondoc.Reader) {
	readURL(r, &w.URL)
	readTypes(r, &w.EventTypes)
	readDepartments(r, &w.Departments)
	enabled := w.Enabled()
	r.Bool("enabled", &enabled)
	switch {
	case enabled:
		w.Disabled = ""
	case w.Enabled():
		w.Disabled = Requested
	}
}

func readTypes(r *jsondoc.Reader, dst *[]activity.Type) {
	if !r.Has("event_types") {
		return
	}
	var texts []string
	r.Texts("event_types", &texts, typeBounds)
	var types []activity.Type
	for i, text := range texts {
		t, err := activity.ParseType(text)
		if err != nil {
			r.FailItem("event_types", i, "must be an event type, such as %s", activity.Hired)
			continue
		}
		types = append(types, t)
	}
	*dst = types
}

func readDepartments(r *jsondoc.Reader, dst *[]name.Name) {
	if !r.Has("departments") {
		return
	}
	var texts []string
	r.Texts("departments", &texts, jsondoc.Bounds{MaxItems: maxDepartments, MinLen: 1, MaxLen: 2 * name.MaxLength})
	var names []name.Name
	for i, text := range texts {
		n, err := name.Parse(text)
		if err != nil {
			r.FailItem("departments", i, "%s", err)
			continue
		}
		if j := slices.IndexFunc(names, func(other name.Name) bool { return other.Key == n.Key }); j >= 0 {
			r.FailItem("departments", i, "must not repeat item %d", j)
			continue
		}
		names = append(names, n)
	}
	*dst = names
}

// New returns the webhook that the patch describes. Events behind head are for
// it.
func New(id ID, p Patch, secret Secret, head activity.Seq, at time.Time) (Webhook, error) {
	w := Webhook{ID: id, Since: head, Secrets: Secrets{Current: secret}, Revision: 1, CreatedAt: at, UpdatedAt: at}
	err := p.apply(&w)
	return w, err
}

// Change merges the patch into the webhook. Without effect the webhook comes
// back as it was, revision included. One that is enabled by it begins at head,
// the end of the log.
func (w Webhook) Change(patch Patch, head activity.Seq, at time.Time) (Webhook, error) {
	next := w
	if err := patch.apply(&next); err != nil {
		return Webhook{}, err
	}
	if string(next.Canonical()) == string(w.Canonical()) {
		return w, nil
	}
	if next.Enabled() && !w.Enabled() {
		next.Since = max(head, w.Since)
	}
	return next.next(at), nil
}
