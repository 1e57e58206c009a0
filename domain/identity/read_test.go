package identity

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"orgd/domain/domaintest"
	"orgd/domain/jsondoc"
)

const (
	model = `{"provider":"p","model_id":"m","temperature":0.5,"max_tokens":9,"fallback_model":"f","model_tier":"small"}`
	uuid  = "0190a1b2-0000-7000-8000-00000000000a"
)

// field is one member of the document with the rule that it obeys.
type field struct {
	path string
	rule rule
}

// rule lists values that a member takes and values that it refuses.
type rule struct{ good, bad []string }

// chars is a string of min to max code points.
func chars(min, max int) rule {
	r := rule{
		good: []string{quote("é", max), quote("x", max)},
		bad:  []string{quote("é", max+1), `null`, `7`, `["x"]`},
	}
	if min == 0 {
		r.good = append(r.good, `""`)
	} else {
		r.bad = append(r.bad, `""`)
	}
	return r
}

func quote(s string, n int) string { return strconv.Quote(strings.Repeat(s, n)) }

// orNull is the rule of a member that may also be null.
func orNull(r rule) rule {
	bad := []string{}
	for _, b := range r.bad {
		if b != `null` {
			bad = append(bad, b)
		}
	}
	return rule{append([]string{`null`}, r.good...), bad}
}

func word(words ...string) rule {
	r := rule{bad: []string{`""`, `null`, `1`, `true`, strconv.Quote(strings.ToUpper(words[0])), strconv.Quote(words[0] + " ")}}
	for _, w := range words {
		r.good = append(r.good, strconv.Quote(w))
	}
	return r
}

// number is a number from low to high of any precision.
func number(low, high string) rule {
	return rule{
		good: []string{low, high, "0.5000", "0.12345678901234567890123456789012345678"},
		bad:  []string{"-0.0000001", high + ".0000001", "1e400", `null`, `"0.5"`, `true`},
	}
}

func count() rule {
	return rule{
		good: []string{"1", "1e2", "2.0", "9007199254740991"},
		bad:  []string{"0", "-1", "1.5", "9007199254740992", "1e99", `null`, `"1"`},
	}
}

// list is an array of different strings of 1 to 256 code points.
func list(max int) rule {
	items := func(n int) string {
		texts := make([]string, n)
		for i := range texts {
			texts[i] = fmt.Sprintf(`"i%d"`, i)
		}
		return "[" + strings.Join(texts, ",") + "]"
	}
	return rule{
		good: []string{`[]`, `["b","a","A"]`, items(max), `[` + quote("é", 256) + `]`},
		bad:  []string{`["a","b","a"]`, items(max + 1), `[""]`, `[` + quote("x", 257) + `]`, `[1]`, `[null]`, `null`, `"a"`, `{}`},
	}
}

func money9() rule {
	return rule{
		good: []string{"0", "999999999.999999999", "0.000000001", "1e3"},
		bad:  []string{"-1", "1000000000", "0.0000000001", `null`, `"1"`},
	}
}

func free(max int) rule {
	return rule{
		good: []string{`{}`, `{"$ne":1,"a.b":{"":[9007199254740993,null]}}`, `{"k":` + quote("x", max-8) + `}`},
		bad:  []string{`{"k":` + quote("x", max-7) + `}`, `null`, `[]`, `"{}"`},
	}
}

func object() rule { return rule{bad: []string{`null`, `[]`, `"x"`, `{"colour":1}`}} }

