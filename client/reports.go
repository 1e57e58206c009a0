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

// TaskStarted says that an agent has begun a task.
type TaskStarted struct {
	TaskID string `json:"task_id"`
	// AgentVersion is the version of the agent that caused it, 0 if that is not known.
	AgentVersion int64 `json:"agent_version,omitzero"`
	// Other has keys of the caller's choice.
	Other Object `json:"-"`
}

// TaskCompleted says that a task has ended, with or without success.
type TaskCompleted struct {
	TaskID          string  `json:"task_id"`
	Success         bool    `json:"success"`
	DurationSeconds Decimal `json:"duration_seconds,omitzero"`
	// QualityScore is from 0 to 10, empty if there is none.
	QualityScore Decimal `json:"quality_score,omitzero"`
	// Cost is what the task cost. The service counts an agent's cost of a day once: the larger
	// of the sums of these and of [CostIncurred].
	Cost   Decimal `json:"cost,omitzero"`
	Tokens int64   `json:"tokens,omitzero"`
	// AgentVersion is the version of the agent that caused it, 0 if that is not known.
	AgentVersion int64 `json:"agent_version,omitzero"`
	// Other has keys of the caller's choice.
	Other Object `json:"-"`
}

// CostIncurred says that money was spent; it counts for the agent's department.
type CostIncurred struct {
	Amount       Decimal `json:"amount"`
	Model        string  `json:"model,omitzero"`
	InputTokens  int64   `json:"input_tokens,omitzero"`
	OutputTokens int64   `json:"output_tokens,omitzero"`
	// AgentVersion is the version of the agent that caused it, 0 if that is not known.
	AgentVersion int64 `json:"agent_version,omitzero"`
	// Other has keys of the caller's choice.
	Other Object `json:"-"`
}

// ToolUsed says that a tool was used.
type ToolUsed struct {
	Tool string `json:"tool"`
	// Success is whether the tool did what it should.
	Success bool `json:"success"`
	// AgentVersion is the version of the agent that caused it, 0 if that is not known.
	AgentVersion int64 `json:"agent_version,omitzero"`
	// Other has keys of the caller's choice.
	Other Object `json:"-"`
}

// DelegationSent says that an agent has handed work over.
type DelegationSent struct {
	TaskID string `json:"task_id"`
	// Counterpart is the other agent, free text.
	Counterpart string `json:"counterpart,omitzero"`
	// Score says how well it went, from 0 to 10, empty if there is none.
	Score Decimal `json:"score,omitzero"`
	// AgentVersion is the version of the agent that caused it, 0 if that is not known.
	AgentVersion int64 `json:"agent_version,omitzero"`
	// Other has keys of the caller's choice.
	Other Object `json:"-"`
}

// DelegationReceived says that an agent has taken work over.
type DelegationReceived DelegationSent

// EventType implements [EventData].
func (TaskStarted) EventType() EventType { return EventTypeTaskStarted }

// EventType implements [EventData].
func (TaskCompleted) EventType() EventType { return EventTypeTaskCompleted }

// EventType implements [EventData].
func (CostIncurred) EventType() EventType { return EventTypeCostIncurred }

// EventType implements [EventData].
func (ToolUsed) EventType() EventType { return EventTypeToolUsed }

// EventType implements [EventData].
func (DelegationSent) EventType() EventType { return EventTypeDelegationSent }

// EventType implements [EventData].
func (DelegationReceived) EventType() EventType { return EventTypeDelegationReceived }

// The data as encoding/json sees them.
type (
	knownStarted    TaskStarted
	knownCompleted  TaskCompleted
	knownCost       CostIncurred
	knownTool       ToolUsed
	knownDelegation DelegationSent
)

// MarshalJSON implements json.Marshaler.
func (d TaskStarted) MarshalJSON() ([]byte, error) { return joinObject(knownStarted(d), d.Other) }

// UnmarshalJSON implements json.Unmarshaler.
func (d *TaskStarted) UnmarshalJSON(text []byte) error {
	return openObject(text, (*knownStarted)(d), &d.Other)
}

// MarshalJSON implements json.Marshaler.
func (d TaskCompleted) MarshalJSON() ([]byte, error) { return joinObject(knownCompleted(d), d.Other) }

// UnmarshalJSON implements json.Unmarshaler.
func (d *TaskCompleted) UnmarshalJSON(text []byte) error {
	return openObject(text, (*knownCompleted)(d), &d.Other)
}

// MarshalJSON implements json.Marshaler.
func (d CostIncurred) MarshalJSON() ([]byte, error) { return joinObject(knownCost(d), d.Other) }

// UnmarshalJSON implements json.Unmarshaler.
func (d *CostIncurred) UnmarshalJSON(text []byte) error {
	return openObject(text, (*knownCost)(d), &d.Other)
}

// MarshalJSON implements json.Marshaler.
func (d ToolUsed) MarshalJSON() ([]byte, error) { return joinObject(knownTool(d), d.Other) }

// UnmarshalJSON implements json.Unmarshaler.
func (d *ToolUsed) UnmarshalJSON(text []byte) error {
	return openObject(text, (*knownTool)(d), &d.Other)
}

// MarshalJSON implements json.Marshaler.
func (d DelegationSent) MarshalJSON() ([]byte, error) { return joinObject(knownDelegation(d), d.Other) }

// UnmarshalJSON implements json.Unmarshaler.
func (d *DelegationSent) UnmarshalJSON(text []byte) error {
	return openObject(text, (*knownDelegation)(d), &d.Other)
}

// MarshalJSON implements json.Marshaler.
func (d DelegationReceived) MarshalJSON() ([]byte, error) { return DelegationSent(d).MarshalJSON() }

// UnmarshalJSON implements json.Unmarshaler.
func (d *DelegationReceived) UnmarshalJSON(text []byte) error {
	return (*DelegationSent)(d).UnmarshalJSON(text)
}
