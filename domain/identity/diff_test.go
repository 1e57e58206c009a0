package identity

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"orgd/domain/domaintest"
	"orgd/domain/jsondoc"
)

// versions are version 1 and 2 of an agent with these contents.
func versions(a, b Content) (Version, Version) {
	return Version{Number: 1, Content: a}, Version{Number: 2, Content: b}
}

func changed(path string, kind ChangeType, was, is string) FieldChange {
	f := FieldChange{Path: strings.Split(path, "."), Type: kind}
	if was != "" {
		f.Old = &was
	}
	if is != "" {
		f.New = &is
	}
	return f
}

func TestCompare(t *testing.T) {
	for _, tc := range []struct {
		what    string
		change  func(*Content)
		want    []FieldChange
		summary string
	}{
		{"nothing", func(*Content) {}, nil, "no changes"},
		{"a number written otherwise", func(c *Content) { c.Personality.Openness = "0.25" }, nil, "no changes"},
		{"a text", func(c *Content) { c.Role = `"Boss"` },
			[]FieldChange{changed("role", Modified, `"Engineer"`, `"\"Boss\""`)}, "1 field changed"},
		{"nested fields, sorted", func(c *Content) {
			c.Tools.AccessLevel = "standard"
			c.Personality.Openness = "1"
			c.Authority.ReportsTo = nil
		}, []FieldChange{
			changed("authority.reports_to", Modified, `"0190a1b2-0000-7000-8000-000000000002"`, `null`),
			changed("personality.openness", Modified, `0.25`, `1`),
			changed("tools.access_level", Modified, `"custom"`, `"standard"`),
		}, "3 fields changed"},
		{"an array is compared whole", func(c *Content) { c.Personality.Traits = []string{"calm", "curious"} },
			[]FieldChange{changed("personality.traits", Modified, `["curious","calm"]`, `["calm","curious"]`)}, "1 field changed"},
		{"an object inside an array, too", func(c *Content) { c.Memory.Overrides = nil },
			[]FieldChange{changed("memory.retention_overrides", Modified, `[{"category":"semantic","retention_days":90}]`, `[]`)}, "1 field changed"},
		{"an object that becomes null", func(c *Content) { c.Model = nil },
			[]FieldChange{changed("model", Modified,
				`{"fallback_model":"m-0","max_tokens":4096,"model_id":"m-1","model_tier":"large","provider":"acme","temperature":0.7}`,
				`null`)}, "1 field changed"},
		{"a field of a nested object", func(c *Content) {
			s := *c.Tools.Constraints
			s.Network = "open"
			c.Tools.Constraints = &s
		}, []FieldChange{changed("tools.sub_constraints.network", Modified, `"allowlist_only"`, `"open"`)}, "1 field changed"},
		{"free-form members", func(c *Content) { c.Metadata = `{"":{"a":{}},"new":null}` }, []FieldChange{
			changed("metadata.$ne", Removed, `[1,null]`, ""),
			changed("metadata..a", Added, "", `{}`),
			{Path: []string{"metadata", "", "a.b"}, Type: Removed, Old: new("9007199254740993")},
			changed("metadata.new", Added, "", `null`),
		}, "4 fields changed"},
	} {
		next := example()
		tc.change(&next)
		got, err := Compare(versions(example(), next))
		if err != nil {
			t.Fatalf("%s: Compare = %v", tc.what, err)
		}
		slices.SortFunc(tc.want, func(a, b FieldChange) int { return strings.Compare(a.Dotted(), b.Dotted()) })
		want := Diff{AgentID: example().ID, From: 1, To: 2, Changes: tc.want}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: Compare (-want +got):\n%s", tc.what, diff)
		}
		if got.Summary() != tc.summary {
			t.Errorf("%s: Summary = %q, want %q", tc.what, got.Summary(), tc.summary)
		}
	}
}

func TestCompareOrder(t *testing.T) {
	for _, n := range [][2]int64{{1, 1}, {2, 1}} {
		_, err := Compare(Version{Number: n[0], Content: example()}, Version{Number: n[1], Content: example()})
		if !errors.Is(err, ErrDiffOrder) || domaintest.Code(err) != 2000 {
			t.Errorf("Compare(%d, %d) = %v, want ErrDiffOrder", n[0], n[1], err)
		}
	}
	if err := CheckDiffOrder(1, 2); err != nil {
		t.Errorf("CheckDiffOrder(1, 2) = %v, want nil", err)
	}
}

// The changes lead from the first content to the second, and nothing else does.
func TestCompareIsComplete(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := contents().Draw(t, "a"), contents().Draw(t, "b")
		if rapid.Bool().Draw(t, "similar") {
			role := b.Role
			b = a
			b.Role = role
		}
		d, err := Compare(versions(a, b))
		if err != nil {
			t.Fatalf("Compare = %v", err)
		}
		if !slices.IsSortedFunc(d.Changes, func(x, y FieldChange) int { return strings.Compare(x.Dotted(), y.Dotted()) }) {
			t.Errorf("changes are not sorted by path: %v", d.Changes)
		}
		if (len(d.Changes) == 0) != (a.Hash() == b.Hash()) {
			t.Errorf("%d changes between hashes %s and %s", len(d.Changes), a.Hash(), b.Hash())
		}
		v := valueOf(t, a)
		for _, f := range d.Changes {
			v = apply(t, v, f.Path, f)
		}
		if got, want := v.String(), valueOf(t, b).String(); got != want {
			t.Errorf("the changes lead elsewhere (-want +got):\n%s", cmp.Diff(want, got))
		}
	})
}

func valueOf(t *rapid.T, c Content) jsondoc.Value {
	v, err := jsondoc.Parse(c.Canonical())
	if err != nil {
		t.Fatalf("Parse = %v", err)
	}
	return v
}

// apply makes the change at the path below v and checks what it says was there.
func apply(t *rapid.T, v jsondoc.Value, path []string, f FieldChange) jsondoc.Value {
	w := jsondoc.NewWriter(nil)
	w.Open()
	found := false
	for _, m := range v.Members() {
		switch {
		case m.Name != path[0]:
			w.Field(m.Name).Value(m.Value)
		case len(path) > 1:
			found = true
			w.Field(m.Name).Value(apply(t, m.Value, path[1:], f))
		default:
			found = true
			if f.Old == nil || *f.Old != m.Value.String() {
				t.Errorf("%s: old value = %v, was %s", f.Dotted(), f.Old, m.Value)
			}
			if f.New != nil {
				w.Field(m.Name).Raw(*f.New)
			}
		}
	}
	if !found {
		w.Field(path[0]).Raw(*f.New)
	}
	if found != (f.Old != nil) && len(path) == 1 || (f.Type == Added) != (f.Old == nil) || (f.Type == Removed) != (f.New == nil) {
		t.Errorf("%s is %s, old %v, new %v, found %t", f.Dotted(), f.Type, f.Old, f.New, found)
	}
	w.Close()
	next, err := jsondoc.ParseStored(w.Bytes())
	if err != nil {
		t.Fatalf("Parse(%s) = %v", w.Bytes(), err)
	}
	return next
}