var fields = []field{
	{"name", rule{
		good: []string{`"Ada"`, quote("é", 128), `"a/b.c"`},
		bad: []string{`""`, `"  "`, quote("x", 129), `"."`, `".."`, `"a\u0000b"`, `"a\u200bb"`,
			`"` + uuid + `"`, `null`, `1`},
	}},
	{"role", chars(1, 128)},
	{"department", rule{good: []string{`"Ops"`, quote("é", 128)}, bad: []string{`""`, quote("x", 129), `null`, `1`}}},
	{"description", chars(0, 8192)},
	{"level", word("junior", "mid", "senior", "lead", "principal", "director", "vp", "c_suite")},
	{"status", word("active", "onboarding", "on_leave", "terminated")},
	{"autonomy_level", orNull(word("locked", "supervised", "semi", "full"))},
	{"strategic_output_mode", orNull(word("option_expander", "advisor", "decision_maker", "context_dependent"))},
	{"instructions", rule{
		good: []string{`""`, quote("x", 128<<10), quote("é", 64<<10)},
		bad:  []string{quote("x", 128<<10+1), quote("é", 64<<10+1), quote("é", 128<<10), `null`, `1`},
	}},
	{"metadata", free(16 << 10)},

	{"personality", object()},
	{"personality.traits", list(256)},
	{"personality.communication_style", chars(1, 100)},
	{"personality.description", chars(0, 500)},
	{"personality.risk_tolerance", word("low", "medium", "high")},
	{"personality.creativity", word("low", "medium", "high")},
	{"personality.openness", number("0", "1")},
	{"personality.conscientiousness", number("0", "1")},
	{"personality.extraversion", number("0", "1")},
	{"personality.agreeableness", number("0", "1")},
	{"personality.stress_response", number("0", "1")},
	{"personality.decision_making", word("analytical", "intuitive", "consultative", "directive")},
	{"personality.collaboration", word("independent", "pair", "team")},
	{"personality.verbosity", word("terse", "balanced", "verbose")},
	{"personality.conflict_approach", word("avoid", "accommodate", "compete", "compromise", "collaborate")},

	{"skills", object()},
	{"skills.primary", rule{
		good: []string{`[]`},
		bad: []string{`null`, `{}`, `[1]`, `[null]`, `[{"id":"a"}]`, `[{"name":"a"}]`, `[{"id":"a","name":"b","colour":1}]`,
			`[{"id":"a","name":"b"},{"id":"a","name":"c"}]`, skillList(257)},
	}},
	{"skills.secondary", rule{good: []string{`[]`}, bad: []string{`null`, skillList(257)}}},

	{"model", rule{good: []string{`null`, model}, bad: []string{`"m"`, `[]`, `{"colour":1}`}}},
	{"model.provider", chars(1, 256)},
	{"model.model_id", chars(1, 256)},
	{"model.temperature", number("0", "2")},
	{"model.max_tokens", count()},
	{"model.fallback_model", orNull(chars(1, 256))},
	{"model.model_tier", orNull(word("large", "medium", "small"))},

	{"memory", object()},
	{"memory.type", word("persistent", "project", "session", "none")},
	{"memory.retention_days", orNull(count())},
	{"memory.retention_overrides", rule{
		good: []string{`[]`, `[{"category":"working","retention_days":1},{"category":"episodic","retention_days":1},` +
			`{"category":"semantic","retention_days":1},{"category":"procedural","retention_days":1},` +
			`{"category":"social","retention_days":1},{"category":"project_doc","retention_days":1},` +
			`{"category":"knowledge","retention_days":9007199254740991}]`},
		bad: []string{`null`, `[{"category":"working"}]`, `[{"retention_days":1}]`,
			`[{"category":"working","retention_days":0}]`, `[{"category":"other","retention_days":1}]`,
			`[{"category":"working","retention_days":1},{"category":"working","retention_days":2}]`},
	}},

	{"tools", object()},
	{"tools.access_level", word("sandboxed", "restricted", "standard", "elevated", "custom")},
	{"tools.allowed", list(256)},
	{"tools.denied", list(256)},
	{"tools.mcp_capabilities", list(256)},
	{"tools.sub_constraints", rule{good: []string{`null`}, bad: []string{`[]`, `"x"`, `{"colour":1}`}}},
	{"tools.sub_constraints.file_system", word("workspace_only", "project_directory", "full")},
	{"tools.sub_constraints.network", word("none", "allowlist_only", "open")},
	{"tools.sub_constraints.git", word("local_only", "read_and_branch", "full")},
	{"tools.sub_constraints.code_execution", word("containerized", "process")},
	{"tools.sub_constraints.terminal", word("none", "restricted_commands", "full")},
	{"tools.sub_constraints.requires_approval", list(256)},
	{"tools.sub_constraints.network_allowlist", list(256)},

	{"authority", object()},
	{"authority.can_approve", list(256)},
	{"authority.reports_to", rule{
		good: []string{`null`, `"Ada"`, `"` + uuid + `"`, quote("é", 128)},
		bad:  []string{`""`, `" "`, `"."`, quote("x", 129), `1`, `{}`},
	}},
	{"authority.can_delegate_to", rule{
		good: []string{`[]`, `["Ada","` + uuid + `"]`},
		bad:  []string{`null`, `"Ada"`, `["Ada","Ada"]`, `[".."]`, `[""]`, `[` + quote("x", 129) + `]`},
	}},
	{"authority.budget_limit", money9()},
}

