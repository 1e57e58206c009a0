package agent

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"orgd/domain/activity"
	"orgd/domain/audit"
	"orgd/domain/label"
)

// versioned is an agent of so many versions with these labels.
func versioned(versions int64, labels ...Label) Agent {
	return Agent{Version: versions, Revision: 7, Labels: labels}
}

func TestPlace(t *testing.T) {
	yes, no := true, false
	why := "worse than before"
	prod := Label{Name: "prod", Version: 3}
	fixed := Label{Name: "prod", Version: 3, Fixed: true}
	closed := LabelRule{Protected: true}
	for what, tt := range map[string]struct {
		labels []Label
		in     Placing
		rule   LabelRule
		reason *string
		want   error
		way    audit.Way // "" without effect
	}{
		"new":                             {nil, Placing{Label: "prod", Version: 3}, LabelRule{}, nil, nil, audit.Direct},
		"moved":                           {[]Label{prod}, Placing{Label: "prod", Version: 5}, LabelRule{}, nil, nil, audit.Direct},
		"as it is":                        {[]Label{prod}, Placing{Label: "prod", Version: 3}, LabelRule{}, &why, nil, ""},
		"fixed now":                       {[]Label{prod}, Placing{Label: "prod", Version: 3, Fixed: &yes}, LabelRule{}, nil, nil, audit.Direct},
		"fixed, as it is":                 {[]Label{fixed}, Placing{Label: "prod", Version: 3, Fixed: &yes}, LabelRule{}, nil, nil, ""},
		"fixed, moved":                    {[]Label{fixed}, Placing{Label: "prod", Version: 5}, LabelRule{}, nil, ErrFixed, ""},
		"fixed, freed":                    {[]Label{fixed}, Placing{Label: "prod", Version: 3, Fixed: &no}, LabelRule{}, nil, ErrFixed, ""},
		"no such version":                 {nil, Placing{Label: "prod", Version: 10}, LabelRule{}, nil, ErrNoVersion, ""},
		"protected":                       {[]Label{prod}, Placing{Label: "prod", Version: 5}, closed, &why, ErrProtected, ""},
		"protected, new":                  {nil, Placing{Label: "prod", Version: 5}, LabelRule{Protected: true, Below: true}, &why, ErrProtected, ""},
		"protected, back":                 {[]Label{prod}, Placing{Label: "prod", Version: 2}, LabelRule{Protected: true, Below: true}, &why, nil, audit.Return},
		"protected, back, without reason": {[]Label{prod}, Placing{Label: "prod", Version: 2}, LabelRule{Protected: true, Below: true}, nil, ErrProtected, ""},
		"protected, back for ever":        {[]Label{prod}, Placing{Label: "prod", Version: 2, Fixed: &yes}, LabelRule{Protected: true, Below: true}, &why, ErrProtected, ""},
		"protected, by who may":           {[]Label{prod}, Placing{Label: "prod", Version: 2}, LabelRule{Protected: true, Direct: true, Below: true}, &why, nil, audit.Direct},
		"protected, back from fixed":      {[]Label{fixed}, Placing{Label: "prod", Version: 2}, LabelRule{Protected: true, Below: true}, &why, ErrFixed, ""},
	} {
		a := versioned(9, tt.labels...)
		before := slices.Clone(a.Labels)
		s, err := a.Place(tt.in, tt.rule, activity.Cause{By: "ann", Reason: tt.reason})
		if !errors.Is(err, tt.want) {
			t.Errorf("%s: %v, want %v", what, err, tt.want)
		}
		if d := cmp.Diff(before, a.Labels); d != "" {
			t.Errorf("%s: the agent before has changed: %s", what, d)
		}
		if err != nil {
			continue
		}
		if s.Effective() != (tt.way != "") || s.Change.Way != tt.way {
			t.Errorf("%s: effective %t, way %q, want %q", what, s.Effective(), s.Change.Way, tt.way)
		}
		if !s.Effective() {
			continue
		}
		l, err := s.Agent.Label("prod")
		if err != nil || l.Version != tt.in.Version || s.Agent.Revision != 8 || s.Agent.Version != 9 || s.Version != nil {
			t.Errorf("%s: label %+v, %v, of an agent of revision %d and version %d", what, l, err, s.Agent.Revision, s.Agent.Version)
		}
		want := []Move{{Label: "prod", Revision: 8, From: s.Change.FromVersion, To: tt.in.Version, By: "ann", At: s.Agent.UpdatedAt, Reason: tt.reason, Way: tt.way}}
		if d := cmp.Diff(want, s.Moves); d != "" {
			t.Errorf("%s: history (-want +got):\n%s", what, d)
		}
	}
}

