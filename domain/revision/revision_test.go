package revision_test

import (
	"errors"
	"testing"

	"orgd/domain/fault"
	"orgd/domain/revision"
)

func TestCheck(t *testing.T) {
	a6, a7, b7 := revision.Tag{ID: "a", Revision: 6}, revision.Tag{ID: "a", Revision: 7}, revision.Tag{ID: "b", Revision: 7}
	for _, tc := range []struct {
		label   string
		cond    revision.Condition
		current revision.Tag
		want    error
	}{
		{"no condition", revision.Condition{}, a7, nil},
		{"no condition, nothing there", revision.Condition{}, revision.Tag{}, nil},
		{"any", revision.Any(), a7, nil},
		{"any, nothing there", revision.Any(), revision.Tag{}, revision.ErrStale},
		{"current", revision.OneOf(a7), a7, nil},
		{"one of several", revision.OneOf(b7, a6, a7), a7, nil},
		{"older", revision.OneOf(a6), a7, revision.ErrStale},
		{"newer", revision.OneOf(a7), a6, revision.ErrStale},
		{"deleted and made again", revision.OneOf(b7), a7, revision.ErrStale},
		{"tags that cannot match", revision.OneOf(), a7, revision.ErrStale},
		{"zero tag never matches", revision.OneOf(revision.Tag{}), revision.Tag{}, revision.ErrStale},
		{"absent says nothing about a state", revision.Condition{}.AndAbsent(), a7, nil},
		{"state and absent", revision.OneOf(a6).AndAbsent(), a7, revision.ErrStale},
	} {
		t.Run(tc.label, func(t *testing.T) {
			if err := tc.cond.Check(tc.current); !errors.Is(err, tc.want) {
				t.Errorf("Check(%v) = %v, want %v", tc.current, err, tc.want)
			}
		})
	}
}

func TestCheckAbsent(t *testing.T) {
	for _, tc := range []struct {
		label  string
		cond   revision.Condition
		exists bool
		want   error
	}{
		{"absent", revision.Condition{}.AndAbsent(), false, nil},
		{"present", revision.Condition{}.AndAbsent(), true, revision.ErrStale},
		{"added to another condition", revision.Any().AndAbsent(), true, revision.ErrStale},
		{"not demanded", revision.Any(), true, nil},
		{"no condition", revision.Condition{}, true, nil},
	} {
		t.Run(tc.label, func(t *testing.T) {
			err := tc.cond.CheckAbsent(tc.exists)
			if !errors.Is(err, tc.want) {
				t.Errorf("CheckAbsent(%v) = %v, want %v", tc.exists, err, tc.want)
			}
			if err != nil && fault.Of(err).Code != fault.VersionConflict {
				t.Errorf("CheckAbsent(%v) has code %d, want 4002", tc.exists, fault.Of(err).Code)
			}
		})
	}
}

func TestIsSet(t *testing.T) {
	for label, tc := range map[string]struct {
		cond revision.Condition
		want bool
	}{
		"zero":   {revision.Condition{}, false},
		"any":    {revision.Any(), true},
		"one of": {revision.OneOf(), true},
		"absent": {revision.Condition{}.AndAbsent(), true},
	} {
		if got := tc.cond.IsSet(); got != tc.want {
			t.Errorf("%s: IsSet() = %v, want %v", label, got, tc.want)
		}
	}
}

// A caller that reuses its slice must not change a condition.
func TestOneOfKeepsItsOwnTags(t *testing.T) {
	tags := []revision.Tag{{ID: "a", Revision: 1}}
	c := revision.OneOf(tags...)
	tags[0].Revision = 2
	if err := c.Check(revision.Tag{ID: "a", Revision: 1}); err != nil {
		t.Errorf("Check = %v, want nil", err)
	}
}
