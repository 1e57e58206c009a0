package ceremony

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"orgd/domain/domaintest"
	"orgd/domain/fault"
	"orgd/domain/jsondoc"
)

func policy(t *testing.T, text string) *Policy {
	t.Helper()
	p, err := Parse(domaintest.JSON(t, text))
	if err != nil {
		t.Fatalf("Parse(%s) = %v", text, err)
	}
	return &p
}

var allStrategies = []string{
	"task_driven", "calendar", "hybrid", "event_driven", "budget_driven", "throughput_adaptive", "external_trigger", "milestone_driven",
}

func TestParse(t *testing.T) {
	tests := map[string]string{
		`{}`:                                     `{}`,
		`{"z":1,"a":[null],"strategy":"hybrid"}`: `{"a":[null],"strategy":"hybrid","z":1}`,
		`{"strategy":null,"other":null}`:         `{"other":null}`,
		`{"strategy":null,"strategy_config":null,"velocity_calculator":null,"auto_transition":null,"transition_threshold":null}`: `{}`,
		`{"strategy_config":{"strategy":null,"$ne":9007199254740993,"a.b":{"":1}}}`:                                              `{"strategy_config":{"$ne":9007199254740993,"a.b":{"":1},"strategy":null}}`,
		`{"auto_transition":false,"transition_threshold":1.0}`:                                                                   `{"auto_transition":false,"transition_threshold":1}`,
		`{"transition_threshold":1e-300}`:                                                                                        `{"transition_threshold":1e-300}`,
		`{"Strategy":"anything"}`:                                                                                                `{"Strategy":"anything"}`,
	}
	for _, s := range allStrategies {
		tests[fmt.Sprintf(`{"strategy":%q}`, s)] = fmt.Sprintf(`{"strategy":%q}`, s)
	}
	for _, c := range []string{"task_driven", "calendar", "multi_dimensional", "budget", "points_per_sprint"} {
		tests[fmt.Sprintf(`{"velocity_calculator":%q}`, c)] = fmt.Sprintf(`{"velocity_calculator":%q}`, c)
	}
	for text, want := range tests {
		p, err := Parse(domaintest.JSON(t, text))
		if p.String() != want || err != nil {
			t.Errorf("Parse(%s) = %s, %v, want %s", text, p, err, want)
		}
		if got := p.Value().String(); got != want {
			t.Errorf("Parse(%s).Value = %s, want %s", text, got, want)
		}
		if again, err := Parse(p.Value()); again != p || err != nil {
			t.Errorf("Parse(%s) again = %s, %v, want the same", p, again, err)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for text, want := range map[string]string{
		`null`:                             "the ceremony policy: must be an object",
		`[]`:                               "the ceremony policy: must be an object",
		`"x"`:                              "the ceremony policy: must be an object",
		`{"strategy":"other"}`:             "strategy: must be one of " + strings.Join(allStrategies, ", "),
		`{"strategy":"Calendar"}`:          "strategy: must be one of ",
		`{"strategy":1}`:                   "strategy: must be one of ",
		`{"strategy":{}}`:                  "strategy: must be one of ",
		`{"velocity_calculator":"hybrid"}`: "velocity_calculator: must be one of task_driven, calendar, multi_dimensional, budget, points_per_sprint",
		`{"strategy_config":[]}`:           "strategy_config: must be an object",
		`{"auto_transition":"true"}`:       "auto_transition: must be true or false",
		`{"transition_threshold":0}`:       "transition_threshold: must be a number above 0 and at most 1",
		`{"transition_threshold":-0.0}`:    "transition_threshold: ",
		`{"transition_threshold":-1}`:      "transition_threshold: ",
		`{"transition_threshold":1.00000000000000000001}`: "transition_threshold: ",
		`{"transition_threshold":"1"}`:                    "transition_threshold: ",
		`{"auto_transition":0,"transition_threshold":0}`:  "auto_transition: must be true or false; transition_threshold: must be",
	} {
		_, err := Parse(domaintest.JSON(t, text))
		var f *fault.Error
		if !errors.Is(err, ErrPolicy) || !errors.As(err, &f) || f.Code != 2001 || !strings.HasPrefix(f.Msg, want) {
			t.Errorf("Parse(%s) = %v, want 2001 %q", text, err, want)
		}
	}
}

func TestParseAt(t *testing.T) {
	for text, want := range map[string]string{
		`{"strategy":1}`: "settings.ceremony_policy.strategy: must be one of ",
		`7`:              "settings.ceremony_policy: must be an object",
	} {
		if _, err := ParseAt("settings.ceremony_policy", domaintest.JSON(t, text)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("ParseAt(%s) = %v, want %q", text, err, want)
		}
	}
}

// The bound is on what is stored.
func TestParseSize(t *testing.T) {
	text := func(n int) string {
		return `{"k":` + strconv.Quote(strings.Repeat("x", n-len(`{"k":""}`))) + `,   "strategy": null}`
	}
	if p, err := Parse(domaintest.JSON(t, text(MaxBytes))); len(p) != MaxBytes || err != nil {
		t.Errorf("Parse of %d bytes = %d bytes, %v", MaxBytes, len(p), err)
	}
	_, err := Parse(domaintest.JSON(t, text(MaxBytes+1)))
	if want := "the ceremony policy: must be at most 65536 bytes of JSON, not 65537"; !errors.Is(err, ErrPolicy) || err.Error() != want {
		t.Errorf("Parse of %d bytes = %v, want %q", MaxBytes+1, err, want)
	}
}

// resolved shows what Resolve returns as lines "key origin value".
func resolved(department, company *Policy) string {
	var lines []string
	for _, r := range Resolve(department, company) {
		lines = append(lines, fmt.Sprintf("%s %s %s", r.Key, r.Origin, r.Value))
	}
	return strings.Join(lines, "\n")
}

func TestResolve(t *testing.T) {
	const own, company = `{"auto_transition":false,"z":null,"own":{"a":1},"strategy_config":{"days":7}}`,
		`{"auto_transition":true,"strategy":"hybrid","strategy_config":{"weeks":2},"own":2,"z":3,"transition_threshold":0.5}`
	for _, tc := range []struct {
		what             string
		department, firm *Policy
		want             []string
	}{
		{"nothing", nil, nil, []string{
			`auto_transition default true`, `strategy default "task_driven"`, `strategy_config default {}`,
			`transition_threshold default 1`, `velocity_calculator default "task_driven"`,
		}},
		{"an empty policy", policy(t, `{}`), policy(t, `{}`), []string{
			`auto_transition default true`, `strategy default "task_driven"`, `strategy_config default {}`,
			`transition_threshold default 1`, `velocity_calculator default "task_driven"`,
		}},
		{"each level", policy(t, own), policy(t, company), []string{
			`auto_transition department false`, `own department {"a":1}`, `strategy company "hybrid"`,
			`strategy_config department {"days":7}`, `transition_threshold company 0.5`,
			`velocity_calculator default "multi_dimensional"`, `z company 3`,
		}},
		{"the company's alone", nil, policy(t, `{"velocity_calculator":"budget","x":null}`), []string{
			`auto_transition default true`, `strategy default "task_driven"`, `strategy_config default {}`,
			`transition_threshold default 1`, `velocity_calculator company "budget"`,
		}},
	} {
		if diff := cmp.Diff(strings.Join(tc.want, "\n"), resolved(tc.department, tc.firm)); diff != "" {
			t.Errorf("%s: Resolve (-want +got):\n%s", tc.what, diff)
		}
	}
}

func TestResolveCalculators(t *testing.T) {
	for strategy, want := range map[string]string{
		"task_driven": "task_driven", "calendar": "calendar", "hybrid": "multi_dimensional", "event_driven": "points_per_sprint",
		"budget_driven": "budget", "throughput_adaptive": "task_driven", "external_trigger": "points_per_sprint",
		"milestone_driven": "points_per_sprint",
	} {
		p := policy(t, fmt.Sprintf(`{"strategy":%q}`, strategy))
		for _, got := range []string{resolved(p, nil), resolved(nil, p), resolved(p, policy(t, `{"strategy":"calendar"}`))} {
			if line := fmt.Sprintf("velocity_calculator default %q", want); !strings.Contains(got, line) {
				t.Errorf("strategy %s resolves to\n%s\nwant %s", strategy, got, line)
			}
		}
	}
}

// A patch of the strategy drops the configuration of the old one, unless it names one.
func TestBase(t *testing.T) {
	const p = Policy(`{"own":1,"strategy":"calendar","strategy_config":{"days":14}}`)
	for patch, want := range map[string]Policy{
		`{"strategy":"hybrid"}`:                           `{"own":1,"strategy":"calendar"}`,
		`{"strategy":null}`:                               `{"own":1,"strategy":"calendar"}`,
		`{"strategy":"hybrid","strategy_config":{"a":1}}`: p,
		`{"strategy":"calendar"}`:                         p,
		`{"own":2}`:                                       p,
	} {
		v, err := jsondoc.Parse([]byte(patch))
		if err != nil {
			t.Fatal(err)
		}
		if got := p.Base(v); got != want {
			t.Errorf("Base(%s) = %s, want %s", patch, got, want)
		}
	}
}
