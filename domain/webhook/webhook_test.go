package webhook

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"orgd/domain/domaintest"
	"orgd/domain/jsondoc"
	"orgd/domain/name"
	"orgd/domain/revision"
)

func TestNew(t *testing.T) {
	want := Webhook{
		ID: hookID, URL: "https://example.com/hook", EventTypes: []string{"fired", "hired"},
		Departments: []name.Name{{Text: "Ops", Key: "ops"}, {Text: "Späti", Key: "späti"}}, Disabled: Requested,
		Since: 7, Secrets: Secrets{Current: secret(1)}, Revision: 1, CreatedAt: dawn, UpdatedAt: dawn,
	}
	got := start(t, `"event_types":["fired","hired"],"departments":[" Ops ","Späti"],"enabled":false`)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("New (-want +got):\n%s", diff)
	}
	want.EventTypes, want.Departments, want.Disabled = nil, nil, ""
	if diff := cmp.Diff(want, start(t, "")); diff != "" {
		t.Errorf("New with a URL only (-want +got):\n%s", diff)
	}
	if tag := (revision.Tag{ID: hookID, Revision: 1}); want.Tag() != tag {
		t.Errorf("Tag = %+v, want %+v", want.Tag(), tag)
	}
	for text, problem := range map[string]string{
		`{}`:                                   "url: is required",
		`[]`:                                   "the document must be an object",
		`{"url":"https://a.example","id":"x"}`: "id: is read-only",
		`{"url":"https://a.example","secret":"x"}`:          "secret: is read-only",
		`{"url":"https://a.example","revision":1}`:          "revision: is read-only",
		`{"url":"https://a.example","disabled_reason":"x"}`: "disabled_reason: is read-only",
	} {
		if _, err := ParseNew(domaintest.JSON(t, text)); domaintest.Code(err) != 2001 || !strings.HasPrefix(err.Error(), problem) {
			t.Errorf("ParseNew(%s) = %v, want 2001 %q", text, err, problem)
		}
	}
}

// A good value comes back as it is, a bad one is refused with its name.
func TestFields(t *testing.T) {
	many := func(n int) string {
		items := make([]string, n)
		for i := range items {
			items[i] = fmt.Sprintf(`"d%d"`, i)
		}
		return "[" + strings.Join(items, ",") + "]"
	}
	for _, f := range []struct {
		name      string
		good, bad []string
	}{
		{"url", []string{
			`"https://example.com"`, `"http://example.com:8080/a%20b?c=d"`, `"https://[2606:4700::1]:443/"`, `"https://xn--spti-moa.example/"`,
			`"https://x.example/` + strings.Repeat("a", 2030) + `"`,
		}, []string{
			`""`, `null`, `1`, `"example.com"`, `"//example.com"`, `"/hook"`, `"ftp://example.com"`, `"HTTPS//example.com"`, `"https:example.com"`,
			`"https://"`, `"https:///x"`, `"https://:443/"`, `"https://u@example.com"`, `"https://u:p@example.com"`, `"https://example.com#f"`, `"https://example.com#"`,
			`"https://example.com:"`, `"https://example.com:0"`, `"https://example.com:65536"`, `"https://example.com:x"`, `"https://exa mple.com"`,
			`"https://example.com/\n"`, `"https://späti.example"`, `"https://[::1"`, `"https://%zz/"`, `"` + strings.Repeat("a", 2049) + `"`,
			`"https://x.example/` + strings.Repeat("a", 2031) + `"`,
		}},
		{"event_types", []string{`[]`, `["hired"]`, `["hired","fired","onboarded","offboarded","status_changed","promoted","demoted","task_started","task_completed","cost_incurred","tool_used","delegation_sent","delegation_received"]`},
			[]string{`null`, `"hired"`, `["Hired"]`, `[""]`, `[1]`, `["hired","hired"]`, `["webhook_test"]`}},
		{"departments", []string{`[]`, `["Ops"]`, many(256)}, []string{`null`, `"Ops"`, `[""]`, `[".."]`, `[1]`, `["Ops","ops"]`, `["Ops","Ops"]`, many(257), `["` + hookID + `"]`}},
		{"enabled", []string{`true`, `false`}, []string{`null`, `"true"`, `1`}},
		{"disabled_reason", nil, []string{`null`, `"gone"`}},
	} {
		for _, value := range f.good {
			w, err := start(t, "").Change(patch(t, `{"`+f.name+`":`+value+`}`), 9, after(1))
			if err != nil {
				t.Errorf("%s: %.80s = %v, want it taken", f.name, value, err)
				continue
			}
			out := jsondoc.NewWriter(nil)
			out.Open()
			w.Write(out)
			out.Close()
			if !strings.Contains(string(out.Bytes()), `"`+f.name+`":`+value) {
				t.Errorf("%s: %.80s is shown in %.200s", f.name, value, out.Bytes())
			}
		}
		for _, value := range f.bad {
			if _, err := ParsePatch(domaintest.JSON(t, `{"`+f.name+`":`+value+`}`)); domaintest.Code(err) != 2001 || !strings.HasPrefix(err.Error(), f.name) {
				t.Errorf("%s: %.80s = %v, want 2001 with its name", f.name, value, err)
			}
		}
	}
}

