package jsondoc_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"orgd/domain/jsondoc"
)

// The examples of RFC 7396, appendix A, and some about order and identity.
func TestMergePatch(t *testing.T) {
	for _, c := range []struct{ target, patch, want string }{
		{`{"a":"b"}`, `{"a":"c"}`, `{"a":"c"}`},
		{`{"a":"b"}`, `{"b":"c"}`, `{"a":"b","b":"c"}`},
		{`{"a":"b"}`, `{"a":null}`, `{}`},
		{`{"a":"b","b":"c"}`, `{"a":null}`, `{"b":"c"}`},
		{`{"a":["b"]}`, `{"a":"c"}`, `{"a":"c"}`},
		{`{"a":"c"}`, `{"a":["b"]}`, `{"a":["b"]}`},
		{`{"a":{"b":"c"}}`, `{"a":{"b":"d","c":null}}`, `{"a":{"b":"d"}}`},
		{`{"a":[{"b":"c"}]}`, `{"a":[1]}`, `{"a":[1]}`},
		{`["a","b"]`, `["c","d"]`, `["c","d"]`},
		{`{"a":"b"}`, `["c"]`, `["c"]`},
		{`{"a":"foo"}`, `null`, `null`},
		{`{"a":"foo"}`, `"bar"`, `"bar"`},
		{`{"e":null}`, `{"a":1}`, `{"e":null,"a":1}`},
		{`[1,2]`, `{"a":"b","c":null}`, `{"a":"b"}`},
		{`{}`, `{"a":{"bb":{"ccc":null}}}`, `{"a":{"bb":{}}}`},
		{`{"a":1}`, `{}`, `{"a":1}`},
		{`{"a":[{"b":null}]}`, `{"c":[{"d":null},null]}`, `{"a":[{"b":null}],"c":[{"d":null},null]}`},
		{`{"A":1}`, `{"a":null}`, `{"A":1}`},
		{`{"a":{"x":1}}`, `{"a":{"y":{"z":null,"w":1}}}`, `{"a":{"x":1,"y":{"w":1}}}`},
		{`{"$set":{"a.b":1}}`, `{"$set":{"a.b":null,"":2}}`, `{"$set":{"":2}}`},
	} {
		target, patch := parse(t, c.target), parse(t, c.patch)
		got, want := jsondoc.MergePatch(target, patch), parse(t, c.want)
		if !got.Equal(want) || depth(got) > max(depth(target), depth(patch)) {
			t.Errorf("MergePatch(%s, %s) = %s, want %s", c.target, c.patch, got, c.want)
		}
		if target.String() != parse(t, c.target).String() || patch.String() != parse(t, c.patch).String() {
			t.Errorf("MergePatch(%s, %s) changed its arguments", c.target, c.patch)
		}
	}
}

func TestMergePatchKeepsTheOrder(t *testing.T) {
	got := jsondoc.MergePatch(parse(t, `{"c":1,"b":2,"a":3}`), parse(t, `{"z":1,"b":null,"a":4,"y":2}`))
	var names []string
	for _, m := range got.Members() {
		names = append(names, m.Name)
	}
	if order := strings.Join(names, " "); order != "c a z y" {
		t.Errorf("members = %s, want c a z y", order)
	}
}

// mergeModel is MergePatch word for word as RFC 7396 writes it, over maps.
func mergeModel(target, patch any) any {
	changes, ok := patch.(map[string]any)
	if !ok {
		return patch
	}
	result := map[string]any{}
	if old, ok := target.(map[string]any); ok {
		for name, v := range old {
			result[name] = v
		}
	}
	for name, v := range changes {
		if v == nil {
			delete(result, name)
		} else {
			result[name] = mergeModel(result[name], v)
		}
	}
	return result
}

// asMaps turns a Value into maps; what is no object becomes its text.
func asMaps(v jsondoc.Value) any {
	switch v.Kind() {
	case jsondoc.KindNull:
		return nil
	case jsondoc.KindObject:
		m := map[string]any{}
		for _, member := range v.Members() {
			m[member.Name] = asMaps(member.Value)
		}
		return m
	}
	return v.String()
}

func TestPropertyMergePatchFollowsTheModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		target := mustParse(t, document(3).Draw(t, "target"))
		patch := mustParse(t, document(3).Draw(t, "patch"))
		got := jsondoc.MergePatch(target, patch)
		want := mergeModel(asMaps(target), asMaps(patch))
		if fmt.Sprint(asMaps(got)) != fmt.Sprint(want) {
			t.Fatalf("MergePatch(%s, %s) = %s, want %v", target, patch, got, want)
		}
		if again := jsondoc.MergePatch(got, patch); !again.Equal(got) {
			t.Fatalf("MergePatch(%s, %s) twice = %s, want %s", target, patch, again, got)
		}
		if parsed := mustParse(t, got.String()); depth(parsed) != depth(got) {
			t.Fatalf("Depth of %s = %d, want %d", got, depth(got), depth(parsed))
		}
	})
}

func TestMergePatchLarge(t *testing.T) {
	var target, patch strings.Builder
	const keys = 50_000
	for i := range keys {
		fmt.Fprintf(&target, `,"k%d":1`, i)
		fmt.Fprintf(&patch, `,"k%d":null`, keys-1-i)
	}
	got := jsondoc.MergePatch(parse(t, "{"+target.String()[1:]+"}"), parse(t, "{"+patch.String()[1:]+`,"n":1}`))
	if got.String() != `{"n":1}` {
		t.Errorf("MergePatch that removes everything = %.60s, want {\"n\":1}", got)
	}
}
