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

//go:embed schema.sql
var emptySchema string

// applicationID marks our databases; the schema writes it.
const applicationID = 0x6f726764

// OldestSchema is the version of the oldest databases that are migrated: those of release 0.9.0.
const OldestSchema = 16

// Migration brings a database from one version of the schema to the next.
type Migration struct {
	Name   string
	Script string
}

// Schema is how databases get the schema of a program.
type Schema struct {
	Whole      string      // what makes it in an empty database
	Oldest     int         // version that the first migration begins with
	Migrations []Migration // to the versions Oldest+1, Oldest+2 and so on
}

// Version is that of a database that has the schema.
func (s Schema) Version() int { return s.Oldest + len(s.Migrations) }

// check returns an error if a database of this version cannot be brought to the schema.
func (s Schema) check(version int) error {
	switch {
	case version > s.Version():
		return fmt.Errorf("the database has schema version %d and this program knows versions up to %d: use a newer release", version, s.Version())
	case version < s.Oldest:
		return fmt.Errorf("the database has schema version %d and this program migrates from version %d on: migrate it with orgd 0.9.0 first", version, s.Oldest)
	}
	return nil
}

// OwnSchema returns the schema of this program.
func OwnSchema() (Schema, error) {
	steps, err := readMigrations(embedded, "migrations", OldestSchema+1)
	return Schema{emptySchema, OldestSchema, steps}, err
}

// readMigrations reads the files NNNN_subject.sql of a directory, whose
// numbers must be first, first+1 and so on.
func readMigrations(files fs.FS, dir string, first int) ([]Migration, error) {
	entries, err := fs.ReadDir(files, dir) // sorted by name
	if err != nil {
		return nil, err
	}
	var steps []Migration
	for i, e := range entries {
		number, _, _ := strings.Cut(e.Name(), "_")
		if n, err := strconv.Atoi(number); err != nil || len(number) != 4 || n != first+i {
			return nil, fmt.Errorf("migration %s: want number %04d", e.Name(), first+i)
		}
		script, err := fs.ReadFile(files, dir+"/"+e.Name())
		if err != nil {
			return nil, err
		}
		steps = append(steps, Migration{e.Name(), string(script)})
	}
	return steps, nil
}

// migrate brings the database to a schema. Each migration is a transaction, and may rebuild
// tables: foreign keys are checked at its end only.
func migrate(ctx context.Context, c *sqlite.Conn, to Schema, log *zap.Logger) error {
	version, err := checkSchema(c, to)
	if err != nil || version == to.Version() {
		return err
	}
	if version == 0 {
		if err := applyStep(ctx, c, to.Whole, to.Version()); err != nil {
			return fmt.Errorf("make the schema: %w", err)
		}
		return nil
	}
	if _, err := c.Exec("PRAGMA foreign_keys = OFF"); err != nil {
		return err
	}
	for _, step := range to.Migrations[version-to.Oldest:] {
		version++
		if err := applyStep(ctx, c, step.Script, version); err != nil {
			return fmt.Errorf("migrate %s: %w", step.Name, err)
		}
		log.Info("schema migrated", zap.String("migration", step.Name), zap.Int("version", version))
	}
	_, err = c.Exec("PRAGMA foreign_keys = ON")
	return err
}

// checkSchema returns the version of the database's schema, 0 of an empty one, or an error if
// the database is not ours or cannot be brought to the schema.
func checkSchema(c *sqlite.Conn, to Schema) (int, error) {
	var version, mark, tables int
	err := cmp.Or( // each says the same of a file that is no database
		c.Row("PRAGMA user_version").Scan(&version),
		c.Row("PRAGMA application_id").Scan(&mark),
		c.Row("SELECT count(*) FROM sqlite_schema").Scan(&tables),
	)
	if err != nil {
		return 0, err
	}
	if version == 0 && mark == 0 && tables == 0 {
		return 0, nil
	}
	if mark != applicationID {
		return 0, errors.New("the database belongs to another program")
	}
	return version, to.check(version)
}

// applyStep runs a script that brings the database to a version.
func applyStep(ctx context.Context, c *sqlite.Conn, script string, version int) (err error) {
	if _, err := c.Exec("BEGIN IMMEDIATE"); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_, undo := c.Exec("ROLLBACK")
			err = errors.Join(err, undo)
		}
	}()
	if err := c.Script(ctx, script); err != nil {
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
