package agent

import (
	"fmt"

	"orgd/domain/identity"
	"orgd/domain/jsondoc"
)

// Write writes the members of a into the object that w has open: those of the
// identity, then those of the record.
func (a Agent) Write(w *jsondoc.Writer) {
	a.Identity.Write(w)
	a.writeRecord(w)
}

// WriteSummary writes what [Agent.Write] does without the instructions.
func (a Agent) WriteSummary(w *jsondoc.Writer) {
	a.Identity.WriteSummary(w)
	a.writeRecord(w)
}

// WriteEntry writes the members of a as the document of an organization has
// them: every field that a client may write, references as show turns them.
func (a Agent) WriteEntry(w *jsondoc.Writer, show identity.Show) {
	a.Identity.WriteEntry(w, show)
	a.writeOutside(w)
}

func (a Agent) writeRecord(w *jsondoc.Writer) {
	a.writeOutside(w)
	w.Field("version").Int(a.Version)
	w.Field("revision").Int(a.Revision)
	w.Field("created_at").Time(a.CreatedAt)
	w.Field("updated_at").Time(a.UpdatedAt)
}

func (a Agent) writeOutside(w *jsondoc.Writer) {
	w.Field("model_requirement").FreeOrNull(a.ModelRequirement)
	w.Field("personality_preset").TextOrNull(a.Preset)
	w.Field("tier").TextOrNull((*string)(a.Tier))
}

// Outside returns, as canonical JSON, the fields of a that are not part of its
// identity, for stores.
func (a Agent) Outside() []byte {
	w := jsondoc.NewWriter(nil)
	w.Open()
	a.writeOutside(w)
	w.Close()
	return w.Bytes()
}

// SetOutside reads back what [Agent.Outside] returned.
func (a *Agent) SetOutside(canonical []byte) error {
	v, err := jsondoc.ParseStored(canonical)
	if err == nil {
		err = jsondoc.ReadWhole(v, a.readOutside)
	}
	if err != nil {
		return fmt.Errorf("agent: parse: %v", err)
	}
	return nil
}
