package archive

import (
	"orgd/domain/activity"
	"orgd/domain/agent"
	"orgd/domain/audit"
	"orgd/domain/company"
	"orgd/domain/department"
	"orgd/domain/identity"
	"orgd/domain/jsondoc"
	"orgd/domain/name"
	"orgd/domain/performance"
	"orgd/domain/project"
	"orgd/domain/session"
	"orgd/domain/webhook"
)

// Record is a record of an archive.
type Record interface {
	Part() Part
	fields(fields)
}

// Company is the company. The order of its departments is that of their order keys.
type Company struct {
	company.Company
	Costs bool // whether any were ever recorded
}

// Department is a department.
type Department struct{ department.Department }

// Version is a version of an agent, without its Content.
type Version struct {
	Agent agent.ID
	identity.Version
}

// Agent is an agent that exists.
type Agent struct{ agent.Record }

// DeletedAgent is an agent that can be restored.
type DeletedAgent struct {
	Last agent.Record
	agent.Deletion
}

// LabelMove is an entry of the history of a label.
type LabelMove struct {
	Agent agent.ID
	agent.Move
}

// Event is an event, of an agent that was in a department then.
type Event struct {
	activity.Event
	Department name.Key
}

// Day is what an agent or a department did on a day.
type Day struct {
	Of    Part // AgentDays or DepartmentDays
	Owner string
	performance.Day
}

// AgentTotal is how many tasks an agent ever completed.
type AgentTotal struct {
	Agent     agent.ID
	Completed int64
}

// Project is a project.
type Project struct{ project.Project }

// Entry is an entry of the audit trail.
type Entry struct{ audit.Entry }

// Webhook is a webhook. Its secrets are in the archive only if they are sealed.
type Webhook struct {
	webhook.Webhook
	Sealed string // the secrets; "" if they are left out
}

// Revocation is a session that is revoked.
type Revocation struct{ session.Revocation }

// Part implements [Record].
func (*Company) Part() Part      { return TheCompany }
func (*Department) Part() Part   { return Departments }
func (*Version) Part() Part      { return Versions }
func (*Agent) Part() Part        { return Agents }
func (*DeletedAgent) Part() Part { return DeletedAgents }
func (*LabelMove) Part() Part    { return LabelMoves }
func (*Event) Part() Part        { return Events }
func (r *Day) Part() Part        { return r.Of }
func (*AgentTotal) Part() Part   { return AgentTotals }
func (*Project) Part() Part      { return Projects }
func (*Entry) Part() Part        { return Audit }
func (*Webhook) Part() Part      { return Webhooks }
func (*Revocation) Part() Part   { return Revocations }

// newRecord returns an empty record of a part.
func newRecord(p Part) Record {
	switch p {
	case TheCompany:
		return &Company{}
	case Departments:
		return &Department{}
	case Versions:
		return &Version{}
	case Agents:
		return &Agent{}
	case DeletedAgents:
		return &DeletedAgent{}
	case LabelMoves:
		return &LabelMove{}
	case Events:
		return &Event{}
	case AgentDays, DepartmentDays:
		return &Day{Of: p}
	case AgentTotals:
		return &AgentTotal{}
	case Projects:
		return &Project{}
	case Audit:
		return &Entry{}
	case Webhooks:
		return &Webhook{}
	case Revocations:
		return &Revocation{}
	}
	return nil
}

// Append appends the line of a record.
func Append(dst []byte, r Record) []byte {
	return appendLine(dst, func(f fields) {
		f.w.Field("part").Text(string(r.Part()))
		r.fields(f)
	})
}

// Parse reads the line of a record of a part.
func Parse(p Part, line []byte) (Record, error) {
	r := newRecord(p)
	v, err := jsondoc.ParseStored(line)
	if err == nil {
		err = read(v, func(f fields) {
			f.r.Has("part")
			r.fields(f)
		})
	}
	if err != nil {
		return nil, Damaged(p, "%v", err)
	}
	return r, nil
}

// stored is a value that stores keep as a document of its own.
func stored[T any](f fields, v *T, canonical func(T) []byte, parse func(text string) (T, error)) {
	text := ""
	if f.w != nil {
		text = string(canonical(*v))
	}
	f.document("doc", &text)
	if f.r == nil {
		return
	}
	read, err := parse(text)
	if err != nil {
		f.r.Fail("doc", "%v", err)
		return
	}
	*v = read
}

func (r *Company) fields(f fields) {
	stored(f, &r.Company, company.Company.Canonical, func(text string) (company.Company, error) { return company.Parse([]byte(text)) })
	f.bool("costs_recorded", &r.Costs)
	f.int("revision", &r.Revision)
	f.time("updated_at", &r.UpdatedAt)
}

func (r *Department) fields(f fields) {
	stored(f, &r.Department, department.Department.Canonical, department.Parse)
	f.text("id", &r.ID)
	f.text("name", &r.Name.Text)
	f.text("key", (*string)(&r.Name.Key))
	f.text("order_key", (*string)(&r.OrderKey))
	f.int("revision", &r.Revision)
	f.time("created_at", &r.CreatedAt)
	f.time("updated_at", &r.UpdatedAt)
}

