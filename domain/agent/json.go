package agent

import (
	"time"

	"orgd/domain/identity"
	"orgd/domain/jsondoc"
)

// Write writes the members of a into the object that w has open: those of the
// identity, then those of the record.
func (a Agent) Write(w *jsondoc.Writer) {
	a.Identity.Write(w)
	a.writeUnversioned(w)
	writeRevision(w, a.Version, a.Revision, a.CreatedAt, a.UpdatedAt)
}

// WriteEntry writes the members of a as the document of an organization has
// them: every field that a client may write, references as show turns them.
func (a Agent) WriteEntry(w *jsondoc.Writer, show identity.Show) {
	a.Identity.WriteEntry(w, show)
	a.writeUnversioned(w)
}

func writeRevision(w *jsondoc.Writer, version, revision int64, created, updated time.Time) {
	w.Field("version").Int(version)
	w.Field("revision").Int(revision)
	w.Field("created_at").Time(created)
	w.Field("updated_at").Time(updated)
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
