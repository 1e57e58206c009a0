package sqlitestore

import (
	"context"
	"math"

	"orgd/adapters/sqlitestore/internal/engine"
	"orgd/adapters/sqlitestore/internal/sqlite"
	"orgd/domain/agent"
	"orgd/domain/archive"
	"orgd/domain/identity"
	"orgd/domain/name"
)

// Archive reads everything of a database for an archive, and fills an empty one.
type Archive struct{ db *DB }

// Read implements [ports.Archive].
func (s *Archive) Read(ctx context.Context, each func(archive.Record) error) (err error) {
	defer s.db.observer.Begin(&ctx, "archive.read").End(&err)
	return s.db.Read(ctx, func(v *sqlite.View) error { return readArchive(v, s.db.fields, each) })
}

// ReadArchive is [Archive.Read] of a data directory that a service may have open, which it
// does not hold up.
func ReadArchive(ctx context.Context, dir string, each func(archive.Record) error) error {
	return readDir(ctx, dir, func(v *sqlite.View) error { return readArchive(v, agent.Current(), each) })
}

// readDir calls fn with one state of the database in a directory, which has the schema of this
// program and is not being restored.
func readDir(ctx context.Context, dir string, fn func(*sqlite.View) error) error {
	return engine.ReadDir(ctx, dir, func(v *sqlite.View) error {
		if err := checkLoaded(v); err != nil {
			return err
		}
		return fn(v)
	})
}

// archived is where the records of a part are read.
type archived struct {
	query string
	args  []any
	scan  func(sqlite.Row) (archive.Record, error)
	read  func(*sqlite.View, func(archive.Record) error) error // in place of the others
}

// readArchive reads all parts, one row after the other.
func readArchive(v *sqlite.View, fields agent.Schema, each func(archive.Record) error) error {
	c, costs, err := readCompany(v)
	if err != nil {
		return err
	}
	if err := each(&archive.Company{Company: c, Costs: costs}); err != nil {
		return err
	}
	for _, part := range archiveParts(v.Context(), &DB{fields: fields}) {
		if part.read != nil {
			if err := part.read(v, each); err != nil {
				return err
			}
			continue
		}
		err := v.Each(part.query, part.args, func(r sqlite.Row) error {
			record, err := part.scan(r)
			if err != nil {
				return err
			}
			return each(record)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// archiveParts lists the parts behind the company, in the order of archive.Parts. The "/" has
// labels in the order that they have in the ids of other storages.
func archiveParts(ctx context.Context, db *DB) []archived {
	everything := []any{int64(math.MinInt64), []byte{}, -1}
	return []archived{
		{query: "SELECT " + departmentColumns + " FROM departments ORDER BY name_key", scan: func(r sqlite.Row) (archive.Record, error) {
			d, err := scanDepartment(ctx, r)
			return &archive.Department{Department: d}, err
		}},
		{read: readArchivedVersions},
		{query: "SELECT " + agentColumns + " FROM agents AS a" + joinIdentity + " ORDER BY a.id", scan: func(r sqlite.Row) (archive.Record, error) {
			rec, err := db.scanAgent(r)
			if err != nil {
				return nil, err
			}
			return &archive.Agent{Record: rec.Record}, nil
		}},
		{query: selectFormers + " ORDER BY a.id", scan: db.scanArchivedFormer},
		{query: "SELECT agent_id, " + moveColumns + " FROM label_moves" + notPurged("agent_id") + " ORDER BY agent_id, label || '/', revision", scan: scanArchivedMove},
		{query: "SELECT department_key, " + eventColumns + " FROM events" + notPurged("agent_id") + " ORDER BY seq", scan: scanArchivedEvent()},
		{query: "SELECT owner, " + dayColumns + " FROM agent_days" + notPurged("owner") + " ORDER BY owner, day", scan: scanArchivedDay(archive.AgentDays)},
		{query: "SELECT CAST(owner AS BLOB), " + dayColumns + " FROM department_days ORDER BY owner, day", scan: scanArchivedDay(archive.DepartmentDays)},
		{query: "SELECT agent_id, tasks_completed FROM agent_totals" + notPurged("agent_id") + " ORDER BY agent_id", scan: scanArchivedTotal},
		{query: "SELECT " + projectColumns + " FROM projects ORDER BY id", scan: func(r sqlite.Row) (archive.Record, error) {
			p, err := scanProject(r)
			return &archive.Project{Project: p}, err
		}},
		{query: selectEntriesFrom, args: everything, scan: func(r sqlite.Row) (archive.Record, error) {
			e, err := scanEntry(r)
			return &archive.Entry{Entry: e}, err
		}},
		{query: "SELECT " + webhookColumns + " FROM webhooks ORDER BY id", scan: func(r sqlite.Row) (archive.Record, error) {
			w, err := scanWebhook(r)
			return &archive.Webhook{Webhook: w}, err
		}},
		{query: "SELECT " + revocationColumns + " FROM revocations ORDER BY session_id", scan: func(r sqlite.Row) (archive.Record, error) {
			v, err := scanRevocation(r)
			return &archive.Revocation{Revocation: v}, err
		}},
	}
}

// behind is a row without its first columns, which are scanned into other places.
type behind struct {
	sqlite.Row
	first []any
}

// Scan implements [sqlite.Row].
func (b behind) Scan(dest ...any) error { return b.Row.Scan(append(b.first, dest...)...) }

func readArchivedVersions(v *sqlite.View, each func(archive.Record) error) error {
	return eachVersion(v, func(id agent.ID, version identity.Version, err error) error {
		if err != nil {
			return sqlite.Wrap(err, "read versions of agent", string(id))
		}
		return each(&archive.Version{Agent: id, Version: version})
	})
}

func (db *DB) scanArchivedFormer(r sqlite.Row) (archive.Record, error) {
	var d archive.DeletedAgent
	var at int64
	rec, err := db.scanAgent(r, &d.Department, &at, &d.By)
	if err != nil {
		return nil, err
	}
	c, err := identity.Parse(rec.Identity)
	d.Last, d.At, d.ID, d.Name = rec.Record, sqlite.FromMillis(at), rec.ID, rec.Name
	d.Last.Status = c.Status
	return &d, err
}

func scanArchivedMove(r sqlite.Row) (archive.Record, error) {
	var id []byte
	m, err := scanMove(behind{r, []any{&id}})
	return &archive.LabelMove{Agent: agent.ID(sqlite.UnpackID(id)), Move: m}, err
}

func scanArchivedEvent() func(sqlite.Row) (archive.Record, error) {
	var department string
	row := newEventRow(&department)
	return func(r sqlite.Row) (archive.Record, error) {
		e, err := row.scan(r)
		return &archive.Event{Event: e, Department: name.Key(department)}, err
	}
}

func scanArchivedDay(of archive.Part) func(sqlite.Row) (archive.Record, error) {
	return func(r sqlite.Row) (archive.Record, error) {
		var owner []byte
		d, err := scanDay(behind{r, []any{&owner}})
		return &archive.Day{Of: of, Owner: unpackOwner(of, owner), Day: d}, err
	}
}

// unpackOwner returns the id of the owner of a day: those of departments are kept as text.
func unpackOwner(of archive.Part, owner []byte) string {
	if of == archive.DepartmentDays {
		return string(owner)
	}
	return sqlite.UnpackID(owner)
}

func scanArchivedTotal(r sqlite.Row) (archive.Record, error) {
	var id []byte
	var t archive.AgentTotal
	err := r.Scan(&id, &t.Completed)
	t.Agent = agent.ID(sqlite.UnpackID(id))
	return &t, err
}
