package agent

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"orgd/domain/domaintest"
	"orgd/domain/fault"
	"orgd/domain/jsondoc"
)

func TestParse(t *testing.T) {
	p := parseNew(t, ada(`"authority":{"reports_to":"Bob","can_delegate_to":["Eve"," bob "]}`))
	if p.Name() == nil || p.Name().Key != "ada" || p.Department() == nil || p.Department().Key != "platform" {
		t.Errorf("patch names %v in %v, want ada in platform", p.Name(), p.Department())
	}
	if diff := cmp.Diff([]string{"Eve", " bob ", "Bob"}, p.References()); diff != "" {
		t.Errorf("References (-want +got):\n%s", diff)
	}
	p = patch(t, `{}`)
	if p.Name() != nil || p.Department() != nil || len(p.References()) != 0 {
		t.Errorf("the empty patch names %v, %v, %v", p.Name(), p.Department(), p.References())
	}
}

// What is wrong by itself is 2001, what needs several fields is 2000; both are
// found without the agent.
func TestParseRefuses(t *testing.T) {
	for _, tc := range []struct {
		text string
		code fault.Code
		want string
	}{
		{`[]`, 2001, "the document must be an object"},
		{`{"colour":1}`, 2001, "colour: unknown field"},
		{`{"Level":"mid"}`, 2001, `Level: unknown field, did you mean "level"?`},
		{`{"version":1}`, 2001, "version: is read-only"},
		{`{"revision":1}`, 2001, "revision: is read-only"},
		{`{"created_at":"2026-01-31T00:00:00Z"}`, 2001, "created_at: is read-only"},
		{`{"id":"` + adaID + `"}`, 2001, "id: is read-only"},
		{`{"personality_preset":""}`, 2001, "personality_preset: "},
		{`{"personality_preset":"` + strings.Repeat("x", 257) + `"}`, 2001, "personality_preset: "},
		{`{"tier":"huge"}`, 2001, "tier: must be one of large, medium, small"},
		{`{"model_requirement":[]}`, 2001, "model_requirement: must be an object"},
		{`{"owner":""}`, 2001, "owner: must be 1 to 128 characters"},
		{`{"owner":"` + strings.Repeat("😀", 129) + `"}`, 2001, "owner: must be 1 to 128 characters"},
		{`{"owner":" ann"}`, 2001, "owner: must be 1 to 128 characters, without control characters and surrounding white space"},
		{`{"owner":"a\u0000b"}`, 2001, "owner: must not contain the control character U+0000"},
		{`{"owner":"a\u202eb"}`, 2001, "owner: must not contain the invisible format character U+202E"},
		{`{"owner":["ann"]}`, 2001, "owner: must be a string"},
		{`{"tags":"a"}`, 2001, "tags: must be an array of strings"},
		{`{"tags":["a","A"]}`, 2001, "tags[1]: must be a small letter or a digit, and at most 62 small letters, digits and . _ - behind it"},
		{`{"tags":["a","b","a"]}`, 2001, "tags[2]: must not repeat item 0"},
		{`{"tags":["0","1","2","3","4","5","6","7","8","9","a","b","c","d","e","f","g"]}`, 2001, "tags: must have at most 16 items, not 17"},
		{`{"model_requirement":{"k":"` + strings.Repeat("x", 16<<10) + `"}}`, 2001, "model_requirement: must be at most 16384 bytes"},
		{`{"model_provider":""}`, 2001, "model_provider: "},
		{`{"authority":{"can_delegate_to":["a","a"]}}`, 2001, "authority.can_delegate_to[1]: "},

		{`{"level":"junior","autonomy_level":"full"}`, 2000, "autonomy_level: "},
		{`{"model_provider":"p"}`, 2000, "model_provider, model_id: give both or neither"},
		{`{"model_id":"p"}`, 2000, "model_provider, model_id: give both or neither"},
		{`{"model_provider":"p","model_id":"m","model":{}}`, 2000, "model: give either"},
		{`{"model_provider":"p","model":null}`, 2000, "model_provider, model_id: give both or neither"},
	} {
		_, err := ParsePatch(domaintest.JSON(t, tc.text))
		if domaintest.Code(err) != tc.code || !strings.HasPrefix(err.Error(), tc.want) {
			t.Errorf("ParsePatch(%.60s) = %v, want %d %q", tc.text, err, tc.code, tc.want)
		}
		if !strings.HasPrefix(tc.text, "{") {
			continue
		}
		_, err = ParseNew(domaintest.JSON(t, ada(tc.text[1:len(tc.text)-1])))
		if domaintest.Code(err) != tc.code || !strings.HasPrefix(err.Error(), tc.want) {
			t.Errorf("ParseNew(… %.60s) = %v, want %d %q", tc.text, err, tc.code, tc.want)
		}
	}
}

