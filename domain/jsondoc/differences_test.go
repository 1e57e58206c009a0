package jsondoc

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// differences are what Differences finds, one line each.
func differences(before, after string) (found []string) {
	Differences(before, after, func(path []string, was, is string) {
		found = append(found, fmt.Sprintf("%q %s %s", path, was, is))
	})
	return found
}

// members are the members of all objects in v, by their paths.
func members(v Value, path []string, all map[string]string) {
	for _, m := range v.Members() {
		at := append(slices.Clone(path), m.Name)
		all[fmt.Sprintf("%q", at)] = string(m.Value.Append(nil))
		if m.Value.Kind() == KindObject {
			members(m.Value, at, all)
		}
	}
}

// anyValue makes a value; names and texts are taken from few, so that many are equal.
func anyValue(r *rand.Rand, depth int) any {
	switch n := r.IntN(8); {
	case n < 3 && depth > 0:
		o := map[string]any{}
		for range r.IntN(5) {
			o[[]string{"a", "b", "ab", "a.b", "\"", "é", "", "z"}[r.IntN(8)]] = anyValue(r, depth-1)
		}
		return o
	case n == 3:
		return []any{anyValue(r, 0), anyValue(r, 0)}
	case n == 4:
		return r.IntN(2) == 0
	case n == 5:
		return nil
	case n == 6:
		return strings.Repeat("x,}\"\\", r.IntN(3))
	}
	return r.IntN(30)
}

// canonical is the canonical form of what anyValue makes.
func canonical(v any) string {
	switch v := v.(type) {
	case map[string]any:
		var all []string
		for _, name := range slices.SortedFunc(maps.Keys(v), compareNames) {
			all = append(all, canonical(name)+":"+canonical(v[name]))
		}
		return "{" + strings.Join(all, ",") + "}"
	case []any:
		return "[" + canonical(v[0]) + "," + canonical(v[1]) + "]"
	case string:
		w := NewWriter(nil)
		w.Text(v)
		return string(w.Bytes())
	case nil:
		return "null"
	}
	return fmt.Sprint(v)
}

// What is found is what differs when all fields are compared one by one.
func TestDifferences(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		a, b := canonical(map[string]any{"x": anyValue(r, 3), "y": anyValue(r, 3)}), canonical(map[string]any{"w": anyValue(r, 0), "x": anyValue(r, 3), "y": anyValue(r, 3)})
		was, is := map[string]string{}, map[string]string{}
		for text, all := range map[string]map[string]string{a: was, b: is} {
			v, err := ParseStored(text)
			if err != nil {
				t.Fatalf("ParseStored(%s) = %v", text, err)
			}
			members(v, nil, all)
		}
		got := map[string]bool{}
		for _, line := range differences(a, b) {
			got[line] = true
		}
		want := map[string]bool{}
		isObject := func(text string) bool { return strings.HasPrefix(text, "{") }
		// A field below one that is an object on one side only is not looked at.
		compared := func(path string) bool {
			for i := range path {
				if path[i] != ' ' {
					continue
				}
				outer := path[:i] + "]"
				if _, ok := was[outer]; ok && !(isObject(was[outer]) && isObject(is[outer])) {
					return false
				}
				if _, ok := is[outer]; ok && !(isObject(was[outer]) && isObject(is[outer])) {
					return false
				}
			}
			return true
		}
		for _, all := range []map[string]string{was, is} {
			for path := range all {
				if was[path] != is[path] && !(isObject(was[path]) && isObject(is[path])) && compared(path) {
					want[fmt.Sprintf("%s %s %s", path, was[path], is[path])] = true
				}
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("Differences(%s, %s) (-want +got):\n%s", a, b, diff)
		}
	}
}

// They come in the order of the canonical form, and equal neighbours do not hide any.
func TestOrderOfDifferences(t *testing.T) {
	got := differences(`{"a":1,"b":{"c":12,"d":"x"},"e":1}`, `{"a":1,"b":{"c":1,"d":"x","f":[]},"e":13,"z":null}`)
	want := []string{`["b" "c"] 12 1`, `["b" "f"]  []`, `["e"] 1 13`, `["z"]  null`}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Differences (-want +got):\n%s", diff)
	}
	if got := differences(`{}`, `{}`); got != nil {
		t.Errorf("Differences of equal objects = %q", got)
	}
}
