package telemetry

import (
	"context"
	"time"

	"orgd/domain/activity"
	"orgd/domain/agent"
	"orgd/domain/audit"
	"orgd/domain/company"
	"orgd/domain/department"
	"orgd/domain/fault"
	"orgd/domain/identity"
	"orgd/domain/money"
	"orgd/domain/name"
	"orgd/domain/performance"
	"orgd/domain/project"
	"orgd/domain/receipt"
	"orgd/domain/revision"
	"orgd/domain/session"
	"orgd/domain/webhook"
	"orgd/ports"
)

// Measured returns the stores with every operation's time and outcome in m, and
// with a span in the traces that it is part of. What they do is unchanged.
func (m *Metrics) Measured(s ports.Stores, t *Traces) ports.Stores {
	w := watcher{m, t}
	return ports.Stores{
		Agents:      agents{s.Agents, w},
		Identities:  identities{s.Identities, w},
		Departments: departments{s.Departments, w},
		Company:     companies{s.Company, w},
		Projects:    projects{s.Projects, w},
		Activities:  activities{s.Activities, w},
		Stream:      stream{s.Stream, w},
		Measures:    measures{s.Measures, w},
		Audit:       audits{s.Audit, w},
		Receipts:    receipts{s.Receipts, w},
		Sessions:    sessions{s.Sessions, w},
		Webhooks:    webhooks{s.Webhooks, w},
		Outbox:      outbox{s.Outbox, w},
		Storage:     storage{s.Storage, w},
	}
}

// watcher is told of every operation of a storage.
type watcher struct {
	metrics *Metrics
	traces  *Traces // nil without
}

// begin begins an operation of the storage, which goes on in the context that it
// returns.
func (w watcher) begin(ctx context.Context, name string) (context.Context, operation) {
	span := w.traces.Begin(ctx, "store ", name)
	return span.In(ctx), operation{metrics: w.metrics, name: name, begun: time.Now(), span: span}
}

// operation is an operation of the storage that is under way.
type operation struct {
	metrics *Metrics
	name    string
	begun   time.Time
	span    Span
}

// end ends the operation. err points to its error: a refusal by a rule is an
// answer, not a failure.
func (o operation) end(err *error) {
	failed := *err != nil && fault.Of(*err).Code >= fault.Internal
	o.metrics.StoreOperation(o.name, time.Since(o.begun), failed)
	o.span.End(*err)
}

type agents struct {
	ports.AgentStore
	watcher
}

func (s agents) Create(ctx context.Context, asked name.Name, hire func(name.Name) (ports.AgentStep, error)) (_ agent.Agent, err error) {
	ctx, op := s.begin(ctx, "agents.create")
	defer op.end(&err)
	return s.AgentStore.Create(ctx, asked, hire)
}

func (s agents) Update(ctx context.Context, ref identity.Ref, change func(agent.Agent) (ports.AgentStep, error)) (_ agent.Agent, err error) {
	ctx, op := s.begin(ctx, "agents.update")
	defer op.end(&err)
	return s.AgentStore.Update(ctx, ref, change)
}

func (s agents) Agent(ctx context.Context, ref identity.Ref) (_ agent.Agent, err error) {
	ctx, op := s.begin(ctx, "agents.get")
	defer op.end(&err)
	return s.AgentStore.Agent(ctx, ref)
}

func (s agents) Agents(ctx context.Context, q agent.Query) (_ []agent.Agent, err error) {
	ctx, op := s.begin(ctx, "agents.list")
	defer op.end(&err)
	return s.AgentStore.Agents(ctx, q)
}

func (s agents) Record(ctx context.Context, ref identity.Ref) (_ agent.Record, err error) {
	ctx, op := s.begin(ctx, "agents.get")
	defer op.end(&err)
	return s.AgentStore.Record(ctx, ref)
}

func (s agents) Records(ctx context.Context, q agent.Query) (_ []agent.Record, err error) {
	ctx, op := s.begin(ctx, "agents.list")
	defer op.end(&err)
	return s.AgentStore.Records(ctx, q)
}

