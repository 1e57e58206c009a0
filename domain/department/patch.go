package department

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"orgd/domain/ceremony"
	"orgd/domain/fault"
	"orgd/domain/identity"
	"orgd/domain/jsondoc"
	"orgd/domain/money"
	"orgd/domain/name"
)

const (
	maxDescription = 2048
	maxTeams       = 64
	maxItems       = 256
)

var words = jsondoc.Bounds{MaxItems: maxItems, MinLen: 1, MaxLen: 256}

// Patch is a checked JSON Merge Patch (RFC 7396) of a department's writable
// fields. It is also what a department is made from.
type Patch struct {
	value jsondoc.Value
	isNew bool
	at    string // where an entry stands in its document, "" for no entry
	name  name.Name
	texts []string
	refs  identity.References
}

// ParseNew reads what a new department is to be.
func ParseNew(v jsondoc.Value) (Patch, error) { return parse(Patch{value: v, isNew: true}) }

// ParsePatch reads a change of a department, whose name cannot change.
func ParsePatch(v jsondoc.Value) (Patch, error) { return parse(Patch{value: v}) }

// ParseEntry reads what the document of an organization says, at path, of a
// department that may exist or not. It is a patch that names its department and
// takes a ceremony policy as it stands instead of merging it. Errors say where
// the entry stands.
func ParseEntry(path string, v jsondoc.Value) (Patch, error) {
	return parse(Patch{value: v, at: path})
}

// New returns an entry as what a new department is to be.
func (p Patch) New() Patch {
	p.isNew = true
	return p
}

// Only returns an entry with its name and those of its other fields for which
// keep holds.
func (p Patch) Only(keep func(field string) bool) Patch {
	p.value = p.value.Only(func(field string) bool { return field == "name" || keep(field) })
	return p
}

// Fields returns the names of the fields of an entry other than its name.
func (p Patch) Fields() []string {
	return slices.DeleteFunc(slices.Collect(p.value.Names()), func(field string) bool { return field == "name" })
}

// locate adds to an error where the entry stands. What was found in reading its
// fields says so already.
func (p Patch) locate(err error) error {
	if err == nil || p.at == "" || errors.Is(err, jsondoc.ErrInvalid) {
		return err
	}
	f := fault.Of(err)
	return f.With("%s.%s", p.at, f.Msg)
}

func parse(p Patch) (Patch, error) {
	scratch := blank()
	if err := p.apply(&scratch); err != nil {
		return Patch{}, err
	}
	if err := scratch.check(); err != nil {
		return Patch{}, p.locate(err)
	}
	p.name = scratch.Name
	for _, id := range scratch.Agents() {
		p.texts = append(p.texts, string(id))
	}
	return p, nil
}

// blank is a department about which nothing is said.
func blank() Department {
	return Department{Policies: Policies{Review: ReviewRequirements{MinReviewers: 1}}}
}

// Name returns the name that a new department is to have.
func (p Patch) Name() name.Name { return p.name }

// SetsBudget reports whether the patch sets the share of the budget.
func (p Patch) SetsBudget() bool { return p.has("budget_percent") }

func (p Patch) has(field string) bool {
	_, ok := p.value.Get(field)
	return ok
}

// References lists the agents that the patch names, as the caller wrote them.
func (p Patch) References() []string { return p.texts }

// Resolve returns the patch with the ids of the agents that it names.
func (p Patch) Resolve(refs identity.References) Patch {
	p.refs = refs
	return p
}

// New makes the department that the patch describes. others is the sum of the
// other departments' shares of the budget.
func New(id string, p Patch, others money.Percent, at time.Time) (Department, error) {
	d := blank()
	d.ID, d.Revision, d.CreatedAt, d.UpdatedAt = id, 1, at, at
	if err := d.merge(p); err != nil {
		return Department{}, p.locate(err)
	}
	return d, p.locate(d.CheckBudget(others))
}

// Change merges the patch into the department. Without effect it comes back as
// it was, revision included.
func (d Department) Change(p Patch, others money.Percent, at time.Time) (Department, error) {
	next := d
	if err := next.merge(p); err != nil {
		return Department{}, p.locate(err)
	}
	if p.SetsBudget() {
		if err := next.CheckBudget(others); err != nil {
			return Department{}, p.locate(err)
		}
	}
	return d.succeed(next, at), nil
}

// apply reads p into d: a new department as it stands there, a change as a
// merge.
func (p Patch) apply(d *Department) error {
	named := func(r *jsondoc.Reader) {
		name.Read(r, "name", &d.Name, name.MaxLength)
		r.Require("name")
		d.read(r)
	}
	switch {
	case p.at != "" && !p.isNew && d.Name != (name.Name{}):
		// A department keeps the name that it has, however an entry writes it.
		return jsondoc.ReadWholeAt(p.at, p.value, func(r *jsondoc.Reader) {
			r.Has("name")
			d.read(r)
		})
	case p.at != "":
		return jsondoc.ReadWholeAt(p.at, p.value, named)
	case p.isNew:
		return jsondoc.ReadWhole(p.value, named)
	}
	return jsondoc.Read(p.value, d.read)
}

func (d *Department) merge(p Patch) error {
	if err := p.apply(d); err != nil {
		return err
	}
	if err := d.resolve(p); err != nil {
		return err
	}
	return d.check()
}

