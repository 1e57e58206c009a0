// Package webhook describes the endpoints of others that are told what happens
// in the organization: what a webhook is, which events it wants, how a message
// is signed, when a delivery is tried again and when it is given up. It sends
// nothing and knows no store.
package webhook

import (
	"crypto/sha256"
	"slices"
	"strings"
	"time"

	"orgd/domain/activity"
	"orgd/domain/fault"
	"orgd/domain/name"
	"orgd/domain/revision"
)

// Max is how many webhooks there may be. Every event is offered to each of
// them.
const Max = 256

var (
	// ErrNotFound is a webhook id that names nothing.
	ErrNotFound = fault.New(fault.NotFound, "webhook not found")
	// ErrFull is a webhook more than [Max].
	ErrFull = fault.New(fault.Conflict, "there are as many webhooks as there may be: 256")
	// ErrDepartment is a filter for a department that does not exist.
	ErrDepartment = fault.New(fault.Validation, "departments: there is no such department")
	// ErrDisabled is a delivery that was asked of a disabled webhook.
	ErrDisabled = fault.New(fault.Conflict, "the webhook is disabled; enable it first")
)

// ID identifies a webhook: a UUIDv7 in lower-case text form.
type ID string

// ParseID returns the id that s spells in either letter case, or [ErrNotFound]:
// nothing else can name a webhook.
func ParseID(s string) (ID, error) {
	id, err := activity.ParseID(s)
	if err != nil {
		return "", ErrNotFound.With("webhook %q not found", s)
	}
	return ID(id), nil
}

// Reason says why a webhook is disabled. The zero value says that it is not.
type Reason string

// The reasons.
const (
	Requested Reason = "requested" // somebody asked for it
	Gone      Reason = "gone"      // the endpoint answered 410
	Failing   Reason = "failing"   // a delivery has failed for three days, and no other succeeded
)

var reasons = []Reason{"", Requested, Gone, Failing}

// Webhook is an endpoint that gets a message for every event that it wants.
type Webhook struct {
	ID  ID
	URL string
	// EventTypes are the types of events and the actions of the change log, whole or their
	// first part, that it wants; none means all events and no changes.
	EventTypes []string
	// Departments say in which departments; none means everywhere.
	Departments []name.Name
	// Allowed is what the operator allowed when the URL was set. It holds wherever
	// messages are sent from, also if less is allowed there.
	Allowed  Policy
	Disabled Reason // "" while it is enabled
	// Since is the position in the log behind which events are for the webhook:
	// the end of the log when it was made or enabled.
	Since     activity.Seq
	Secrets   Secrets
	Revision  int64
	CreatedAt time.Time
	UpdatedAt time.Time
}

// Enabled reports whether messages are sent.
func (w Webhook) Enabled() bool { return w.Disabled == "" }

// Tag names the current state of w.
func (w Webhook) Tag() revision.Tag { return revision.Tag{ID: string(w.ID), Revision: w.Revision} }

// Size implements [page.Row].
func (w Webhook) Size() int {
	size := len(w.URL)
	for _, d := range w.Departments {
		size += len(d.Text) + len(d.Key)
	}
	return size
}

// Disable returns the webhook disabled for a reason that the service found. It
// comes back as it was if it is disabled already.
func (w Webhook) Disable(why Reason, at time.Time) Webhook {
	if !w.Enabled() {
		return w
	}
	w.Disabled = why
	return w.next(at)
}

// Rotate returns the webhook with a fresh secret. The one before stays valid
// for [FormerValid]. It returns [ErrSecrets] if too many are.
func (w Webhook) Rotate(fresh Secret, at time.Time) (Webhook, error) {
	secrets, err := w.Secrets.rotate(fresh, at)
	if err != nil {
		return Webhook{}, err
	}
	w.Secrets = secrets
	return w.next(at), nil
}

func (w Webhook) next(at time.Time) Webhook {
	w.Revision++
	w.UpdatedAt = revision.Time(at, w.UpdatedAt)
	return w
}

// Query selects a page of webhooks, sorted by id.
type Query struct {
	After ID // webhooks behind this id; "" means from the first
	Limit int
}

// Subscriber is a webhook as it is kept by what sends messages. It takes at most 12 KiB,
// where a webhook takes up to 260 KiB and keeps the text that it was read from.
type Subscriber struct {
	Webhook     // without its Departments
	departments []digest
}

// digest is that of the key of a department.
type digest [sha256.Size]byte

func digestOf(k name.Key) digest { return sha256.Sum256([]byte(k)) }

// Subscriber returns w as it is kept.
func (w Webhook) Subscriber() *Subscriber {
	s := &Subscriber{Webhook: w}
	s.URL, s.Disabled = strings.Clone(w.URL), Reason(strings.Clone(string(w.Disabled)))
	s.EventTypes, s.Departments = nil, nil
	for _, t := range w.EventTypes {
		s.EventTypes = append(s.EventTypes, strings.Clone(t))
	}
	for _, d := range w.Departments {
		s.departments = append(s.departments, digestOf(d.Key))
	}
	return s
}

// Wants reports whether the event or change in the log is one for the webhook. A disabled
// webhook wants nothing: what happens meanwhile is never sent to it.
func (s *Subscriber) Wants(e activity.Logged) bool {
	return s.Enabled() && e.Seq > s.Since && s.wantsType(e) &&
		(len(s.departments) == 0 || slices.Contains(s.departments, digestOf(e.Department)))
}

func (s *Subscriber) wantsType(e activity.Logged) bool {
	if e.Change == nil {
		return len(s.EventTypes) == 0 || slices.Contains(s.EventTypes, string(e.Type))
	}
	a := e.Change.Action
	return slices.Contains(s.EventTypes, string(a)) || slices.Contains(s.EventTypes, a.Kind())
}
