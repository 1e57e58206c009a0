// Package company holds the settings of the one company that an installation
// keeps, and the order of its departments.
package company

import (
	"fmt"
	"time"

	"orgd/domain/ceremony"
	"orgd/domain/fault"
	"orgd/domain/identity"
	"orgd/domain/jsondoc"
	"orgd/domain/mergepatch"
	"orgd/domain/money"
	"orgd/domain/name"
	"orgd/domain/revision"
)

var (
	// ErrCurrency is a change of currency after costs were recorded in it.
	ErrCurrency = fault.New(fault.Conflict, "the currency cannot change once costs are recorded")
	// ErrPermutation is a reorder that does not name every department exactly
	// once.
	ErrPermutation = fault.New(fault.Validation, "not a permutation of the departments")
)

const maxSettings = 64 << 10

// Company is the company. It always exists and there is exactly one.
type Company struct {
	Name                 string
	Autonomy             identity.Autonomy
	BudgetMonthly        money.Amount // 0: off
	Currency             string       // ISO 4217
	CommunicationPattern string
	Settings             jsondoc.Object // free-form, ≤ 64 KiB
	// Slots are its departments in order: ascending by order key.
	Slots     []Slot
	Revision  int64
	UpdatedAt time.Time
}

// OrderKey orders departments. A new department's order key is its own id; a reorder
// permutes the order keys.
type OrderKey string

// Slot is a department's position in the company.
type Slot struct {
	OrderKey   OrderKey
	Department name.Key
}

// Default is the company of a new installation.
func Default(at time.Time) Company {
	return Company{
		Name:                 "Company",
		Autonomy:             identity.Supervised,
		Currency:             "USD",
		CommunicationPattern: "hybrid",
		Revision:             1,
		UpdatedAt:            at,
	}
}

// Tag names the current state of c.
func (c Company) Tag() revision.Tag { return revision.Tag{ID: "company", Revision: c.Revision} }

// Patch is a checked JSON Merge Patch (RFC 7396) of the company's writable
// fields.
type Patch = mergepatch.Patch[Company]

var noun = &mergepatch.Noun[Company]{
	Blank: func(mergepatch.Form) Company { return Default(time.Time{}) },
	Read: func(c *Company, r *jsondoc.Reader, _ mergepatch.Form) {
		r.ReadOnly("departments", "revision", "updated_at")
		c.read(r)
	},
}

// ParsePatch reads a change of the company.
func ParsePatch(v jsondoc.Value) (Patch, error) { return noun.Parse("", v, mergepatch.Change) }

// ParseEntry reads what the document of an organization says, at path, of the
// company. It is a patch that takes the settings as they stand instead of
// merging them. Errors say where the entry stands.
func ParseEntry(path string, v jsondoc.Value) (Patch, error) {
	return noun.Parse(path, v, mergepatch.Entry)
}

// Change merges the patch into the company. Without effect it comes back as it
// was, revision included. It returns [ErrCurrency] for another currency when
// costs are recorded.
func (c Company) Change(p Patch, costsRecorded bool, at time.Time) (Company, error) {
	next, err := p.Apply(&c)
	if err != nil {
		return Company{}, err
	}
	if next.Currency != c.Currency && costsRecorded {
		return Company{}, p.Locate(ErrCurrency.At("currency", "cannot change once costs are recorded"))
	}
	if string(next.Canonical()) == string(c.Canonical()) {
		return c, nil
	}
	return next.touch(at), nil
}

func (c Company) touch(at time.Time) Company {
	c.Revision++
	c.UpdatedAt = revision.Time(at, c.UpdatedAt)
	return c
}

// CeremonyPolicy returns the company's policy, or nil.
func (c Company) CeremonyPolicy() *ceremony.Policy {
	p, err := c.ceremonyPolicy("settings")
	if err != nil {
		return nil // no settings get in whose policy is wrong
	}
	return p
}

// ceremonyPolicy reads the policy in the settings, which stand at path.
func (c Company) ceremonyPolicy(path string) (*ceremony.Policy, error) {
	v, ok := c.Settings.Value().Get(ceremony.SettingsKey)
	if !ok {
		return nil, nil
	}
	p, err := ceremony.ParseAt(path+"."+ceremony.SettingsKey, v)
	if err != nil {
		return nil, err
	}
	return &p, nil
}

func (c *Company) read(r *jsondoc.Reader) {
	r.Text("company_name", &c.Name, 1, 256)
	jsondoc.Enum(r, "autonomy_level", &c.Autonomy, identity.Autonomies()...)
	money.ReadAmount(r, "budget_monthly", &c.BudgetMonthly)
	c.readCurrency(r)
	r.Text("communication_pattern", &c.CommunicationPattern, 1, 256)
	if r.Free("settings", &c.Settings, maxSettings); !r.Has("settings") {
		return
	}
	p, err := c.ceremonyPolicy(r.PathOf("settings"))
	switch {
	case err != nil:
		r.FailWith(err)
	case p != nil:
		c.Settings = withPolicy(c.Settings, *p)
	}
}

// withPolicy writes the policy that stands in settings in the form that is kept:
// what takes settings as they stand may bring nulls that a merge would remove.
func withPolicy(settings jsondoc.Object, p ceremony.Policy) jsondoc.Object {
	w := jsondoc.NewWriter(nil)
	w.Open()
	for _, m := range settings.Value().Members() {
		if m.Name == ceremony.SettingsKey {
			m.Value = p.Value()
		}
		w.Field(m.Name).Value(m.Value)
	}
	w.Close()
	return jsondoc.Object(w.Bytes())
}

func (c *Company) readCurrency(r *jsondoc.Reader) {
	v, _ := r.Raw("currency")
	switch {
	case !r.Given("currency"):
	case !isCurrency(v.Text()):
		r.Fail("currency", "must be an ISO 4217 code such as USD")
	default:
		c.Currency = v.Text()
	}
}

// Canonical returns the JSON form of c that stores keep: its writable fields.
func (c Company) Canonical() []byte {
	w := jsondoc.NewWriter(make([]byte, 0, 512))
	w.Open()
	c.Write(w)
	w.Close()
	return w.Bytes()
}

// Parse reads a stored form back. Departments, revision and time are kept
// beside it and are the caller's to fill in.
func Parse(canonical []byte) (Company, error) {
	c := Default(time.Time{})
	if err := jsondoc.ReadStored(canonical, c.read); err != nil {
		return Company{}, fmt.Errorf("company: parse: %w", err)
	}
	return c, nil
}

// Write writes the writable fields of c into the object that w has open.
func (c Company) Write(w *jsondoc.Writer) {
	w.Field("company_name").Text(c.Name)
	w.Field("autonomy_level").Text(string(c.Autonomy))
	w.Field("budget_monthly").Number(c.BudgetMonthly.Decimal())
	w.Field("currency").Text(c.Currency)
	w.Field("communication_pattern").Text(c.CommunicationPattern)
	w.Field("settings").Free(c.Settings)
}
