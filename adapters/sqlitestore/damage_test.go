package sqlitestore

import (
	"context"
	"database/sql"
	"errors"
	"path/filepath"
	"testing"

	"orgd/domain/agent"
	"orgd/domain/identity"
	"orgd/ports"
)

// A damaged database is not taken for one where nobody ever was.
func TestAgentWithoutIdentity(t *testing.T) {
	dir := t.TempDir()
	o := openOrg(t, dir)
	o.createDepartment("Sales")
	id := o.hire("Bob", "Sales", 10).ID()
	vandal, err := sql.Open("sqlite", filepath.Join(dir, "orgd.db"))
	o.check(err)
	defer func() { o.check(vandal.Close()) }()
	_, err = vandal.Exec("DELETE FROM current_identities")
	o.check(err)

	_, err = o.agents.Agent(context.Background(), identity.Ref{ID: id})
	if !errors.Is(err, identity.ErrRecordMissing) {
		t.Errorf("Agent = %v, want ErrRecordMissing", err)
	}
	if _, err = o.agents.Records(context.Background(), agent.Query{Limit: 10}); !errors.Is(err, ports.ErrStorage) || errors.Is(err, identity.ErrRecordMissing) {
		t.Errorf("Records = %v, want ErrStorage", err)
	}
}
