package app

import (
	"context"
	"errors"
	"fmt"

	"orgd/domain/activity"
	"orgd/domain/agent"
	"orgd/domain/company"
	"orgd/domain/department"
	"orgd/domain/identity"
	"orgd/domain/jsondoc"
	"orgd/domain/money"
	"orgd/domain/name"
	"orgd/domain/organization"
	"orgd/domain/page"
	"orgd/domain/receipt"
	"orgd/ports"
)

// Entries reads the entries of a document again, in any order.
type Entries interface {
	Agent(i int) (jsondoc.Value, error)
}

// PlanDocument asks what has to change for the organization to be as a document
// says.
type PlanDocument struct {
	Document *organization.Document
	Entries  Entries
	Prune    bool // delete what the document does not name
	// Emit takes the changes, in their order. What it took counts only if
	// nothing is wrong in the end.
	Emit func(organization.Change) error
	// Restart forgets what Emit took, because the organization has changed
	// while it was looked at.
	Restart func() error
	// Reply makes the answer from the plan's hash; nil if it is too long to be
	// kept for an idempotency key.
	Reply func(hash string) *receipt.Reply
}

// Plan returns the hash of the plan. It returns organization.ErrRefused with
// everything that keeps the document from being applied.
func (s *Documents) Plan(ctx context.Context, c Call, in PlanDocument) (string, error) {
	p, err := s.plan(ctx, in)
	if err != nil {
		return "", err
	}
	return p.hash, s.keep(ctx, c, func() *receipt.Reply { return in.Reply(p.hash) })
}

// keep stores the answer to a request with an idempotency key, beside a change
// of nothing. One that is too long is not kept: a plan changes nothing, so its key
// makes it anew.
func (s *Documents) keep(ctx context.Context, c Call, reply func() *receipt.Reply) error {
	if c.Claim == nil {
		return nil
	}
	r := reply()
	if r == nil || len(r.Body) > receipt.MaxReply {
		return nil
	}
	o := s.kit.occasion(c)
	_, err := s.company.Update(ctx, func(co company.Company, _ bool) (ports.CompanyStep, error) {
		return o.companyStep(co, co.Revision, func() receipt.Reply { return *r }), nil
	})
	return err
}

// documentPlan is what has to be done, as far as a look at the organization
// tells. Entries are named by their number.
type documentPlan struct {
	in    PlanDocument
	state *organization.State
	match *organization.Match
	hash  string
	Tally

	company     organization.Fields
	departments []departmentWork
	dissolved   []department.Department
	changed     []int // entries of agents, new ones included
	fields      map[int]organization.Fields
	at          map[agent.ID]int // where agents are in the state
	sizes       map[agent.ID]int // of those that are not small, in bytes
	fired       []agent.ID
	moves       []organization.Move
	reorder     bool          // of the departments
	shares      money.Percent // of the departments that there will be
}

// departmentWork is what has to be done with a department.
type departmentWork struct {
	entry  int
	fields organization.Fields // nil for a new one
	less   bool                // its share of the budget falls
	early  bool                // it does not refer to agents that are still to be made
}

// Tally counts changes.
type Tally struct{ Created, Updated, Deleted, Reordered int }

// planner makes a plan.
type planner struct {
	*documentPlan
	s      *Documents
	ctx    context.Context
	digest organization.Hash
	on     activity.Occasion // at which nothing happens
	texts  [3][]byte         // of agents, whose memory is used again
}

// plan looks at the organization until it holds still for as long as that takes.
func (s *Documents) plan(ctx context.Context, in PlanDocument) (*documentPlan, error) {
	for look := 1; ; look++ {
		p, err := s.lookAt(ctx, in)
		if !errors.Is(err, errRead) {
			return p, err
		}
		if look == looks {
			return nil, ports.ErrUnavailable.Because(err)
		}
		if in.Restart != nil {
			if err := in.Restart(); err != nil {
				return nil, err
			}
		}
	}
}

