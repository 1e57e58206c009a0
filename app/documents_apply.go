package app

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"orgd/domain/agent"
	"orgd/domain/company"
	"orgd/domain/department"
	"orgd/domain/fault"
	"orgd/domain/identity"
	"orgd/domain/money"
	"orgd/domain/name"
	"orgd/domain/organization"
	"orgd/domain/receipt"
	"orgd/ports"
)

// ApplyDocument asks for the organization to become as a document says.
type ApplyDocument struct {
	Document *organization.Document
	Entries  Entries
	Prune    bool
	// Hash, where given, is that of the plan that may be carried out.
	Hash string
	// Reason, where given, is why; the versions that the apply writes keep it.
	Reason *string
	Reply  func(Applied) receipt.Reply
}

// Applied is what came of a document.
type Applied struct {
	Hash string // of the plan that was carried out
	Tally
}

// looks is how often the organization is looked at again because others change
// it at the same time.
const looks = 4

// Apply makes the organization as a document says, by one atomic step for each
// company, department and agent that differs. If it is cut short, doing it again
// does the rest.
//
// It returns organization.ErrRefused, with everything that is in the way, before
// anything is changed, and organization.ErrStale if the plan would be another
// one than that of the hash. What others change meanwhile is looked at anew;
// only a plan with a hash is given up then.
func (s *Documents) Apply(ctx context.Context, c Call, in ApplyDocument) (Applied, error) {
	var done Applied
	for look := 1; ; look++ {
		p, err := s.plan(ctx, PlanDocument{Document: in.Document, Entries: in.Entries, Prune: in.Prune})
		if err == nil && in.Hash != "" && p.hash != in.Hash {
			return Applied{}, organization.ErrStale
		}
		if err == nil {
			if done.Hash == "" {
				done = Applied{Hash: p.hash, Tally: p.Tally}
			}
			err = s.execute(ctx, c, p, in)
		}
		switch {
		case err == nil:
			return done, s.keep(ctx, c, func() *receipt.Reply { r := in.Reply(done); return &r })
		case !isRace(err) || look == looks:
			return Applied{}, err
		case in.Hash != "":
			return Applied{}, organization.ErrStale.With("plan_hash: the organization has changed while the plan was carried out")
		}
	}
}

// isRace reports whether err says that the organization is not as it was when
// it was looked at.
func isRace(err error) bool {
	if errors.Is(err, organization.ErrRefused) || errors.Is(err, organization.ErrMalformed) {
		return false
	}
	switch fault.Of(err).Code / 1000 {
	case 2, 3, 4:
		return true
	}
	return errors.Is(err, errRead)
}

// execution carries a plan out.
type execution struct {
	*documentPlan
	s      *Documents
	ctx    context.Context
	call   Call
	reason *string
	strict bool // the plan holds only for the revisions that it saw

	seen map[name.Key]int64 // revisions of departments, as they are by now
}

func (s *Documents) execute(ctx context.Context, c Call, p *documentPlan, in ApplyDocument) error {
	c.Claim = nil // no single step is what the request asked for
	x := &execution{documentPlan: p, s: s, ctx: ctx, call: c, reason: in.Reason, strict: in.Hash != "", seen: map[name.Key]int64{}}
	for _, d := range p.state.Departments {
		x.seen[d.Name.Key] = d.Revision
	}
	for _, do := range []func() error{
		x.changeCompany, x.lowerShares, x.foundDepartments, x.changeAgents, x.changeDepartments,
		x.fireAgents, x.dissolveDepartments, x.moveAgents, x.orderDepartments,
	} {
		if err := do(); err != nil {
			return err
		}
	}
	return nil
}

// checkRevision keeps a strict execution to what its plan saw.
func (x *execution) checkRevision(now, planned int64) error {
	if x.strict && now != planned {
		return errRead
	}
	return nil
}

func (x *execution) changeCompany() error {
	if x.company == nil {
		return nil
	}
	patch := x.in.Document.Company.Only(x.company.Has)
	o := x.s.kit.occasion(x.call)
	_, err := x.s.company.Update(x.ctx, func(co company.Company, costs bool) (ports.CompanyStep, error) {
		if err := x.checkRevision(co.Revision, x.state.Company.Revision); err != nil {
			return ports.CompanyStep{}, err
		}
		next, err := co.Change(patch, costs, o.at)
		return o.companyStep(next, co.Revision, noReply), err
	})
	return err
}

// isReference reports whether a field of a department refers to agents.
func isReference(field string) bool {
	return field == "head" || field == "teams" || field == "reporting_lines"
}

