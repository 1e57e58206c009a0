package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"orgd/test/history"
)

// synthetic is a short history that was made up.
const synthetic = "testdata/history.jsonl"

func TestLives(t *testing.T) {
	entries, err := history.ReadFile(synthetic)
	if err != nil {
		t.Fatal(err)
	}
	lives := Lives(entries)
	type summary struct {
		Name     string
		Versions int
		Fired    bool
	}
	var got []summary
	for _, l := range lives {
		got = append(got, summary{l.Name, len(l.Versions), l.Fired})
	}
	want := []summary{ // worked out by hand
		{"ada", 4, false}, {"bob", 3, true}, {"bob", 2, false}, {"Grace Höpper/2", 2, false}, {"cy", 1, true},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Lives differ (-want +got):\n%s", diff)
	}
	last := Version{
		Definition{
			Role: "ada", Department: "core", Description: "Ada leads.", Model: &Model{"unspecified", "claude-3-opus-20240229"},
			Tools: Tools{[]string{"Write", "Read"}}, Instructions: *entries[4].Instructions,
		}, entries[15].Reason(),
	}
	if diff := cmp.Diff(last, lives[0].last()); diff != "" {
		t.Errorf("the last version of ada differs (-want +got):\n%s", diff)
	}
	if most, err := busiest(Employed(lives)); err != nil || most != lives[0] {
		t.Errorf("busiest = %v, %v, want ada", most, err)
	}
	if _, err := busiest(nil); err == nil {
		t.Error("busiest of nobody = no error, want one")
	}
}
