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
	"orgd/domain/session"
	"orgd/ports"
)

// Measured returns the stores with every operation's time and outcome in m.
// What they do is unchanged.
func (m *Metrics) Measured(s ports.Stores) ports.Stores {
	return ports.Stores{
		Agents:      agents{s.Agents, m},
		Identities:  identities{s.Identities, m},
		Departments: departments{s.Departments, m},
		Company:     companies{s.Company, m},
		Projects:    projects{s.Projects, m},
		Activities:  activities{s.Activities, m},
		Measures:    measures{s.Measures, m},
		Audit:       audits{s.Audit, m},
		Receipts:    receipts{s.Receipts, m},
		Sessions:    sessions{s.Sessions, m},
		Storage:     storage{s.Storage, m},
	}
}

// operation starts the clock of a storage operation. The function that it
// returns stops it; err points to the operation's error. A refusal by a rule is
// an answer, not a failure.
func (m *Metrics) operation(op string) func(err *error) {
	begun := time.Now()
	return func(err *error) {
		failed := *err != nil && fault.Of(*err).Code >= fault.Internal
		m.StoreOperation(op, time.Since(begun), failed)
	}
}

type agents struct {
	ports.AgentStore
	m *Metrics
}

func (s agents) Create(ctx context.Context, step ports.AgentStep) (err error) {
	defer s.m.operation("agents.create")(&err)
	return s.AgentStore.Create(ctx, step)
}

func (s agents) Update(ctx context.Context, ref identity.Ref, change func(agent.Agent) (ports.AgentStep, error)) (_ agent.Agent, err error) {
	defer s.m.operation("agents.update")(&err)
	return s.AgentStore.Update(ctx, ref, change)
}

func (s agents) Agent(ctx context.Context, ref identity.Ref) (_ agent.Agent, err error) {
	defer s.m.operation("agents.get")(&err)
	return s.AgentStore.Agent(ctx, ref)
}

func (s agents) Agents(ctx context.Context, q agent.Query) (_ []agent.Agent, err error) {
	defer s.m.operation("agents.list")(&err)
	return s.AgentStore.Agents(ctx, q)
}

func (s agents) Trace(ctx context.Context, ref identity.Ref) (_ agent.ID, _ name.Name, err error) {
	defer s.m.operation("agents.trace")(&err)
	return s.AgentStore.Trace(ctx, ref)
}

func (s agents) Find(ctx context.Context, refs []identity.Ref) (_ map[identity.Ref]agent.Profile, err error) {
	defer s.m.operation("agents.find")(&err)
	return s.AgentStore.Find(ctx, refs)
}

func (s agents) Counts(ctx context.Context, department name.Key) (_ agent.Counts, err error) {
	defer s.m.operation("agents.count")(&err)
	return s.AgentStore.Counts(ctx, department)
}

type identities struct {
	ports.IdentityLog
	m *Metrics
}

func (s identities) Versions(ctx context.Context, id agent.ID, before int64, limit int) (_ []identity.Version, err error) {
	defer s.m.operation("versions.list")(&err)
	return s.IdentityLog.Versions(ctx, id, before, limit)
}

func (s identities) Version(ctx context.Context, id agent.ID, number int64) (_ identity.Version, err error) {
	defer s.m.operation("versions.get")(&err)
	return s.IdentityLog.Version(ctx, id, number)
}

type departments struct {
	ports.DepartmentStore
	m *Metrics
}

func (s departments) Create(ctx context.Context, key name.Key, found func(company.Company, money.Percent) (ports.DepartmentStep, error)) (_ department.Department, err error) {
	defer s.m.operation("departments.create")(&err)
	return s.DepartmentStore.Create(ctx, key, found)
}

func (s departments) Update(ctx context.Context, key name.Key, change func(department.Department, money.Percent) (ports.DepartmentStep, error)) (_ department.Department, err error) {
	defer s.m.operation("departments.update")(&err)
	return s.DepartmentStore.Update(ctx, key, change)
}

func (s departments) Reorder(ctx context.Context, key name.Key, order func(department.Department, []agent.Member) (ports.DepartmentStep, error)) (_ department.Department, err error) {
	defer s.m.operation("departments.reorder")(&err)
	return s.DepartmentStore.Reorder(ctx, key, order)
}

func (s departments) Delete(ctx context.Context, key name.Key, remove func(department.Department, int64, company.Company) (ports.DepartmentStep, error)) (err error) {
	defer s.m.operation("departments.delete")(&err)
	return s.DepartmentStore.Delete(ctx, key, remove)
}

func (s departments) Department(ctx context.Context, key name.Key) (_ department.Department, err error) {
	defer s.m.operation("departments.get")(&err)
	return s.DepartmentStore.Department(ctx, key)
}

func (s departments) Departments(ctx context.Context, after company.Place, limit int) (_ []department.Department, err error) {
	defer s.m.operation("departments.list")(&err)
	return s.DepartmentStore.Departments(ctx, after, limit)
}

type companies struct {
	ports.CompanyStore
	m *Metrics
}

func (s companies) Company(ctx context.Context) (_ company.Company, err error) {
	defer s.m.operation("company.get")(&err)
	return s.CompanyStore.Company(ctx)
}

