package company

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"orgd/domain/ceremony"
	"orgd/domain/domaintest"
	"orgd/domain/revision"
)

var dawn = time.Date(2026, 1, 31, 23, 59, 59, 999e6, time.UTC)

func later(ms int) time.Time { return dawn.Add(time.Duration(ms) * time.Millisecond) }

func patch(t testing.TB, text string) Patch {
	t.Helper()
	return domaintest.Read(t, ParsePatch, text)
}

// with is the default company after a patch.
func with(t testing.TB, text string) Company {
	t.Helper()
	c, err := Default(dawn).Change(patch(t, text), false, dawn)
	if err != nil {
		t.Fatalf("Change(%s) = %v", text, err)
	}
	return c
}

func quote(s string, n int) string { return strconv.Quote(strings.Repeat(s, n)) }

func TestDefault(t *testing.T) {
	const want = `{"company_name":"Company","autonomy_level":"supervised","budget_monthly":0,"currency":"USD",` +
		`"communication_pattern":"hybrid","settings":{}}`
	c := Default(dawn)
	if diff := cmp.Diff(want, string(c.Canonical())); diff != "" {
		t.Errorf("Default (-want +got):\n%s", diff)
	}
	if tag := (revision.Tag{ID: "company", Revision: 1}); c.Tag() != tag || !c.UpdatedAt.Equal(dawn) || len(c.Slots) != 0 {
		t.Errorf("Default = %+v, want revision 1 without departments", c)
	}
}

// A good value comes back as it is, a bad one is refused with its path.
func TestFields(t *testing.T) {
	for _, f := range []struct {
		name      string
		good, bad []string
	}{
		{"company_name", []string{quote("é", 256)}, []string{`""`, quote("x", 257), `null`, `1`}},
		{"autonomy_level", []string{`"locked"`, `"supervised"`, `"semi"`, `"full"`}, []string{`""`, `null`, `"Full"`}},
		{"budget_monthly", []string{"0", "999999999.999999999"}, []string{"-1", "1000000000", "0.0000000001", `null`, `"1"`}},
		{"currency", []string{`"USD"`, `"EUR"`, `"AED"`, `"ZWG"`, `"VES"`, `"MRU"`, `"SLE"`, `"JPY"`, `"XXX"`},
			[]string{`"usd"`, `"US"`, `"USDX"`, `"ABC"`, `""`, `" USD"`, `"USD EUR"`, `"\n"`, `null`, `840`}},
		{"communication_pattern", []string{`"hybrid"`, quote("é", 256)}, []string{`""`, quote("x", 257), `null`}},
		{"settings", []string{
			`{}`, `{"$ne":9007199254740993,"a.b":{"":[null]}}`, `{"k":` + quote("x", 64<<10-8) + `}`,
			`{"ceremony_policy":{}}`, `{"ceremony_policy":{"strategy":"hybrid","x":[]}}`,
		}, []string{`null`, `[]`, `{"k":` + quote("x", 64<<10-7) + `}`}},
		{"settings.ceremony_policy", nil, []string{`1`, `[]`, `"x"`, `{"strategy":"other"}`, `{"auto_transition":1}`}},
		{"departments", nil, []string{`[]`}},
		{"revision", nil, []string{`1`}},
		{"Currency", nil, []string{`"USD"`}},
	} {
		for _, value := range f.good {
			c, err := Default(dawn).Change(patch(t, `{"`+f.name+`":`+value+`}`), false, later(1))
			if err != nil {
				t.Errorf("%s %.60s refused: %v", f.name, value, err)
				continue
			}
			got, _ := domaintest.JSON(t, string(c.Canonical())).Get(f.name)
			if want := domaintest.JSON(t, value); !got.Equal(want) {
				t.Errorf("%s %.60s came back as %.60s", f.name, value, got)
			}
		}
		for _, value := range f.bad {
			text := `{"` + f.name + `":` + value + `}`
			if name, ok := strings.CutPrefix(f.name, "settings."); ok {
				text = `{"settings":{"` + name + `":` + value + `}}`
			}
			_, err := ParsePatch(domaintest.JSON(t, text))
			if domaintest.Code(err) != 2001 || !strings.HasPrefix(err.Error(), f.name) || strings.Contains(err.Error(), "; ") {
				t.Errorf("ParsePatch(%.60s) = %v, want one problem at %s", text, err, f.name)
			}
		}
	}
	if _, err := ParsePatch(domaintest.JSON(t, `[]`)); domaintest.Code(err) != 2001 {
		t.Errorf("ParsePatch([]) = %v, want 2001", err)
	}
}

func TestChange(t *testing.T) {
	c := with(t, `{"settings":{"a":{"b":1,"c":2},"ceremony_policy":{"strategy":"hybrid"}}}`)
	got, err := c.Change(patch(t, `{"company_name":"Acme","settings":{"a":{"b":null},"ceremony_policy":{"strategy":null,"own":1}}}`), true, later(5))
	want := c
	want.Name, want.Settings, want.Revision, want.UpdatedAt = "Acme", `{"a":{"c":2},"ceremony_policy":{"own":1}}`, c.Revision+1, later(5)
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("Change = %v (-want +got):\n%s", err, diff)
	}
	if got, err = c.Change(patch(t, `{"company_name":"Acme"}`), true, later(-5)); err != nil || !got.UpdatedAt.Equal(c.UpdatedAt.Add(time.Millisecond)) {
		t.Errorf("Change with an early clock = %v, %v, want just after the time before", got.UpdatedAt, err)
	}
}

