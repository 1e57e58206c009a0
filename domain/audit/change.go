package audit

import (
	"slices"
	"strings"

	"orgd/domain/fault"
	"orgd/domain/identity"
	"orgd/domain/jsondoc"
	"orgd/domain/name"
)

// Action says what was done: the kind of thing, a dot, and what was done to it.
type Action string

// The actions of the change log.
const (
	AgentCreated         Action = "agent.created"
	AgentUpdated         Action = "agent.updated"
	AgentRolledBack      Action = "agent.rolled_back"
	AgentDeleted         Action = "agent.deleted"
	AgentRestored        Action = "agent.restored"
	AgentPurged          Action = "agent.purged"
	LabelSet             Action = "agent.label_set"
	LabelRemoved         Action = "agent.label_removed"
	DepartmentCreated    Action = "department.created"
	DepartmentUpdated    Action = "department.updated"
	DepartmentDeleted    Action = "department.deleted"
	AgentsReordered      Action = "department.agents_reordered"
	CeremonySet          Action = "ceremony_policy.set"
	CeremonyRemoved      Action = "ceremony_policy.removed"
	CompanyUpdated       Action = "company.updated"
	DepartmentsReordered Action = "company.departments_reordered"
	ProjectCreated       Action = "project.created"
	ProjectUpdated       Action = "project.updated"
	ProjectDeleted       Action = "project.deleted"
)

// The actions that are in the audit trail only.
const (
	SessionIssued   Action = "session.issued"
	SessionRevoked  Action = "session.revoked"
	LinkMade        Action = "session.link_made" // to sign in by
	WebhookCreated  Action = "webhook.created"
	WebhookUpdated  Action = "webhook.updated"
	WebhookDeleted  Action = "webhook.deleted"
	DeliveryOrdered Action = "webhook.delivery_ordered" // a test, or a delivery once more
	Reported        Action = "activities.reported"
)

// Actions lists those of the change log.
func Actions() []Action {
	return []Action{
		AgentCreated, AgentUpdated, AgentRolledBack, AgentDeleted, AgentRestored, AgentPurged, LabelSet, LabelRemoved,
		DepartmentCreated, DepartmentUpdated, DepartmentDeleted, AgentsReordered,
		CeremonySet, CeremonyRemoved, CompanyUpdated, DepartmentsReordered,
		ProjectCreated, ProjectUpdated, ProjectDeleted,
	}
}

// Kind is the first part of an action, such as "agent".
func (a Action) Kind() string {
	kind, _, _ := strings.Cut(string(a), ".")
	return kind
}

// Kinds lists the first parts of all actions.
func Kinds() (kinds []string) {
	for _, a := range Actions() {
		kinds = append(kinds, a.Kind())
	}
	return slices.Compact(kinds)
}

// ErrAction is a text that names no action.
var ErrAction = fault.New(fault.RequestValidation, "unknown action")

// ActionsOf returns the actions of the change log that text names: one, or all whose first part it is. It
// returns [ErrAction] if it names none.
func ActionsOf(text string) (actions []Action, err error) {
	for _, a := range Actions() {
		if string(a) == text || a.Kind() == text {
			actions = append(actions, a)
		}
	}
	if len(actions) == 0 {
		return nil, ErrAction.With("action: must be an action such as %s, or the first part of one: %s", AgentUpdated, strings.Join(Kinds(), ", "))
	}
	return actions, nil
}

// Way says how a change came about.
type Way string

// The ways.
const (
	Direct Way = "direct" // the actor made it alone
	Return Way = "return" // of a protected label, to a version that it has named before
)

// Change is what the change log shows of an entry, beside what every entry has. Values are
// never in it.
type Change struct {
	Action Action // of the entry
	Name   string // of what was changed, as it writes itself; after the change, of a deletion before
	// Department is the one that was changed or that the agent is in; zero for anything else.
	Department name.Name
	Reason     *string
	// FromVersion and ToVersion are those of the agent before and after, or those that the
	// label names; 0 for no version.
	FromVersion, ToVersion int64
	Label                  string // that was set or removed; "" for any other change
	// Fields are those that changed, dotted and sorted, at most [MaxFields] of them. Nothing
	// is listed of what was created or deleted, or of an order.
	Fields  []string
	Summary string // in words
	Way     Way
}

// New returns a change of something that has this name, which its actor made alone.
func New(a Action, name string) Change {
	_, done, _ := strings.Cut(string(a), ".")
	return Change{Action: a, Name: name, Summary: strings.ReplaceAll(done, "_", " "), Way: Direct}
}

// In returns the change as one in a department.
func (c Change) In(d name.Name) Change {
	c.Department = d
	return c
}

// MaxFields bounds the fields that are listed of a change.
const MaxFields = 64

// Between returns the change with the fields in which texts differ. Each pair is one that
// jsondoc.Differences takes.
func (c Change) Between(pairs ...[2]string) Change {
	for _, p := range pairs {
		jsondoc.Differences(p[0], p[1], func(path []string, _, _ string) {
			c.Fields = append(c.Fields, strings.Join(path, "."))
		})
	}
	slices.Sort(c.Fields)
	if len(c.Fields) > 0 {
		c.Summary = identity.Summary(len(c.Fields))
	}
	c.Fields = c.Fields[:min(len(c.Fields), MaxFields)]
	return c
}
