// Package department holds the departments of an organization: who leads them,
// their teams and reporting lines, what needs whose approval, and their share
// of the budget.
package department

import (
	"fmt"
	"slices"
	"time"

	"orgd/domain/ceremony"
	"orgd/domain/company"
	"orgd/domain/fault"
	"orgd/domain/identity"
	"orgd/domain/money"
	"orgd/domain/name"
	"orgd/domain/revision"
)

var (
	// ErrNotFound is a name that no department has.
	ErrNotFound = fault.New(fault.NotFound, "department not found")
	// ErrExists is a name that another department has.
	ErrExists = fault.New(fault.Duplicate, "a department of this name exists")
	// ErrNotEmpty is a deletion of a department that has agents.
	ErrNotEmpty = fault.New(fault.Validation, "the department has agents")
	// ErrBudget is a share of the budget that takes the sum over 100 percent.
	ErrBudget = fault.New(fault.Validation, "the departments' shares of the budget exceed 100 percent")
	// ErrCombination is a department whose fields do not go together.
	ErrCombination = fault.New(fault.Validation, "these fields do not go together")
)

// Taken is [ErrExists] for the name of a department, holder, as that writes it.
func Taken(holder string) error { return ErrExists.With("a department of the name %q exists", holder) }

// Department is a department of the organization. It is identified by its name,
// which never changes.
type Department struct {
	// ID names this incarnation: a department that is deleted and made again
	// under its name is another one. Clients see it in entity tags only.
	ID             string
	Name           name.Name
	OrderKey       company.OrderKey // in the company; set by stores when read
	Description    string           // ..2048
	Head           *string
	BudgetPercent  money.Percent
	Autonomy       *identity.Autonomy // nil: the company's
	Teams          []Team
	ReportingLines []ReportingLine
	Policies       Policies
	CeremonyPolicy *ceremony.Policy // nil: the company's
	Revision       int64
	CreatedAt      time.Time
	UpdatedAt      time.Time
}

// Team is a group of agents, who need not be in the department. Its references
// are agent ids.
type Team struct {
	Name    name.Name // unique in the department
	Lead    *string
	Members []string
}

// ReportingLine says who answers to whom. Its references are agent ids.
type ReportingLine struct {
	Subordinate string
	Supervisor  string
}

// Policies say what needs whose approval. Approvers and roles are free text.
type Policies struct {
	Review          ReviewRequirements
	Chains          []ApprovalChain
	ProtectedLabels []string
}

// Protects reports whether a label of the department's agents is protected.
func (p Policies) Protects(label string) bool { return slices.Contains(p.ProtectedLabels, label) }

// ReviewRequirements say who reviews work.
type ReviewRequirements struct {
	MinReviewers  int64 // 0..256
	RequiredRoles []string
	SelfReview    bool
}

// ApprovalChain says who approves one type of action, in order.
type ApprovalChain struct {
	ActionType   string // unique in the department
	Approvers    []string
	MinApprovals int64 // 0 means all
}

// Tag names the current state of d.
func (d Department) Tag() revision.Tag { return revision.Tag{ID: d.ID, Revision: d.Revision} }

// CheckBudget returns [ErrBudget] if d's share and those of the others exceed
// 100 percent.
func (d Department) CheckBudget(others money.Percent) error {
	if d.BudgetPercent+others > money.Hundred {
		return ErrBudget.At("budget_percent", "%s and the %s of the other departments exceed 100",
			d.BudgetPercent, others)
	}
	return nil
}

// CheckEmpty returns [ErrNotEmpty] unless agents is 0.
func (d Department) CheckEmpty(agents int64) error {
	switch agents {
	case 0:
		return nil
	case 1:
		return ErrNotEmpty.With("department %q still has 1 agent", d.Name.Text)
	default:
		return ErrNotEmpty.With("department %q still has %d agents", d.Name.Text, agents)
	}
}

