package webhook

import (
	"slices"
	"time"

	"orgd/domain/activity"
	"orgd/domain/audit"
	"orgd/domain/jsondoc"
	"orgd/domain/mergepatch"
	"orgd/domain/name"
)

// Patch is a checked JSON Merge Patch of a webhook's writable fields. It is also
// what a webhook is made from.
type Patch struct {
	mergepatch.Patch[Webhook]
	allowed Policy // goes with the URL
}

var noun = &mergepatch.Noun[Webhook]{
	Blank: func(mergepatch.Form) (w Webhook) { return w },
	Read: func(w *Webhook, r *jsondoc.Reader, form mergepatch.Form) {
		r.ReadOnly("id", "disabled_reason", "revision", "created_at", "updated_at", "secret")
		w.read(r)
		if form == mergepatch.New {
			r.Require("url")
		}
	},
}

// ParseNew reads what a new webhook is to be.
func ParseNew(v jsondoc.Value) (p Patch, err error) {
	p.Patch, err = noun.Parse("", v, mergepatch.New)
	return p, err
}

// ParsePatch reads a change of a webhook.
func ParsePatch(v jsondoc.Value) (p Patch, err error) {
	p.Patch, err = noun.Parse("", v, mergepatch.Change)
	return p, err
}

// Departments lists the departments that the patch names.
func (p Patch) Departments() []name.Name { return p.Said.Departments }

// Under returns the patch as one that is made where policy is allowed. It returns an
// occurrence of [ErrURL] if the patch has a URL that policy does not allow.
func (p Patch) Under(policy Policy) (Patch, error) {
	if p.Said.URL == "" {
		return p, nil
	}
	p.allowed = policy
	return p, policy.Check(p.Said.URL)
}

// Bounds of the filters.
const maxDepartments = 256

var typeBounds = jsondoc.Bounds{MaxItems: len(activity.Types()) + len(audit.Actions()) + len(audit.Kinds()), MinLen: 1, MaxLen: 64}

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

func readTypes(r *jsondoc.Reader, dst *[]string) {
	if !r.Has("event_types") {
		return
	}
	var types []string
	r.Texts("event_types", &types, typeBounds)
	for i, text := range types {
		_, noType := activity.ParseType(text)
		_, noAction := audit.ActionsOf(text)
		if noType != nil && noAction != nil {
			r.FailItem("event_types", i, "must be an event type, such as %s, or a change, such as %s or %s",
				activity.Hired, audit.AgentUpdated, audit.AgentUpdated.Kind())
		}
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
	return p.Make(func(w *Webhook) {
		w.ID, w.Since, w.Secrets, w.Allowed = id, head, Secrets{Current: secret}, p.allowed
		w.Revision, w.CreatedAt, w.UpdatedAt = 1, at, at
	})
}

// Change merges the patch into the webhook. Without effect the webhook comes
// back as it was, revision included. One that is enabled by it begins at head,
// the end of the log.
func (w Webhook) Change(p Patch, head activity.Seq, at time.Time) (Webhook, error) {
	next, err := p.Apply(&w)
	if err != nil {
		return Webhook{}, err
	}
	if p.Has("url") {
		next.Allowed = p.allowed
	}
	if string(next.Canonical()) == string(w.Canonical()) {
		return w, nil
	}
	if next.Enabled() && !w.Enabled() {
		next.Since = max(head, w.Since)
	}
	return next.next(at), nil
}
