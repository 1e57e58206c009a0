package agent

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"orgd/domain/search"
)

func TestParseTag(t *testing.T) {
	for text, want := range map[string]bool{
		"a": true, "0": true, "9.a_b-c": true, "a-": true, strings.Repeat("a", 63): true,
		"": false, "A": false, "aB": false, "-a": false, "_a": false, ".": false, "a b": false, "a,b": false, "a\n": false, "ä": false, "a\u200d": false,
		"a\xff": false, "%": false, strings.Repeat("a", 64): false,
	} {
		got, err := ParseTag(text)
		if want && (got != text || err != nil) || !want && !errors.Is(err, ErrTag) {
			t.Errorf("ParseTag(%q) = %q, %v, want it to be a tag: %t", text, got, err, want)
		}
	}
}

// The change log names the fields, whose values are those of the agent.
func TestOwnerAndTagsAreLogged(t *testing.T) {
	a := hire(t, `"owner":"ann","tags":["a"]`)
	got, err := a.Change(patch(t, `{"owner":null,"tags":["a","b"]}`), on(1))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"owner", "tags"}, got.Change.Fields); diff != "" {
		t.Errorf("the change log names (-want +got):\n%s", diff)
	}
}

// A text is searched for in each tag, between the description and the instructions, and in
// nothing else that is not versioned.
func TestSearchInTags(t *testing.T) {
	rec := hire(t, `"description":"a refund","instructions":"Refund it.","owner":"refund","personality_preset":"refund","model_requirement":{"refund":1},`+
		`"tags":["pre.refund","other","refund-2"]`).Record()
	for text, want := range map[string][]search.Match{
		"REFUND":  {{Field: "description", Line: 1, Text: "a refund"}, {Field: "tags", Line: 1, Text: "pre.refund"}, {Field: "tags", Line: 1, Text: "refund-2"}},
		"other":   {{Field: "tags", Line: 1, Text: "other"}},
		"refund-": {{Field: "tags", Line: 1, Text: "refund-2"}},
		`d","o`:   nil, // between two
		"owner":   nil,
		"tier":    nil,
	} {
		in, err := search.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		s := Search(SearchQuery{Query: Query{Limit: 1}, Text: in})
		_, err = s.Look(rec, func() (Record, error) { return rec, nil })
		var got []search.Match
		if len(s.Hits) > 0 {
			got = s.Hits[0].Matches
		}
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("Search for %q = %v (-want +got):\n%s", text, err, diff)
		}
	}
}