// resolve replaces the references that came with p by ids. Those that were
// there before are ids, maybe of agents that are gone.
func (d *Department) resolve(p Patch) (err error) {
	if p.has("head") {
		if d.Head, err = p.refs.IDOrNull("head", d.Head); err != nil {
			return err
		}
	}
	if p.has("teams") {
		if err := resolveTeams(p.refs, d.Teams); err != nil {
			return err
		}
	}
	if p.has("reporting_lines") {
		return resolveLines(p.refs, d.ReportingLines)
	}
	return nil
}

// resolveTeams works in place, because what a patch brings is nobody else's.
func resolveTeams(refs identity.References, teams []Team) (err error) {
	for i := range teams {
		t, at := &teams[i], fmt.Sprintf("teams[%d]", i)
		if t.Lead, err = refs.IDOrNull(at+".lead", t.Lead); err != nil {
			return err
		}
		if t.Members, err = refs.IDs(at+".members", t.Members); err != nil {
			return err
		}
	}
	return nil
}

// resolveLines works in place, as resolveTeams does.
func resolveLines(refs identity.References, lines []ReportingLine) error {
	for i := range lines {
		l, at := &lines[i], fmt.Sprintf("reporting_lines[%d]", i)
		below, err := refs.ID(at+".subordinate", l.Subordinate)
		if err != nil {
			return err
		}
		above, err := refs.ID(at+".supervisor", l.Supervisor)
		if err != nil {
			return err
		}
		l.Subordinate, l.Supervisor = string(below), string(above)
	}
	return nil
}

// read merges the writable fields that r has into d.
func (d *Department) read(r *jsondoc.Reader) {
	r.Text("description", &d.Description, 0, maxDescription)
	identity.ReadRef(r, "head", &d.Head)
	money.ReadPercent(r, "budget_percent", &d.BudgetPercent)
	jsondoc.EnumOrNull(r, "autonomy_level", &d.Autonomy, identity.Autonomies()...)
	jsondoc.List(r, "teams", &d.Teams, maxTeams, readTeam)
	unique(r, "teams", d.Teams, func(t Team) name.Name { return t.Name })
	jsondoc.List(r, "reporting_lines", &d.ReportingLines, maxItems, readLine)
	r.Object("policies", d.Policies.read)
	d.readCeremonyPolicy(r)
}

func readTeam(r *jsondoc.Reader, t *Team) {
	name.Read(r, "name", &t.Name, name.MaxLength)
	identity.ReadRef(r, "lead", &t.Lead)
	identity.ReadRefs(r, "members", &t.Members, maxItems)
	r.Require("name")
}

func readLine(r *jsondoc.Reader, l *ReportingLine) {
	readRef(r, "subordinate", &l.Subordinate)
	readRef(r, "supervisor", &l.Supervisor)
	r.Require("subordinate", "supervisor")
}

// readRef reads a reference that may not be null.
func readRef(r *jsondoc.Reader, field string, dst *string) {
	if r.Null(field) {
		r.Fail(field, "must not be null")
		return
	}
	var ref *string
	if identity.ReadRef(r, field, &ref); ref != nil {
		*dst = *ref
	}
}

func (p *Policies) read(r *jsondoc.Reader) {
	r.Object("review_requirements", p.Review.read)
	jsondoc.List(r, "approval_chains", &p.Chains, maxItems, readChain)
	unique(r, "approval_chains", p.Chains, func(c ApprovalChain) name.Name { return name.Name{Text: c.ActionType, Key: name.Key(c.ActionType)} })
}

func (q *ReviewRequirements) read(r *jsondoc.Reader) {
	r.Int("min_reviewers", &q.MinReviewers, 0, maxItems)
	r.Texts("required_reviewer_roles", &q.RequiredRoles, words)
	r.Bool("self_review_allowed", &q.SelfReview)
}

func readChain(r *jsondoc.Reader, c *ApprovalChain) {
	r.Text("action_type", &c.ActionType, 1, 256)
	r.Texts("approvers", &c.Approvers, jsondoc.Bounds{MinItems: 1, MaxItems: maxItems, MinLen: 1, MaxLen: 256})
	r.Int("min_approvals", &c.MinApprovals, 0, maxItems)
	r.Require("action_type", "approvers")
}

// unique reports items of a list whose names have the same key.
func unique[T any](r *jsondoc.Reader, field string, items []T, nameOf func(T) name.Name) {
	seen := map[name.Key]bool{}
	for _, item := range items {
		if n := nameOf(item); n.Key != "" && seen[n.Key] {
			r.Fail(field, "%q is given twice", n.Text)
		} else {
			seen[n.Key] = true
		}
	}
}

// readCeremonyPolicy merges the policy and checks its known keys, as its own
// endpoint does.
func (d *Department) readCeremonyPolicy(r *jsondoc.Reader) {
	const field = "ceremony_policy"
	merged := (*jsondoc.Object)(d.CeremonyPolicy)
	r.FreeOrNull(field, &merged, ceremony.MaxBytes)
	if !r.Has(field) {
		return
	}
	if merged == nil {
		d.CeremonyPolicy = nil
		return
	}
	p, err := ceremony.ParseAt(r.PathOf(field), merged.Value())
	if err != nil {
		r.FailWith(err)
		return
	}
	d.CeremonyPolicy = &p
}
