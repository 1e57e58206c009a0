package client

import (
	"errors"
	"time"
)

// Report is one runtime event to be reported. Agent and Data are required.
type Report struct {
	// ID is any UUID of the caller's choice. An event whose id is known is counted
	// as a duplicate and not stored again.
	ID string
	// Agent is the id or name of an existing agent.
	Agent string
	// Timestamp is when it happened, by default now.
	Timestamp   time.Time
	Description string
	// RelatedIDs say what else is involved.
	RelatedIDs map[string]string
	// Data says what happened: one of [TaskStarted], [TaskCompleted],
	// [CostIncurred], [ToolUsed], [DelegationSent] and [DelegationReceived].
	Data EventData
}

// EventData is what is reported with a runtime event. Its type decides the type
// of the event.
type EventData interface {
	EventType() EventType
}

// MarshalJSON implements json.Marshaler.
func (r Report) MarshalJSON() ([]byte, error) {
	if r.Data == nil {
		return nil, errors.New("a report needs Data")
	}
	return encode(entry{r.ID, r.Data.EventType(), r.Agent, r.Timestamp, r.Description, r.RelatedIDs, r.Data})
}

// entry is a Report as it goes over the wire.
type entry struct {
	ID          string            `json:"id,omitzero"`
	EventType   EventType         `json:"event_type"`
	Agent       string            `json:"agent"`
	Timestamp   time.Time         `json:"timestamp,omitzero"`
	Description string            `json:"description,omitzero"`
	RelatedIDs  map[string]string `json:"related_ids,omitzero"`
	Data        EventData         `json:"data"`
}

// DelegationReceived says that an agent has taken work over.
type DelegationReceived DelegationSent

// EventType implements [EventData].
func (TaskStarted) EventType() EventType { return EventTaskStarted }

// EventType implements [EventData].
func (TaskCompleted) EventType() EventType { return EventTaskCompleted }

// EventType implements [EventData].
func (CostIncurred) EventType() EventType { return EventCostIncurred }

// EventType implements [EventData].
func (ToolUsed) EventType() EventType { return EventToolUsed }

// EventType implements [EventData].
func (DelegationSent) EventType() EventType { return EventDelegationSent }

// EventType implements [EventData].
func (DelegationReceived) EventType() EventType { return EventDelegationReceived }

// MarshalJSON implements json.Marshaler.
func (d DelegationReceived) MarshalJSON() ([]byte, error) { return DelegationSent(d).MarshalJSON() }

// UnmarshalJSON implements json.Unmarshaler.
func (d *DelegationReceived) UnmarshalJSON(text []byte) error {
	return (*DelegationSent)(d).UnmarshalJSON(text)
}
