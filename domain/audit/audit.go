// Package audit describes the trail that every change leaves: who did what to
// which resource, when, and through which request.
package audit

import (
	"slices"
	"time"

	"orgd/domain/name"
)

// Kept is how long the trail is kept.
const Kept = 400 * 24 * time.Hour

// Entry is one change. It is stored in the change's own commit, so a change
// without entry or an entry without change does not exist.
type Entry struct {
	ID        string // UUIDv7
	At        time.Time
	Actor     string // the subject
	Action    Action // "" for an entry of a release that had none
	Route     string // method and route pattern, such as "PATCH /api/v1/agents/{agent_name}"
	Resource  Resource
	From, To  int64 // revisions; From is 0 for a creation, To is 0 for a deletion, and both for what has none
	RequestID string
	// Change is what the change log shows; nil for what is not in it: reports, sessions,
	// webhooks.
	Change *Change
}

// Resource names what a change touched, such as "agents/0190…" or "company".
type Resource string

// Company is the resource of the one company.
const Company Resource = "company"

// Activities is the resource of the events that clients report. It has no
// revisions.
const Activities Resource = "activities"

// Agent returns the resource of an agent.
func Agent(id string) Resource { return Resource("agents/" + id) }

// Department returns the resource of a department.
func Department(name string) Resource { return Resource("departments/" + name) }

// Project returns the resource of a project.
func Project(id string) Resource { return Resource("projects/" + id) }

// Session returns the resource of a session.
func Session(sid string) Resource { return Resource("sessions/" + sid) }

// Webhook returns the resource of a webhook. Tests and redeliveries have no
// revisions.
func Webhook(id string) Resource { return Resource("webhooks/" + id) }

// Position is a position in the trail, which is read newest first, ties by id.
type Position struct {
	At time.Time
	ID string
}

// Position returns the position of e.
func (e Entry) Position() Position { return Position{At: e.At, ID: e.ID} }

// Part is a part of the trail.
type Part int

// The parts.
const (
	Everything Part = iota
	WithoutReports
	OnlyChanges // those of the change log
)

// Query selects entries.
type Query struct {
	Part     Part
	Actor    string    // "" means any
	Resource Resource  // "" means any
	Since    time.Time // zero means from the beginning; inclusive
	Until    time.Time // zero means to the end; exclusive
	After    *Position // entries behind this position, that is older ones
	Limit    int

	// With OnlyChanges alone.
	Actions    []Action // nil means any
	Department name.Key // "" means any
}

// Selects reports whether e is among what q asks for, wherever its page begins.
func (q Query) Selects(e Entry) bool {
	return (q.Part != WithoutReports || e.Resource != Activities) && (q.Part != OnlyChanges || e.Change != nil) &&
		(q.Actor == "" || q.Actor == e.Actor) && (q.Resource == "" || q.Resource == e.Resource) &&
		(q.Actions == nil || slices.Contains(q.Actions, e.Action)) &&
		(q.Department == "" || e.Change != nil && q.Department == e.Change.Department.Key) &&
		!e.At.Before(q.Since) && (q.Until.IsZero() || e.At.Before(q.Until))
}