func (s *Documents) lookAt(ctx context.Context, in PlanDocument) (*documentPlan, error) {
	state, err := s.state(ctx)
	if err != nil {
		return nil, err
	}
	o := s.kit.occasion(Call{})
	p := &planner{
		documentPlan: &documentPlan{
			in: in, state: state, match: organization.NewMatch(in.Document, state, in.Prune, s.kit.IDs.NewID),
			fields: map[int]organization.Fields{}, at: make(map[agent.ID]int, len(state.Agents)), sizes: map[agent.ID]int{},
		},
		s: s, ctx: ctx, digest: organization.NewHash(), on: s.kit.events(o),
	}
	for i, a := range state.Agents {
		p.at[a.ID] = i
	}
	for _, look := range []func() error{p.digestState, p.planCompany, p.planDepartments, p.planAgents, p.planNewAgents, p.match.Err, p.planOrders} {
		if err := look(); err != nil {
			return nil, err
		}
	}
	p.hash = p.digest.String()
	return p.documentPlan, nil
}

// showNow turns the id of an agent into the name that it has.
func (p *planner) showNow(id agent.ID) (string, bool) {
	i, ok := p.at[id]
	if !ok {
		return "", false
	}
	return p.state.Agents[i].Name.Text, true
}

// state reads what a match needs.
func (s *Documents) state(ctx context.Context) (*organization.State, error) {
	co, err := s.company.Company(ctx)
	if err != nil {
		return nil, err
	}
	state, homes := &organization.State{Company: co}, map[name.Key]name.Key{}
	var after company.Place
	for {
		found, err := s.departments.Departments(ctx, after, RowsAtOnce)
		if err != nil {
			return nil, err
		}
		for _, d := range found {
			homes[d.Name.Key] = d.Name.Key
			state.Departments = append(state.Departments, department.Department{ // without what it says
				ID: d.ID, Name: d.Name, BudgetPercent: d.BudgetPercent, Revision: d.Revision,
			})
		}
		if page.IsLast(found, RowsAtOnce) {
			break
		}
		after = found[len(found)-1].Place
	}
	err = s.eachPage(ctx, func(found []agent.Record) error {
		for _, r := range found {
			n, err := name.Parse(r.Name)
			if err != nil {
				return fmt.Errorf("agent %s: %w", r.ID, err)
			}
			home, err := r.Department()
			if err != nil {
				return err
			}
			key, known := homes[home.Key]
			if !known { // founded since the departments were read
				key = home.Key.Clone()
			}
			state.Agents = append(state.Agents, organization.Member{ID: r.ID, Name: n.Clone(), Department: key, Place: r.Place, Revision: r.Revision})
		}
		return nil
	})
	return state, err
}

// digestState makes the hash one of this state.
func (p *planner) digestState() error {
	p.digest.State("company", p.state.Company.Revision)
	for _, d := range p.state.Departments {
		p.digest.State(d.ID, d.Revision)
	}
	for _, a := range p.state.Agents {
		p.digest.State(string(a.ID), a.Revision)
	}
	return nil
}

func (p *planner) emit(changes ...organization.Change) error {
	for _, c := range changes {
		p.digest.Change(c)
		switch c.Action {
		case organization.Create:
			p.Created++
		case organization.Delete:
			p.Deleted++
		case organization.Reorder:
			p.Reordered++
		}
		if p.in.Emit == nil {
			continue
		}
		if err := p.in.Emit(c); err != nil {
			return err
		}
	}
	return nil
}

// differ emits what differs between an entry before and after. It returns nil
// if nothing does.
func (p *planner) differ(c organization.Comparison) (organization.Fields, error) {
	changes, fields, err := c.Changes()
	if err != nil || fields == nil {
		return nil, err
	}
	p.Updated++
	return fields, p.emit(changes...)
}

func (p *planner) planCompany() error {
	patch := p.in.Document.Company
	if patch == nil {
		return nil
	}
	co := p.state.Company
	next, err := co.Change(*patch, false, p.on.At)
	if err != nil {
		p.match.Refuse(err)
		return nil
	}
	before := organization.AppendCompany(nil, co)
	p.company, err = p.differ(organization.Comparison{
		Before: before, After: organization.AppendCompany(nil, next), Shown: func() []byte { return before },
		Path: func(field string) string { return organization.FieldCompany + "." + field },
	})
	if err == nil && p.company.Has("currency") {
		err = p.checkCurrency(*patch)
	}
	return err
}

