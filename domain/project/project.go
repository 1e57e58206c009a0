// Package project describes the projects of an organization.
package project

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"orgd/domain/fault"
	"orgd/domain/identity"
	"orgd/domain/jsondoc"
	"orgd/domain/money"
	"orgd/domain/name"
	"orgd/domain/revision"
)

var (
	// ErrNotFound is a project id that names nothing.
	ErrNotFound = fault.New(fault.NotFound, "project not found")
	// ErrExists is an id that is taken; ids are short, so a maker tries again.
	ErrExists = fault.New(fault.Duplicate, "project id is taken")
	// ErrMove is a change of status that is not allowed.
	ErrMove = fault.New(fault.Conflict, "this change of status is not allowed")
)

// ID identifies a project: "proj-" and 12 hex digits, of which the first 8 are
// the second of its creation, so ids sort by age.
type ID string

const idPrefix = "proj-"

// NewID returns the id of a project made at t; random fills its last 4 digits.
func NewID(t time.Time, random uint16) ID {
	return ID(fmt.Sprintf("%s%08x%04x", idPrefix, uint32(t.Unix()), random))
}

// ParseID returns the id that s spells, or [ErrNotFound]: nothing else can name
// a project.
func ParseID(s string) (ID, error) {
	digits, ok := strings.CutPrefix(s, idPrefix)
	if !ok || len(digits) != 12 || strings.Trim(digits, "0123456789abcdef") != "" {
		return "", ErrNotFound.With("project %q not found", s)
	}
	return ID(s), nil
}

// Status says where a project stands.
type Status string

// The statuses of a project.
const (
	Planning  Status = "planning"
	Active    Status = "active"
	OnHold    Status = "on_hold"
	Completed Status = "completed"
	Cancelled Status = "cancelled"
)

var statuses = []Status{Planning, Active, OnHold, Completed, Cancelled}

// moves lists where a project may go from each status.
var moves = map[Status][]Status{
	Planning: {Active, Cancelled},
	Active:   {OnHold, Completed, Cancelled},
	OnHold:   {Active, Cancelled},
}

// ErrStatus is a word that is no status.
var ErrStatus = fault.New(fault.RequestValidation, "status: must be one of "+fault.List(statuses))

// ParseStatus returns the status that s names, or [ErrStatus].
func ParseStatus(s string) (Status, error) {
	if slices.Contains(statuses, Status(s)) {
		return Status(s), nil
	}
	return "", ErrStatus
}

// Project is a piece of work with a team. Its references are agent ids.
type Project struct {
	ID          ID
	Name        string // 1..256 code points, not unique
	Description string // ..4096
	Team        []string
	Lead        *string
	TaskIDs     []string
	Deadline    *time.Time
	Budget      money.Amount
	Status      Status
	Revision    int64
	CreatedAt   time.Time
	UpdatedAt   time.Time
}

// Tag names the current state of p.
func (p Project) Tag() revision.Tag { return revision.Tag{ID: string(p.ID), Revision: p.Revision} }

// Size implements [page.Row].
func (p Project) Size() int {
	size := len(p.Description)
	for _, text := range p.TaskIDs {
		size += len(text)
	}
	return size
}

const maxTeam = 50

var taskBounds = jsondoc.Bounds{MaxItems: 1000, MinLen: 1, MaxLen: 256}

func (p *Project) read(r *jsondoc.Reader) {
	n := name.Name{Text: p.Name}
	name.Read(r, "name", &n, 256)
	p.Name = n.Text
	r.Text("description", &p.Description, 0, 4096)
	identity.ReadRefs(r, "team", &p.Team, maxTeam)
	identity.ReadRef(r, "lead", &p.Lead)
	readDeadline(r, &p.Deadline)
	money.ReadAmount(r, "budget", &p.Budget)
}

// readDeadline reads a time, or a date: its midnight in UTC. null is none.
func readDeadline(r *jsondoc.Reader, dst **time.Time) {
	const field = "deadline"
	if v, ok := r.Raw(field); ok && v.Kind() == jsondoc.KindString {
		if day, err := time.Parse(time.DateOnly, v.Text()); err == nil {
			*dst = &day
			return
		}
	}
	r.TimeOrNull(field, dst)
}
