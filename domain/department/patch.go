package department

import (
	"fmt"
	"slices"
	"time"

	"orgd/domain/identity"
	"orgd/domain/jsondoc"
	"orgd/domain/mergepatch"
	"orgd/domain/money"
	"orgd/domain/name"
)

// Patch is a checked JSON Merge Patch (RFC 7396) of a department's writable
// fields. It is also what a department is made from.
type Patch struct{ mergepatch.Patch[Department] }

var noun = &mergepatch.Noun[Department]{
	Blank: func(mergepatch.Form) Department { return blank() },
	Read:  (*Department).readForm,
	Try: func(d *Department, p mergepatch.Patch[Department]) error {
		err := d.check()
		if err == nil && p.Form == mergepatch.New {
			err = d.checkNames(&Department{})
		}
		return err
	},
	Finish: (*Department).finish,
	Agents: Department.Agents,
}

// ParseNew reads what a new department is to be.
func ParseNew(v jsondoc.Value) (Patch, error) { return parse("", v, mergepatch.New) }

// ParsePatch reads a change of a department, whose name cannot change.
func ParsePatch(v jsondoc.Value) (Patch, error) { return parse("", v, mergepatch.Change) }

// ParseEntry reads what the document of an organization says, at path, of a
// department that may exist or not. It is a patch that names its department and
// takes a ceremony policy as it stands instead of merging it. Errors say where
// the entry stands.
func ParseEntry(path string, v jsondoc.Value) (Patch, error) {
	return parse(path, v, mergepatch.Entry)
}

func parse(path string, v jsondoc.Value, form mergepatch.Form) (p Patch, err error) {
	p.Patch, err = noun.Parse(path, v, form)
	return p, err
}

// New returns an entry as what a new department is to be, or why it does not suffice for
// that.
func (p Patch) New() (_ Patch, err error) {
	p.Patch, err = p.As(mergepatch.New)
	return p, err
}

// Only returns an entry with its name and those of its other fields for which
// keep holds.
func (p Patch) Only(keep func(field string) bool) Patch {
	p.Patch = p.Patch.Only(func(field string) bool { return field == "name" || keep(field) })
	return p
}

// Fields returns the names of the fields of an entry other than its name.
func (p Patch) Fields() []string {
	return slices.DeleteFunc(slices.Collect(p.Value.Names()), func(field string) bool { return field == "name" })
}

// blank is a department about which nothing is said.
func blank() Department {
	return Department{Policies: Policies{Review: ReviewRequirements{MinReviewers: 1}}}
}

// Name returns the name that a new department is to have.
func (p Patch) Name() name.Name { return p.Said.Name }

// SetsBudget reports whether the patch sets the share of the budget.
func (p Patch) SetsBudget() bool { return p.Has("budget_percent") }

// Resolve returns the patch with the ids of the agents that it names.
func (p Patch) Resolve(refs identity.References) Patch {
	p.Patch = p.Patch.Resolve(refs)
	return p
}

// New makes the department that the patch describes. others is the sum of the
// other departments' shares of the budget.
func New(id string, p Patch, others money.Percent, at time.Time) (Department, error) {
	d, err := p.Make(func(d *Department) { d.ID, d.Revision, d.CreatedAt, d.UpdatedAt = id, 1, at, at })
	if err != nil {
		return Department{}, err
	}
	return d, p.Locate(d.CheckBudget(others))
}

// Change merges the patch into the department. Without effect it comes back as
// it was, revision included.
func (d Department) Change(p Patch, others money.Percent, at time.Time) (Department, error) {
	next, err := p.Apply(&d)
	if err == nil && p.SetsBudget() {
		err = p.Locate(next.CheckBudget(others))
	}
	if err != nil {
		return Department{}, err
	}
	return d.succeed(*next, at), nil
}

// readForm reads a text of the form. A department keeps the name that it has, however an
// entry writes it.
func (d *Department) readForm(r *jsondoc.Reader, form mergepatch.Form) {
	r.ReadOnly("id", "revision", "created_at", "updated_at")
	switch {
	case form == mergepatch.Change:
		r.ReadOnly("name")
	case form == mergepatch.Entry && d.Name != (name.Name{}):
		r.Has("name")
	default:
		name.Read(r, "name", &d.Name, name.MaxLength)
		r.Require("name")
	}
	d.read(r)
}

func (d *Department) finish(before *Department, p mergepatch.Patch[Department]) error {
	err := d.checkNames(before)
	if err == nil {
		err = d.resolve(p)
	}
	if err == nil {
		err = d.check()
	}
	return err
}

// checkNames checks the names that are new: those that the department before does not have.
func (d *Department) checkNames(before *Department) error {
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
func (d *Department) resolve(p mergepatch.Patch[Department]) (err error) {
	if p.Has("head") {
		if d.Head, err = p.Refs.IDOrNull("head", d.Head); err != nil {
			return err
		}
	}
	if p.Has("teams") {
		d.Teams = slices.Clone(d.Teams)
		if err := resolveTeams(p.Refs, d.Teams); err != nil {
			return err
		}
	}
	if p.Has("reporting_lines") {
		d.ReportingLines = slices.Clone(d.ReportingLines)
		return resolveLines(p.Refs, d.ReportingLines)
	}
	return nil
}

// resolveTeams works in place.
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

// resolveLines works in place.
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
