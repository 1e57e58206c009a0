package organization

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"orgd/domain/agent"
	"orgd/domain/company"
	"orgd/domain/department"
	"orgd/domain/fault"
	"orgd/domain/identity"
	"orgd/domain/jsondoc"
	"orgd/domain/name"
	"orgd/domain/session"
)

// Document is a document without the entries of its agents, which may be many and
// long. [Entries] reads these again.
type Document struct {
	Company     *company.Patch // nil if absent
	companyLine int
	Departments []DepartmentEntry
	Agents      []AgentEntry
}

// DepartmentEntry is the entry of a department.
type DepartmentEntry struct {
	department.Patch
	Where
}

// AgentEntry is the part of the entry of an agent that is kept.
type AgentEntry struct {
	Name       name.Name
	Previous   *name.Key      // the previous name, nil if absent
	Department *name.Key      // nil if absent
	AsOf       *identity.AsOf // nil if absent
	Refs       []identity.Ref
	Where
}

// Path returns the path of entry number i of a list.
func Path(list string, i int) string { return fmt.Sprintf("%s[%d]", list, i) }

// Builder makes a [Document] of the parts of a text, in any order. It reports
// everything that is wrong at the end.
type Builder struct {
	doc      Document
	problems problems
	format   bool
	seen     map[string]bool
	named    map[entryName]int // the number of the first entry with a name
}

// entryName is the name of an entry of a list.
type entryName struct {
	list string
	key  name.Key
}

// NewBuilder returns a Builder that has no parts yet.
func NewBuilder() *Builder {
	return &Builder{seen: map[string]bool{}, named: map[entryName]int{}}
}

// Field begins a member of the document, and reports whether documents have it.
func (b *Builder) Field(field string, line int) bool {
	if b.seen[field] {
		b.problems.add(ErrMalformed.At(quoted(field), "duplicate key"), Where{Line: line})
		return false
	}
	b.seen[field] = true
	if slices.Contains(memberNames, field) {
		return true
	}
	hint := ""
	if i := slices.IndexFunc(memberNames, func(known string) bool { return strings.EqualFold(field, known) }); i >= 0 {
		hint = fmt.Sprintf(", did you mean %q?", memberNames[i])
	}
	b.problems.add(ErrMalformed.At(quoted(field), "unknown field%s", hint), Where{Line: line})
	return false
}

// quoted returns the name of a field for a sentence.
func quoted(field string) string {
	const limit = 64
	if field == "" || len(field) > limit {
		return strconv.Quote(strings.ToValidUTF8(field[:min(len(field), limit)], ""))
	}
	return field
}

// NotList reports a list that is something else.
func (b *Builder) NotList(field string, line int) {
	b.problems.add(ErrMalformed.At(field, "must be an array of objects"), Where{Line: line})
}

// Format sets the version of the form.
func (b *Builder) Format(v jsondoc.Value, line int) {
	if n, ok := v.Number().Int(); v.Kind() != jsondoc.KindNumber || !ok || n != Format {
		b.problems.add(ErrMalformed.At("format", "must be %d", Format), Where{Line: line})
	}
	b.format = true
}

// Company sets the company. where is for errors.
func (b *Builder) Company(v jsondoc.Value, where Where) {
	p, err := company.ParseEntry(FieldCompany, v)
	if err != nil {
		b.problems.add(err, where)
		return
	}
	b.doc.Company, b.doc.companyLine = &p, where.Line
}

// Department adds the next department.
func (b *Builder) Department(v jsondoc.Value, where Where) {
	i := len(b.doc.Departments)
	p, err := department.ParseEntry(Path(FieldDepartments, i), v)
	b.doc.Departments = append(b.doc.Departments, DepartmentEntry{p, where})
	if err != nil {
		b.problems.add(err, where)
	}
	b.unique(FieldDepartments, i, v, where)
}

// Agent adds the next agent.
func (b *Builder) Agent(v jsondoc.Value, where Where) {
	i := len(b.doc.Agents)
	e, p, err := parseAgent(i, v)
	if err != nil {
		b.problems.add(err, where)
	}
	if n, named := v.Get("name"); (!named || n.IsNull()) && v.Kind() == jsondoc.KindObject {
		b.problems.add(ErrMalformed.At(Path(FieldAgents, i)+".name", "is required"), where)
	}
	b.unique(FieldAgents, i, v, where)
	if err != nil || p.Name() == nil {
		b.doc.Agents = append(b.doc.Agents, AgentEntry{})
		return
	}
	// Substrings would keep the text of the whole entry.
	e.Name, e.Where = p.Name().Clone(), where
	if e.Previous != nil {
		e.Previous = new(e.Previous.Clone())
	}
	if d := p.Department(); d != nil {
		e.Department = new(d.Key.Clone())
	}
	for _, text := range p.References() {
		if ref, err := identity.ParseRef(text); err == nil && !slices.Contains(e.Refs, ref) {
			e.Refs = append(e.Refs, ref.Clone()) // others are reported with their field
		}
	}
	b.doc.Agents = append(b.doc.Agents, e)
}