func (s companies) Update(ctx context.Context, change func(company.Company, bool) (ports.CompanyStep, error)) (_ company.Company, err error) {
	defer s.m.operation("company.update")(&err)
	return s.CompanyStore.Update(ctx, change)
}

type projects struct {
	ports.ProjectStore
	m *Metrics
}

func (s projects) Create(ctx context.Context, step ports.ProjectStep) (err error) {
	defer s.m.operation("projects.create")(&err)
	return s.ProjectStore.Create(ctx, step)
}

func (s projects) Update(ctx context.Context, id project.ID, change func(project.Project) (ports.ProjectStep, error)) (_ project.Project, err error) {
	defer s.m.operation("projects.update")(&err)
	return s.ProjectStore.Update(ctx, id, change)
}

func (s projects) Project(ctx context.Context, id project.ID) (_ project.Project, err error) {
	defer s.m.operation("projects.get")(&err)
	return s.ProjectStore.Project(ctx, id)
}

func (s projects) Projects(ctx context.Context, q project.Query) (_ []project.Project, err error) {
	defer s.m.operation("projects.list")(&err)
	return s.ProjectStore.Projects(ctx, q)
}

type activities struct {
	ports.ActivityLog
	m *Metrics
}

func (s activities) Append(ctx context.Context, reports []ports.Report, seal func(ports.Counted) ports.Note) (_ ports.Counted, err error) {
	defer s.m.operation("activities.append")(&err)
	return s.ActivityLog.Append(ctx, reports, seal)
}

func (s activities) Events(ctx context.Context, q activity.Query) (_ []activity.Event, err error) {
	defer s.m.operation("activities.list")(&err)
	return s.ActivityLog.Events(ctx, q)
}

func (s activities) Career(ctx context.Context, id agent.ID) (_ []activity.Event, err error) {
	defer s.m.operation("activities.career")(&err)
	return s.ActivityLog.Career(ctx, id)
}

func (s activities) LastActive(ctx context.Context, id agent.ID) (_ time.Time, _ bool, err error) {
	defer s.m.operation("activities.last")(&err)
	return s.ActivityLog.LastActive(ctx, id)
}

type measures struct {
	ports.Measures
	m *Metrics
}

func (s measures) AgentDays(ctx context.Context, id agent.ID, first performance.Date) (_ []performance.Day, _ int64, err error) {
	defer s.m.operation("measures.agent")(&err)
	return s.Measures.AgentDays(ctx, id, first)
}

func (s measures) DepartmentDays(ctx context.Context, department name.Key, first performance.Date) (_ []performance.Day, err error) {
	defer s.m.operation("measures.department")(&err)
	return s.Measures.DepartmentDays(ctx, department, first)
}

type audits struct {
	ports.AuditLog
	m *Metrics
}

func (s audits) Entries(ctx context.Context, q audit.Query) (_ []audit.Entry, err error) {
	defer s.m.operation("audit.list")(&err)
	return s.AuditLog.Entries(ctx, q)
}

type receipts struct {
	ports.Receipts
	m *Metrics
}

func (s receipts) Claim(ctx context.Context, c ports.Claim) (_ *receipt.Receipt, err error) {
	defer s.m.operation("receipts.claim")(&err)
	return s.Receipts.Claim(ctx, c)
}

func (s receipts) Release(ctx context.Context, c ports.Claim) (err error) {
	defer s.m.operation("receipts.release")(&err)
	return s.Receipts.Release(ctx, c)
}

type sessions struct {
	ports.SessionStore
	m *Metrics
}

func (s sessions) Issue(ctx context.Context, made session.Session, note ports.Note) (err error) {
	defer s.m.operation("sessions.issue")(&err)
	return s.SessionStore.Issue(ctx, made, note)
}

func (s sessions) See(ctx context.Context, seen session.Session) (err error) {
	defer s.m.operation("sessions.see")(&err)
	return s.SessionStore.See(ctx, seen)
}

func (s sessions) Session(ctx context.Context, id string) (_ session.Record, err error) {
	defer s.m.operation("sessions.get")(&err)
	return s.SessionStore.Session(ctx, id)
}

func (s sessions) Sessions(ctx context.Context, q session.Query) (_ []session.Record, err error) {
	defer s.m.operation("sessions.list")(&err)
	return s.SessionStore.Sessions(ctx, q)
}

func (s sessions) Revoke(ctx context.Context, r session.Revocation, note ports.Note) (err error) {
	defer s.m.operation("sessions.revoke")(&err)
	return s.SessionStore.Revoke(ctx, r, note)
}

func (s sessions) Revoked(ctx context.Context, since, now time.Time) (_ []session.Revocation, err error) {
	defer s.m.operation("sessions.revoked")(&err)
	return s.SessionStore.Revoked(ctx, since, now)
}

func (s sessions) Forget(ctx context.Context, now time.Time, limit int) (_ int, err error) {
	defer s.m.operation("sessions.forget")(&err)
	return s.SessionStore.Forget(ctx, now, limit)
}

type storage struct {
	ports.Storage
	m *Metrics
}

func (s storage) Ping(ctx context.Context) (err error) {
	defer s.m.operation("storage.ping")(&err)
	return s.Storage.Ping(ctx)
}

func (s storage) Forget(ctx context.Context, e ports.Expiry) (_ bool, err error) {
	defer s.m.operation("storage.forget")(&err)
	return s.Storage.Forget(ctx, e)
}