func (r *Version) fields(f fields) {
	f.text("agent", (*string)(&r.Agent))
	f.int("number", &r.Number)
	f.text("hash", &r.Hash)
	f.text("saved_by", &r.SavedBy)
	f.time("saved_at", &r.SavedAt)
	f.bool("imported", &r.Imported)
	f.intOrNull("restored_from", &r.RestoredFrom)
	f.textOrNull("reason", &r.Reason)
	f.document("identity", &r.Text)
}

func (r *Agent) fields(f fields) { agentFields(f, &r.Record) }

func agentFields(f fields, r *agent.Record) {
	f.text("id", (*string)(&r.ID))
	f.text("name", &r.Name)
	f.text("order_key", (*string)(&r.OrderKey))
	f.text("status", (*string)(&r.Status))
	f.textOrNull("owner", &r.Owner)
	f.texts("tags", &r.Tags)
	f.documentOrNull("labels", &r.Labels)
	f.int("version", &r.Version)
	f.int("revision", &r.Revision)
	f.time("created_at", &r.CreatedAt)
	f.time("updated_at", &r.UpdatedAt)
	f.document("unversioned", &r.Unversioned)
	f.document("identity", &r.Identity)
}

func (r *DeletedAgent) fields(f fields) {
	f.text("department", &r.Deletion.Department)
	f.time("deleted_at", &r.At)
	f.text("deleted_by", &r.By)
	agentFields(f, &r.Last)
	r.ID, r.Deletion.Name = r.Last.ID, r.Last.Name
}

func (r *LabelMove) fields(f fields) {
	f.text("agent", (*string)(&r.Agent))
	f.text("label", &r.Label)
	f.int("revision", &r.Revision)
	f.int("from", &r.From)
	f.int("to", &r.To)
	f.text("by", &r.By)
	f.time("at", &r.At)
	f.textOrNull("reason", &r.Reason)
	f.text("way", (*string)(&r.Way))
}

func (r *Event) fields(f fields) {
	f.text("id", (*string)(&r.ID))
	f.text("type", (*string)(&r.Type))
	f.time("at", &r.At)
	f.text("agent", &r.AgentID)
	f.text("agent_name", &r.AgentName)
	f.text("department", (*string)(&r.Department))
	f.text("description", &r.Description)
	f.text("by", &r.By)
	f.object("related", &r.Related)
	f.objectOrNull("data", &r.Data)
	f.object("metadata", &r.Metadata)
}

func (r *Day) fields(f fields) {
	f.text("owner", &r.Owner)
	f.date("day", &r.Date)
	f.int("tasks_completed", &r.TasksCompleted)
	f.int("tasks_failed", &r.TasksFailed)
	f.sample("duration", &r.Duration)
	f.sample("quality", &r.Quality)
	f.sample("task_cost", &r.TaskCost)
	f.sample("tokens", &r.Tokens)
	f.sample("collaboration", &r.Collaboration)
	f.sample("cost", &r.Cost)
	f.sample("excess", &r.Excess)
}

func (r *AgentTotal) fields(f fields) {
	f.text("agent", (*string)(&r.Agent))
	f.int("tasks_completed", &r.Completed)
}

func (r *Project) fields(f fields) {
	stored(f, &r.Project, project.Project.Canonical, func(text string) (project.Project, error) { return project.Parse([]byte(text)) })
	f.text("id", (*string)(&r.ID))
	f.int("revision", &r.Revision)
	f.time("created_at", &r.CreatedAt)
	f.time("updated_at", &r.UpdatedAt)
}

func (r *Entry) fields(f fields) {
	f.text("id", &r.ID)
	f.time("at", &r.At)
	f.text("actor", &r.Actor)
	f.text("action", (*string)(&r.Action))
	f.text("route", &r.Route)
	f.text("resource", (*string)(&r.Resource))
	f.int("from", &r.From)
	f.int("to", &r.To)
	f.text("request_id", &r.RequestID)
	change := ""
	if f.w != nil && r.Change != nil {
		change = r.Change.Text()
	}
	f.documentOrNull("change", &change)
	if f.r == nil || change == "" {
		return
	}
	var err error
	if r.Change, err = audit.ParseChange(r.Action, change); err != nil {
		f.r.Fail("change", "%v", err)
	}
}

func (r *Webhook) fields(f fields) {
	stored(f, &r.Webhook, webhook.Webhook.Canonical, func(text string) (webhook.Webhook, error) { return webhook.Parse([]byte(text)) })
	f.text("id", (*string)(&r.ID))
	f.text("secrets", &r.Sealed)
	f.int("revision", &r.Revision)
	f.time("created_at", &r.CreatedAt)
	f.time("updated_at", &r.UpdatedAt)
}

func (r *Revocation) fields(f fields) {
	f.text("session", &r.ID)
	f.text("by", &r.By)
	f.time("at", &r.At)
	f.time("until", &r.Until)
}
