package main

import (
	"encoding/json"
	"testing"
)

func TestSchema(t *testing.T) {
	var schema struct {
		Schema string `json:"$schema"`
		Title  string
	}
	if err := json.Unmarshal([]byte(must(t, nil, "schema")), &schema); err != nil || schema.Schema == "" || schema.Title == "" {
		t.Errorf("orgd schema has the title %q, %v", schema.Title, err)
	}
}
