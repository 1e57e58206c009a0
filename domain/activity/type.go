// Package activity holds what happens to agents and what agents do: the event
// types, the event itself, how lifecycle events come about, and the rules for
// events that clients report.
//
// One [Event] serves two views. The feed shows every event; the career of an
// agent shows its lifecycle events only.
package activity

import (
	"slices"
	"strconv"
	"time"

	"orgd/domain/fault"
)

// ErrType is a text that names no event type.
var ErrType = fault.New(fault.RequestValidation, "unknown event type")

// Type says what kind of thing happened.
type Type string

// The lifecycle types: what the service records itself when an agent changes.
// They are declared in the order in which the events of one change follow each
// other; Promoted and Demoted share a place.
const (
	Hired         Type = "hired"          // created, or rehired
	Onboarded     Type = "onboarded"      // became active for the first time, or again after a rehire
	StatusChanged Type = "status_changed" // any move between statuses
	Offboarded    Type = "offboarded"     // became terminated
	Promoted      Type = "promoted"       // the level rose
	Demoted       Type = "demoted"        // the level fell
	Fired         Type = "fired"          // deleted
)

// The runtime types: what agents and their hosts report.
const (
	TaskStarted        Type = "task_started"
	TaskCompleted      Type = "task_completed" // finished, with or without success
	CostIncurred       Type = "cost_incurred"
	ToolUsed           Type = "tool_used"
	DelegationSent     Type = "delegation_sent"
	DelegationReceived Type = "delegation_received"
)

// Types lists every event type, the lifecycle types first.
func Types() []Type { return append(lifecycleTypes(), RuntimeTypes()...) }

// RuntimeTypes lists the types that clients may report.
func RuntimeTypes() []Type {
	return []Type{TaskStarted, TaskCompleted, CostIncurred, ToolUsed, DelegationSent, DelegationReceived}
}

func lifecycleTypes() []Type {
	return []Type{Hired, Onboarded, StatusChanged, Offboarded, Promoted, Demoted, Fired}
}

// ParseType returns the type that s names, or [ErrType].
func ParseType(s string) (Type, error) {
	if !slices.Contains(Types(), Type(s)) {
		return "", ErrType.With("type: must be one of %s", fault.List(Types()))
	}
	return Type(s), nil
}

// Lifecycle reports whether the service records events of this type itself,
// for ever. All other types are reported by clients and kept for a limited
// time.
func (t Type) Lifecycle() bool { return slices.Contains(lifecycleTypes(), t) }

// ErrWindow is a text that names no window.
var ErrWindow = fault.New(fault.RequestValidation, "not a window")

// Window is how many hours a feed looks back: 24, 48 or 168. The zero value
// looks back without an end.
type Window int

// The windows.
const (
	Hours24  Window = 24
	Hours48  Window = 48
	Hours168 Window = 168
)

// ParseWindow reads a number of hours, or returns [ErrWindow].
func ParseWindow(s string) (Window, error) {
	for _, w := range []Window{Hours24, Hours48, Hours168} {
		if s == strconv.Itoa(int(w)) {
			return w, nil
		}
	}
	return 0, ErrWindow.With("last_n_hours: must be 24, 48 or 168")
}

// Since is the earliest time that a feed shows when it is first read at now:
// events at that time or later belong to the window. It is the zero time for a
// window without an end.
func (w Window) Since(now time.Time) time.Time {
	if w == 0 {
		return time.Time{}
	}
	return now.Add(-time.Duration(w) * time.Hour)
}
