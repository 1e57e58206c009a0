package engine

import (
	"cmp"
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"go.uber.org/zap"

	"orgd/adapters/sqlitestore/internal/sqlite"
)

//go:embed migrations/*.sql
var embedded embed.FS

// applicationID marks our databases; the first migration writes it.
const applicationID = 0x6f726764

// Migration is one step of the schema. Steps are numbered from 1 without a
// hole; the number of the last one applied is the version of the schema.
type Migration struct {
	Name   string
	script string
}

// OwnMigrations returns the steps that this binary knows.
func OwnMigrations() ([]Migration, error) { return readMigrations(embedded, "migrations") }

// readMigrations reads the files NNNN_subject.sql of a directory, whose
// numbers must be 1, 2, 3 and so on.
func readMigrations(files fs.FS, dir string) ([]Migration, error) {
	entries, err := fs.ReadDir(files, dir) // sorted by name
	if err != nil {
		return nil, err
	}
	var steps []Migration
	for i, e := range entries {
		number, _, _ := strings.Cut(e.Name(), "_")
		if n, err := strconv.Atoi(number); err != nil || len(number) != 4 || n != i+1 {
			return nil, fmt.Errorf("migration %s: want number %04d", e.Name(), i+1)
		}
		script, err := fs.ReadFile(files, dir+"/"+e.Name())
		if err != nil {
			return nil, err
		}
		steps = append(steps, Migration{e.Name(), string(script)})
	}
	return steps, nil
}

// migrate brings the database to the newest schema, one transaction a step. A
// step may rebuild tables: foreign keys are checked at its end only.
func migrate(ctx context.Context, c *sqlite.Conn, steps []Migration, log *zap.Logger) error {
	version, err := checkSchema(c, len(steps))
	if err != nil || version == len(steps) {
		return err
	}
	if _, err := c.Exec("PRAGMA foreign_keys = OFF"); err != nil {
		return err
	}
	for n := version + 1; n <= len(steps); n++ {
		step := steps[n-1]
		if err := applyStep(ctx, c, step, n); err != nil {
			return fmt.Errorf("migrate %s: %w", step.Name, err)
		}
		if version > 0 { // a new database needs all steps
			log.Info("schema migrated", zap.String("migration", step.Name), zap.Int("version", n))
		}
	}
	_, err = c.Exec("PRAGMA foreign_keys = ON")
	return err
}

// checkSchema returns the version of the database's schema, or an error if the
// database is not ours or newer than newest.
func checkSchema(c *sqlite.Conn, newest int) (int, error) {
	var version, mark, tables int
	err := cmp.Or( // each says the same of a file that is no database
		c.Row("PRAGMA user_version").Scan(&version),
		c.Row("PRAGMA application_id").Scan(&mark),
		c.Row("SELECT count(*) FROM sqlite_schema").Scan(&tables),
	)
	if err != nil {
		return 0, err
	}
	blank := version == 0 && mark == 0 && tables == 0
	if mark != applicationID && !blank {
		return 0, errors.New("the database belongs to another program")
	}
	return version, checkVersion(version, newest)
}

func checkVersion(version, newest int) error {
	if version > newest {
		return fmt.Errorf("the database has schema version %d and this program knows versions up to %d: use a newer release", version, newest)
	}
	return nil
}

func applyStep(ctx context.Context, c *sqlite.Conn, step Migration, version int) (err error) {
	if _, err := c.Exec("BEGIN IMMEDIATE"); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_, undo := c.Exec("ROLLBACK")
			err = errors.Join(err, undo)
		}
	}()
	if err := c.Script(ctx, step.script); err != nil {
		return err
	}
	if err := checkForeignKeys(c); err != nil {
		return err
	}
	if _, err := c.Exec("PRAGMA user_version = " + strconv.Itoa(version)); err != nil {
		return err
	}
	_, err = c.Exec("COMMIT")
	return err
}

func checkForeignKeys(c *sqlite.Conn) error {
	var dangling int
	if err := c.Row("SELECT count(*) FROM pragma_foreign_key_check").Scan(&dangling); err != nil {
		return err
	}
	if dangling > 0 {
		return fmt.Errorf("%d rows refer to rows that do not exist", dangling)
	}
	return nil
}
