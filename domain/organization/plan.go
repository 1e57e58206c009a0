package organization

import (
	"iter"
	"slices"

	"orgd/domain/activity"
	"orgd/domain/agent"
	"orgd/domain/company"
	"orgd/domain/department"
	"orgd/domain/fault"
	"orgd/domain/identity"
	"orgd/domain/jsondoc"
	"orgd/domain/name"
)

// ErrChanged says that the organization is not as it was when its state was read.
var ErrChanged = fault.New(fault.VersionConflict, "others have changed the organization meanwhile; try again")

// State is an organization without the contents of its departments and agents.
type State struct {
	Company     company.Company
	Departments []department.Department // in order: their ids, names, shares and revisions
	Agents      []Member                // in order
}

// Member is an agent in a [State].
type Member struct {
	ID         agent.ID
	Name       name.Name
	Department name.Key
	OrderKey   agent.OrderKey
	Revision   int64
}

// Entries reads the entries of a document again, in any order. It may be called
// by several goroutines.
type Entries interface {
	Agent(i int) (jsondoc.Value, error)
}

// Inputs are what a plan is made from. Functions read what may be too long for memory,
// one part at a time. NewPlan returns their errors as they are.
type Inputs struct {
	Document *Document
	Entries  Entries
	State    *State
	Prune    bool // delete what the document does not name

	// Department returns a department, or department.ErrNotFound.
	Department func(name.Key) (department.Department, error)
	// Agents are all agents in order, page by page; an error is the last element.
	Agents iter.Seq2[[]agent.Record, error]
	// Former is asked where agents may have exchanged names.
	Former FormerName
	// Costs reports whether a cost was ever recorded.
	Costs func() (bool, error)

	// NewID makes the ids of new agents, and new order keys.
	NewID func() string
	// On is the time of the changes that are tried. They are not stored.
	On activity.Cause
	// Emit, unless nil, gets the changes in order. Their texts are valid until it
	// returns. If the plan fails, they do not count.
	Emit func(Change) error
}

// Counts are numbers of changes. An entry that is updated counts once.
type Counts struct{ Created, Updated, Deleted, Reordered int }

// Plan holds what has to be done for an organization to become as a document. It holds
// no entries of agents.
type Plan struct {
	Hash   string // of the state and the changes, see [IsHash]
	Counts Counts
	// Phases hold the operations in order. Those of one phase may run at the same
	// time.
	Phases [][]Operation

	match   *match
	entries Entries
}

// NewPlan compares a document with an organization. It returns [ErrRefused] with
// everything that keeps the document from being applied, and [ErrChanged] if the
// organization does not match its state.
func NewPlan(in Inputs) (*Plan, error) {
	m, err := newMatch(in.Document, in.State, in.Prune, in.Former, in.NewID)
	if err != nil {
		return nil, err
	}
	p := &planner{in: in, match: m, problems: m.problems, digest: newDigest(), index: make(map[agent.ID]int, len(in.State.Agents))}
	p.digest.state("company", in.State.Company.Revision)
	for _, d := range in.State.Departments {
		p.digest.state(d.ID, d.Revision)
	}
	for i, a := range in.State.Agents {
		p.digest.state(string(a.ID), a.Revision)
		p.index[a.ID] = i
	}
	for _, compare := range []func() error{p.checkTimes, p.compareCompany, p.compareDepartments, p.compareAgents, p.createAgents, p.refusal, p.compareOrders} {
		if err := compare(); err != nil {
			return nil, err
		}
	}
	return &Plan{Hash: p.digest.String(), Counts: p.counts, Phases: p.phases(), match: m, entries: in.Entries}, nil
}

// AsOf returns when and by whom the entry of an operation on an agent was written elsewhere;
// nil if it was not.
func (p *Plan) AsOf(op Operation) *identity.AsOf {
	if op.Kind == StepAside {
		return nil
	}
	return p.match.doc.Agents[op.Entry].AsOf
}

// CompanyPatch returns what an operation changes in the company.
func (p *Plan) CompanyPatch(op Operation) company.Patch {
	return p.match.doc.Company.Only(op.Fields.Has)
}

// DepartmentPatch reads what an operation sets in a department.
func (p *Plan) DepartmentPatch(op Operation) (department.Patch, error) {
	patch := p.match.doc.Departments[op.Entry].Only(op.Fields.Has)
	patch = patch.Resolve(p.match.references(patch.References()))
	if op.Kind == CreateDepartment {
		return patch.New()
	}
	return patch, nil
}

// AgentPatch reads what an operation sets in an agent.
func (p *Plan) AgentPatch(op Operation) (agent.Patch, error) {
	if op.Kind == StepAside {
		w := jsondoc.NewWriter(nil)
		w.Open()
		w.Field("name").Text(string(p.match.doc.Agents[op.Entry].aside()))
		w.Close()
		v, err := jsondoc.Parse(w.Bytes())
		if err != nil {
			return agent.Patch{}, err
		}
		return agent.ParsePatch(v)
	}
	patch, err := p.match.agentPatch(p.entries, op.Entry)
	if err != nil {
		return patch, err
	}
	if op.Kind == CreateAgent {
		return patch.New()
	}
	return patch.Only(op.Fields.Has), nil
}

// Path returns the path of what an operation changes, as a [Change] has it, without
// the field.
func (p *Plan) Path(op Operation) string {
	switch op.Kind {
	case UpdateCompany:
		return FieldCompany
	case ReorderDepartments:
		return FieldDepartments
	case ReorderAgents:
		return FieldAgents
	case CreateAgent, StepAside, UpdateAgent, DeleteAgent:
		called, ok := p.match.futureName(op.Agent)
		if i := slices.IndexFunc(p.match.state.Agents, func(a Member) bool { return a.ID == op.Agent }); i >= 0 && !ok {
			called = p.match.state.Agents[i].Name.Text
		}
		return entryPath(FieldAgents, called)
	}
	called := p.match.departmentOf[op.Department]
	if i := slices.IndexFunc(p.match.state.Departments, func(d department.Department) bool { return d.Name.Key == op.Department }); i >= 0 {
		called = p.match.state.Departments[i].Name
	}
	return entryPath(FieldDepartments, called.Text)
}

// Order returns departments in the order of the document. It reports whether they
// came in the order that the plan expects.
func (p *Plan) Order(now []name.Key) (next []name.Key, expected bool) {
	return arrange(now, p.match.requested), slices.Equal(now, p.match.order)
}
