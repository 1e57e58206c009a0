package identity

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"orgd/domain/domaintest"
	"orgd/domain/jsondoc"
)

// Every content has one canonical text, which reads back as the same content.
func TestCanonicalRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := contents().Draw(t, "content")
		text := c.Canonical()
		v, err := jsondoc.Parse(text)
		if err != nil {
			t.Fatalf("Canonical is no JSON: %v", err)
		}
		if diff := cmp.Diff(v.String(), string(text)); diff != "" {
			t.Errorf("Canonical is not canonical (-want +got):\n%s", diff)
		}
		if err := c.Check(); err != nil {
			t.Errorf("Check = %v, want nil", err)
		}
		got, err := Parse(text)
		if err != nil {
			t.Fatalf("Parse = %v", err)
		}
		if diff := cmp.Diff(c, got); diff != "" {
			t.Errorf("Parse(Canonical) (-want +got):\n%s", diff)
		}
		if got.Hash() != c.Hash() {
			t.Errorf("Hash = %s, want %s", got.Hash(), c.Hash())
		}
	})
}

// The text and the hash of a content are part of the published interface and of
// every stored version. They change with the schema only.
func TestCanonicalGolden(t *testing.T) {
	want, err := os.ReadFile("testdata/canonical.json")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.TrimSpace(string(want)), example().Canonical()); diff != "" {
		t.Errorf("Canonical (-want +got):\n%s", diff)
	}
	const hash = "db8004ff6b9fedc325e7a62eec408812cab531c895a44a170338e89d575c33f7"
	if got := example().Hash(); got != hash {
		t.Errorf("Hash = %s, want %s", got, hash)
	}
}

func TestDefault(t *testing.T) {
	const want = `{"authority":{"budget_limit":0,"can_approve":[],"can_delegate_to":[],"reports_to":null},` +
		`"autonomy_level":null,"department":"","description":"","hiring_date":"","id":"","instructions":"",` +
		`"level":"mid","memory":{"retention_days":null,"retention_overrides":[],"type":"session"},"metadata":{},` +
		`"model":null,"name":"","personality":{"agreeableness":0.5,"collaboration":"team",` +
		`"communication_style":"neutral","conflict_approach":"collaborate","conscientiousness":0.5,` +
		`"creativity":"medium","decision_making":"consultative","description":"","extraversion":0.5,` +
		`"openness":0.5,"risk_tolerance":"medium","stress_response":0.5,"traits":[],"verbosity":"balanced"},` +
		`"role":"","skills":{"primary":[],"secondary":[]},"status":"active","strategic_output_mode":null,` +
		`"tools":{"access_level":"standard","allowed":[],"denied":[],"mcp_capabilities":[],"sub_constraints":null}}`
	if diff := cmp.Diff(want, Default().Canonical()); diff != "" {
		t.Errorf("Default().Canonical() (-want +got):\n%s", diff)
	}
}

// Parts that are left out of a part that is given get their defaults.
func TestDefaultsOfParts(t *testing.T) {
	for _, tc := range []struct{ path, given, want string }{
		{"model", `{"provider":"p","model_id":"m"}`,
			`{"fallback_model":null,"max_tokens":4096,"model_id":"m","model_tier":null,"provider":"p","temperature":0.7}`},
		{"skills.primary", `[{"id":"i","name":"n"}]`,
			`[{"description":"","id":"i","input_modes":["text/plain"],"name":"n","output_modes":["text/plain"],"proficiency":1,"tags":[]}]`},
		{"skills.primary", `[{"id":"i","name":"n","input_modes":[],"output_modes":["a/b"]}]`,
			`[{"description":"","id":"i","input_modes":[],"name":"n","output_modes":["a/b"],"proficiency":1,"tags":[]}]`},
		{"tools.sub_constraints", `{}`,
			`{"code_execution":"containerized","file_system":"workspace_only","git":"local_only","network":"none",` +
				`"network_allowlist":[],"requires_approval":[],"terminal":"none"}`},
		{"metadata", `{}`, `{}`},
	} {
		c, err := merge(t, Default(), at(tc.path, tc.given))
		if err != nil {
			t.Errorf("merge(%s) = %v", at(tc.path, tc.given), err)
			continue
		}
		got := get(parse(t, c.Canonical()), tc.path).String()
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", at(tc.path, tc.given), diff)
		}
	}
}

