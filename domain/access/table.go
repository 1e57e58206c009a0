package access

import "slices"

// Right is what a role may do with an operation.
type Right uint8

const (
	// Denied: never.
	Denied Right = iota
	// Scoped: only for what belongs to the caller, which is checked with
	// [CheckIn], [CheckOwner] or [CheckReport] as soon as it is known.
	Scoped
	// Allowed: always.
	Allowed
)

// rights holds the right of each role to one operation, in the order of [Roles].
type rights [6]Right

// The rows that operations share.
var (
	everyone  = rights{Allowed, Allowed, Allowed, Allowed, Allowed, Allowed}
	ownOnly   = rights{Scoped, Scoped, Scoped, Scoped, Scoped, Allowed}  // one's own sessions
	reporters = rights{Denied, Scoped, Scoped, Scoped, Allowed, Allowed} // oneself, or the agents of one's departments
	inOwn     = rights{Denied, Denied, Denied, Scoped, Allowed, Allowed} // one's own departments
	editors   = rights{Denied, Denied, Denied, Denied, Allowed, Allowed}
	admins    = rights{Denied, Denied, Denied, Denied, Denied, Allowed}
)

// table is the whole permission model. It is read-only.
var table = map[Operation]rights{
	Live: everyone, Ready: everyone, OpenAPI: everyone, Docs: everyone, Console: everyone,
	Metrics: everyone, Capabilities: everyone, MCP: everyone,
	AuditList: admins, ChangesList: everyone, ChangesStream: everyone,

	CompanyGet:                everyone,
	CompanyDepartments:        everyone,
	CompanyDays:               everyone,
	CompanyUpdate:             editors,
	CompanyReorderDepartments: editors,
	OrganizationExport:        editors,
	OrganizationPlan:          editors,
	OrganizationApply:         editors,

	AgentsList: everyone, AgentsGet: everyone, AgentsActivity: everyone,
	AgentsHealth: everyone, AgentsHistory: everyone, AgentsPerformance: everyone, AgentsFigures: everyone, AgentsDays: everyone,
	VersionsList: everyone, VersionsGet: everyone, VersionsDiff: everyone,
	AgentsCreate: inOwn, AgentsUpdate: inOwn,
	AgentsDelete: inOwn, AgentsRollback: inOwn,
	AgentsRestore: inOwn, AgentsPurge: admins,

	LabelsList: everyone, LabelsResolve: everyone, LabelsHistory: everyone, LabelsAgents: everyone,
	LabelsMove: inOwn,

	ActivitiesList:   everyone,
	ActivitiesStream: everyone,
	ActivitiesIngest: reporters,

	DepartmentsList: everyone, DepartmentsGet: everyone, DepartmentsHealth: everyone, DepartmentsFigures: everyone, DepartmentsDays: everyone,
	DepartmentsCeremonyPolicy: everyone, DepartmentsResolvedCeremonyPolicy: everyone,
	DepartmentsCreate: editors,
	DepartmentsUpdate: inOwn, DepartmentsDelete: inOwn,
	DepartmentsReorderAgents:        inOwn,
	DepartmentsUpdateCeremonyPolicy: inOwn,
	DepartmentsDeleteCeremonyPolicy: inOwn,

	ProjectsList: everyone, ProjectsGet: everyone,
	ProjectsCreate: editors, ProjectsUpdate: editors, ProjectsDelete: editors,

	AuthMe: everyone, AuthRenew: everyone, AuthLogout: everyone,
	AuthSessions: ownOnly, AuthRevokeSession: ownOnly,
	AuthTokens: admins,
	AuthLinks:  everyone, AuthSignIn: everyone, AuthBrowser: everyone,

	WebhooksList: admins, WebhooksGet: admins, WebhooksWrite: admins,
	WebhooksTest: admins, WebhooksDeliveries: admins,
}

// Of returns the right of a role to an operation. An unknown role or operation
// is [Denied].
func Of(role Role, op Operation) Right {
	if i := slices.Index(Roles(), role); i >= 0 {
		return table[op][i]
	}
	return Denied
}
