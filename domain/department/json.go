package department

import (
	"fmt"

	"orgd/domain/identity"
	"orgd/domain/jsondoc"
)

// Show turns the id of an agent into what a reader sees of it; false means that
// the agent is gone.
type Show = identity.Show

// Canonical returns the JSON form of d that stores keep: its writable fields
// with every reference as an id.
func (d Department) Canonical() []byte {
	w := jsondoc.NewWriter(make([]byte, 0, 1024))
	w.Open()
	d.writeFields(w, func(id identity.ID) (string, bool) { return string(id), true })
	w.Close()
	return w.Bytes()
}

// Parse reads a stored form back. Identity, name, revision and times of the
// department are kept beside it and are the caller's to fill in.
func Parse[T []byte | string](canonical T) (Department, error) {
	v, err := jsondoc.ParseStored(canonical)
	if err != nil {
		return Department{}, fmt.Errorf("department: parse: %v", err)
	}
	d := blank()
	if err := jsondoc.ReadWhole(v, d.read); err != nil {
		return Department{}, fmt.Errorf("department: parse: %v", err)
	}
	return d, nil
}

// Write writes the members of d into the object that w has open. Agents that
// are gone are null or left out.
func (d Department) Write(w *jsondoc.Writer, show Show) {
	d.WriteEntry(w, show)
	w.Field("revision").Int(d.Revision)
	w.Field("created_at").Time(d.CreatedAt)
	w.Field("updated_at").Time(d.UpdatedAt)
}

// WriteEntry writes the members of d as the document of an organization has
// them: every field that a client may write.
func (d Department) WriteEntry(w *jsondoc.Writer, show Show) {
	w.Field("name").Text(d.Name.Text)
	d.writeFields(w, show)
}

func (d Department) writeFields(w *jsondoc.Writer, show Show) {
	w.Field("description").Text(d.Description)
	writeRef(w.Field("head"), d.Head, show)
	w.Field("budget_percent").Number(d.BudgetPercent.Decimal())
	w.Field("autonomy_level").TextOrNull((*string)(d.Autonomy))
	w.Field("teams").OpenList()
	for _, t := range d.Teams {
		t.write(w, show)
	}
	w.CloseList()
	writeLines(w.Field("reporting_lines"), d.ReportingLines, show)
	d.Policies.write(w.Field("policies"))
	if w.Field("ceremony_policy"); d.CeremonyPolicy == nil {
		w.Null()
	} else {
		w.Raw(d.CeremonyPolicy.String())
	}
}

func writeRef(w *jsondoc.Writer, id *string, show Show) {
	if id != nil {
		if text, ok := show(identity.ID(*id)); ok {
			w.Text(text)
			return
		}
	}
	w.Null()
}

func (t Team) write(w *jsondoc.Writer, show Show) {
	w.Open()
	w.Field("name").Text(t.Name.Text)
	writeRef(w.Field("lead"), t.Lead, show)
	w.Field("members").OpenList()
	for _, id := range t.Members {
		if text, ok := show(identity.ID(id)); ok {
			w.Text(text)
		}
	}
	w.CloseList()
	w.Close()
}

func writeLines(w *jsondoc.Writer, lines []ReportingLine, show Show) {
	w.OpenList()
	for _, l := range lines {
		below, ok := show(identity.ID(l.Subordinate))
		above, ok2 := show(identity.ID(l.Supervisor))
		if !ok || !ok2 {
			continue
		}
		w.Open()
		w.Field("subordinate").Text(below)
		w.Field("supervisor").Text(above)
		w.Close()
	}
	w.CloseList()
}

func (p Policies) write(w *jsondoc.Writer) {
	w.Open()
	w.Field("review_requirements").Open()
	w.Field("min_reviewers").Int(p.Review.MinReviewers)
	w.Field("required_reviewer_roles").Texts(p.Review.RequiredRoles)
	w.Field("self_review_allowed").Bool(p.Review.SelfReview)
	w.Close()
	w.Field("approval_chains").OpenList()
	for _, c := range p.Chains {
		w.Open()
		w.Field("action_type").Text(c.ActionType)
		w.Field("approvers").Texts(c.Approvers)
		w.Field("min_approvals").Int(c.MinApprovals)
		w.Close()
	}
	w.CloseList()
	w.Close()
}
