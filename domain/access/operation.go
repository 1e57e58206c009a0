package access

import (
	"maps"
	"slices"
)

// Operation names one thing that a caller can ask for. The limits count by the
// same names.
type Operation string

// The operations without a resource of their own.
const (
	Live         Operation = "health.live"
	Ready        Operation = "health.ready"
	OpenAPI      Operation = "openapi"
	Docs         Operation = "docs"    // the index, the reference and error pages
	Console      Operation = "console" // its files; what it shows it asks for with a token
	Metrics      Operation = "metrics"
	Capabilities Operation = "capabilities"
	AuditList    Operation = "audit.list"
	MCP          Operation = "mcp" // calls of tools; each also asks for what it needs
)

// The operations on the change log.
const (
	ChangesList   Operation = "changes.list"
	ChangesStream Operation = "changes.stream"
)

// The operations on the company and on the organization as one document.
const (
	CompanyGet                Operation = "company.get"
	CompanyUpdate             Operation = "company.update"
	CompanyDepartments        Operation = "company.departments"
	CompanyDays               Operation = "company.days"
	CompanyReorderDepartments Operation = "company.reorder_departments"
	OrganizationExport        Operation = "organization.export"
	OrganizationPlan          Operation = "organization.plan"
	OrganizationApply         Operation = "organization.apply"
)

// The operations on agents and on the versions of their identities.
const (
	AgentsList        Operation = "agents.list"
	AgentsCreate      Operation = "agents.create"
	AgentsGet         Operation = "agents.get"
	AgentsUpdate      Operation = "agents.update"
	AgentsDelete      Operation = "agents.delete"
	AgentsRollback    Operation = "agents.rollback"
	AgentsRestore     Operation = "agents.restore"
	AgentsPurge       Operation = "agents.purge"
	AgentsActivity    Operation = "agents.activity"
	AgentsHealth      Operation = "agents.health"
	AgentsHistory     Operation = "agents.history"
	AgentsPerformance Operation = "agents.performance"
	AgentsFigures     Operation = "agents.figures"
	AgentsDays        Operation = "agents.days"
	VersionsList      Operation = "versions.list"
	VersionsGet       Operation = "versions.get"
	VersionsDiff      Operation = "versions.diff"
)

// The operations on labels.
const (
	LabelsList    Operation = "labels.list"
	LabelsResolve Operation = "labels.resolve"
	LabelsHistory Operation = "labels.history"
	LabelsAgents  Operation = "labels.agents"
	LabelsMove    Operation = "labels.move" // sets, moves and removes them
)

// The operations on activity events.
const (
	ActivitiesList   Operation = "activities.list"
	ActivitiesIngest Operation = "activities.ingest"
	ActivitiesStream Operation = "activities.stream"
)

// The operations on departments.
const (
	DepartmentsList                   Operation = "departments.list"
	DepartmentsCreate                 Operation = "departments.create"
	DepartmentsGet                    Operation = "departments.get"
	DepartmentsUpdate                 Operation = "departments.update"
	DepartmentsDelete                 Operation = "departments.delete"
	DepartmentsHealth                 Operation = "departments.health"
	DepartmentsFigures                Operation = "departments.figures"
	DepartmentsDays                   Operation = "departments.days"
	DepartmentsReorderAgents          Operation = "departments.reorder_agents"
	DepartmentsCeremonyPolicy         Operation = "departments.ceremony_policy"
	DepartmentsResolvedCeremonyPolicy Operation = "departments.resolved_ceremony_policy"
	DepartmentsUpdateCeremonyPolicy   Operation = "departments.update_ceremony_policy"
	DepartmentsDeleteCeremonyPolicy   Operation = "departments.delete_ceremony_policy"
)

// The operations on projects.
const (
	ProjectsList   Operation = "projects.list"
	ProjectsCreate Operation = "projects.create"
	ProjectsGet    Operation = "projects.get"
	ProjectsUpdate Operation = "projects.update"
	ProjectsDelete Operation = "projects.delete"
)

// The operations on tokens and sessions.
const (
	AuthTokens        Operation = "auth.tokens" // issues a token
	AuthRenew         Operation = "auth.renew"
	AuthMe            Operation = "auth.me"
	AuthLogout        Operation = "auth.logout"
	AuthSessions      Operation = "auth.sessions"
	AuthRevokeSession Operation = "auth.revoke_session"
	AuthLinks         Operation = "auth.links"   // makes a sign-in link
	AuthSignIn        Operation = "auth.sign_in" // trades the code of one for a token
	AuthBrowser       Operation = "auth.browser" // signs a browser in
)

// The operations on webhooks.
const (
	WebhooksList       Operation = "webhooks.list"
	WebhooksGet        Operation = "webhooks.get"
	WebhooksWrite      Operation = "webhooks.write" // create, update, delete, rotate the secret, redeliver
	WebhooksTest       Operation = "webhooks.test"
	WebhooksDeliveries Operation = "webhooks.deliveries"
)

// Operations lists every operation in the order of their names.
func Operations() []Operation { return slices.Sorted(maps.Keys(table)) }

// Public reports whether o is open to callers without a token.
func (o Operation) Public() bool {
	switch o {
	case Live, Ready, OpenAPI, Docs, Console, AuthSignIn, AuthBrowser:
		return true
	}
	return false
}
