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
	refs       identity.References
	texts      []string
	department *name.Name
	name       *name.Name
	reason     *string
}

// ParseNew reads what a new agent is to be.
func ParseNew(v jsondoc.Value) (Patch, error) { return parse(v, true) }

// ParsePatch reads a change of an agent.
func ParsePatch(v jsondoc.Value) (Patch, error) { return parse(v, false) }

// parse tries the patch on an agent that any patch fits which is not wrong in
// itself: so everything is found that needs no state.
func parse(v jsondoc.Value, isNew bool) (Patch, error) {
	p := Patch{value: v, isNew: isNew}
	blank := Agent{Identity: identity.Default()}
	if !isNew {
		blank.Identity.Model = &identity.Model{Provider: "any", ModelID: "any"}
	}
	if err := p.apply(&blank); err != nil {
		return Patch{}, err
	}
	if err := checkShortForm(v); err != nil {
		return Patch{}, err
	}
	if err := blank.Identity.Check(); err != nil {
		return Patch{}, err
	}
	if _, ok := v.Get("department"); ok {
		p.department = &blank.Identity.Department
	}
	if _, ok := v.Get("name"); ok {
		p.name = &blank.Identity.Name
	}
	p.texts = slices.Clone(blank.Identity.Authority.CanDelegateTo)
	if to := blank.Identity.Authority.ReportsTo; to != nil {
		p.texts = append(p.texts, *to)
	}
	return p, nil
}

func checkShortForm(v jsondoc.Value) error {
	_, provider := v.Get("model_provider")
	_, id := v.Get("model_id")
	_, model := v.Get("model")
	if provider != id {
		return ErrShortForm.With("model_provider, model_id: give both or neither")
	}
	if provider && model {
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

// Resolve returns the patch with the ids of the agents that it names, and its
// department as that department writes its own name; nil leaves it as given.
func (p Patch) Resolve(refs identity.References, department *name.Name) Patch {
	p.refs = refs
	if department != nil {
		p.department = department
	}
	return p
}

// Because returns the patch with the reason that its version will carry.
func (p Patch) Because(reason *string) Patch {
	p.reason = reason
	return p
}

// merge applies p to a and checks the result.
func (a *Agent) merge(p Patch) error {
	if err := p.apply(a); err != nil {
		return err
	}
	if p.department != nil {
		a.Identity.Department = *p.department
	}
	if err := a.Identity.ResolveReferences(p.refs); err != nil {
		return err
	}
	return a.Identity.Check()
}

// apply reads p into a: a new agent as it stands there, a change as a merge.
func (p Patch) apply(a *Agent) error {
	if p.isNew {
		return jsondoc.ReadWhole(p.value, func(r *jsondoc.Reader) {
			a.Identity.ReadHiringDate(r)
			a.read(r)
			r.Require("name", "role", "department")
		})
	}
	return jsondoc.Read(p.value, a.read)
}

func (a *Agent) read(r *jsondoc.Reader) {
	a.Identity.Read(r)
	a.readOutside(r)
}

// readOutside reads the fields that are not part of the identity.
func (a *Agent) readOutside(r *jsondoc.Reader) {
	r.TextOrNull("personality_preset", &a.Preset, 1, maxPreset)
	jsondoc.EnumOrNull(r, "tier", &a.Tier, identity.Tiers()...)
	r.FreeOrNull("model_requirement", &a.ModelRequirement, maxModelRequirement)
}
