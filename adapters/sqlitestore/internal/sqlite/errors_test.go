package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"testing"

	"modernc.org/sqlite"

	"orgd/domain/fault"
	"orgd/ports"
)

func TestTranslate(t *testing.T) {
	driver := func(query string) error {
		pool, err := OpenPool(filepath.Join(t.TempDir(), "x.db"), 1, ConnParams)
		if err != nil {
			t.Fatal(err)
		}
		defer pool.Close()
		_, err = pool.Exec(query)
		if !errors.As(err, new(*sqlite.Error)) {
			t.Fatalf("%s = %v, want an error of the driver", query, err)
		}
		return fmt.Errorf("sqlitestore: do x: %w", err)
	}
	notFound := fault.New(fault.NotFound, "agent not found")
	plain := errors.New("plain")
	for name, c := range map[string]struct{ err, want error }{
		"Nil":        {nil, nil},
		"Fault":      {notFound, notFound},
		"Plain":      {plain, plain},
		"Deadline":   {fmt.Errorf("x: %w", context.DeadlineExceeded), ports.ErrUnavailable},
		"Canceled":   {context.Canceled, ports.ErrUnavailable},
		"Closed":     {sql.ErrConnDone, ports.ErrUnavailable},
		"CannotOpen": {driver("ATTACH '/missing/file' AS x"), ports.ErrUnavailable},
		"Constraint": {driver("CREATE TABLE a (b UNIQUE); INSERT INTO a VALUES (1), (1)"), ports.ErrStorage},
		"Syntax":     {driver("NOT SQL"), ports.ErrStorage},
	} {
		t.Run(name, func(t *testing.T) {
			got := Translate(c.err)
			if !errors.Is(got, c.want) {
				t.Errorf("translate(%v) = %v, want %v", c.err, got, c.want)
			}
			if IsTaken(got) != (name == "Constraint") {
				t.Errorf("isTaken(%v) = %v", got, IsTaken(got))
			}
			if f := fault.Of(got); got != nil && c.err != got && !errors.Is(f, c.err) {
				t.Errorf("translate(%v) lost its cause", c.err)
			}
		})
	}
}
