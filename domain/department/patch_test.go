package department

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"orgd/domain/domaintest"
	"orgd/domain/fault"
)

func quote(s string, n int) string { return strconv.Quote(strings.Repeat(s, n)) }

func list(n int, item string) string {
	items := make([]string, n)
	for i := range items {
		items[i] = fmt.Sprintf(item, i)
	}
	return "[" + strings.Join(items, ",") + "]"
}

// at returns {"a":{"b":value}} for the path "a.b".
func at(path, value string) string {
	steps := strings.Split(path, ".")
	for i := len(steps) - 1; i >= 0; i-- {
		value = `{"` + steps[i] + `":` + value + `}`
	}
	return value
}

// A problem names a team as it was written.
func TestTeamTwice(t *testing.T) {
	_, err := ParsePatch(domaintest.JSON(t, `{"teams":[{"name":"Night"},{"name":"NIGHT"}]}`))
	if want := `teams: "NIGHT" is given twice`; domaintest.Code(err) != 2001 || err.Error() != want {
		t.Errorf("ParsePatch(a team twice) = %v, want %s", err, want)
	}
}

// A good value comes back as it is, a bad one is refused with its path.
func TestFields(t *testing.T) {
	for _, f := range []struct {
		path      string
		good, bad []string
	}{
		{"description", []string{`""`, quote("é", 2048)}, []string{quote("x", 2049), `null`, `1`}},
		{"head", []string{`null`, `"` + adaID + `"`}, []string{`""`, `".."`, quote("x", 129), `1`}},
		{"budget_percent", []string{"0", "100", "33.3333", "1e1"}, []string{"-0.0001", "100.0001", "0.00001", `null`, `"1"`}},
		{"autonomy_level", []string{`null`, `"locked"`, `"supervised"`, `"semi"`, `"full"`}, []string{`""`, `"Full"`, `1`}},
		{"teams", []string{`[]`, list(64, `{"name":"t%d","lead":null,"members":[]}`)}, []string{
			`null`, `{}`, `[1]`, `[{}]`, `[{"name":null}]`, `[{"name":""}]`, `[{"name":"a","colour":1}]`,
			`[{"name":"a"},{"name":" A "}]`, `[{"name":"a","lead":"."}]`, `[{"name":"a","members":["Ada","Ada"]}]`,
			`[{"name":"a","members":` + list(257, `"m%d"`) + `}]`, list(65, `{"name":"t%d"}`),
		}},
		{"reporting_lines", []string{`[]`, `[{"subordinate":"` + adaID + `","supervisor":"` + bobID + `"}]`}, []string{
			`null`, `[{"subordinate":"Ada"}]`, `[{"supervisor":"Ada"}]`, `[{"subordinate":null,"supervisor":"Ada"}]`,
			`[{"subordinate":"Ada","supervisor":""}]`, list(257, `{"subordinate":"a%d","supervisor":"boss"}`),
		}},
		{"policies", nil, []string{`null`, `[]`, `{"colour":1}`}},
		{"policies.review_requirements", nil, []string{`null`, `{"colour":1}`}},
		{"policies.review_requirements.min_reviewers", []string{"0", "256"}, []string{"-1", "257", "1.5", `null`}},
		{"policies.review_requirements.required_reviewer_roles", []string{`[]`, `["a","b"]`}, []string{`["a","a"]`, `[""]`, `null`}},
		{"policies.review_requirements.self_review_allowed", []string{`true`, `false`}, []string{`null`, `0`, `"true"`}},
		{"policies.approval_chains", []string{
			`[]`, `[{"action_type":"spend","approvers":["cfo","Ada"],"min_approvals":2},{"action_type":"Spend","approvers":["x"],"min_approvals":0}]`,
		}, []string{
			`null`, `[{"action_type":"a"}]`, `[{"approvers":["a"]}]`, `[{"action_type":"","approvers":["a"]}]`,
			`[{"action_type":"a","approvers":[]}]`, `[{"action_type":"a","approvers":["b","b"]}]`,
			`[{"action_type":"a","approvers":["b"],"min_approvals":-1}]`,
			`[{"action_type":"a","approvers":["b"]},{"action_type":"a","approvers":["c"]}]`,
			list(257, `{"action_type":"a%d","approvers":["b"]}`),
		}},
		{"ceremony_policy", []string{`null`, `{}`, `{"strategy":"calendar","own":[null]}`}, []string{
			`[]`, `"x"`, `{"strategy":"other"}`, `{"transition_threshold":0}`, `{"k":` + quote("x", 64<<10) + `}`,
		}},
		{"name", nil, []string{`"Other"`, `"Ops"`, `null`}},
		{"colour", nil, []string{`1`}},
		{"revision", nil, []string{`1`}},
	} {
		for _, value := range f.good {
			d, err := found(t, "").Change(patch(t, at(f.path, value)), 0, later(1))
			if err != nil {
				t.Errorf("%s %.60s refused: %v", f.path, value, err)
				continue
			}
			got := canonical(t, d)
			for step := range strings.SplitSeq(f.path, ".") {
				got, _ = got.Get(step)
			}
			if want := domaintest.JSON(t, value); !got.Equal(want) {
				t.Errorf("%s %.60s came back as %.60s", f.path, value, got)
			}
		}
		for _, value := range f.bad {
			_, err := ParsePatch(domaintest.JSON(t, at(f.path, value)))
			if domaintest.Code(err) != 2001 || !strings.HasPrefix(err.Error(), f.path) || strings.Contains(err.Error(), "; ") {
				t.Errorf("%s %.60s: error = %v, want one problem there", f.path, value, err)
			}
			if f.path == "name" {
				continue // a new department has one
			}
			_, err = ParseNew(domaintest.JSON(t, ops(at(f.path, value)[1:len(at(f.path, value))-1])))
			if value == "null" { // nothing is said of it
				if err != nil {
					t.Errorf("new with %s null: error = %v, want none", f.path, err)
				}
				continue
			}
			if domaintest.Code(err) != 2001 || !strings.HasPrefix(err.Error(), f.path) {
				t.Errorf("new with %s %.60s: error = %v, want a problem there", f.path, value, err)
			}
		}
	}
}

