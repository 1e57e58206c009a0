package agent

import (
	"orgd/domain/fault"
	"orgd/domain/identity"
	"orgd/domain/jsondoc"
	"orgd/domain/mergepatch"
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
// It is also what an agent is made from.
type Patch struct {
	mergepatch.Patch[Agent]
	department *name.Name // as that writes it; nil: as the patch does
}

var noun = &mergepatch.Noun[Agent]{
	Blank:  blank,
	Read:   (*Agent).readForm,
	Try:    try,
	Finish: finish,
	Agents: func(a Agent) []ID { return a.Identity.Agents() },
}

// ParseNew reads what a new agent is to be.
func ParseNew(v jsondoc.Value) (Patch, error) { return parse("", v, mergepatch.New) }

// ParsePatch reads a change of an agent.
func ParsePatch(v jsondoc.Value) (Patch, error) { return parse("", v, mergepatch.Change) }

// ParseEntry reads what the document of an organization says, at path, of an
// agent that may exist or not. It is a patch that takes free-form objects as
// they stand instead of merging them, and it may give the hiring date, as long
// as that is the date that the agent has. Errors say where the entry stands.
func ParseEntry(path string, v jsondoc.Value) (Patch, error) {
	return parse(path, v, mergepatch.Entry)
}

func parse(path string, v jsondoc.Value, form mergepatch.Form) (p Patch, err error) {
	p.Patch, err = noun.Parse(path, v, form)
	return p, err
}

// New returns an entry as what a new agent is to be, or why it does not suffice
// for that.
func (p Patch) New() (_ Patch, err error) {
	p.Patch, err = p.As(mergepatch.New)
	return p, err
}

// Only returns an entry with those of its fields for which keep holds. A model
// in its short form goes by the name of the field that it sets.
func (p Patch) Only(keep func(field string) bool) Patch {
	p.Patch = p.Patch.Only(func(field string) bool {
		if field == "model_provider" || field == "model_id" {
			field = "model"
		}
		return keep(field)
	})
	return p
}

// blank is an agent about which nothing is said. One that is to be changed has a model,
// so that a part of one fits.
func blank(form mergepatch.Form) Agent {
	a := Agent{Identity: identity.Default()}
	if form != mergepatch.New {
		a.Identity.Model = &identity.Model{Provider: "any", ModelID: "any"}
	}
	return a
}

func try(a *Agent, p mergepatch.Patch[Agent]) error {
	err := checkShortForm(p.Value)
	if err == nil {
		err = a.Identity.Check()
	}
	if err == nil && p.Form == mergepatch.New {
		err = a.Name().CheckNew("name")
	}
	return err
}

func finish(a, before *Agent, p mergepatch.Patch[Agent]) error {
	if a.Name().Key != before.Name().Key {
		if err := a.Name().CheckNew("name"); err != nil {
			return err
		}
	}
	if err := a.Identity.ResolveReferences(p.Refs); err != nil {
		return err
	}
	return a.Identity.Check()
}

// checkShortForm checks that a model is given in one form. What is null is not given.
func checkShortForm(v jsondoc.Value) error {
	provider, modelID := isGiven(v, "model_provider"), isGiven(v, "model_id")
	if provider != modelID {
		return ErrShortForm.With("model_provider, model_id: give both or neither").
			WithMistakes([]fault.Mistake{{Path: "model_provider", Text: "give both or neither"}})
	}
	if !provider {
		return nil
	}
	if isGiven(v, "model") {
		return ErrShortForm.At("model", "give either model, or model_provider and model_id")
	}
	return nil
}

func isGiven(v jsondoc.Value, field string) bool {
	member, ok := v.Get(field)
	return ok && !member.IsNull()
}

// Name returns the name that the patch sets, or nil.
func (p Patch) Name() *name.Name {
	if !p.Has("name") {
		return nil
	}
	return &p.Said.Identity.Name
}

// Department returns the department that the patch sets, or nil.
func (p Patch) Department() *name.Name {
	switch {
	case !p.Has("department"):
		return nil
	case p.department != nil:
		return p.department
	}
	return &p.Said.Identity.Department
}

// Resolve returns the patch with the ids of the agents that it names.
func (p Patch) Resolve(refs identity.References) Patch {
	p.Patch = p.Patch.Resolve(refs)
	return p
}

// In returns the patch with its department as that writes its own name.
func (p Patch) In(department name.Name) Patch {
	p.department = &department
	return p
}

// written gives an agent its department as that writes it.
func (p Patch) written(a *Agent) {
	if d := p.Department(); d != nil {
		a.Identity.Department = *d
	}
}

// readForm reads a text of the form.
func (a *Agent) readForm(r *jsondoc.Reader, form mergepatch.Form) {
	r.ReadOnly("id", "version", "revision", "created_at", "updated_at")
	switch form {
	case mergepatch.Change:
		r.ReadOnly("hiring_date")
	case mergepatch.Entry:
		a.readSameHiringDate(r)
	default:
		a.Identity.ReadHiringDate(r)
	}
	a.Identity.Read(r)
	a.readUnversioned(r)
	a.readAssignment(r)
	if form == mergepatch.New {
		r.Require("name", "role", "department")
	}
}

// readSameHiringDate takes the date that an existing agent has.
func (a *Agent) readSameHiringDate(r *jsondoc.Reader) {
	given := identity.Content{HiringDate: a.Identity.HiringDate}
	given.ReadHiringDate(r)
	if has := a.Identity.HiringDate; has != "" && given.HiringDate != has {
		r.Fail("hiring_date", "cannot change from %s", has)
	}
}

// readUnversioned reads the fields that [Agent.Unversioned] has.
func (a *Agent) readUnversioned(r *jsondoc.Reader) {
	r.TextOrNull("personality_preset", &a.Preset, 1, maxPreset)
	jsondoc.EnumOrNull(r, "tier", &a.Tier, identity.Tiers()...)
	r.FreeOrNull("model_requirement", &a.ModelRequirement, maxModelRequirement)
}
