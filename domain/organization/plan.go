package organization

import (
	"errors"
	"iter"
	"slices"
	"strings"

	"orgd/domain/activity"
	"orgd/domain/agent"
	"orgd/domain/company"
	"orgd/domain/department"
	"orgd/domain/identity"
	"orgd/domain/jsondoc"
	"orgd/domain/money"
	"orgd/domain/name"
)

// ErrChanged says that the organization is not as it was when its state was read.
var ErrChanged = errors.New("organization: it has changed since it was read")

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
	// Costs reports whether a cost was ever recorded.
	Costs func() (bool, error)

	// NewID makes the ids of new agents, and new places.
	NewID func() string
	// On is the time and the ids of the changes that are tried. They are not stored.
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

	*match
	reader Entries
}

// NewPlan compares a document with an organization. It returns [ErrRefused] with
// everything that keeps the document from being applied, and [ErrChanged] if the
// organization does not match its state.
func NewPlan(in Inputs) (*Plan, error) {
	p := &planner{
		Plan: &Plan{match: newMatch(in.Document, in.State, in.Prune, in.NewID), reader: in.Entries},
		in:   in, digest: newDigest(), index: make(map[agent.ID]int, len(in.State.Agents)),
	}
	p.digest.state("company", in.State.Company.Revision)
	for _, d := range in.State.Departments {
		p.digest.state(d.ID, d.Revision)
	}
	for i, a := range in.State.Agents {
		p.digest.state(string(a.ID), a.Revision)
		p.index[a.ID] = i
	}
	for _, compare := range []func() error{p.compareCompany, p.compareDepartments, p.compareAgents, p.createAgents, p.refusal, p.compareOrders} {
		if err := compare(); err != nil {
			return nil, err
		}
	}
	p.Hash, p.Phases = p.digest.String(), p.phases()
	return p.Plan, nil
}

// CompanyPatch returns what an operation changes in the company.
func (p *Plan) CompanyPatch(op Operation) company.Patch {
	return p.doc.Company.Only(op.Fields.Has)
}

// DepartmentPatch returns what an operation sets in a department.
func (p *Plan) DepartmentPatch(op Operation) department.Patch {
	patch := p.doc.Departments[op.Entry].Only(op.Fields.Has)
	if op.Kind == CreateDepartment {
		patch = patch.New()
	}
	return patch.Resolve(p.references(patch.References()))
}

// AgentPatch reads what an operation sets in an agent.
func (p *Plan) AgentPatch(op Operation) (agent.Patch, error) {
	patch, err := p.patch(p.reader, op.Entry)
	if err != nil {
		return patch, err
	}
	if op.Kind == CreateAgent {
		return patch.New()
	}
	return patch.Only(op.Fields.Has), nil
}

// Order returns departments in the order of the document. It reports whether they
// came in the order that the plan expects.
func (p *Plan) Order(now []name.Key) (next []name.Key, expected bool) {
	before, _, _ := p.order()
	return arrange(now, p.requested()), slices.Equal(now, before)
}

// planner makes a plan.
type planner struct {
	*Plan
	in      Inputs
	digest  digest
	index   map[agent.ID]int // of agents in the state
	buffers [3][]byte        // for the entries of agents
	// operations are those of each stage.
	operations [stages][]Operation
}

func (p *planner) add(s stage, op Operation) { p.operations[s] = append(p.operations[s], op) }

// currentName returns the name that an agent has.
func (p *planner) currentName(id agent.ID) (string, bool) {
	i, ok := p.index[id]
	if !ok {
		return "", false
	}
	return p.state.Agents[i].Name.Text, true
}

func (p *planner) emit(c Change) error {
	p.digest.change(c)
	switch c.Action {
	case Create:
		p.Counts.Created++
	case Delete:
		p.Counts.Deleted++
	case Reorder:
		p.Counts.Reordered++
	}
	if p.in.Emit == nil {
		return nil
	}
	return p.in.Emit(c)
}

// update emits a change for each field that differs, and returns these fields; nil if
// the entries are the same. Both name agents as they will be called, because a
// rename changes nothing in an entry that refers to the agent. current returns the
// entry before with the current names. Entries may be long: no more of them is held
// at once than needed.
func (p *planner) update(path string, before, after []byte, current func() []byte) (Fields, error) {
	if string(before) == string(after) {
		return nil, nil
	}
	was, err := members(before)
	if err != nil {
		return nil, err
	}
	will, err := members(after)
	if err != nil {
		return nil, err
	}
	fields := Fields{}
	for i, m := range will {
		if !was[i].Value.Equal(m.Value) {
			fields = append(fields, strings.Clone(m.Name)) // without the text that it is part of
		}
	}
	p.Counts.Updated++
	if was, err = members(current()); err != nil {
		return nil, err
	}
	for i, m := range will {
		if !fields.Has(m.Name) {
			continue
		}
		if err := p.emit(Change{Path: path + "." + m.Name, Action: Update, Old: was[i].Value.Append(nil), New: m.Value.Append(nil)}); err != nil {
			return nil, err
		}
	}
	return fields, nil
}