// skillFields are the members of one skill.
var skillFields = []field{
	{"id", chars(1, 256)},
	{"name", chars(1, 256)},
	{"description", chars(0, 256)},
	{"tags", list(256)},
	{"input_modes", list(256)},
	{"output_modes", list(256)},
	{"proficiency", number("0", "1")},
}

func skillList(n int) string {
	items := make([]string, n)
	for i := range items {
		items[i] = fmt.Sprintf(`{"id":"i%d","name":"n"}`, i)
	}
	return "[" + strings.Join(items, ",") + "]"
}

// A good value comes back as it is, a bad one is refused with its path.
func TestFields(t *testing.T) {
	for _, f := range fields {
		t.Run(f.path, func(t *testing.T) {
			for _, value := range f.rule.good {
				c, err := merge(t, Default(), at(f.path, value))
				if err != nil {
					t.Errorf("%.60s refused: %v", value, err)
					continue
				}
				got := get(parse(t, c.Canonical()), f.path)
				if want := parse(t, value); !got.Equal(want) {
					t.Errorf("%.60s came back as %.60s", value, got)
				}
			}
			for _, value := range f.rule.bad {
				_, err := merge(t, example(), at(f.path, value))
				if domaintest.Code(err) != 2001 || !strings.HasPrefix(err.Error(), f.path) || strings.Contains(err.Error(), "; ") {
					t.Errorf("%.60s: error = %v, want one problem at %s", value, err, f.path)
				}
			}
		})
	}
}

func TestSkillFields(t *testing.T) {
	skill := func(field, value string) string {
		members := map[string]string{"id": `"i"`, "name": `"n"`, field: value}
		text := ""
		for name, value := range members {
			text += `,"` + name + `":` + value
		}
		return at("skills.secondary", `[{`+text[1:]+`}]`)
	}
	for _, f := range skillFields {
		for _, value := range f.rule.good {
			c, err := merge(t, Default(), skill(f.path, value))
			if err != nil {
				t.Errorf("%s %.60s refused: %v", f.path, value, err)
				continue
			}
			got, _ := get(parse(t, c.Canonical()), "skills.secondary").Items()[0].Get(f.path)
			if want := parse(t, value); !got.Equal(want) {
				t.Errorf("%s %.60s came back as %.60s", f.path, value, got)
			}
		}
		for _, value := range f.rule.bad {
			_, err := merge(t, Default(), skill(f.path, value))
			if value == "null" && f.path != "id" && f.path != "name" { // nothing is said of it
				if err != nil {
					t.Errorf("%s null refused: %v", f.path, err)
				}
				continue
			}
			if domaintest.Code(err) != 2001 || !strings.HasPrefix(err.Error(), "skills.secondary[0]."+f.path) {
				t.Errorf("%s %.60s: error = %v, want a problem there", f.path, value, err)
			}
		}
	}
}

func TestUnknownAndReadOnlyFields(t *testing.T) {
	for _, path := range []string{
		"colour", "Name", "id", "hiring_date", "version", "personality.Openness", "model.tier", "tools.sub_constraints.x",
	} {
		_, err := merge(t, example(), at(path, `"x"`))
		if domaintest.Code(err) != 2001 || !strings.HasPrefix(err.Error(), path+": unknown field") {
			t.Errorf("%s: error = %v, want an unknown field", path, err)
		}
	}
}

