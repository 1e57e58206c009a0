package agent

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// later is a schema whose fields came later. They are fields that there are, so that
// their defaults are known.
var later = Schema{
	{Path: "strategic_output_mode", Since: 2}, {Path: "skills.primary.proficiency", Since: 3}, {Path: "tools.sub_constraints.git", Since: 3},
	{Path: "tier", Since: 3},
}

func TestSchemaNumber(t *testing.T) {
	if got := later.Number(); got != 3 {
		t.Errorf("Number = %d, want 3", got)
	}
	if got := (Schema{}).Number(); got != 1 {
		t.Errorf("Number without added fields = %d, want 1", got)
	}
}

// Records that were stored before a field came are as if the field had been there with
// its default; what is like it elsewhere is not the field.
func TestComplete(t *testing.T) {
	const skill = `"skills":{"primary":[{"id":"go","name":"Go"}]}`
	for _, c := range []struct{ name, more, lacks string }{
		{"a field", ``, `,"strategic_output_mode":null`},
		{"a field whose name is in the metadata", `"metadata":{"strategic_output_mode":1}`, `,"strategic_output_mode":null`},
		{"a field of items", skill, `,"proficiency":1`},
		{"a field of an object that may be null", `"tools":{"sub_constraints":{}}`, `,"git":"local_only"`},
		{"a field that is not versioned", `"personality_preset":"calm"`, `,"tier":null`},
	} {
		want := hire(t, c.more).Record()
		older := want
		older.Identity = strings.Replace(want.Identity, c.lacks, "", 1)
		older.Unversioned = strings.Replace(want.Unversioned, c.lacks, "", 1)
		if cmp.Equal(older, want) {
			t.Fatalf("%s: the record lacks nothing", c.name)
		}
		got, err := later.Complete(older)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%s: Complete = %v (-want +got):\n%s", c.name, err, diff)
		}
		if got, err := (Schema{}).Complete(older); !cmp.Equal(got, older) || err != nil {
			t.Errorf("%s: Complete without added fields = %v, %v, want it as it is", c.name, got, err)
		}
	}
}

// A record that has all fields stays the text that was stored.
func TestCompleteOfWhatIsComplete(t *testing.T) {
	for _, more := range []string{``, `"metadata":{"a":{"tier":1}}`, `"skills":{"primary":[{"id":"go","name":"Go"}]},"tools":{"sub_constraints":{}},"tier":"small"`} {
		rec := hire(t, more).Record()
		rec.Identity = strings.Replace(rec.Identity, `"role":"Engineer"`, `"role": "Engineer"`, 1) // which would not be written so
		if got, err := later.Complete(rec); !cmp.Equal(got, rec) || err != nil {
			t.Errorf("Complete with %s = %v, %v, want %v", more, got, err, rec)
		}
	}
}

func TestCompleteOfDamaged(t *testing.T) {
	whole := hire(t, "").Record()
	for _, text := range []string{``, `{`, `{"x":1}`} {
		identity, unversioned := whole, whole
		identity.Identity, unversioned.Unversioned = text, text
		for _, rec := range []Record{identity, unversioned} {
			if _, err := later.Complete(rec); err == nil || !strings.HasPrefix(err.Error(), "agent "+adaID+": ") {
				t.Errorf("Complete of %v = %v, want an error that names the agent", rec, err)
			}
		}
	}
}
