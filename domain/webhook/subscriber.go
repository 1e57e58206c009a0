package webhook

import (
	"crypto/sha256"
	"slices"
	"strings"

	"orgd/domain/activity"
	"orgd/domain/name"
)

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
		s.EventTypes = append(s.EventTypes, activity.Type(strings.Clone(string(t))))
	}
	for _, d := range w.Departments {
		s.departments = append(s.departments, digestOf(d.Key))
	}
	return s
}

// Wants reports whether the event in the log is one for the webhook. A disabled
// webhook wants nothing: what happens meanwhile is never sent to it.
func (s *Subscriber) Wants(e activity.Logged) bool {
	return s.Enabled() && e.Seq > s.Since &&
		(len(s.EventTypes) == 0 || slices.Contains(s.EventTypes, e.Type)) &&
		(len(s.departments) == 0 || slices.Contains(s.departments, digestOf(e.Department)))
}
