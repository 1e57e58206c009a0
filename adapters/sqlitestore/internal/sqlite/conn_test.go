package sqlite

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"
)

// More queries are answered than are kept prepared.
func TestStatementsAreBounded(t *testing.T) {
	pool, err := OpenPool(filepath.Join(t.TempDir(), "x.db"), 1, ConnParams)
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	c, err := NewConn(context.Background(), pool)
	if err != nil {
		t.Fatal(err)
	}
	for i := range maxStatements + 10 {
		var got int
		if err := c.Row(fmt.Sprintf("SELECT %d", i)).Scan(&got); err != nil || got != i {
			t.Fatalf("SELECT %d = %d, %v", i, got, err)
		}
	}
	if len(c.stmts) != maxStatements {
		t.Errorf("%d statements are kept, want %d", len(c.stmts), maxStatements)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}
