package main

import (
	"os"
	"path/filepath"
	"testing"

	"go.yaml.in/yaml/v3"
)

// What is committed is what make generate writes.
func TestTypesAreUpToDate(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("../..", description))
	if err != nil {
		t.Fatal(err)
	}
	var d document
	if err := yaml.Unmarshal(text, &d); err != nil {
		t.Fatal(err)
	}
	for name, write := range files {
		got, err := os.ReadFile(filepath.Join("../..", name))
		if err != nil || string(got) != write(d) {
			t.Errorf("%s is not what the description makes (%v); run make generate", name, err)
		}
	}
}
