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
}

func (a Agent) writeUnversioned(w *jsondoc.Writer) {
	w.Field("model_requirement").FreeOrNull(a.ModelRequirement)
	w.Field("personality_preset").TextOrNull(a.Preset)
	w.Field("tier").TextOrNull((*string)(a.Tier))
}

// Unversioned returns, as canonical JSON, the fields of a that are not part of its
// identity, for stores.
func (a Agent) Unversioned() []byte {
	w := jsondoc.NewWriter(nil)
	w.Open()
	a.writeUnversioned(w)
	w.Close()
	return w.Bytes()
}