// check returns [ErrCombination] for fields that are fine by themselves and
// wrong together.
func (d Department) check() error {
	for i, c := range d.Policies.Chains {
		if c.MinApprovals > int64(len(c.Approvers)) {
			return ErrCombination.At(fmt.Sprintf("policies.approval_chains[%d].min_approvals", i),
				"must be at most %d, the number of approvers, not %d", len(c.Approvers), c.MinApprovals)
		}
	}
	return checkLines(d.ReportingLines)
}

// checkLines refuses lines to oneself, two supervisors of one agent, and
// cycles.
func checkLines(lines []ReportingLine) error {
	boss := make(map[string]string, len(lines))
	wrong := func(i int, text string) error {
		return ErrCombination.At(fmt.Sprintf("reporting_lines[%d]", i), "%s", text)
	}
	for i, l := range lines {
		if l.Subordinate == l.Supervisor {
			return wrong(i, "an agent must not report to itself")
		}
		if _, ok := boss[l.Subordinate]; ok {
			return wrong(i, "the subordinate already has a supervisor")
		}
		boss[l.Subordinate] = l.Supervisor
	}
	for i, l := range lines {
		// An agent has one supervisor, so a walk upwards is a line; one longer
		// than the number of lines has met somebody twice.
		at, ok := l.Supervisor, true
		for steps := 0; ok; steps++ {
			if at == l.Subordinate || steps > len(lines) {
				return wrong(i, "closes a cycle")
			}
			at, ok = boss[at]
		}
	}
	return nil
}

// SetCeremonyPolicy returns the department with the policy, nil for the
// company's. Without effect it comes back as it was, revision included.
func (d Department) SetCeremonyPolicy(p *ceremony.Policy, at time.Time) Department {
	next := d
	next.CeremonyPolicy = p
	return d.succeed(next, at)
}

// WithoutBudget returns the department without a share of the budget. Without
// effect it comes back as it was, revision included.
func (d Department) WithoutBudget(at time.Time) Department {
	next := d
	next.BudgetPercent = 0
	return d.succeed(next, at)
}

// Touch returns the department with the next revision: the order of its agents
// has changed.
func (d Department) Touch(at time.Time) Department {
	d.Revision++
	d.UpdatedAt = revision.Time(at, d.UpdatedAt)
	return d
}

// succeed returns next as d's successor, or d if they are equal.
func (d Department) succeed(next Department, at time.Time) Department {
	if string(next.Canonical()) == string(d.Canonical()) {
		return d
	}
	return next.Touch(at)
}

// maxReference is the most that a reference to an agent takes where it is shown, in
// bytes: a name of 128 characters.
const maxReference = 4*128 + len(`"",`)

// Size implements [page.Row]. It counts what d takes where its references are shown.
func (d Department) Size() int {
	size := len(d.Description) + 2*maxReference*len(d.ReportingLines)
	for _, t := range d.Teams {
		size += len(t.Name.Text) + maxReference*(1+len(t.Members))
	}
	for _, text := range slices.Concat(d.Policies.Review.RequiredRoles, d.Policies.ProtectedLabels) {
		size += len(text)
	}
	for _, c := range d.Policies.Chains {
		size += len(c.ActionType)
		for _, text := range c.Approvers {
			size += len(text)
		}
	}
	if d.CeremonyPolicy != nil {
		size += len(*d.CeremonyPolicy)
	}
	return size
}

// Agents lists the agents that d refers to.
func (d Department) Agents() []identity.ID {
	var ids []identity.ID
	add := func(texts ...string) {
		for _, t := range texts {
			ids = append(ids, identity.ID(t))
		}
	}
	if d.Head != nil {
		add(*d.Head)
	}
	for _, t := range d.Teams {
		if t.Lead != nil {
			add(*t.Lead)
		}
		add(t.Members...)
	}
	for _, l := range d.ReportingLines {
		add(l.Subordinate, l.Supervisor)
	}
	return ids
}
