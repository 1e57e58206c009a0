package activity

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"orgd/domain/jsondoc"
)

// MaxEvents is the greatest number of lifecycle events that one change of one
// agent makes, and therefore the number of ids that a [Cause] needs.
const MaxEvents = 5

// Cause holds the time of a change, the subject that asked for it, why, and the ids of its
// events. It is made before the change, because the change may run more than once.
type Cause struct {
	At time.Time // UTC, whole milliseconds; the time of every event of the change
	By string    // the subject that asked for the change
	// Reason is why, as the subject put it; nil if it gave none.
	Reason *string
	IDs    []ID // at least [MaxEvents], ascending
}

// Record starts collecting the lifecycle events of one change of one agent.
// agentName is the agent's name and version the number of its identity version
// after the change; for a deletion both are the last ones.
func (c Cause) Record(agentID, agentName string, version int64) *Record {
	return &Record{cause: c, agentID: agentID, agentName: agentName, version: version}
}

// Record collects the lifecycle events of one change of one agent. Its methods
// may be called in any order, each at most once; [Record.Events] puts the
// events into theirs. Statuses and levels are passed as the words of the
// interface. An empty from means that there was nothing before: the agent is
// being created.
type Record struct {
	cause     Cause
	agentID   string
	agentName string
	version   int64
	events    []Event
}

// Hired records that the agent was created.
func (r *Record) Hired(role, department string) {
	r.add(Hired, "", "", fmt.Sprintf("hired as %s in %s", role, department))
}

// Rehired records that a terminated agent came back.
func (r *Record) Rehired(role, department string) {
	r.add(Hired, "", "", fmt.Sprintf("rehired as %s in %s", role, department))
}

// Onboarded records that the agent became active, from the status from.
func (r *Record) Onboarded(from, to string) {
	r.moved(Onboarded, from, to, "onboarded,", "onboarded on hiring, status")
}

// StatusChanged records a move between statuses, or a first status that needs
// saying.
func (r *Record) StatusChanged(from, to string) {
	r.moved(StatusChanged, from, to, "status changed", "hired with status")
}

// Offboarded records that the agent became terminated.
func (r *Record) Offboarded(from, to string) {
	r.moved(Offboarded, from, to, "offboarded,", "offboarded on hiring, status")
}

// moved adds an event of a status that was reached from another one or, with the
// words in first, on hiring.
func (r *Record) moved(t Type, from, to, later, first string) {
	if from == "" {
		r.add(t, from, to, first+" "+to)
		return
	}
	r.add(t, from, to, fmt.Sprintf("%s from %s to %s", later, from, to))
}

// Promoted records that the agent's level rose.
func (r *Record) Promoted(from, to string) {
	r.add(Promoted, from, to, fmt.Sprintf("promoted from %s to %s", from, to))
}

// Demoted records that the agent's level fell.
func (r *Record) Demoted(from, to string) {
	r.add(Demoted, from, to, fmt.Sprintf("demoted from %s to %s", from, to))
}

// Fired records that the agent was deleted.
func (r *Record) Fired(role, department string) {
	r.add(Fired, "", "", fmt.Sprintf("fired as %s in %s", role, department))
}

// Events returns the events so far in their fixed order (hired, onboarded,
// status_changed, offboarded, promoted or demoted, fired) with ascending ids.
func (r *Record) Events() []Event {
	events := slices.Clone(r.events)
	slices.SortStableFunc(events, func(a, b Event) int { return a.Type.place() - b.Type.place() })
	for i := range events {
		events[i].ID = r.cause.IDs[i]
	}
	return events
}

func (r *Record) add(t Type, from, to, description string) {
	r.events = append(r.events, Event{
		Type:        t,
		At:          r.cause.At,
		AgentID:     r.agentID,
		AgentName:   r.agentName,
		Description: description,
		Related:     pairs("actor", r.cause.By),
		By:          r.cause.By,
		Metadata:    pairs("from", from, "to", to, "version", strconv.FormatInt(r.version, 10)),
	})
}

// place is the rank of a lifecycle type within one change.
func (t Type) place() int { return slices.Index(lifecycleTypes(), t) }

// pairs is the object of alternating names and values, the names ascending,
// which makes its text canonical. Pairs with an empty value are left out.
func pairs(namesAndValues ...string) jsondoc.Object {
	text := jsondoc.ObjectText(func(w *jsondoc.Writer) {
		for pair := range slices.Chunk(namesAndValues, 2) {
			if pair[1] != "" {
				w.Field(pair[0]).Text(pair[1])
			}
		}
	})
	if text == "{}" {
		return ""
	}
	return jsondoc.Object(text)
}