// lowerShares takes from the departments what others will get, so that the sum
// of the shares is never too high: first from those that get less, and from those
// that are to be deleted if that does not suffice.
func (x *execution) lowerShares() error {
	for _, w := range x.departments {
		if !w.less {
			continue
		}
		patch := x.in.Document.Departments[w.entry].Only(func(field string) bool { return w.fields.Has(field) && (w.early || !isReference(field)) })
		if err := x.changeDepartment(patch); err != nil {
			return err
		}
	}
	shares := x.shares
	for _, d := range x.dissolved {
		shares += d.BudgetPercent
	}
	if shares <= money.Hundred {
		return nil
	}
	for _, d := range x.dissolved {
		if err := x.takeShare(d); err != nil {
			return err
		}
	}
	return nil
}

// takeShare takes its share from a department.
func (x *execution) takeShare(d department.Department) error {
	o := x.s.kit.occasion(x.call)
	d, err := x.s.departments.Update(x.ctx, d.Name.Key, func(d department.Department, _ money.Percent) (ports.DepartmentStep, error) {
		if err := x.checkRevision(d.Revision, x.seen[d.Name.Key]); err != nil {
			return ports.DepartmentStep{}, err
		}
		return o.departmentStep(d.WithoutBudget(o.at), d.Revision, noReply), nil
	})
	x.seen[d.Name.Key] = d.Revision
	return err
}

// foundDepartments makes the new departments, without what refers to agents that
// are still to be made.
func (x *execution) foundDepartments() error {
	for _, w := range x.departments {
		if w.fields != nil {
			continue
		}
		patch := x.in.Document.Departments[w.entry]
		if !w.early {
			patch = patch.Only(func(field string) bool { return !isReference(field) })
		}
		if err := x.found(patch.New().Resolve(x.match.References(patch.References()))); err != nil {
			return err
		}
	}
	return nil
}

func (x *execution) found(patch department.Patch) error {
	found := x.s.kit.occasion(x.call).founding(x.s.kit.IDs.NewID(), patch, func(department.Department) receipt.Reply { return noReply() })
	key := patch.Name().Key
	d, err := x.s.departments.Create(x.ctx, key, found)
	x.seen[key] = d.Revision
	return err
}

// changeDepartments does what is left of the departments.
func (x *execution) changeDepartments() error {
	for _, w := range x.departments {
		patch := x.in.Document.Departments[w.entry]
		switch {
		case w.fields == nil && !w.early:
			patch = patch.Only(isReference)
		case w.less && !w.early:
			patch = patch.Only(func(field string) bool { return w.fields.Has(field) && isReference(field) })
		case w.fields != nil && !w.less:
			patch = patch.Only(w.fields.Has)
		default:
			continue // it is done
		}
		if err := x.changeDepartment(patch); err != nil {
			return err
		}
	}
	return nil
}

func (x *execution) changeDepartment(patch department.Patch) error {
	if patch.IsEmpty() {
		return nil
	}
	key := patch.Name().Key
	patch = patch.Resolve(x.match.References(patch.References()))
	o := x.s.kit.occasion(x.call)
	d, err := x.s.departments.Update(x.ctx, key, func(d department.Department, others money.Percent) (ports.DepartmentStep, error) {
		if err := x.checkRevision(d.Revision, x.seen[key]); err != nil {
			return ports.DepartmentStep{}, err
		}
		next, err := d.Change(patch, others, o.at)
		return o.departmentStep(next, d.Revision, noReply), err
	})
	x.seen[key] = d.Revision
	return err
}

const (
	// writesAtOnce is how many agents are stored beside each other. Stores commit what
	// comes together in one go.
	writesAtOnce = 32
	// bytesAtOnce is how many bytes these agents have at most, unless it is one. A change
	// of an agent takes several times as much memory.
	bytesAtOnce = 2 << 20
)

