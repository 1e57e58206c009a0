package activity

import (
	"slices"
	"strconv"
	"time"

	"orgd/domain/jsondoc"
)

// Cause holds the time of a change, the subject that asked for it, why, and the ids of its
// events. It is made before the change, because the change may run more than once.
type Cause struct {
	At time.Time // UTC, whole milliseconds; the time of every event of the change
	By string    // the subject that asked for the change
	// Reason is why, as the subject put it; nil if it gave none.
	Reason *string
	IDs    *IDs // nil: the events are not stored
}

// IDs are the ids of the events of one change. They are made when they are needed, and are
// the same whenever the change runs.
type IDs struct {
	New  func() string // makes one that is greater than those before
	made []ID
}

func (s *IDs) at(i int) ID {
	for len(s.made) <= i {
		s.made = append(s.made, ID(s.New()))
	}
	return s.made[i]
}

// Record starts collecting the lifecycle events of one change of one agent.
// agentName is the agent's name and version the number of its identity version
// after the change; for a deletion both are the last ones.
func (c Cause) Record(agentID, agentName string, version int64) *Record {
	return &Record{cause: c, agentID: agentID, agentName: agentName, version: strconv.FormatInt(version, 10)}
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
	version   string
	events    []Event
}

// Hired records that the agent was created.
func (r *Record) Hired(role, department string) {
	r.add(Hired, "", "", "hired as "+role+" in "+department)
}

// Rehired records that a terminated agent came back.
func (r *Record) Rehired(role, department string) {
	r.add(Hired, "", "", "rehired as "+role+" in "+department)
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
	r.add(t, from, to, later+" from "+from+" to "+to)
}

// Promoted records that the agent's level rose.
func (r *Record) Promoted(from, to string) {
	r.add(Promoted, from, to, "promoted from "+from+" to "+to)
}

// Demoted records that the agent's level fell.
func (r *Record) Demoted(from, to string) {
	r.add(Demoted, from, to, "demoted from "+from+" to "+to)
}

// Fired records that the agent was deleted.
func (r *Record) Fired(role, department string) {
	r.add(Fired, "", "", "fired as "+role+" in "+department)
}

// Events returns the events so far in their fixed order (hired, onboarded,
// status_changed, offboarded, promoted or demoted, fired) with ascending ids.
func (r *Record) Events() []Event {
	slices.SortStableFunc(r.events, func(a, b Event) int { return a.Type.place() - b.Type.place() })
	for i := range r.events {
		if r.cause.IDs != nil {
			r.events[i].ID = r.cause.IDs.at(i)
		}
	}
	return r.events
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
		Metadata:    pairs("from", from, "to", to, "version", r.version),
	})
}

// place is the rank of a lifecycle type within one change.
func (t Type) place() int { return slices.Index(lifecycleTypes(), t) }

// pairs is the object of alternating names and values, the names ascending,
// which makes its text canonical. Pairs with an empty value are left out.
func pairs(namesAndValues ...string) jsondoc.Object {
	text := jsondoc.ObjectText(func(w *jsondoc.Writer) {
		for i := 0; i < len(namesAndValues); i += 2 {
			if value := namesAndValues[i+1]; value != "" {
				w.Field(namesAndValues[i]).Text(value)
			}
		}
	})
	if text == "{}" {
		return ""
	}
	return jsondoc.Object(text)
}
