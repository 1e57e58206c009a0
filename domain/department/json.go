package department

import (
	"fmt"

	"orgd/domain/ceremony"
	"orgd/domain/identity"
	"orgd/domain/jsondoc"
	"orgd/domain/label"
	"orgd/domain/money"
	"orgd/domain/name"
)

const (
	maxDescription = 2048
	maxTeams       = 64
	maxItems       = 256
	maxProtected   = 16
)

var words = jsondoc.Bounds{MaxItems: maxItems, MinLen: 1, MaxLen: 256}

// Canonical returns the JSON form of d that stores keep: its writable fields
// with every reference as an id.
func (d Department) Canonical() []byte {
	w := jsondoc.NewWriter(make([]byte, 0, 1024))
	w.Open()
	d.writeFields(w, identity.AsIs)
	w.Close()
	return w.Bytes()
}

// Parse reads a stored form back. Identity, name, revision and times of the
// department are kept beside it and are the caller's to fill in.
func Parse[T []byte | string](canonical T) (Department, error) {
	d := blank()
	if err := jsondoc.ReadStored(canonical, d.read); err != nil {
		return Department{}, fmt.Errorf("department: parse: %w", err)
	}
	return d, nil
}

// Write writes the members of d into the object that w has open. Agents that
// are gone are null or left out.
func (d Department) Write(w *jsondoc.Writer, show identity.Show) {
	d.WriteEntry(w, show)
	w.Field("revision").Int(d.Revision)
	w.Field("created_at").Time(d.CreatedAt)
	w.Field("updated_at").Time(d.UpdatedAt)
}

// WriteEntry writes the members of d as the document of an organization has
// them: every field that a client may write.
func (d Department) WriteEntry(w *jsondoc.Writer, show identity.Show) {
	w.Field("name").Text(d.Name.Text)
	d.writeFields(w, show)
}

func (d Department) writeFields(w *jsondoc.Writer, show identity.Show) {
	w.Field("description").Text(d.Description)
	identity.WriteRef(w.Field("head"), d.Head, show)
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

func (t Team) write(w *jsondoc.Writer, show identity.Show) {
	w.Open()
	w.Field("name").Text(t.Name.Text)
	identity.WriteRef(w.Field("lead"), t.Lead, show)
	identity.WriteRefs(w.Field("members"), t.Members, show)
	w.Close()
}

func writeLines(w *jsondoc.Writer, lines []ReportingLine, show identity.Show) {
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
	w.Field("protected_labels").Texts(p.ProtectedLabels)
	w.Close()
}

// read merges the writable fields that r has into d.
func (d *Department) read(r *jsondoc.Reader) {
	r.Text("description", &d.Description, 0, maxDescription)
	identity.ReadRef(r, "head", &d.Head)
	money.ReadPercent(r, "budget_percent", &d.BudgetPercent)
	jsondoc.EnumOrNull(r, "autonomy_level", &d.Autonomy, identity.Autonomies()...)
	jsondoc.List(r, "teams", &d.Teams, maxTeams, readTeam)
	unique(r, "teams", d.Teams, func(t Team) name.Name { return t.Name })
	jsondoc.List(r, "reporting_lines", &d.ReportingLines, maxItems, readLine)
	r.Object("policies", d.Policies.read)
	d.readCeremonyPolicy(r)
}

func readTeam(r *jsondoc.Reader, t *Team) {
	name.Read(r, "name", &t.Name, name.MaxLength)
	identity.ReadRef(r, "lead", &t.Lead)
	identity.ReadRefs(r, "members", &t.Members, maxItems)
	r.Require("name")
}

func readLine(r *jsondoc.Reader, l *ReportingLine) {
	readRef(r, "subordinate", &l.Subordinate)
	readRef(r, "supervisor", &l.Supervisor)
	r.Require("subordinate", "supervisor")
}

// readRef reads a reference that may not be null.
func readRef(r *jsondoc.Reader, field string, dst *string) {
	var ref *string
	if identity.ReadRef(r, field, &ref); ref != nil {
		*dst = *ref
	}
}

func (p *Policies) read(r *jsondoc.Reader) {
	r.Object("review_requirements", p.Review.read)
	jsondoc.List(r, "approval_chains", &p.Chains, maxItems, readChain)
	readLabels(r, "protected_labels", &p.ProtectedLabels)
	unique(r, "approval_chains", p.Chains, func(c ApprovalChain) name.Name { return name.Name{Text: c.ActionType, Key: name.Key(c.ActionType)} })
}

// readLabels reads names of labels.
func readLabels(r *jsondoc.Reader, field string, dst *[]string) {
	var names []string
	r.Texts(field, &names, jsondoc.Bounds{MaxItems: maxProtected, MinLen: 1, MaxLen: label.MaxLength})
	if !r.Has(field) {
		return
	}
	for i, text := range names {
		if _, err := label.ParseSettable(text); err != nil {
			r.FailItem(field, i, "%s", err)
		}
	}
	*dst = names
}

func (q *ReviewRequirements) read(r *jsondoc.Reader) {
	r.Int("min_reviewers", &q.MinReviewers, 0, maxItems)
	r.Texts("required_reviewer_roles", &q.RequiredRoles, words)
	r.Bool("self_review_allowed", &q.SelfReview)
}

func readChain(r *jsondoc.Reader, c *ApprovalChain) {
	r.Text("action_type", &c.ActionType, 1, 256)
	r.Texts("approvers", &c.Approvers, jsondoc.Bounds{MinItems: 1, MaxItems: maxItems, MinLen: 1, MaxLen: 256})
	r.Int("min_approvals", &c.MinApprovals, 0, maxItems)
	r.Require("action_type", "approvers")
}

// unique reports items of a list whose names have the same key.
func unique[T any](r *jsondoc.Reader, field string, items []T, nameOf func(T) name.Name) {
	seen := map[name.Key]bool{}
	for _, item := range items {
		if n := nameOf(item); n.Key != "" && seen[n.Key] {
			r.Fail(field, "%q is given twice", n.Text)
		} else {
			seen[n.Key] = true
		}
	}
}

// readCeremonyPolicy merges the policy and checks its known keys, as its own
// endpoint does.
func (d *Department) readCeremonyPolicy(r *jsondoc.Reader) {
	const field = "ceremony_policy"
	merged := (*jsondoc.Object)(d.CeremonyPolicy)
	if patch, ok := r.Raw(field); ok && merged != nil && patch.Kind() == jsondoc.KindObject {
		base := jsondoc.Object(d.CeremonyPolicy.Base(patch))
		merged = &base
	}
	r.FreeOrNull(field, &merged, ceremony.MaxBytes)
	if !r.Has(field) {
		return
	}
	if merged == nil {
		d.CeremonyPolicy = nil
		return
	}
	p, err := ceremony.ParseAt(r.PathOf(field), merged.Value())
	if err != nil {
		r.FailWith(err)
		return
	}
	d.CeremonyPolicy = &p
}
