// Package archive describes the file that carries everything of a service from one storage
// to another: which parts it has, how their records are written, and how a reader makes sure
// that nothing is missing or damaged. It reads no file and knows no store.
//
// An archive is a text of lines, each a JSON object: a [Header]; the records of each part, in
// the order of [Parts], and behind them the [Sum] of the part; and at the end the manifest,
// which repeats all sums. Records say nothing of the storage that they come from: those of
// two storages with the same content are the same text.
//
// Sessions, sign-in links, idempotency records, deliveries to webhooks, and how far the audit
// trail was written elsewhere are not in an archive.
package archive

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"orgd/domain/fault"
	"orgd/domain/jsondoc"
)

// Format is the number of the form of archives that this package writes. It reads this one
// and all before.
const Format = 1

// Part is one kind of records.
type Part string

// The parts of an archive, in their order: what a record refers to is before it.
const (
	TheCompany     Part = "company"
	Departments    Part = "departments"
	Versions       Part = "versions"
	Agents         Part = "agents"
	DeletedAgents  Part = "deleted_agents"
	LabelMoves     Part = "label_moves"
	Events         Part = "events"
	AgentDays      Part = "agent_days"
	DepartmentDays Part = "department_days"
	AgentTotals    Part = "agent_totals"
	Projects       Part = "projects"
	Audit          Part = "audit"
	Webhooks       Part = "webhooks"
	Revocations    Part = "revocations"
)

// Parts lists all parts in their order.
func Parts() []Part {
	return []Part{
		TheCompany, Departments, Versions, Agents, DeletedAgents, LabelMoves, Events,
		AgentDays, DepartmentDays, AgentTotals, Projects, Audit, Webhooks, Revocations,
	}
}

// The ways in which an archive cannot be used.
var (
	// ErrDamaged is an archive that is not as it was written.
	ErrDamaged = fault.New(fault.Validation, "the archive is damaged")
	// ErrFormat is no archive, or one of a newer release.
	ErrFormat = fault.New(fault.Validation, "the file is no archive that this release can read")
	// ErrPassphrase is an archive whose secrets cannot be read.
	ErrPassphrase = fault.New(fault.Validation, "the secrets in the archive cannot be read")
)

// Damaged returns the [ErrDamaged] of a part.
func Damaged(in Part, format string, args ...any) error {
	return ErrDamaged.With("the archive is damaged: %s: %s; get the file again from where it was made, or create another archive",
		in, fmt.Sprintf(format, args...))
}

// Header is the first line of an archive.
type Header struct {
	ID        string // of this archive: another one of the same storage has another
	Version   string // of the program that made it
	Storage   string // the kind that it was made from
	CreatedAt time.Time
	Secrets   *Sealed // nil if the secrets of webhooks are not in it
}

// fields are those of the line.
func (h *Header) fields(f fields) {
	format := int64(Format)
	f.int("orgd_archive", &format)
	f.text("id", &h.ID)
	f.text("version", &h.Version)
	f.text("storage", &h.Storage)
	f.time("created_at", &h.CreatedAt)
	salt, check := "", ""
	if h.Secrets != nil {
		salt, check = h.Secrets.Salt, h.Secrets.Check
	}
	f.text("salt", &salt)
	f.text("check", &check)
	if salt != "" {
		h.Secrets = &Sealed{salt, check}
	}
}

// Append appends the line of h.
func (h Header) Append(dst []byte) []byte { return appendLine(dst, h.fields) }

// ParseHeader reads the first line of an archive. It returns [ErrFormat] if that is another
// file, or of a format that is not known.
func ParseHeader(line []byte) (h Header, err error) {
	v, err := jsondoc.ParseStored(line)
	if err != nil {
		return h, ErrFormat.With("the file is no archive")
	}
	number, ok := v.Get("orgd_archive")
	if !ok {
		return h, ErrFormat.With("the file is no archive")
	}
	if n, whole := number.Number().Int(); !whole || n < 1 || n > Format {
		return h, ErrFormat.With("the archive has format %s, and this release reads formats up to %d: use a newer release", number.Number(), Format)
	}
	if err := read(v, h.fields); err != nil {
		return h, Damaged("header", "%v", err)
	}
	return h, nil
}

// Sum says what a part holds: how many records, and the SHA-256 of their lines.
type Sum struct {
	Part   Part
	Count  int64
	SHA256 string // in hexadecimal digits
}

const (
	sumBegin      = `{"end":`
	manifestBegin = `{"manifest":`
	recordBegin   = `{"part":"`
)

func (s *Sum) fields(f fields) {
	f.text("end", (*string)(&s.Part))
	f.int("count", &s.Count)
	f.text("sha256", &s.SHA256)
}

// Append appends the line of s.
func (s Sum) Append(dst []byte) []byte { return appendLine(dst, s.fields) }

// ParseSum reads the line behind the records of a part. ok is false if it is another one.
func ParseSum(line []byte) (s Sum, ok bool) {
	if !strings.HasPrefix(string(line[:min(len(line), len(sumBegin))]), sumBegin) {
		return s, false
	}
	v, err := jsondoc.ParseStored(line)
	return s, err == nil && read(v, s.fields) == nil
}

// AppendManifest appends the last line.
func AppendManifest(dst []byte, sums []Sum) []byte {
	w := jsondoc.NewWriter(append(dst, manifestBegin...))
	w.OpenList()
	for _, s := range sums {
		w.Open()
		s.fields(fields{w: w})
		w.Close()
	}
	w.CloseList()
	return append(w.Bytes(), '}', '\n')
}

// PartOf returns the part of the record on a line, "" if it is none.
func PartOf(line []byte) Part {
	rest, ok := strings.CutPrefix(string(line[:min(len(line), 64)]), recordBegin)
	name, _, ended := strings.Cut(rest, `"`)
	if !ok || !ended || !slices.Contains(Parts(), Part(name)) {
		return ""
	}
	return Part(name)
}