func (s agents) Trace(ctx context.Context, ref identity.Ref) (_ agent.ID, _ name.Name, err error) {
	ctx, op := s.begin(ctx, "agents.trace")
	defer op.end(&err)
	return s.AgentStore.Trace(ctx, ref)
}

func (s agents) Find(ctx context.Context, refs []identity.Ref) (_ map[identity.Ref]agent.Profile, err error) {
	ctx, op := s.begin(ctx, "agents.find")
	defer op.end(&err)
	return s.AgentStore.Find(ctx, refs)
}

func (s agents) Names(ctx context.Context, ids []agent.ID) (_ map[agent.ID]string, err error) {
	ctx, op := s.begin(ctx, "agents.names")
	defer op.end(&err)
	return s.AgentStore.Names(ctx, ids)
}

func (s agents) Counts(ctx context.Context, departments []name.Key) (_ map[name.Key]agent.Counts, err error) {
	ctx, op := s.begin(ctx, "agents.count")
	defer op.end(&err)
	return s.AgentStore.Counts(ctx, departments)
}

type identities struct {
	ports.IdentityLog
	watcher
}

func (s identities) Versions(ctx context.Context, id agent.ID, before int64, limit int) (_ []identity.Version, err error) {
	ctx, op := s.begin(ctx, "versions.list")
	defer op.end(&err)
	return s.IdentityLog.Versions(ctx, id, before, limit)
}

func (s identities) Version(ctx context.Context, id agent.ID, number int64) (_ identity.Version, err error) {
	ctx, op := s.begin(ctx, "versions.get")
	defer op.end(&err)
	return s.IdentityLog.Version(ctx, id, number)
}

type departments struct {
	ports.DepartmentStore
	watcher
}

func (s departments) Create(ctx context.Context, key name.Key, found func(company.Company, money.Percent) (ports.DepartmentStep, error)) (_ department.Department, err error) {
	ctx, op := s.begin(ctx, "departments.create")
	defer op.end(&err)
	return s.DepartmentStore.Create(ctx, key, found)
}

func (s departments) Update(ctx context.Context, key name.Key, change func(department.Department, money.Percent) (ports.DepartmentStep, error)) (_ department.Department, err error) {
	ctx, op := s.begin(ctx, "departments.update")
	defer op.end(&err)
	return s.DepartmentStore.Update(ctx, key, change)
}

func (s departments) Reorder(ctx context.Context, key name.Key, order func(department.Department, []agent.Member) (ports.DepartmentStep, error)) (_ department.Department, err error) {
	ctx, op := s.begin(ctx, "departments.reorder")
	defer op.end(&err)
	return s.DepartmentStore.Reorder(ctx, key, order)
}

func (s departments) Delete(ctx context.Context, key name.Key, remove func(department.Department, int64, company.Company) (ports.DepartmentStep, error)) (err error) {
	ctx, op := s.begin(ctx, "departments.delete")
	defer op.end(&err)
	return s.DepartmentStore.Delete(ctx, key, remove)
}

func (s departments) Department(ctx context.Context, key name.Key) (_ department.Department, err error) {
	ctx, op := s.begin(ctx, "departments.get")
	defer op.end(&err)
	return s.DepartmentStore.Department(ctx, key)
}

func (s departments) Name(ctx context.Context, key name.Key) (_ name.Name, err error) {
	ctx, op := s.begin(ctx, "departments.name")
	defer op.end(&err)
	return s.DepartmentStore.Name(ctx, key)
}

func (s departments) Departments(ctx context.Context, after company.Place, limit int) (_ []department.Department, err error) {
	ctx, op := s.begin(ctx, "departments.list")
	defer op.end(&err)
	return s.DepartmentStore.Departments(ctx, after, limit)
}

type companies struct {
	ports.CompanyStore
	watcher
}