func TestReadNamesEveryProblem(t *testing.T) {
	_, err := merge(t, Default(), `{"role":"","level":"boss","memory":{"retention_days":0},"skills":{"primary":[{"id":""}]}}`)
	want := []string{"role: ", "level: ", "skills.primary[0].id: ", "skills.primary[0].name: is required", "memory.retention_days: "}
	for _, w := range want {
		if domaintest.Code(err) != 2001 || !strings.Contains(err.Error(), w) {
			t.Errorf("error = %v, want %q in it", err, w)
		}
	}
}

func TestHiringDate(t *testing.T) {
	read := func(text string) (Date, error) {
		c := Content{HiringDate: "2026-01-31"}
		return c.HiringDate, jsondoc.Read(parse(t, text), c.ReadHiringDate)
	}
	c := Content{HiringDate: "2026-01-31"}
	if err := jsondoc.Read(parse(t, `{"hiring_date":"2024-02-29"}`), c.ReadHiringDate); err != nil || c.HiringDate != "2024-02-29" {
		t.Errorf("ReadHiringDate = %q, %v, want 2024-02-29", c.HiringDate, err)
	}
	if got, err := read(`{}`); got != "2026-01-31" || err != nil {
		t.Errorf("ReadHiringDate of nothing = %q, %v, want what was there", got, err)
	}
	for _, value := range []string{
		`""`, `1`, `"2026-02-29"`, `"2026-1-31"`, `"31.01.2026"`, `"2026-01-31T00:00:00Z"`, `" 2026-01-31"`, `"+026-01-31"`,
	} {
		_, err := read(`{"hiring_date":` + value + `}`)
		if want := "hiring_date: must be a date such as 2026-01-31"; domaintest.Code(err) != 2001 || err.Error() != want {
			t.Errorf("ReadHiringDate(%s) = %v, want %q", value, err, want)
		}
	}
}

func TestMergeModel(t *testing.T) {
	full := Model{
		Provider: "p", ModelID: "m", Temperature: "0.5", MaxTokens: 9,
		FallbackModel: new("f"), Tier: new(Tier("small")),
	}
	with := func(change func(*Model)) *Model {
		m := full
		change(&m)
		return &m
	}
	for _, tc := range []struct {
		what   string
		before *Model
		patch  string
		want   *Model
	}{
		{"nothing", &full, `{}`, &full},
		{"an empty object", &full, `{"model":{}}`, &full},
		{"null", &full, `{"model":null}`, nil},
		{"null on null", nil, `{"model":null}`, nil},
		{"one field", &full, `{"model":{"temperature":1}}`, with(func(m *Model) { m.Temperature = "1" })},
		{"null fields", &full, `{"model":{"fallback_model":null,"model_tier":null}}`,
			with(func(m *Model) { m.FallbackModel, m.Tier = nil, nil })},
		{"short form keeps the rest", &full, `{"model_provider":"q","model_id":"n"}`,
			with(func(m *Model) { m.Provider, m.ModelID = "q", "n" })},
		{"null beside the short form", &full, `{"model":null,"model_provider":"q","model_id":"n"}`,
			with(func(m *Model) { m.Provider, m.ModelID = "q", "n" })},
		{"null beside the short form on null", nil, `{"model_provider":"q","model_id":"n","model":null}`,
			&Model{Provider: "q", ModelID: "n", Temperature: "0.7", MaxTokens: 4096}},
		{"short form on null", nil, `{"model_provider":"q","model_id":"n"}`,
			&Model{Provider: "q", ModelID: "n", Temperature: "0.7", MaxTokens: 4096}},
		{"object on null", nil, `{"model":{"provider":"q","model_id":"n"}}`,
			&Model{Provider: "q", ModelID: "n", Temperature: "0.7", MaxTokens: 4096}},
	} {
		c, err := merge(t, Content{Model: tc.before}, tc.patch)
		if diff := cmp.Diff(tc.want, c.Model); diff != "" || err != nil {
			t.Errorf("%s: error %v, model (-want +got):\n%s", tc.what, err, diff)
		}
	}
	for _, patch := range []string{`{"model_provider":null,"model_id":"m"}`, `{"model_provider":"p","model_id":""}`} {
		if _, err := merge(t, Default(), patch); domaintest.Code(err) != 2001 {
			t.Errorf("merge(%s) = %v, want 2001", patch, err)
		}
	}
}