func members(text []byte) ([]jsondoc.Member, error) {
	v, err := jsondoc.ParseStored(text)
	return v.Members(), err
}

func (p *planner) compareCompany() error {
	patch, co := p.doc.Company, p.state.Company
	if patch == nil {
		return nil
	}
	next, err := co.Change(*patch, false, p.in.On.At)
	if err != nil {
		p.problems.add(err, "")
		return nil
	}
	before := AppendCompany(nil, co)
	fields, err := p.update(FieldCompany, before, AppendCompany(nil, next), func() []byte { return before })
	if err != nil || fields == nil {
		return err
	}
	p.add(updateCompany, Operation{Kind: UpdateCompany, Fields: fields, From: co.Revision})
	if !fields.Has("currency") {
		return nil
	}
	costs, err := p.in.Costs()
	if err != nil {
		return err
	}
	if _, err := co.Change(*patch, costs, p.in.On.At); err != nil {
		p.problems.add(err, "")
	}
	return nil
}

func (p *planner) compareDepartments() error {
	shares := money.Percent(0)
	var more []int // entries that raise the sum of the shares
	for e := range p.doc.Departments {
		before, after, err := p.compareDepartment(e)
		if err != nil {
			return err
		}
		if shares += after; after > before {
			more = append(more, e)
		}
	}
	total := shares // with the departments that the document does not name
	for i, d := range p.state.Departments {
		if p.named[i] == none {
			total += d.BudgetPercent
		}
	}
	for i, d := range p.state.Departments {
		if p.named[i] == none && p.prune {
			if err := p.deleteDepartment(d, total > money.Hundred); err != nil {
				return err
			}
		}
	}
	if !p.prune {
		shares = total
	}
	if shares > money.Hundred {
		for _, e := range more {
			p.problems.add(department.ErrBudget.With("%s.budget_percent: the departments would have %s in all, which exceeds 100",
				Path(FieldDepartments, e), shares), p.doc.Wheres[e])
		}
	}
	return nil
}

// compareDepartment returns the share of the budget that the department of an entry
// has and the one that it will have.
func (p *planner) compareDepartment(e int) (before, after money.Percent, err error) {
	patch := p.doc.Departments[e]
	refs := p.references(patch.References())
	patch = patch.Resolve(refs)
	if p.departments[e] == none {
		d, err := department.New("", patch.New(), 0, p.in.On.At)
		if err != nil {
			p.problems.add(err, p.doc.Wheres[e])
			return 0, d.BudgetPercent, nil
		}
		p.addDepartment(createDepartments, Operation{Kind: CreateDepartment, Department: d.Name.Key, Entry: e, Fields: patch.Fields()}, refs)
		return 0, d.BudgetPercent, p.emit(created(entryPath(FieldDepartments, d.Name.Text), AppendDepartment(nil, d, p.futureName)))
	}
	known := p.state.Departments[p.departments[e]]
	d, err := p.read(known.Name.Key)
	if err != nil {
		return 0, 0, err
	}
	next, err := d.Change(patch, 0, p.in.On.At)
	if err != nil {
		p.problems.add(err, p.doc.Wheres[e])
		return d.BudgetPercent, d.BudgetPercent, nil
	}
	if next.Revision == d.Revision {
		return d.BudgetPercent, d.BudgetPercent, nil // without the names of the agents that it refers to
	}
	fields, err := p.update(entryPath(FieldDepartments, d.Name.Text), AppendDepartment(nil, d, p.futureName), AppendDepartment(nil, next, p.futureName),
		func() []byte { return AppendDepartment(nil, d, p.currentName) })
	if fields != nil {
		s := updateDepartments
		if next.BudgetPercent < d.BudgetPercent {
			s = lowerShares
		}
		p.addDepartment(s, Operation{Kind: UpdateDepartment, Department: d.Name.Key, Entry: e, Fields: fields, From: known.Revision}, refs)
	}
	return d.BudgetPercent, next.BudgetPercent, err
}

func (p *planner) read(key name.Key) (department.Department, error) {
	d, err := p.in.Department(key)
	if errors.Is(err, department.ErrNotFound) {
		err = ErrChanged // it was deleted since
	}
	return d, err
}

// addDepartment adds an operation on a department. If it comes before the agents and
// refers to new ones, it is divided: its references come after the agents.
func (p *planner) addDepartment(s stage, op Operation, refs identity.References) {
	if s < changeAgents && p.hasNew(refs) {
		later := op
		later.Kind, later.From = UpdateDepartment, op.From+1
		later.Fields, op.Fields = op.Fields.divide()
		p.add(updateDepartments, later)
	}
	p.add(s, op)
}