// checkCurrency refuses another currency if costs are recorded, which only a
// step on the company is told; this one changes nothing.
func (p *planner) checkCurrency(patch company.Patch) error {
	costs := false
	_, err := p.s.company.Update(p.ctx, func(co company.Company, recorded bool) (ports.CompanyStep, error) {
		costs = recorded
		return ports.CompanyStep{Company: co, From: co.Revision}, nil
	})
	if err != nil || !costs {
		return err
	}
	if _, err := p.state.Company.Change(patch, true, p.on.At); err != nil {
		p.match.Refuse(err)
	}
	return nil
}

func (p *planner) planDepartments() error {
	shares := money.Percent(0)
	var more []int // entries that raise the sum of the shares
	for e, patch := range p.in.Document.Departments {
		refs := p.match.References(patch.References())
		d, err := p.read(p.match.Department(e))
		if err != nil {
			return err
		}
		next, err := p.planDepartment(e, d, patch.Resolve(refs))
		if err != nil {
			return err
		}
		if shares += next.BudgetPercent; d == nil && next.BudgetPercent > 0 || d != nil && next.BudgetPercent > d.BudgetPercent {
			more = append(more, e)
		}
	}
	for _, gone := range p.match.Unnamed() {
		if !p.in.Prune {
			shares += gone.BudgetPercent
			continue
		}
		p.dissolved = append(p.dissolved, gone)
		d, err := p.read(&gone)
		if err != nil {
			return err
		}
		if err := p.emit(organization.Deleted(organization.Of(organization.FieldDepartments, d.Name.Text, ""), organization.AppendDepartment(nil, *d, p.showNow))); err != nil {
			return err
		}
	}
	if p.shares = shares; shares > money.Hundred {
		for _, e := range more {
			p.match.DepartmentProblem(e, department.ErrBudget.With("%s.budget_percent: the departments would have %s in all, which exceeds 100",
				organization.Path(organization.FieldDepartments, e), shares))
		}
	}
	return nil
}

// agent is the text of an entry, until the next one takes its memory.
func (p *planner) agent(i int, a agent.Agent, show identity.Show) []byte {
	p.texts[i] = organization.AppendAgent(p.texts[i][:0], a, show)
	if size := len(p.texts[i]); size > bytesAtOnce/writesAtOnce {
		p.sizes[a.ID()] = size
	}
	return p.texts[i]
}

// read reads what a department of the state says; nil stays nil.
func (p *planner) read(known *department.Department) (*department.Department, error) {
	if known == nil {
		return nil, nil
	}
	d, err := p.s.departments.Department(p.ctx, known.Name.Key)
	if errors.Is(err, department.ErrNotFound) {
		err = errRead // dissolved since the state was read
	}
	return &d, err
}

// planDepartment returns the department of an entry as it will be; d is nil for
// a new one.
func (p *planner) planDepartment(e int, d *department.Department, patch department.Patch) (department.Department, error) {
	work := departmentWork{entry: e, early: !p.refersToNew(patch.References())}
	if d == nil {
		made, err := department.New("", patch.New(), 0, p.on.At)
		if err != nil {
			p.match.DepartmentProblem(e, err)
			return made, nil
		}
		p.departments = append(p.departments, work)
		return made, p.emit(organization.Created(organization.Of(organization.FieldDepartments, made.Name.Text, ""), organization.AppendDepartment(nil, made, p.match.Show)))
	}
	next, err := d.Change(patch, 0, p.on.At)
	if err != nil {
		p.match.DepartmentProblem(e, err)
		return *d, nil
	}
	if next.Revision == d.Revision {
		return next, nil // without a look at the names of those whom it refers to
	}
	work.fields, err = p.differ(organization.Comparison{
		Before: organization.AppendDepartment(nil, *d, p.match.Show),
		After:  organization.AppendDepartment(nil, next, p.match.Show),
		Shown:  func() []byte { return organization.AppendDepartment(nil, *d, p.showNow) },
		Path:   func(field string) string { return organization.Of(organization.FieldDepartments, d.Name.Text, field) },
	})
	if work.fields != nil {
		work.less = next.BudgetPercent < d.BudgetPercent
		p.departments = append(p.departments, work)
	}
	return next, err
}

// refersToNew reports whether one of the agents that texts name is still to be
// made.
func (p *planner) refersToNew(texts []string) bool {
	for _, id := range p.match.References(texts) {
		if _, exists := p.at[id]; !exists {
			return true
		}
	}
	return false
}