// changeAgents makes and changes agents, in waves.
func (x *execution) changeAgents() error {
	for _, wave := range x.match.Waves(x.changed) {
		ids := make([]agent.ID, len(wave))
		for i, e := range wave {
			ids[i], _ = x.match.ID(e)
		}
		err := x.each(ids, func(i int) error {
			if _, exists := x.at[ids[i]]; exists {
				return x.changeAgent(wave[i], ids[i])
			}
			return x.hire(wave[i], ids[i])
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (x *execution) hire(e int, id agent.ID) error {
	patch, err := x.in.newAgent(x.match, e)
	if err != nil {
		return err
	}
	o := x.s.kit.occasion(x.call)
	events := x.s.kit.events(o)
	_, err = x.s.agents.Create(x.ctx, *patch.Department(), func(department name.Name) (ports.AgentStep, error) {
		step, err := agent.Hire(id, patch.In(department).Because(x.reason), events)
		return o.agentStep(step, nil), err
	})
	return err
}

func (x *execution) changeAgent(e int, id agent.ID) error {
	patch, err := x.in.agent(x.match, e)
	if err != nil {
		return err
	}
	patch = patch.Only(x.fields[e].Has).Because(x.reason)
	o := x.s.kit.occasion(x.call)
	events := x.s.kit.events(o)
	_, err = x.s.agents.Update(x.ctx, identity.Ref{ID: id}, func(a agent.Agent) (ports.AgentStep, error) {
		if err := x.checkRevision(a.Revision, x.state.Agents[x.at[id]].Revision); err != nil {
			return ports.AgentStep{}, err
		}
		step, err := a.Change(patch, events)
		return o.agentStep(step, nil), err
	})
	return err
}

func (x *execution) fireAgents() error {
	return x.each(x.fired, func(i int) error {
		id := x.fired[i]
		o := x.s.kit.occasion(x.call)
		events := x.s.kit.events(o)
		_, err := x.s.agents.Update(x.ctx, identity.Ref{ID: id}, func(a agent.Agent) (ports.AgentStep, error) {
			if err := x.checkRevision(a.Revision, x.state.Agents[x.at[id]].Revision); err != nil {
				return ports.AgentStep{}, err
			}
			return o.agentStep(a.Fire(events), nil), nil
		})
		return err
	})
}

func (x *execution) dissolveDepartments() error {
	for _, gone := range x.dissolved {
		key, o := gone.Name.Key, x.s.kit.occasion(x.call)
		err := x.s.departments.Delete(x.ctx, key, func(d department.Department, agents int64, co company.Company) (ports.DepartmentStep, error) {
			if err := x.checkRevision(d.Revision, x.seen[key]); err != nil {
				return ports.DepartmentStep{}, err
			}
			return o.dissolution(d, agents, co)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// moveAgents gives agents their places, one department after the other: all of
// a department change theirs in one step.
func (x *execution) moveAgents() error {
	byDepartment := map[name.Key][]organization.Move{}
	var keys []name.Key
	for _, m := range x.moves {
		if byDepartment[m.Department] == nil {
			keys = append(keys, m.Department)
		}
		byDepartment[m.Department] = append(byDepartment[m.Department], m)
	}
	for _, key := range keys {
		o := x.s.kit.occasion(x.call)
		_, err := x.s.departments.Reorder(x.ctx, key, func(d department.Department, now []agent.Member) (ports.DepartmentStep, error) {
			next, err := placed(now, byDepartment[key])
			if err != nil {
				return ports.DepartmentStep{}, err
			}
			step := o.departmentStep(d.Touch(o.at), d.Revision, noReply)
			step.Members = next
			return step, nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// placed returns the members of a department in their order after the moves, or
// errRead if somebody is not where the moves begin.
func placed(now []agent.Member, moves []organization.Move) ([]agent.Member, error) {
	at := make(map[agent.ID]int, len(now))
	for i, m := range now {
		at[m.ID] = i
	}
	next := slices.Clone(now)
	for _, m := range moves {
		i, ok := at[m.ID]
		if !ok || next[i].Place != m.From {
			return nil, errRead
		}
		next[i].Place = m.To
	}
	slices.SortFunc(next, func(a, b agent.Member) int {
		return cmp.Or(cmp.Compare(a.Place, b.Place), cmp.Compare(a.ID, b.ID))
	})
	return next, nil
}

// orderDepartments gives the departments their order. By now there are exactly
// those that the plan has, in the order that it began with.
func (x *execution) orderDepartments() error {
	if !x.reorder {
		return nil
	}
	var asked []name.Key
	for _, patch := range x.in.Document.Departments {
		asked = append(asked, patch.Name().Key)
	}
	o := x.s.kit.occasion(x.call)
	_, err := x.s.company.Update(x.ctx, func(co company.Company, _ bool) (ports.CompanyStep, error) {
		keys := make([]name.Key, len(co.Seats))
		for i, s := range co.Seats {
			keys[i] = s.Department
		}
		if before, _, _ := x.match.Order(); x.strict && !slices.Equal(keys, before) {
			return ports.CompanyStep{}, errRead
		}
		next, err := co.Reorder(organization.Arrange(keys, asked), o.at)
		return o.companyStep(next, co.Revision, noReply), err
	})
	return err
}

// each calls f for the numbers of agents, several at once, and starts no more
// after one has failed. It returns the first error.
func (x *execution) each(ids []agent.ID, f func(i int) error) error {
	type result struct {
		size int
		err  error
	}
	var (
		results        = make(chan result)
		running, bytes int
		first          error
	)
	wait := func() {
		r := <-results
		running, bytes = running-1, bytes-r.size
		if first == nil {
			first = r.err
		}
	}
	for i, id := range ids {
		size := x.sizes[id]
		for running == writesAtOnce || running > 0 && bytes+size > bytesAtOnce {
			wait()
		}
		if first != nil {
			break
		}
		running, bytes = running+1, bytes+size
		go func() { results <- result{size, f(i)} }()
	}
	for running > 0 {
		wait()
	}
	return first
}
