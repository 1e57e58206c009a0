package client_test

import (
	"encoding/json"
	"errors"
	"testing"

	"orgd/client"
)

func TestDo(t *testing.T) {
	s := serve(t)
	c := s.as(t, client.RoleAdmin)
	ctx := t.Context()
	var made struct{ Name string }
	payload, err := c.Do(ctx, "POST", "/departments", json.RawMessage(`{"name": "Night shift"}`), client.IdempotencyKey("one"))
	if err != nil || json.Unmarshal(payload, &made) != nil || made.Name != "Night shift" {
		t.Errorf("Do POST = %s, %v, want the department", payload, err)
	}
	if _, err := c.Do(ctx, "PATCH", "/departments/Night%20shift", client.Object{"budget_percent": 5}, client.IfMatch(`"other"`)); !errors.Is(err, client.ErrVersionConflict) {
		t.Errorf("Do PATCH with another tag = %v, want %v", err, client.ErrVersionConflict)
	}
	if list, err := c.Do(ctx, "GET", "/departments?limit=1", nil); err != nil || list[0] != '[' {
		t.Errorf("Do GET = %s, %v, want a list", list, err)
	}
	if nothing, err := c.Do(ctx, "DELETE", "/departments/Night%20shift", nil); err != nil || nothing != nil {
		t.Errorf("Do DELETE = %s, %v, want nothing", nothing, err)
	}
}