func TestChange(t *testing.T) {
	w := start(t, `"event_types":["hired"],"departments":["Ops"]`)
	got, err := w.Change(patch(t, `{"url":"http://example.com","event_types":[],"departments":["Lab"]}`), 9, after(5))
	want := w
	want.URL, want.EventTypes, want.Departments = "http://example.com", nil, []name.Name{{Text: "Lab", Key: "lab"}}
	want.Revision, want.UpdatedAt = 2, after(5)
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("Change = %v (-want +got):\n%s", err, diff)
	}
	for _, text := range []string{`{}`, `{"url":"https://example.com/hook","event_types":["hired"],"departments":[" Ops"],"enabled":true}`} {
		got, err := w.Change(patch(t, text), 9, after(9))
		if diff := cmp.Diff(w, got); diff != "" || err != nil {
			t.Errorf("Change(%s) = %v, want no effect (-want +got):\n%s", text, err, diff)
		}
	}
}

// A webhook that is enabled again begins at the end of the log, one that is
// disabled again keeps the first reason.
func TestEnable(t *testing.T) {
	w := start(t, "")
	off, err := w.Change(patch(t, `{"enabled":false}`), 9, after(1))
	if err != nil || off.Enabled() || off.Disabled != Requested || off.Since != 7 || off.Revision != 2 {
		t.Errorf("Change to disabled = %+v, %v", off, err)
	}
	on, err := off.Change(patch(t, `{"enabled":true}`), 12, after(2))
	if err != nil || !on.Enabled() || on.Since != 12 || on.Revision != 3 {
		t.Errorf("Change to enabled = %+v, %v, want it to begin at 12", on, err)
	}
	gone := on.Disable(Gone, after(3))
	if gone.Disabled != Gone || gone.Revision != 4 || !gone.UpdatedAt.Equal(after(3)) {
		t.Errorf("Disable = %+v, want it gone", gone)
	}
	if diff := cmp.Diff(gone, gone.Disable(Failing, after(4))); diff != "" {
		t.Errorf("Disable of a disabled one (-want +got):\n%s", diff)
	}
	kept, err := gone.Change(patch(t, `{"enabled":false}`), 15, after(5))
	if diff := cmp.Diff(gone, kept); diff != "" || err != nil {
		t.Errorf("Change of a disabled one to disabled = %v (-want +got):\n%s", err, diff)
	}
	moved, err := gone.Change(patch(t, `{"url":"https://other.example"}`), 15, after(5))
	if err != nil || moved.Disabled != Gone || moved.Since != 12 {
		t.Errorf("Change of the URL only = %+v, %v, want it disabled as before", moved, err)
	}
}

func TestShown(t *testing.T) {
	w := start(t, `"event_types":["hired"],"departments":["Ops"]`).Disable(Failing, after(1))
	out := jsondoc.NewWriter(nil)
	out.Open()
	w.Write(out)
	out.Close()
	const want = `{"id":"` + hookID + `","url":"https://example.com/hook","event_types":["hired"],"departments":["Ops"],` +
		`"enabled":false,"disabled_reason":"failing","revision":2,"created_at":"2026-01-31T23:59:59.999Z","updated_at":"2026-02-01T00:00:00.000Z"}`
	if diff := cmp.Diff(want, string(out.Bytes())); diff != "" {
		t.Errorf("Write (-want +got):\n%s", diff)
	}
}

func TestRoundTrip(t *testing.T) {
	for _, more := range []string{"", `"enabled":false`, `"event_types":["hired","fired"],"departments":["Ops","` + strings.Repeat("ΐ", 128) + `"]`} {
		w := start(t, more)
		want := w
		want.ID, want.Since, want.Secrets, want.Revision, want.CreatedAt, want.UpdatedAt = "", 0, Secrets{}, 0, time.Time{}, time.Time{}
		got, err := Parse(w.Canonical())
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("Parse(%.200s) = %v (-want +got):\n%s", w.Canonical(), err, diff)
		}
	}
	for _, text := range []string{``, `[]`, `{"x":1}`, `{"disabled":"?"}`, `{"event_types":["?"]}`, `{"departments":["Ops"]}`} {
		if _, err := Parse([]byte(text)); err == nil || !strings.HasPrefix(err.Error(), "webhook: parse: ") {
			t.Errorf("Parse(%s) = %v, want an error of this package", text, err)
		}
	}
}

func TestParseID(t *testing.T) {
	if got, err := ParseID(strings.ToUpper(hookID)); got != hookID || err != nil {
		t.Errorf("ParseID = %s, %v, want the same in lower case", got, err)
	}
	if got, err := ParseDeliveryID(strings.ToUpper(hookID)); got != hookID || err != nil {
		t.Errorf("ParseDeliveryID = %s, %v, want the same in lower case", got, err)
	}
	for _, s := range []string{"", "x", hookID + "0", hookID[1:], "proj-697deec000ab"} {
		if got, err := ParseID(s); !errors.Is(err, ErrNotFound) || domaintest.Code(err) != 3000 {
			t.Errorf("ParseID(%q) = %q, %v, want ErrNotFound", s, got, err)
		}
		if got, err := ParseDeliveryID(s); !errors.Is(err, ErrNoDelivery) || domaintest.Code(err) != 3000 {
			t.Errorf("ParseDeliveryID(%q) = %q, %v, want ErrNoDelivery", s, got, err)
		}
	}
}

func TestPatchNamesDepartments(t *testing.T) {
	got := patch(t, `{"departments":["Ops"," Lab"]}`).Departments()
	if diff := cmp.Diff([]name.Name{{Text: "Ops", Key: "ops"}, {Text: "Lab", Key: "lab"}}, got); diff != "" {
		t.Errorf("Departments (-want +got):\n%s", diff)
	}
	if got := patch(t, `{"enabled":true}`).Departments(); got != nil {
		t.Errorf("Departments of a patch without = %v, want none", got)
	}
}