func (s companies) Company(ctx context.Context) (_ company.Company, err error) {
	ctx, op := s.begin(ctx, "company.get")
	defer op.end(&err)
	return s.CompanyStore.Company(ctx)
}

func (s companies) Update(ctx context.Context, change func(company.Company, bool) (ports.CompanyStep, error)) (_ company.Company, err error) {
	ctx, op := s.begin(ctx, "company.update")
	defer op.end(&err)
	return s.CompanyStore.Update(ctx, change)
}

type projects struct {
	ports.ProjectStore
	watcher
}

func (s projects) Create(ctx context.Context, step ports.ProjectStep) (err error) {
	ctx, op := s.begin(ctx, "projects.create")
	defer op.end(&err)
	return s.ProjectStore.Create(ctx, step)
}

func (s projects) Update(ctx context.Context, id project.ID, change func(project.Project) (ports.ProjectStep, error)) (_ project.Project, err error) {
	ctx, op := s.begin(ctx, "projects.update")
	defer op.end(&err)
	return s.ProjectStore.Update(ctx, id, change)
}

func (s projects) Project(ctx context.Context, id project.ID) (_ project.Project, err error) {
	ctx, op := s.begin(ctx, "projects.get")
	defer op.end(&err)
	return s.ProjectStore.Project(ctx, id)
}

func (s projects) Projects(ctx context.Context, q project.Query) (_ []project.Project, err error) {
	ctx, op := s.begin(ctx, "projects.list")
	defer op.end(&err)
	return s.ProjectStore.Projects(ctx, q)
}

type activities struct {
	ports.ActivityLog
	watcher
}

func (s activities) Append(ctx context.Context, reports []ports.Report, seal func(ports.Counted) ports.Note) (counted ports.Counted, err error) {
	ctx, op := s.begin(ctx, "activities.append")
	defer op.end(&err)
	counted, err = s.ActivityLog.Append(ctx, reports, seal)
	if err == nil {
		s.metrics.Reported(counted)
	}
	return counted, err
}

func (s activities) Feed(ctx context.Context, q activity.Query) (_ []activity.Shown, err error) {
	ctx, op := s.begin(ctx, "activities.list")
	defer op.end(&err)
	return s.ActivityLog.Feed(ctx, q)
}

func (s activities) Find(ctx context.Context, ids []activity.ID) (_ map[activity.ID]activity.Event, err error) {
	ctx, op := s.begin(ctx, "activities.find")
	defer op.end(&err)
	return s.ActivityLog.Find(ctx, ids)
}

func (s activities) Career(ctx context.Context, id agent.ID) (_ []activity.Event, err error) {
	ctx, op := s.begin(ctx, "activities.career")
	defer op.end(&err)
	return s.ActivityLog.Career(ctx, id)
}

func (s activities) LastActive(ctx context.Context, id agent.ID) (_ time.Time, _ bool, err error) {
	ctx, op := s.begin(ctx, "activities.last")
	defer op.end(&err)
	return s.ActivityLog.LastActive(ctx, id)
}

type stream struct {
	ports.EventStream
	watcher
}

func (s stream) Head(ctx context.Context) (_ activity.Seq, err error) {
	ctx, op := s.begin(ctx, "stream.head")
	defer op.end(&err)
	return s.EventStream.Head(ctx)
}

func (s stream) After(ctx context.Context, position activity.Seq, limit int) (_ ports.LogPage, err error) {
	ctx, op := s.begin(ctx, "stream.after")
	defer op.end(&err)
	return s.EventStream.After(ctx, position, limit)
}

func (s stream) Stored(ctx context.Context, after, upTo activity.Seq, limit int) (_ ports.LogPage, err error) {
	ctx, op := s.begin(ctx, "stream.stored")
	defer op.end(&err)
	return s.EventStream.Stored(ctx, after, upTo, limit)
}

type measures struct {
	ports.Measures
	watcher
}