func TestChangeWithoutEffect(t *testing.T) {
	c := with(t, `{"settings":{"a":1},"budget_monthly":5}`)
	for _, text := range []string{
		`{}`, `{"settings":{}}`, `{"settings":{"a":1.0,"b":null}}`, `{"budget_monthly":5.00}`, `{"currency":"USD","company_name":"Company"}`,
	} {
		got, err := c.Change(patch(t, text), true, later(9))
		if diff := cmp.Diff(c, got); diff != "" || err != nil {
			t.Errorf("Change(%s) = %v (-want +got):\n%s", text, err, diff)
		}
	}
}

// The currency changes only while nothing is counted in it.
func TestCurrency(t *testing.T) {
	c := Default(dawn)
	if got, err := c.Change(patch(t, `{"currency":"EUR"}`), false, later(1)); err != nil || got.Currency != "EUR" || got.Revision != 2 {
		t.Errorf("Change of currency = %+v, %v, want EUR", got, err)
	}
	if got, err := c.Change(patch(t, `{"currency":"EUR"}`), true, later(1)); !errors.Is(err, ErrCurrency) || domaintest.Code(err) != 4000 {
		t.Errorf("Change of currency with costs = %+v, %v, want ErrCurrency", got, err)
	}
	if !slices.IsSorted(currencies) || len(slices.Compact(slices.Clone(currencies))) != len(currencies) {
		t.Error("the currencies are not ascending")
	}
}

// The bound of the settings holds for what they become, too.
func TestSettingsGrow(t *testing.T) {
	half := `{"settings":{"%":` + quote("x", 40<<10) + `}}`
	c := with(t, strings.Replace(half, "%", "a", 1))
	if _, err := c.Change(patch(t, strings.Replace(half, "%", "b", 1)), false, later(1)); domaintest.Code(err) != 2000 || !strings.HasPrefix(err.Error(), "settings: ") {
		t.Errorf("Change beyond the bound = %v, want 2000 at settings", err)
	}
}

func TestCeremonyPolicy(t *testing.T) {
	if p := Default(dawn).CeremonyPolicy(); p != nil {
		t.Errorf("CeremonyPolicy of the default = %s, want none", p)
	}
	c := with(t, `{"settings":{"ceremony_policy":{"strategy":"calendar","x":1}}}`)
	if p := c.CeremonyPolicy(); p == nil || *p != ceremony.Policy(`{"strategy":"calendar","x":1}`) {
		t.Errorf("CeremonyPolicy = %v, want that of the settings", p)
	}
	c, err := c.Change(patch(t, `{"settings":{"ceremony_policy":null}}`), false, later(1))
	if p := c.CeremonyPolicy(); p != nil || err != nil {
		t.Errorf("CeremonyPolicy after its removal = %v, %v, want none", p, err)
	}
}

func TestRoundTrip(t *testing.T) {
	for _, text := range []string{
		`{}`,
		`{"company_name":"Ä","autonomy_level":"full","budget_monthly":1.5,"currency":"JPY","communication_pattern":"x","settings":{"a":[null,{}]}}`,
	} {
		want := with(t, text)
		want.Revision, want.UpdatedAt = 1, time.Time{}
		got, err := Parse(want.Canonical())
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("Parse(%s) = %v (-want +got):\n%s", want.Canonical(), err, diff)
		}
	}
	if got, err := Parse([]byte(`{"company_name":"Old"}`)); err != nil || got.Name != "Old" || got.Currency != "USD" {
		t.Errorf("Parse of an older schema = %+v, %v, want defaults", got, err)
	}
	for _, text := range []string{``, `[]`, `{"x":1}`, `{"currency":"?"}`} {
		if _, err := Parse([]byte(text)); err == nil || !strings.HasPrefix(err.Error(), "company: parse: ") {
			t.Errorf("Parse(%s) = %v, want an error of this package", text, err)
		}
	}
}

func TestChangesInParallel(t *testing.T) {
	c := with(t, `{"settings":{"a":{"b":1}}}`)
	want := string(c.Canonical())
	var wg sync.WaitGroup
	for _, text := range []string{`{}`, `{"settings":{"a":{"b":null}}}`, `{"settings":{"c":1}}`, `{"currency":"EUR"}`} {
		p := patch(t, text)
		for range 4 {
			wg.Go(func() {
				if _, err := c.Change(p, false, later(1)); err != nil {
					t.Errorf("Change(%s) = %v", text, err)
				}
			})
		}
	}
	wg.Wait()
	if got := string(c.Canonical()); got != want {
		t.Errorf("the company has changed to %s, want %s", got, want)
	}
}