// The moves of a label are a stack, whoever made them.
func TestBelow(t *testing.T) {
	for what, tt := range map[string]struct {
		named []int64
		want  []int64 // what may be gone back to
	}{
		"never set":                       {nil, nil},
		"set once":                        {[]int64{1}, nil},
		"released":                        {[]int64{1, 2, 3}, []int64{1, 2}},
		"taken back":                      {[]int64{1, 2, 3, 2}, []int64{1}},
		"taken back by two":               {[]int64{1, 2, 3, 1}, nil},
		"released again":                  {[]int64{1, 2, 3, 2, 3}, []int64{1, 2}},
		"another one after the way back":  {[]int64{1, 2, 3, 2, 4}, []int64{1, 2}},
		"back, again and further back":    {[]int64{1, 2, 3, 2, 3, 1, 4}, []int64{1}},
		"earlier versions, released late": {[]int64{4, 2, 3}, []int64{2, 4}},
		"fixed where it is":               {[]int64{1, 2, 2}, []int64{1}},
		"removed and set":                 {[]int64{1, 2, 0, 3}, nil},
		"removed":                         {[]int64{1, 2, 0}, nil},
	} {
		var got []int64
		for version := range int64(6) {
			if Below(tt.named, version) {
				got = append(got, version)
			}
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: a label that has named %v may go back to %v, want %v", what, tt.named, got, tt.want)
		}
	}
}

func TestUnplace(t *testing.T) {
	for what, tt := range map[string]struct {
		label string
		rule  LabelRule
		want  error
	}{
		"there":                     {"a", LabelRule{}, nil},
		"not there":                 {"c", LabelRule{}, ErrNoLabel},
		"fixed":                     {"b", LabelRule{}, ErrFixed},
		"protected":                 {"a", LabelRule{Protected: true, Below: true}, ErrProtected},
		"protected, by who may":     {"a", LabelRule{Protected: true, Direct: true}, nil},
		"protected, fixed, by some": {"b", LabelRule{Protected: true}, ErrProtected},
	} {
		why := "no use"
		s, err := versioned(9, Label{Name: "a", Version: 1}, Label{Name: "b", Version: 2, Fixed: true}).
			Unplace(tt.label, tt.rule, activity.Cause{Reason: &why})
		if !errors.Is(err, tt.want) {
			t.Errorf("%s: %v, want %v", what, err, tt.want)
		}
		if err == nil && (len(s.Agent.Labels) != 1 || s.Moves[0].From != 1 || s.Moves[0].To != 0 || s.Change.Action != audit.LabelRemoved) {
			t.Errorf("%s: %+v", what, s)
		}
	}
}

func TestTooManyLabels(t *testing.T) {
	a := versioned(1)
	for i := range MaxLabels + 1 {
		s, err := a.Place(Placing{Label: fmt.Sprintf("l%02d", MaxLabels-i), Version: 1}, LabelRule{}, activity.Cause{})
		if (err == nil) != (i < MaxLabels) || err != nil && !errors.Is(err, ErrLabels) {
			t.Fatalf("label %d: %v", i, err)
		}
		if err == nil {
			a = s.Agent
		}
	}
	if !slices.IsSortedFunc(a.Labels, func(x, y Label) int { return strings.Compare(x.Name, y.Name) }) {
		t.Errorf("labels are not sorted: %v", a.Labels)
	}
	got, err := ParseLabels(LabelsText(a.Labels))
	if d := cmp.Diff(a.Labels, got); err != nil || d != "" {
		t.Errorf("read back: %v\n%s", err, d)
	}
}

// What a label names is read out of the stored form without parsing it: whatever else
// stands there.
func TestVersionOf(t *testing.T) {
	odd := `"},{"label":"b","version":9,"fixed":false},{"label":"b","version":8,`
	labels := []Label{
		{Name: "a", Version: 1, SetBy: odd, Reason: &odd}, {Name: "a.b", Version: 12}, {Name: "c", Version: 1 << 53, Fixed: true, Reason: &odd},
	}
	r := Record{ID: "x", Labels: LabelsText(labels), Version: 5}
	for name, want := range map[string]int64{"a": 1, "a.b": 12, "c": 1 << 53, label.Latest: 5} {
		if got, err := r.VersionOf(name); got != want || err != nil {
			t.Errorf("VersionOf(%q) = %d, %v, want %d", name, got, err, want)
		}
	}
	for _, r := range []Record{r, {ID: "x"}} {
		if got, err := r.VersionOf("b"); !errors.Is(err, ErrNoLabel) {
			t.Errorf("VersionOf(%q) of %q = %d, %v, want ErrNoLabel", "b", r.Labels, got, err)
		}
	}
	if got, err := (Record{Labels: `{"labels":[{"label":"b","version":x}]}`}).VersionOf("b"); err == nil || errors.Is(err, ErrNoLabel) {
		t.Errorf("VersionOf of what is damaged = %d, %v, want an error", got, err)
	}
}