func (s measures) AgentDays(ctx context.Context, id agent.ID, first performance.Date) (_ []performance.Day, _ int64, err error) {
	ctx, op := s.begin(ctx, "measures.agent")
	defer op.end(&err)
	return s.Measures.AgentDays(ctx, id, first)
}

func (s measures) DepartmentDays(ctx context.Context, id string, first performance.Date) (_ []performance.Day, err error) {
	ctx, op := s.begin(ctx, "measures.department")
	defer op.end(&err)
	return s.Measures.DepartmentDays(ctx, id, first)
}

func (s measures) DepartmentWork(ctx context.Context, ids []string, first, last performance.Date) (_ map[string]performance.Work, err error) {
	ctx, op := s.begin(ctx, "measures.departments")
	defer op.end(&err)
	return s.Measures.DepartmentWork(ctx, ids, first, last)
}

type audits struct {
	ports.AuditLog
	watcher
}

func (s audits) Entries(ctx context.Context, q audit.Query) (_ []audit.Entry, err error) {
	ctx, op := s.begin(ctx, "audit.list")
	defer op.end(&err)
	return s.AuditLog.Entries(ctx, q)
}

type receipts struct {
	ports.Receipts
	watcher
}

func (s receipts) Claim(ctx context.Context, c ports.Claim) (_ *receipt.Receipt, err error) {
	ctx, op := s.begin(ctx, "receipts.claim")
	defer op.end(&err)
	return s.Receipts.Claim(ctx, c)
}

func (s receipts) Renew(ctx context.Context, c ports.Claim, at time.Time) (err error) {
	ctx, op := s.begin(ctx, "receipts.renew")
	defer op.end(&err)
	return s.Receipts.Renew(ctx, c, at)
}

func (s receipts) Release(ctx context.Context, c ports.Claim) (err error) {
	ctx, op := s.begin(ctx, "receipts.release")
	defer op.end(&err)
	return s.Receipts.Release(ctx, c)
}

type sessions struct {
	ports.SessionStore
	watcher
}

func (s sessions) Issue(ctx context.Context, made session.Session, note ports.Note) (err error) {
	ctx, op := s.begin(ctx, "sessions.issue")
	defer op.end(&err)
	return s.SessionStore.Issue(ctx, made, note)
}

func (s sessions) See(ctx context.Context, seen session.Session) (err error) {
	ctx, op := s.begin(ctx, "sessions.see")
	defer op.end(&err)
	return s.SessionStore.See(ctx, seen)
}

func (s sessions) Session(ctx context.Context, id string) (_ session.Record, err error) {
	ctx, op := s.begin(ctx, "sessions.get")
	defer op.end(&err)
	return s.SessionStore.Session(ctx, id)
}

func (s sessions) Sessions(ctx context.Context, q session.Query) (_ []session.Record, err error) {
	ctx, op := s.begin(ctx, "sessions.list")
	defer op.end(&err)
	return s.SessionStore.Sessions(ctx, q)
}

func (s sessions) Revoke(ctx context.Context, r session.Revocation, note ports.Note) (err error) {
	ctx, op := s.begin(ctx, "sessions.revoke")
	defer op.end(&err)
	return s.SessionStore.Revoke(ctx, r, note)
}

func (s sessions) Revoked(ctx context.Context, since, now time.Time) (_ []session.Revocation, err error) {
	ctx, op := s.begin(ctx, "sessions.revoked")
	defer op.end(&err)
	return s.SessionStore.Revoked(ctx, since, now)
}

func (s sessions) Forget(ctx context.Context, now time.Time, limit int) (_ int, err error) {
	ctx, op := s.begin(ctx, "sessions.forget")
	defer op.end(&err)
	return s.SessionStore.Forget(ctx, now, limit)
}

type webhooks struct {
	ports.WebhookStore
	watcher
}

func (s webhooks) Create(ctx context.Context, step ports.WebhookStep) (err error) {
	ctx, op := s.begin(ctx, "webhooks.create")
	defer op.end(&err)
	return s.WebhookStore.Create(ctx, step)
}