// planAgents looks at the agents that there are.
func (p *planner) planAgents() error {
	left := 0 // to look at
	for i := range p.state.Agents {
		if _, named, gone := p.match.Entry(i); named || gone {
			left++
		}
	}
	if left == 0 {
		return nil
	}
	err := p.s.eachPage(p.ctx, func(found []agent.Record) error {
		for _, r := range found {
			i, known := p.at[r.ID]
			if !known {
				continue // hired since the state was read
			}
			e, named, gone := p.match.Entry(i)
			if !named && !gone {
				continue
			}
			left--
			a, err := r.Agent()
			if err == nil {
				err = p.planAgent(a, e, gone)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil && left > 0 {
		err = errRead // somebody was fired since
	}
	return err
}

// planAgent looks at the agent of an entry, or at one that is to be gone.
func (p *planner) planAgent(a agent.Agent, e int, gone bool) error {
	if gone {
		p.fired = append(p.fired, a.ID())
		return p.emit(organization.Deleted(organization.Of(organization.FieldAgents, a.Name().Text, ""), p.agent(0, a, p.showNow)))
	}
	patch, err := p.in.agent(p.match, e)
	if err != nil {
		return err
	}
	step, err := a.Change(patch, p.on)
	if err != nil {
		p.match.AgentProblem(e, err)
		return nil
	}
	if !step.Effective() {
		return nil
	}
	fields, err := p.differ(organization.Comparison{
		Before: p.agent(0, a, p.match.Show),
		After:  p.agent(1, step.Agent, p.match.Show),
		Shown:  func() []byte { return p.agent(2, a, p.showNow) },
		Path:   func(field string) string { return organization.Of(organization.FieldAgents, a.Name().Text, field) },
	})
	if fields != nil {
		p.fields[e] = fields
		p.changed = append(p.changed, e)
	}
	return err
}

// agent reads an entry again and resolves what it names.
func (in PlanDocument) agent(m *organization.Match, e int) (agent.Patch, error) {
	v, err := in.Entries.Agent(e)
	if err != nil {
		return agent.Patch{}, err
	}
	_, patch, err := organization.ParseAgent(e, v)
	if err != nil {
		return agent.Patch{}, err
	}
	if d := patch.Department(); d != nil {
		if home := m.Home(d.Key); home != nil {
			patch = patch.In(*home)
		}
	}
	return patch.Resolve(m.References(patch.References())), nil
}

// newAgent is an entry as what a new agent is to be.
func (in PlanDocument) newAgent(m *organization.Match, e int) (agent.Patch, error) {
	patch, err := in.agent(m, e)
	if err != nil {
		return patch, err
	}
	return patch.New()
}

func (p *planner) planNewAgents() error {
	for e := range p.in.Document.Agents {
		id, isNew := p.match.ID(e)
		if !isNew {
			continue
		}
		patch, err := p.in.agent(p.match, e)
		if err != nil {
			return err
		}
		if patch, err = patch.New(); err != nil {
			p.match.AgentProblem(e, err)
			continue
		}
		step, err := agent.Hire(id, patch, p.on)
		if err != nil {
			p.match.AgentProblem(e, err)
			continue
		}
		p.changed = append(p.changed, e)
		err = p.emit(organization.Created(organization.Of(organization.FieldAgents, step.Agent.Name().Text, ""), p.agent(0, step.Agent, p.match.Show)))
		if err != nil {
			return err
		}
	}
	return nil
}

// planOrders looks at the order of departments and agents.
func (p *planner) planOrders() error {
	if before, after, moved := p.match.Order(); moved {
		p.reorder = true
		if err := p.emit(organization.Reordered(organization.FieldDepartments, p.names(before), p.names(after))); err != nil {
			return err
		}
	}
	if p.moves = p.match.Moves(p.s.kit.IDs.NewID); len(p.moves) == 0 {
		return nil
	}
	before, after := p.match.AgentOrder()
	return p.emit(organization.Reordered(organization.FieldAgents, before, after))
}

func (p *planner) names(keys []name.Key) []string {
	texts := make([]string, len(keys))
	for i, k := range keys {
		texts[i] = p.match.Home(k).Text
	}
	return texts
}