// hasNew reports whether an agent among refs has to be created.
func (p *planner) hasNew(refs identity.References) bool {
	for _, id := range refs {
		if _, exists := p.index[id]; !exists {
			return true
		}
	}
	return false
}

// deleteDepartment deletes a department. release takes its share of the budget from
// it before others get more.
func (p *planner) deleteDepartment(d department.Department, release bool) error {
	op := Operation{Kind: DeleteDepartment, Department: d.Name.Key, From: d.Revision}
	if release && d.BudgetPercent > 0 {
		p.add(releaseShares, Operation{Kind: ReleaseShare, Department: op.Department, From: op.From})
		op.From++
	}
	p.add(deleteDepartments, op)
	d, err := p.read(d.Name.Key)
	if err != nil {
		return err
	}
	return p.emit(deleted(entryPath(FieldDepartments, d.Name.Text), AppendDepartment(nil, d, p.currentName)))
}

// compareAgents compares the agents that exist with their entries.
func (p *planner) compareAgents() error {
	left := 0 // to compare or delete
	for i := range p.state.Agents {
		if p.entries[i] != none || p.prune {
			left++
		}
	}
	if left == 0 {
		return nil
	}
	for page, err := range p.in.Agents {
		if err != nil {
			return err
		}
		for _, r := range page {
			i, ok := p.index[r.ID]
			if !ok || p.entries[i] == none && !p.prune {
				continue // created since, or not in the document
			}
			left--
			a, err := r.Agent()
			if err == nil {
				err = p.compareAgent(a, p.entries[i], p.state.Agents[i])
			}
			if err != nil {
				return err
			}
		}
	}
	if left > 0 {
		return ErrChanged // an agent was deleted since
	}
	return nil
}

// compareAgent compares an agent with entry e, or deletes it if e is none.
func (p *planner) compareAgent(a agent.Agent, e int, known Member) error {
	op := Operation{Agent: known.ID, Entry: e, From: known.Revision} // the id of a is a part of its text
	if e == none {
		text := p.text(0, a, p.currentName)
		op.Kind, op.Size = DeleteAgent, len(text)
		p.add(deleteAgents, op)
		return p.emit(deleted(entryPath(FieldAgents, a.Name().Text), text))
	}
	patch, err := p.patch(p.reader, e)
	if err != nil {
		return err
	}
	step, err := a.Change(patch, p.in.On)
	if err != nil {
		p.problems.add(err, p.doc.Agents[e].Where)
		return nil
	}
	if !step.Effective() {
		return nil
	}
	before, after := p.text(0, a, p.futureName), p.text(1, step.Agent, p.futureName)
	op.Kind, op.Size = UpdateAgent, max(len(before), len(after))
	op.Fields, err = p.update(entryPath(FieldAgents, a.Name().Text), before, after, func() []byte { return p.text(2, a, p.currentName) })
	if op.Fields != nil {
		p.add(changeAgents, op)
	}
	return err
}

// text returns the entry of an agent in buffer i. It is valid until the buffer is
// used again.
func (p *planner) text(i int, a agent.Agent, show identity.Show) []byte {
	p.buffers[i] = AppendAgent(p.buffers[i][:0], a, show)
	return p.buffers[i]
}

// createAgents creates the agents of entries that are new.
func (p *planner) createAgents() error {
	for e, known := range p.agents {
		if known != none {
			continue
		}
		patch, err := p.patch(p.reader, e)
		if err != nil {
			return err
		}
		var step agent.Step
		if patch, err = patch.New(); err == nil {
			step, err = agent.Hire(p.ids[e], patch, p.in.On)
		}
		if err != nil {
			p.problems.add(err, p.doc.Agents[e].Where)
			continue
		}
		text := p.text(0, step.Agent, p.futureName)
		p.add(changeAgents, Operation{Kind: CreateAgent, Agent: p.ids[e], Entry: e, Size: len(text)})
		if err := p.emit(created(entryPath(FieldAgents, step.Agent.Name().Text), text)); err != nil {
			return err
		}
	}
	return nil
}

// compareOrders compares the orders of departments and agents.
func (p *planner) compareOrders() error {
	if before, after, moved := p.order(); moved {
		p.add(reorderDepartments, Operation{Kind: ReorderDepartments})
		if err := p.emit(reordered(FieldDepartments, p.texts(before), p.texts(after))); err != nil {
			return err
		}
	}
	moves := p.moves(p.in.NewID)
	if len(moves) == 0 {
		return nil
	}
	p.moveAgents(moves)
	before, after := p.agentOrder()
	return p.emit(reordered(FieldAgents, before, after))
}
