package company

import (
	"errors"
	"strings"
	"testing"

	"orgd/domain/domaintest"
)

func entry(t testing.TB, text string) Patch {
	t.Helper()
	p, err := ParseEntry("company", domaintest.JSON(t, text))
	if err != nil {
		t.Fatalf("ParseEntry(%.80s) = %v", text, err)
	}
	return p
}

// An entry replaces the settings and leaves alone what it does not say.
func TestEntry(t *testing.T) {
	c := with(t, `{"company_name":"Acme","settings":{"a":1,"b":{"c":2}}}`)
	next, err := c.Change(entry(t, `{"settings":{"b":{"d":null}},"budget_monthly":5}`), false, later(1))
	if err != nil || next.Name != "Acme" || next.Settings != `{"b":{"d":null}}` || next.BudgetMonthly != 5e9 {
		t.Errorf("Change = %+v, %v", next, err)
	}
	if same, err := c.Change(entry(t, string(c.Canonical())), true, later(1)); err != nil || same.Revision != c.Revision {
		t.Errorf("Change by what the company writes = %+v, %v, want no effect", same, err)
	}
	only := entry(t, `{"company_name":"B","currency":"EUR"}`).Only(func(field string) bool { return field == "company_name" })
	if next, err = c.Change(only, true, later(1)); err != nil || next.Name != "B" || next.Currency != c.Currency {
		t.Errorf("Change = %+v, %v, want only another name", next, err)
	}
}

// A null in the policy clears what it stands for, as in a patch; it is not kept.
func TestEntryClearsNullsOfThePolicy(t *testing.T) {
	text := `{"settings":{"a":null,"ceremony_policy":{"own":null,"strategy":null,"velocity_calculator":"budget"},"z":1}}`
	want := `{"a":null,"ceremony_policy":{"own":null,"velocity_calculator":"budget"},"z":1}`
	c, err := with(t, `{"settings":{"ceremony_policy":{"strategy":"calendar"}}}`).Change(entry(t, text), false, later(1))
	if err != nil || c.Settings.String() != want {
		t.Errorf("Change = %s, %v, want the settings %s", c.Settings, err, want)
	}
	if same, err := c.Change(entry(t, text), false, later(2)); err != nil || same.Revision != c.Revision {
		t.Errorf("the same Change again = %+v, %v, want no effect", same, err)
	}
}

func TestEntryErrorsSayWhere(t *testing.T) {
	for text, want := range map[string]string{
		`null`:              "company: must be an object, not null",
		`{"departments":1}`: "company.departments: is read-only",
		`{"settings":{"ceremony_policy":{"strategy":1}}}`: "company.settings.ceremony_policy.strategy: must be one of",
	} {
		if _, err := ParseEntry("company", domaintest.JSON(t, text)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("ParseEntry(%s) = %v, want %s", text, err, want)
		}
	}
	_, err := Default(dawn).Change(entry(t, `{"currency":"EUR"}`), true, later(1))
	if !errors.Is(err, ErrCurrency) || !strings.HasPrefix(err.Error(), "company.currency: ") {
		t.Errorf("Change = %v, want ErrCurrency and where", err)
	}
}
