package main

import (
	"bytes"
	"os"
	"testing"
)

// What is committed is what make generate writes.
func TestDocumentIsUpToDate(t *testing.T) {
	written, err := os.ReadFile("../../interface.yaml")
	if err != nil {
		t.Fatal(err)
	}
	want, err := document(written)
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("../../openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("openapi.yaml is not what interface.yaml and the list of fields make; run make generate")
	}
}