// Unreadable replaces a member of the document or, in a list, its next item, whose
// text cannot be read because of err.
func (b *Builder) Unreadable(member string, err error) {
	switch member {
	case FieldDepartments:
		b.doc.Departments = append(b.doc.Departments, DepartmentEntry{})
	case FieldAgents:
		b.doc.Agents = append(b.doc.Agents, AgentEntry{})
	default:
		b.format = true // it may be the member
	}
	b.problems.add(err, Where{})
}

// Broken returns everything that is wrong with a text that cannot be read any further
// because of err.
func (b *Builder) Broken(err error) error {
	if b.problems.count == 0 || fault.Of(err).Code != fault.RequestValidation {
		return err
	}
	b.problems.add(err, Where{})
	return b.problems.err()
}

// unique adds a problem if another entry of the list has the name of an entry.
func (b *Builder) unique(list string, i int, entry jsondoc.Value, where Where) {
	text, _ := entry.Get("name")
	n, err := name.Parse(text.Text())
	if err != nil || text.Kind() != jsondoc.KindString {
		return // another problem
	}
	if first, ok := b.named[entryName{list, n.Key}]; ok {
		b.problems.add(ErrMalformed.At(Path(list, i)+".name", "%q is also the name of %s", n.Text, Path(list, first)), where)
		return
	}
	b.named[entryName{list, n.Key.Clone()}] = i
}

// Imports reports whether entries say when and by whom they were written elsewhere.
func (d *Document) Imports() bool {
	return slices.ContainsFunc(d.Agents, func(e AgentEntry) bool { return e.AsOf != nil })
}

// Document returns the document, or [ErrMalformed] or [ErrRefused] with everything
// that is wrong with it whatever the organization is. With prune, what it does not
// name is to be deleted; then it returns [ErrPrune] if a list is absent.
func (b *Builder) Document(prune bool) (*Document, error) {
	if !b.format {
		b.problems.add(ErrMalformed.At("format", "is required"), Where{})
	}
	if err := b.problems.err(); err != nil {
		return nil, err
	}
	if prune && !(b.seen[FieldDepartments] && b.seen[FieldAgents]) {
		return nil, ErrPrune
	}
	return &b.doc, nil
}

// parseAgent reads entry number i of the agents.
func parseAgent(i int, v jsondoc.Value) (AgentEntry, agent.Patch, error) {
	var e AgentEntry
	path := Path(FieldAgents, i)
	if text, ok := v.Get(FieldPreviousName); ok {
		n, err := name.Parse(text.Text())
		switch {
		case text.IsNull():
		case err != nil || text.Kind() != jsondoc.KindString:
			return e, agent.Patch{}, ErrMalformed.At(path+"."+FieldPreviousName, "must be a name")
		default:
			e.Previous = &n.Key
		}
	}
	if given, ok := v.Get(FieldAsOf); ok && !given.IsNull() {
		as, err := parseAsOf(path+"."+FieldAsOf, given)
		if err != nil {
			return e, agent.Patch{}, err
		}
		e.AsOf = &as
	}
	for _, field := range []string{FieldPreviousName, FieldAsOf} {
		if _, ok := v.Get(field); ok { // few have it, and Only copies the entry
			v = v.Only(func(other string) bool { return other != field })
		}
	}
	p, err := agent.ParseEntry(path, v)
	return e, p, err
}

// parseAsOf reads when and by whom an entry was written elsewhere. What it returns shares no
// memory with the text.
func parseAsOf(path string, v jsondoc.Value) (as identity.AsOf, err error) {
	err = jsondoc.ReadWholeAt(path, v, func(r *jsondoc.Reader) {
		r.Require("at", "by")
		r.Time("at", &as.At)
		if r.Text("by", &as.By, 0, math.MaxInt); r.Given("by") {
			if problem := session.CheckSubject(as.By); problem != "" {
				r.Fail("by", "%s", problem)
			}
		}
		r.TextOrNull("reason", &as.Reason, 1, agent.MaxReason)
	})
	as.By = strings.Clone(as.By)
	if as.Reason != nil {
		as.Reason = new(strings.Clone(*as.Reason))
	}
	return as, err
}
