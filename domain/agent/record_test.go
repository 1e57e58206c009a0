package agent

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"orgd/domain/domaintest"
	"orgd/domain/fault"
	"orgd/domain/jsondoc"
)

// What is kept reads back, and its summary is the whole without the instructions.
func TestRecord(t *testing.T) {
	for _, more := range []string{
		"", `"tier":"large"`, `"owner":"ann \"a\" é","tags":["b","a"]`, `"personality_preset":"calm","model_requirement":{"a":null,"b":9007199254740993}`, `"model_requirement":{}`,
		`"instructions":"say \"so\", or \\\\"`,
		`"instructions":",\"instructions\":\"x\",","description":",\"instructions\":\"x\",","metadata":{"instructions":"y"}`,
		`"instructions":"\\","authority":{"can_approve":[",\"instructions\":\""]}`,
	} {
		want := hire(t, more)
		rec := want.Record()
		got, err := rec.Agent()
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("Agent of the record with %s = %v (-want +got):\n%s", more, err, diff)
		}
		instructions := jsondoc.NewWriter(nil)
		instructions.Text(want.Identity.Instructions)
		summary := strings.Replace(shown(rec.Write), `"instructions":`+string(instructions.Bytes())+`,`, "", 1)
		if diff := cmp.Diff(summary, shown(rec.WriteSummary)); diff != "" {
			t.Errorf("WriteSummary with %s (-whole +summary):\n%s", more, diff)
		}
		if rec.Tag() != want.Tag() {
			t.Errorf("Tag = %v, want %v", rec.Tag(), want.Tag())
		}
	}
}

func shown(members func(*jsondoc.Writer)) string {
	w := jsondoc.NewWriter(nil)
	w.Open()
	members(w)
	w.Close()
	return string(w.Bytes())
}

// A record that is damaged is a failure of the storage, not a mistake of who asks for it.
func TestDamagedRecord(t *testing.T) {
	whole := hire(t, "").Record()
	broken := whole
	for field, set := range map[string]func(string){
		"identity": func(s string) { broken = whole; broken.Identity = s }, "unversioned": func(s string) { broken = whole; broken.Unversioned = s },
		"labels": func(s string) { broken = whole; broken.Labels = s },
	} {
		for _, text := range []string{`{`, `[`, `{"x":1}`, `[{"x":1}]`, `"x"`} {
			set(text)
			if _, err := broken.Agent(); domaintest.Code(err) != fault.Persistence {
				t.Errorf("Agent with %s for its %s = %v (%v), want the code 8002", text, field, err, domaintest.Code(err))
			}
			if _, err := broken.Department(); err != nil && domaintest.Code(err) != fault.Persistence {
				t.Errorf("Department with %s for its %s = %v (%v), want the code 8002", text, field, err, domaintest.Code(err))
			}
		}
	}
	for _, text := range []string{``, `[]`, `{"tier":1}`, `{"x":1}`} {
		rec := whole
		rec.Unversioned = text
		if _, err := rec.Agent(); err == nil || !strings.HasPrefix(err.Error(), "agent "+string(adaID)+": ") {
			t.Errorf("Agent with %s beside the identity = %v, want an error that names the agent", text, err)
		}
		rec = whole
		rec.Identity = text
		if _, err := rec.Agent(); err == nil {
			t.Errorf("Agent with the identity %s = nil, want an error", text)
		}
	}
}

func TestNothingUnversioned(t *testing.T) {
	if got := jsondoc.ObjectText(Agent{}.writeUnversioned); got != nothingUnversioned {
		t.Errorf("Outside of an agent with nothing = %s, want %s", got, nothingUnversioned)
	}
	got := jsondoc.ObjectText(func(w *jsondoc.Writer) { writeAssignment(w, nil, nil) })
	if got != nothingAssigned {
		t.Errorf("Assignment of an agent with nothing = %s, want %s", got, nothingAssigned)
	}
}
