package agent

import (
	"orgd/domain/identity"
	"orgd/domain/jsondoc"
)

// WriteEntry writes the members of a as the document of an organization has
// them: every field that a client may write, references as show turns them.
func (a Agent) WriteEntry(w *jsondoc.Writer, show identity.Show) {
	a.Identity.WriteEntry(w, show)
	a.writeUnversioned(w)
	writeAssignment(w, a.Owner, a.Tags)
}

func (a Agent) writeUnversioned(w *jsondoc.Writer) {
	w.Field("model_requirement").FreeOrNull(a.ModelRequirement)
	w.Field("personality_preset").TextOrNull(a.Preset)
	w.Field("tier").TextOrNull((*string)(a.Tier))
}

func writeAssignment(w *jsondoc.Writer, owner *string, tags []string) {
	w.Field("owner").TextOrNull(owner)
	w.Field("tags").Texts(tags)
}

// Unversioned returns, as canonical JSON, the fields of a that are not part of its
// identity, for stores, which keep the owner and the tags beside it.
func (a Agent) Unversioned() string {
	if a.ModelRequirement == nil && a.Preset == nil && a.Tier == nil {
		return nothingUnversioned
	}
	return jsondoc.ObjectText(a.writeUnversioned)
}

// Most agents have nothing beside their identity. Knowing that saves a sixth of the time
// that reading one takes.
const (
	nothingUnversioned = `{"model_requirement":null,"personality_preset":null,"tier":null}`
	nothingAssigned    = `{"owner":null,"tags":[]}`
)

// assignment returns the owner and the tags as JSON, for the change log.
func (a Agent) assignment() string {
	if a.Owner == nil && len(a.Tags) == 0 {
		return nothingAssigned
	}
	return jsondoc.ObjectText(func(w *jsondoc.Writer) { writeAssignment(w, a.Owner, a.Tags) })
}