// Nested objects are merged, arrays are replaced, null clears what may be null.
func TestMerge(t *testing.T) {
	for _, tc := range []struct {
		patch string
		want  func(*Content)
	}{
		{`{}`, func(*Content) {}},
		{`{"personality":{},"skills":{},"memory":{},"tools":{},"authority":{},"metadata":{}}`, func(*Content) {}},
		{`{"personality":{"traits":["bold"]}}`, func(c *Content) { c.Personality.Traits = []string{"bold"} }},
		{`{"personality":{"traits":[]}}`, func(c *Content) { c.Personality.Traits = nil }},
		{`{"skills":{"secondary":[]}}`, func(c *Content) { c.Skills.Secondary = nil }},
		{`{"memory":{"retention_days":null}}`, func(c *Content) { c.Memory.RetentionDays = nil }},
		{`{"tools":{"sub_constraints":{"network":"open","requires_approval":[]}}}`, func(c *Content) {
			s := *c.Tools.Constraints
			s.Network, s.RequiresApproval = "open", nil
			c.Tools.Constraints = &s
		}},
		{`{"tools":{"sub_constraints":null}}`, func(c *Content) { c.Tools.Constraints = nil }},
		{`{"authority":{"reports_to":null}}`, func(c *Content) { c.Authority.ReportsTo = nil }},
		{`{"autonomy_level":null,"strategic_output_mode":null}`, func(c *Content) { c.Autonomy, c.OutputMode = nil, nil }},
		{`{"metadata":{"$ne":null,"new":{"x":null,"y":1}}}`, func(c *Content) {
			c.Metadata = `{"":{"a.b":9007199254740993},"new":{"y":1}}`
		}},
		{`{"metadata":{"":{"a.b":9007199254740992.0}}}`, func(c *Content) {
			c.Metadata = `{"":{"a.b":9007199254740992},"$ne":[1,null]}`
		}},
		{`{"name":" ADA "}`, func(c *Content) { c.Name = domaintest.Name("ADA") }},
	} {
		want := example()
		tc.want(&want)
		got, err := merge(t, example(), tc.patch)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("merge(%s): error %v (-want +got):\n%s", tc.patch, err, diff)
		}
	}
}

// A content is shared by everybody who has read it, so a merge writes to
// nothing that it points to.
func TestMergeLeavesTheOldValueAlone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		before, patch := contents().Draw(t, "content"), contents().Draw(t, "patch")
		want := before.Canonical()
		v, err := jsondoc.Parse(patch.Canonical())
		if err != nil {
			t.Fatal(err)
		}
		next := before
		err = jsondoc.Read(v, func(r *jsondoc.Reader) {
			r.Has("id")
			r.Has("hiring_date")
			next.Read(r)
		})
		if err != nil {
			t.Fatalf("Read = %v", err)
		}
		if err := next.ResolveReferences(nil); err != nil {
			t.Fatalf("ResolveReferences = %v", err)
		}
		if got := before.Canonical(); got != want {
			t.Errorf("the value before the merge has changed (-want +got):\n%s", cmp.Diff(want, got))
		}
	})
}

// A merge of a whole content leaves nothing of the old one but free-form keys.
func TestMergeOfEverything(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		before, want := contents().Draw(t, "content"), contents().Draw(t, "patch")
		before.ID, before.HiringDate = want.ID, want.HiringDate
		v, err := jsondoc.Parse(want.Canonical())
		if err != nil {
			t.Fatal(err)
		}
		got := before
		if err := jsondoc.ReadWhole(v, func(r *jsondoc.Reader) {
			r.Has("id")
			r.Has("hiring_date")
			got.Read(r)
		}); err != nil {
			t.Fatalf("ReadWhole = %v", err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("merge of everything (-want +got):\n%s", diff)
		}
	})
}
