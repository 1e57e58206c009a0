package department

import (
	"fmt"
	"slices"
	"time"

	"orgd/domain/identity"
	"orgd/domain/jsondoc"
	"orgd/domain/money"
	"orgd/domain/name"
)

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

func parse(p Patch) (Patch, error) {
	scratch := blank()
	if err := p.apply(&scratch); err != nil {
		return Patch{}, err
	}
	if err := scratch.check(); err != nil {
		return Patch{}, jsondoc.Locate(p.at, err)
	}
	if p.isNew {
		if err := scratch.checkNames(Department{}); err != nil {
			return Patch{}, jsondoc.Locate(p.at, err)
		}
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
		return Department{}, err
	}
	return d, jsondoc.Locate(p.at, d.CheckBudget(others))
}

// Change merges the patch into the department. Without effect it comes back as
// it was, revision included.
func (d Department) Change(p Patch, others money.Percent, at time.Time) (Department, error) {
	next := d
	if err := next.merge(p); err != nil {
		return Department{}, err
	}
	if p.SetsBudget() {
		if err := next.CheckBudget(others); err != nil {
			return Department{}, jsondoc.Locate(p.at, err)
		}
	}
	return d.succeed(next, at), nil
}

// readOnly are the fields that clients read and cannot write.
var readOnly = []string{"id", "revision", "created_at", "updated_at"}

// apply reads p into d: a new department as it stands there, a change as a
// merge.
func (p Patch) apply(d *Department) error {
	if !p.isNew && p.at == "" {
		return jsondoc.Read(p.value, func(r *jsondoc.Reader) {
			r.ReadOnly(readOnly...)
			r.ReadOnly("name")
			d.read(r)
		})
	}
	return jsondoc.ReadWholeAt(p.at, p.value, func(r *jsondoc.Reader) {
		r.ReadOnly(readOnly...)
		if !p.isNew && d.Name != (name.Name{}) {
			r.Has("name") // a department keeps the name that it has, however an entry writes it
		} else {
			name.Read(r, "name", &d.Name, name.MaxLength)
			r.Require("name")
		}
		d.read(r)
	})
}

func (d *Department) merge(p Patch) error {
	before := *d
	err := p.apply(d)
	if err == nil {
		err = d.checkNames(before)
	}
	if err == nil {
		err = d.resolve(p)
	}
	if err == nil {
		err = d.check()
	}
	return jsondoc.Locate(p.at, err)
}

// checkNames checks the names that are new: those that the department before does not have.
func (d *Department) checkNames(before Department) error {
	if d.Name.Key != before.Name.Key {
		if err := d.Name.CheckNew("name"); err != nil {
			return err
		}
	}
	for i, t := range d.Teams {
		if slices.ContainsFunc(before.Teams, func(old Team) bool { return old.Name.Key == t.Name.Key }) {
			continue
		}
		if err := t.Name.CheckNew(fmt.Sprintf("teams[%d].name", i)); err != nil {
			return err
		}
	}
	return nil
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