// What an older schema wrote lacks newer members, at any depth.
func TestParseOlderSchema(t *testing.T) {
	const old = `{"id":"0190a1b2-0000-7000-8000-000000000001","name":"Ada","role":"Engineer","department":"Platform",
		"hiring_date":"2026-01-31","personality":{"openness":1},"model":{"provider":"p","model_id":"m"},
		"skills":{"primary":[{"id":"go","name":"Go"}]}}`
	want := Default()
	want.ID, want.Name, want.Role, want.Department = "0190a1b2-0000-7000-8000-000000000001", domaintest.Name("Ada"), "Engineer", domaintest.Name("Platform")
	want.HiringDate = "2026-01-31"
	want.Personality.Openness = "1"
	want.Model = &Model{Provider: "p", ModelID: "m", Temperature: "0.7", MaxTokens: 4096}
	want.Skills.Primary = []Skill{{
		ID: "go", Name: "Go", InputModes: []string{"text/plain"}, OutputModes: []string{"text/plain"}, Proficiency: "1",
	}}
	got, err := Parse([]byte(old))
	if err != nil {
		t.Fatalf("Parse = %v", err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Parse (-want +got):\n%s", diff)
	}
}

// A stored free-form object is what it is; its nulls are not a merge.
func TestParseKeepsNulls(t *testing.T) {
	c := example()
	c.Metadata = `{"a":null,"b":{"c":null}}`
	got, err := Parse(c.Canonical())
	if err != nil {
		t.Fatalf("Parse = %v", err)
	}
	if got.Metadata != c.Metadata {
		t.Errorf("Metadata = %s, want %s", got.Metadata, c.Metadata)
	}
}

func TestParseRefusesDamage(t *testing.T) {
	for _, text := range []string{``, `null`, `[]`, `{"level":"boss"}`, `{"colour":1}`, example().Canonical() + `x`} {
		if _, err := Parse([]byte(text)); err == nil || !strings.HasPrefix(err.Error(), "identity: parse: ") {
			t.Errorf("Parse(%.30s) = %v, want an error of this package", text, err)
		}
	}
}

func TestSummaryLeavesOutInstructions(t *testing.T) {
	head, tail := WithoutInstructions(example().Canonical())
	want := strings.Replace(example().Canonical(), `"instructions":"Be kind.\nBe brief.",`, "", 1)
	if diff := cmp.Diff(want, "{"+head+","+tail+"}"); diff != "" {
		t.Errorf("WithoutInstructions (-want +got):\n%s", diff)
	}
}

// The texts are those of the agent, whatever its metadata, skills and other texts hold.
func TestTextsIn(t *testing.T) {
	const hostile = `,"role":"x","description":"x","instructions":"x"`
	for _, want := range []Content{example(), Default(), func() Content {
		c := example()
		c.Role, c.Description, c.Instructions = `"`+hostile, `\`+hostile+`\"`, "\r\n\u0000\u2028"+hostile
		c.Authority.CanApprove, c.Personality.Traits = []string{hostile}, []string{hostile}
		c.Metadata = jsondoc.Object(parse(t, `{"a":1`+hostile+`,"b":[{"c":1`+hostile+`}]}`).String())
		c.Skills.Secondary, c.Tools.Allowed = []Skill{{ID: "x", Description: hostile}}, []string{hostile, `"role":"x"`}
		return c
	}()} {
		canonical := want.Canonical()
		if role, description, instructions, err := TextsIn(canonical, func(string) bool { return false }); role+description+instructions != "" || err != nil {
			t.Errorf("TextsIn of what is not wanted = %q, %q, %q, %v", role, description, instructions, err)
		}
		role, description, instructions, err := TextsIn(canonical, func(string) bool { return true })
		if role != want.Role || description != want.Description || instructions != want.Instructions || err != nil {
			t.Errorf("TextsIn = %q, %q, %q, %v, want those of %+v", role, description, instructions, err, want)
		}
	}
}

func TestDateOf(t *testing.T) {
	early := time.Date(2026, 2, 1, 0, 30, 0, 0, time.FixedZone("", 3600))
	if got := DateOf(early); got != "2026-01-31" {
		t.Errorf("DateOf(%v) = %s, want the UTC day", early, got)
	}
}

func TestLevels(t *testing.T) {
	for i, l := range levels {
		for j, m := range levels {
			if got := l.Compare(m); (got < 0) != (i < j) || (got == 0) != (i == j) {
				t.Errorf("%s.Compare(%s) = %d", l, m, got)
			}
		}
	}
}

func TestWords(t *testing.T) {
	for _, l := range levels {
		if got, err := ParseLevel(string(l)); got != l || err != nil {
			t.Errorf("ParseLevel(%q) = %q, %v", l, got, err)
		}
	}
	for _, s := range statuses {
		if got, err := ParseStatus(string(s)); got != s || err != nil {
			t.Errorf("ParseStatus(%q) = %q, %v", s, got, err)
		}
	}
	_, err := ParseStatus("Active")
	if want := "status: must be one of active, onboarding, on_leave, terminated"; err == nil || err.Error() != want || domaintest.Code(err) != 2001 {
		t.Errorf("ParseStatus(Active) = %v, want 2001 %q", err, want)
	}
	if _, err := ParseLevel(""); domaintest.Code(err) != 2001 {
		t.Errorf("ParseLevel() = %v, want 2001", err)
	}
}

func TestVersions(t *testing.T) {
	at := time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)
	first := First(example(), "ada", at)
	want := Version{Number: 1, Content: example(), Text: example().Canonical(), Hash: example().Hash(), SavedBy: "ada", SavedAt: at}
	if diff := cmp.Diff(want, first); diff != "" {
		t.Errorf("First (-want +got):\n%s", diff)
	}
	first.RestoredFrom, first.Reason = new(int64(9)), new("why")
	c := example()
	c.Role = "Lead"
	want = Version{Number: 2, Content: c, Text: c.Canonical(), Hash: c.Hash(), SavedBy: "bob", SavedAt: at.Add(1)}
	if diff := cmp.Diff(want, first.Next(c, "bob", at.Add(1))); diff != "" {
		t.Errorf("Next (-want +got):\n%s", diff)
	}
}
