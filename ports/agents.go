package ports

import (
	"context"

	"orgd/domain/agent"
	"orgd/domain/department"
	"orgd/domain/identity"
	"orgd/domain/name"
)

// AgentChange is one change of one agent with its trail.
type AgentChange struct {
	agent.Step
	Trail
}

// LabelChange makes a step of an agent of a department. below says whether a label may go
// back to a version, see agent.Below.
type LabelChange func(a agent.Agent, d department.Department, below bool) (AgentChange, error)

// AgentStore keeps agents. Every implementation passes portstest.AgentStore.
//
// A step is atomic: the agent, its next identity version, its events and its
// trail are stored together or not at all, also when the process dies on the
// way. A step without effect stores its idempotency record, if any, and nothing
// else. If the key has a record already, nothing is stored and the error is
// idempotency.ErrRunning.
type AgentStore interface {
	AgentReader
	AgentWriter
	AgentLabels
	DeletedAgents
}

// AgentReader reads agents as they are now.
type AgentReader interface {
	AgentNames

	// Agent returns one agent, or agent.ErrNotFound.
	Agent(ctx context.Context, ref identity.Ref) (agent.Agent, error)

	// Record returns what Agent does as it is stored, for whoever only shows it: complete, as
	// [agent.Schema] says.
	Record(ctx context.Context, ref identity.Ref) (agent.Record, error)

	// Records returns the agents that q selects, in its order, as they are stored. It
	// ends with the first agent that is behind its page, see page.Fits and
	// page.ErrLarge, and reads none behind that.
	Records(ctx context.Context, q agent.Query) ([]agent.Record, error)

	// RecordsOf returns those of these agents that exist, as Records does, in the order of
	// ids. It ends as Records does.
	RecordsOf(ctx context.Context, ids []agent.ID) ([]agent.Record, error)

	// Keys returns the keys of all agents that q selects, of which Prefix, After and Limit do
	// not count, in any order.
	Keys(ctx context.Context, q agent.Query) ([]agent.Key, error)

	// Search returns a page of those of the agents that q selects in which its text is found,
	// as agent.Searching makes it: so it reads no more than agent.MaxSearched says. It
	// returns page.ErrLarge as Records does, for what it has looked at.
	Search(ctx context.Context, q agent.SearchQuery) (agent.Found, error)

	// Counts counts the agents of each of these departments. An unknown one has
	// none and may be left out.
	Counts(ctx context.Context, departments []name.Key) (map[name.Key]agent.Counts, error)
}

// AgentNames finds out which agents references name, and what agents are called.
type AgentNames interface {
	// Resolve returns the id of an agent that exists or, for a reference by id,
	// has existed and was not purged, and its name as last written. It returns agent.ErrNotFound
	// for a name that no agent has now and for an id that no agent ever had.
	Resolve(ctx context.Context, ref identity.Ref) (agent.ID, name.Name, error)

	// Find returns the profiles of those references that name an existing
	// agent. Its cost grows with the number of references, not of agents.
	Find(ctx context.Context, refs []identity.Ref) (map[identity.Ref]agent.Profile, error)

	// Names returns the names of those of these agents that exist. Its cost grows with
	// the number of ids, not of agents.
	Names(ctx context.Context, ids []agent.ID) (map[agent.ID]string, error)
}

// AgentWriter makes agents and changes them.
type AgentWriter interface {
	// Create stores the agent that hire returns, and returns it. hire gets the
	// department's name as stored; asked may differ in letter case. If another
	// department takes over the name meanwhile, hire may get the name of the one
	// before.
	//
	// It returns agent.ErrDepartment if the department does not exist, and
	// agent.Taken of its name if another agent has the name. An error of hire is returned
	// as it is and nothing is stored. hire may run more than once. So it touches
	// only its argument, and makes an agent of the same id and name each time.
	Create(ctx context.Context, asked name.Name, hire func(department name.Name) (AgentChange, error)) (agent.Agent, error)

	// Update loads the agent and stores the step that change makes of it, as
	// one atomic step; a step that is Deleted removes the agent and frees its
	// name. It returns the agent after the step, for a removed one as it was
	// last.
	//
	// It returns agent.ErrNotFound if there is no such agent, agent.Taken of
	// the holder's name if the step's new name is taken, and agent.ErrDepartment if the agent
	// moves to a department that does not exist. An error of change is returned
	// as it is and nothing is stored. change may run more than once, so it
	// touches only its argument. It may read what never changes: versions, and
	// how departments write their names.
	Update(ctx context.Context, ref identity.Ref, change func(agent.Agent) (AgentChange, error)) (agent.Agent, error)
}

// AgentLabels keeps the labels of agents and their history.
type AgentLabels interface {
	// Label is Update of an agent's labels. change also gets what the rules for the label
	// are decided by: the agent's department, and whether the label may go back to the
	// version. All of it is of one state, and is still so when the step is stored; nothing
	// goes back to version 0.
	Label(ctx context.Context, ref identity.Ref, label string, version int64, change LabelChange) (agent.Agent, error)

	// Moves returns the entries of the history of a label that q selects, the newest first.
	// It outlives the label and the agent, until that is purged.
	Moves(ctx context.Context, q agent.Moves) ([]agent.Move, error)

	// Labeled returns the agents that q selects, in the organization's order, with the
	// versions that the label names. label.Latest names the current one of every agent. It
	// ends with the first agent that is behind its page, see page.Fits and page.ErrLarge.
	Labeled(ctx context.Context, q agent.LabelQuery) ([]agent.Resolved, error)
}

// DeletedAgents keeps what deleted agents were until they are purged.
type DeletedAgents interface {
	// Deleted returns deleted agents that q selects, in its order.
	Deleted(ctx context.Context, q agent.Deletions) ([]agent.Deletion, error)

	// Restore loads a deleted agent and stores the step that change makes of it, after which
	// the agent exists. It returns the agent then.
	//
	// It returns agent.ErrNotFound if there is no deleted agent of this id, and refuses a
	// step and runs change as [AgentWriter.Update] does.
	Restore(ctx context.Context, id agent.ID, change func(agent.Former) (AgentChange, error)) (agent.Agent, error)

	// Purge loads a deleted agent and stores the trail of the step that change makes of it,
	// after which no agent ever had this id: its versions, its events, the history of its
	// labels and its figures are gone, those of departments and the trail stay. From its
	// commit on the agent is not found and cannot be restored. The rest goes in steps; what
	// is left of it if the call ends early, DeleteExpired removes.
	//
	// It returns agent.ErrNotFound if there is no deleted agent of this id, and runs change
	// as [AgentWriter.Update] does.
	Purge(ctx context.Context, id agent.ID, change func(agent.Former) (AgentChange, error)) error
}
