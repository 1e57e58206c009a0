package agent

import (
	"slices"

	"orgd/domain/fault"
	"orgd/domain/identity"
	"orgd/domain/jsondoc"
	"orgd/domain/name"
)

const (
	maxPreset           = 256
	maxModelRequirement = 16 << 10
	// MaxReason bounds the reason of a version, in code points.
	MaxReason = 1024
)

// ErrShortForm is a model given in its short form by halves, or twice.
var ErrShortForm = fault.New(fault.Validation, "model_provider and model_id go together and not with model")

// Patch is a checked JSON Merge Patch (RFC 7396) of an agent's writable fields.
// It is also what an agent is made from. Bounds are checked when it is parsed;
// what the merged result must obey is checked when it is merged.
type Patch struct {
	value      jsondoc.Value
	isNew      bool
	whole      *Agent // what value says of a new agent, if that was read
	at         string // where an entry stands in its document, "" for no entry
	refs       identity.References
	texts      []string
	department *name.Name
	name       *name.Name
	reason     *string
}

// ParseNew reads what a new agent is to be.
func ParseNew(v jsondoc.Value) (Patch, error) { return Patch{value: v, isNew: true}.tried() }

// ParsePatch reads a change of an agent.
func ParsePatch(v jsondoc.Value) (Patch, error) { return Patch{value: v}.tried() }

// ParseEntry reads what the document of an organization says, at path, of an
// agent that may exist or not. It is a patch that takes free-form objects as
// they stand instead of merging them, and it may give the hiring date, as long
// as that is the date that the agent has. Errors say where the entry stands.
func ParseEntry(path string, v jsondoc.Value) (Patch, error) {
	return Patch{value: v, at: path}.tried()
}

// New returns an entry as what a new agent is to be, or why it does not suffice
// for that.
func (p Patch) New() (Patch, error) {
	refs, department := p.refs, p.department
	p.isNew = true
	p, err := p.tried()
	if department != nil {
		p = p.In(*department)
	}
	return p.Resolve(refs), err
}

// Only returns an entry with those of its fields for which keep holds. A model
// in its short form goes by the name of the field that it sets.
func (p Patch) Only(keep func(field string) bool) Patch {
	p.value = p.value.Only(func(field string) bool {
		if field == "model_provider" || field == "model_id" {
			field = "model"
		}
		return keep(field)
	})
	p.whole = nil
	if _, ok := p.value.Get("department"); !ok {
		p.department = nil
	}
	return p
}

// tried tries the patch on an agent that any patch fits which is not wrong in
// itself: so everything is found that needs no state.
func (p Patch) tried() (Patch, error) {
	blank := Agent{Identity: identity.Default()}
	if !p.isNew {
		blank.Identity.Model = &identity.Model{Provider: "any", ModelID: "any"}
	}
	if err := p.apply(&blank); err != nil {
		return Patch{}, err
	}
	if err := checkShortForm(p.value); err != nil {
		return Patch{}, jsondoc.Locate(p.at, err)
	}
	if err := blank.Identity.Check(); err != nil {
		return Patch{}, jsondoc.Locate(p.at, err)
	}
	if blank.Department() != (name.Name{}) {
		p.department = &blank.Identity.Department
	}
	if blank.Name() != (name.Name{}) {
		p.name = &blank.Identity.Name
	}
	if p.isNew {
		if err := blank.Name().CheckNew("name"); err != nil {
			return Patch{}, jsondoc.Locate(p.at, err)
		}
	}
	p.texts = slices.Clone(blank.Identity.Authority.CanDelegateTo)
	if to := blank.Identity.Authority.ReportsTo; to != nil {
		p.texts = append(p.texts, *to)
	}
	if p.isNew {
		p.whole = &blank
	}
	return p, nil
}