func TestParseNew(t *testing.T) {
	p, err := ParseNew(domaintest.JSON(t, ops(`"head":"Ada","teams":[{"name":"a","lead":"Bob","members":["Eve"]}],`+
		`"reporting_lines":[{"subordinate":"x","supervisor":"y"}]`)))
	if err != nil {
		t.Fatalf("ParseNew = %v", err)
	}
	if p.Name() != domaintest.Name("Ops") {
		t.Errorf("Name = %v, want Ops", p.Name())
	}
	if diff := cmp.Diff([]string{"Ada", "Bob", "Eve", "x", "y"}, p.References()); diff != "" {
		t.Errorf("References (-want +got):\n%s", diff)
	}
	for text, want := range map[string]string{
		`{}`: "name: is required", `{"name":null}`: "name: is required", `{"name":"."}`: "name: the name must not be",
		`[]`: "the document must be an object",
	} {
		if _, err := ParseNew(domaintest.JSON(t, text)); domaintest.Code(err) != 2001 || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("ParseNew(%s) = %v, want 2001 %q", text, err, want)
		}
	}
}

// Combinations that need no state are found when a patch is parsed.
func TestParseFindsCombinations(t *testing.T) {
	line := func(pairs ...string) string {
		var lines []string
		for _, p := range pairs {
			below, above, _ := strings.Cut(p, ">")
			lines = append(lines, fmt.Sprintf(`{"subordinate":%q,"supervisor":%q}`, below, above))
		}
		return `{"reporting_lines":[` + strings.Join(lines, ",") + `]}`
	}
	chain := func(min int) string {
		return fmt.Sprintf(`{"policies":{"approval_chains":[{"action_type":"a","approvers":["x","y"],"min_approvals":%d}]}}`, min)
	}
	for text, want := range map[string]string{
		line("a>b", "b>c", "d>c"):        "",
		line("a>b", "c>b", "b>d", "e>d"): "",
		line("a>a"):                      "reporting_lines[0]: an agent must not report to itself",
		line("a>b", "a>c"):               "reporting_lines[1]: the subordinate already has a supervisor",
		line("a>b", "a>b"):               "reporting_lines[1]: the subordinate already has a supervisor",
		line("a>b", "b>a"):               "reporting_lines[0]: closes a cycle",
		line("x>a", "a>b", "b>c", "c>a"): "reporting_lines[0]: closes a cycle",
		line("a>b", "b>c", "c>d", "d>b"): "reporting_lines[0]: closes a cycle",
		chain(0):                         "",
		chain(2):                         "",
		chain(3):                         "policies.approval_chains[0].min_approvals: must be at most 2, the number of approvers, not 3",
	} {
		var code fault.Code
		if want != "" {
			code = 2000
		}
		_, err := ParsePatch(domaintest.JSON(t, text))
		if domaintest.Code(err) != code || err != nil && err.Error() != want {
			t.Errorf("ParsePatch(%s) = %v, want %d %q", text, err, code, want)
		}
	}
}

// What a GET answers is read-only, not unknown.
func TestReadOnlyFields(t *testing.T) {
	for _, field := range []string{"name", "revision", "created_at", "updated_at"} {
		_, err := ParsePatch(domaintest.JSON(t, `{"`+field+`":"x"}`))
		if domaintest.Code(err) != 2001 || err.Error() != field+": is read-only" {
			t.Errorf("ParsePatch(%s) = %v, want that it is read-only", field, err)
		}
	}
}