func (s webhooks) Update(ctx context.Context, id webhook.ID, change func(webhook.Webhook) (ports.WebhookStep, error)) (_ webhook.Webhook, err error) {
	ctx, op := s.begin(ctx, "webhooks.update")
	defer op.end(&err)
	return s.WebhookStore.Update(ctx, id, change)
}

func (s webhooks) Webhook(ctx context.Context, id webhook.ID) (_ webhook.Webhook, err error) {
	ctx, op := s.begin(ctx, "webhooks.get")
	defer op.end(&err)
	return s.WebhookStore.Webhook(ctx, id)
}

func (s webhooks) Webhooks(ctx context.Context, q webhook.Query) (_ []webhook.Webhook, err error) {
	ctx, op := s.begin(ctx, "webhooks.list")
	defer op.end(&err)
	return s.WebhookStore.Webhooks(ctx, q)
}

func (s webhooks) Tags(ctx context.Context) (_ []revision.Tag, err error) {
	ctx, op := s.begin(ctx, "webhooks.tags")
	defer op.end(&err)
	return s.WebhookStore.Tags(ctx)
}

type outbox struct {
	ports.Outbox
	watcher
}

func (s outbox) Place(ctx context.Context) (_ activity.Seq, err error) {
	ctx, op := s.begin(ctx, "outbox.place")
	defer op.end(&err)
	return s.Outbox.Place(ctx)
}

func (s outbox) Record(ctx context.Context, from, to activity.Seq, deliveries []webhook.Delivery) (_ bool, err error) {
	ctx, op := s.begin(ctx, "outbox.record")
	defer op.end(&err)
	return s.Outbox.Record(ctx, from, to, deliveries)
}

func (s outbox) Due(ctx context.Context, now time.Time, lanes map[webhook.ID]int) (_ []webhook.Delivery, err error) {
	ctx, op := s.begin(ctx, "outbox.due")
	defer op.end(&err)
	return s.Outbox.Due(ctx, now, lanes)
}

func (s outbox) Move(ctx context.Context, moves []ports.Move) (_ []webhook.Delivery, err error) {
	ctx, op := s.begin(ctx, "outbox.move")
	defer op.end(&err)
	return s.Outbox.Move(ctx, moves)
}

func (s outbox) Delivery(ctx context.Context, of webhook.ID, id webhook.DeliveryID) (_ webhook.Delivery, err error) {
	ctx, op := s.begin(ctx, "outbox.get")
	defer op.end(&err)
	return s.Outbox.Delivery(ctx, of, id)
}

func (s outbox) Deliveries(ctx context.Context, q webhook.DeliveryQuery) (_ []webhook.Delivery, err error) {
	ctx, op := s.begin(ctx, "outbox.list")
	defer op.end(&err)
	return s.Outbox.Deliveries(ctx, q)
}

func (s outbox) DeliveredSince(ctx context.Context, of webhook.ID, since time.Time) (_ bool, err error) {
	ctx, op := s.begin(ctx, "outbox.delivered")
	defer op.end(&err)
	return s.Outbox.DeliveredSince(ctx, of, since)
}

func (s outbox) Backlog(ctx context.Context, of webhook.ID, limit int) (_ int, _ time.Time, err error) {
	ctx, op := s.begin(ctx, "outbox.backlog")
	defer op.end(&err)
	return s.Outbox.Backlog(ctx, of, limit)
}

type storage struct {
	ports.Storage
	watcher
}

func (s storage) Ping(ctx context.Context) (err error) {
	ctx, op := s.begin(ctx, "storage.ping")
	defer op.end(&err)
	return s.Storage.Ping(ctx)
}

func (s storage) Forget(ctx context.Context, e ports.Expiry) (_ bool, err error) {
	ctx, op := s.begin(ctx, "storage.forget")
	defer op.end(&err)
	return s.Storage.Forget(ctx, e)
}