func TestParseNewRefuses(t *testing.T) {
	for _, tc := range []struct {
		text string
		code fault.Code
		want string
	}{
		{`{}`, 2001, "name: is required; role: is required; department: is required"},
		{`{"name":"Ada","department":"Ops"}`, 2001, "role: is required"},
		{ada(`"hiring_date":"yesterday"`), 2001, "hiring_date: "},
		{ada(`"model":{"temperature":1}`), 2000, "model: provider and model_id are both required"},
		{ada(`"model":{"provider":"p"}`), 2000, "model: provider and model_id are both required"},
	} {
		_, err := ParseNew(domaintest.JSON(t, tc.text))
		if domaintest.Code(err) != tc.code || !strings.HasPrefix(err.Error(), tc.want) {
			t.Errorf("ParseNew(%s) = %v, want %d %q", tc.text, err, tc.code, tc.want)
		}
	}
	_, err := ParsePatch(domaintest.JSON(t, `{"hiring_date":"2026-01-31"}`))
	if domaintest.Code(err) != 2001 || err.Error() != "hiring_date: is read-only" {
		t.Errorf("ParsePatch(hiring_date) = %v, want that it is read-only", err)
	}
	_, err = ParsePatch(domaintest.JSON(t, `{"tags":null}`)) // as with other lists
	if domaintest.Code(err) != 2001 || err.Error() != "tags: must not be null" {
		t.Errorf("ParsePatch(tags null) = %v, want that they must not be null", err)
	}
	if _, err := ParsePatch(domaintest.JSON(t, `{"model_id":"m"}`)); !errors.Is(err, ErrShortForm) {
		t.Errorf("ParsePatch(model_id) = %v, want ErrShortForm", err)
	}
}

// A change that is fine for some agent is not refused before that agent is
// known.
func TestParsePatchWaitsForTheState(t *testing.T) {
	for _, text := range []string{
		`{"level":"junior"}`, `{"autonomy_level":"full"}`, `{"model":{"temperature":1}}`, `{"model":{}}`, `{"model":null}`,
		`{"model":{"provider":"p"}}`, `{"model_provider":"p","model_id":"m"}`,
		`{"model_provider":"p","model_id":"m","model":null}`, `{"memory":{"type":"none"}}`,
		`{"memory":{"retention_days":1}}`, `{"tools":{"denied":["a"]}}`, `{"authority":{"reports_to":"Eve"}}`, `{"status":"terminated"}`,
	} {
		if _, err := ParsePatch(domaintest.JSON(t, text)); err != nil {
			t.Errorf("ParsePatch(%s) = %v, want nil", text, err)
		}
	}
}

func TestWrite(t *testing.T) {
	a := hire(t, `"tier":"large","model_requirement":{"b":1,"a":2}`)
	a.Version, a.Revision = 3, 4
	write := func(f func(*jsondoc.Writer)) string {
		w := jsondoc.NewWriter(nil)
		w.Open()
		f(w)
		w.Close()
		return string(w.Bytes())
	}
	head := strings.TrimSuffix(a.Identity.Canonical(), "}")
	want := head + `,"model_requirement":{"a":2,"b":1},"personality_preset":null,"tier":"large","owner":null,"tags":[],"version":3,"revision":4,` +
		`"created_at":"2026-01-31T23:59:59.999Z","updated_at":"2026-01-31T23:59:59.999Z"}`
	if diff := cmp.Diff(want, write(a.Record().Write)); diff != "" {
		t.Errorf("Write (-want +got):\n%s", diff)
	}
	want = strings.Replace(want, `"instructions":"",`, "", 1)
	if diff := cmp.Diff(want, write(a.Record().WriteSummary)); diff != "" {
		t.Errorf("WriteSummary (-want +got):\n%s", diff)
	}
}