// checkShortForm checks that a model is given in one form. A null model is not given.
func checkShortForm(v jsondoc.Value) error {
	_, provider := v.Get("model_provider")
	_, modelID := v.Get("model_id")
	if provider != modelID {
		return ErrShortForm.With("model_provider, model_id: give both or neither")
	}
	if !provider {
		return nil
	}
	if model, ok := v.Get("model"); ok && !model.IsNull() {
		return ErrShortForm.With("model: give either model, or model_provider and model_id")
	}
	return nil
}

// Name returns the name that the patch sets, or nil.
func (p Patch) Name() *name.Name { return p.name }

// Department returns the department that the patch sets, or nil.
func (p Patch) Department() *name.Name { return p.department }

// References lists the agents that the patch names, as the caller wrote them.
func (p Patch) References() []string { return p.texts }

// Resolve returns the patch with the ids of the agents that it names.
func (p Patch) Resolve(refs identity.References) Patch {
	p.refs = refs
	return p
}

// In returns the patch with its department as that writes its own name.
func (p Patch) In(department name.Name) Patch {
	p.department = &department
	return p
}

// Because returns the patch with the reason that its version will carry.
func (p Patch) Because(reason *string) Patch {
	p.reason = reason
	return p
}

// merge applies p to a and checks the result.
func (a *Agent) merge(p Patch) error {
	before := a.Name().Key
	if p.whole != nil {
		a.begin(*p.whole)
	} else if err := p.apply(a); err != nil {
		return err
	}
	if p.department != nil {
		a.Identity.Department = *p.department
	}
	if a.Name().Key != before {
		if err := a.Name().CheckNew("name"); err != nil {
			return err
		}
	}
	if err := a.Identity.ResolveReferences(p.refs); err != nil {
		return err
	}
	return a.Identity.Check()
}

// begin makes of a new agent what was read of it. It keeps its id and, unless
// another one was given, the date of its hiring.
func (a *Agent) begin(read Agent) {
	id, hired := a.Identity.ID, a.Identity.HiringDate
	a.Identity, a.Identity.ID = read.Identity, id
	if read.Identity.HiringDate == "" {
		a.Identity.HiringDate = hired
	}
	a.Preset, a.Tier, a.ModelRequirement = read.Preset, read.Tier, read.ModelRequirement
}

// readOnly are the fields that clients read and cannot write.
var readOnly = []string{"id", "version", "revision", "created_at", "updated_at"}

// apply reads p into a: a new agent as it stands there, a change as a merge.
func (p Patch) apply(a *Agent) error {
	if !p.isNew && p.at == "" {
		return jsondoc.Read(p.value, func(r *jsondoc.Reader) {
			r.ReadOnly(readOnly...)
			r.ReadOnly("hiring_date")
			a.read(r)
		})
	}
	return jsondoc.ReadWholeAt(p.at, p.value, func(r *jsondoc.Reader) {
		r.ReadOnly(readOnly...)
		if !p.isNew {
			a.readSameHiringDate(r)
			a.read(r)
			return
		}
		a.Identity.ReadHiringDate(r)
		a.read(r)
		r.Require("name", "role", "department")
	})
}

// readSameHiringDate takes the date that an existing agent has.
func (a *Agent) readSameHiringDate(r *jsondoc.Reader) {
	given := identity.Content{HiringDate: a.Identity.HiringDate}
	given.ReadHiringDate(r)
	if has := a.Identity.HiringDate; has != "" && given.HiringDate != has {
		r.Fail("hiring_date", "cannot change from %s", has)
	}
}

func (a *Agent) read(r *jsondoc.Reader) {
	a.Identity.Read(r)
	a.readUnversioned(r)
}

// readUnversioned reads the fields that are not part of the identity.
func (a *Agent) readUnversioned(r *jsondoc.Reader) {
	r.TextOrNull("personality_preset", &a.Preset, 1, maxPreset)
	jsondoc.EnumOrNull(r, "tier", &a.Tier, identity.Tiers()...)
	r.FreeOrNull("model_requirement", &a.ModelRequirement, maxModelRequirement)
}
