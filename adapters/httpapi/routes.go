package httpapi

import (
	"net/http"

	"orgd/adapters/httpapi/web"
	"orgd/domain/access"
)

const (
	get    = http.MethodGet
	post   = http.MethodPost
	put    = http.MethodPut
	patch  = http.MethodPatch
	remove = http.MethodDelete
)

// routes is the interface: every method and path that the service answers.
func (s *Server) routes() []route {
	agents := agents{s.parts.Agents}
	departments := departments{s.parts.Departments}
	company := companies{s.parts.Company}
	organizations := organizations{s.parts.Documents}
	projects := projects{s.parts.Projects}
	activities := activities{s.parts.Activities, s.parts.Clock}
	streams := streams{s.parts.Streams, s.parts.Clock, s.parts.Metrics, &s.streaming, s.ending}
	measures := measures{s.parts.Measures}
	sessions := sessions{s.parts.Sessions, s.clients, s.countFailure}
	webhooks := webhooks{s.parts.Webhooks}
	operations := operations{s}
	docs := pages{web.Docs(), docsPolicy}
	routes := []route{
		{method: get, path: "/healthz", op: access.Live, public: true, uncounted: true, handle: operations.live},
		{method: get, path: "/readyz", op: access.Ready, public: true, uncounted: true, handle: operations.ready},
		{method: get, path: "/metrics", op: access.Metrics, handle: operations.metrics},
		{method: get, path: "/capabilities", op: access.Capabilities, handle: operations.capabilities},
		{method: get, path: "/openapi.json", op: access.OpenAPI, public: true, handle: operations.openapiJSON},
		{method: get, path: "/openapi.yaml", op: access.OpenAPI, public: true, handle: operations.openapiYAML},
		{method: get, path: "/", op: access.Docs, public: true, atRoot: true, handle: operations.index},
		{method: get, path: "/docs/errors", op: access.Docs, public: true, atRoot: true, handle: operations.errorDocs},
		{method: get, path: "/docs", op: access.Docs, public: true, atRoot: true, handle: docs.index},
		{method: get, path: "/docs/{file}", op: access.Docs, public: true, atRoot: true, handle: docs.file},
		{method: get, path: "/audit", op: access.AuditList, handle: audits{s.parts.Audit}.list},

		{method: get, path: "/company", op: access.CompanyGet, handle: company.get},
		{method: patch, path: "/company", op: access.CompanyUpdate, handle: company.update},
		{method: get, path: "/company/departments", op: access.CompanyDepartments, handle: company.departments},
		{method: get, path: "/company/departments/figures", op: access.DepartmentsFigures, handle: measures.departmentFigures},
		{method: post, path: "/company/reorder-departments", op: access.CompanyReorderDepartments, handle: company.reorder},

		{method: get, path: "/organization", op: access.OrganizationExport, long: true, handle: organizations.export},
		{method: post, path: "/organization/plan", op: access.OrganizationPlan, long: true, spooled: true, handle: organizations.plan},
		{method: post, path: "/organization/apply", op: access.OrganizationApply, long: true, spooled: true, handle: organizations.apply},

		{method: get, path: "/agents", op: access.AgentsList, handle: agents.list},
		{method: post, path: "/agents", op: access.AgentsCreate, handle: agents.create},
		{method: get, path: "/agents/{agent_name}", op: access.AgentsGet, handle: agents.get},
		{method: patch, path: "/agents/{agent_name}", op: access.AgentsUpdate, handle: agents.update},
		{method: remove, path: "/agents/{agent_name}", op: access.AgentsDelete, handle: agents.remove},
		{method: get, path: "/agents/{agent_name}/activity", op: access.AgentsActivity, handle: activities.ofAgent},
		{method: get, path: "/agents/{agent_name}/health", op: access.AgentsHealth, handle: measures.agentHealth},
		{method: get, path: "/agents/{agent_name}/history", op: access.AgentsHistory, handle: activities.career},
		{method: get, path: "/agents/{agent_name}/performance", op: access.AgentsPerformance, handle: measures.performance},
		{method: get, path: "/agents/{agent_id}/versions", op: access.VersionsList, handle: agents.versions},
		{method: get, path: "/agents/{agent_id}/versions/diff", op: access.VersionsDiff, handle: agents.diff},
		{method: get, path: "/agents/{agent_id}/versions/{version_num}", op: access.VersionsGet, handle: agents.version},
		{method: post, path: "/agents/{agent_id}/versions/rollback", op: access.AgentsRollback, handle: agents.rollback},

		{method: get, path: "/activities", op: access.ActivitiesList, handle: activities.list},
		{method: post, path: "/activities", op: access.ActivitiesIngest, maxBody: 8 << 20, handle: activities.report},
		{method: get, path: "/activities/stream", op: access.ActivitiesStream, handle: streams.follow},

		{method: get, path: "/departments", op: access.DepartmentsList, handle: departments.list},
		{method: post, path: "/departments", op: access.DepartmentsCreate, handle: departments.create},
		{method: get, path: "/departments/{name}", op: access.DepartmentsGet, handle: departments.get},
		{method: patch, path: "/departments/{name}", op: access.DepartmentsUpdate, handle: departments.update},
		{method: remove, path: "/departments/{name}", op: access.DepartmentsDelete, handle: departments.remove},
		{method: get, path: "/departments/{name}/ceremony-policy", op: access.DepartmentsCeremonyPolicy, handle: departments.ceremonyPolicy},
		{method: put, path: "/departments/{name}/ceremony-policy", op: access.DepartmentsUpdateCeremonyPolicy, maxBody: 64 << 10, handle: departments.putCeremonyPolicy},
		{method: remove, path: "/departments/{name}/ceremony-policy", op: access.DepartmentsDeleteCeremonyPolicy, handle: departments.removeCeremonyPolicy},
		{method: get, path: "/departments/{name}/ceremony-policy/resolved", op: access.DepartmentsResolvedCeremonyPolicy, handle: departments.resolvedCeremonyPolicy},
		{method: get, path: "/departments/{name}/health", op: access.DepartmentsHealth, handle: measures.departmentHealth},
		{method: post, path: "/departments/{name}/reorder-agents", op: access.DepartmentsReorderAgents, handle: departments.reorderAgents},

		{method: get, path: "/projects", op: access.ProjectsList, handle: projects.list},
		{method: post, path: "/projects", op: access.ProjectsCreate, handle: projects.create},
		{method: get, path: "/projects/{project_id}", op: access.ProjectsGet, handle: projects.get},
		{method: patch, path: "/projects/{project_id}", op: access.ProjectsUpdate, handle: projects.update},
		{method: remove, path: "/projects/{project_id}", op: access.ProjectsDelete, handle: projects.remove},

		{method: get, path: "/webhooks", op: access.WebhooksList, handle: webhooks.list},
		{method: post, path: "/webhooks", op: access.WebhooksWrite, handle: webhooks.create},
		{method: get, path: "/webhooks/{id}", op: access.WebhooksGet, handle: webhooks.get},
		{method: patch, path: "/webhooks/{id}", op: access.WebhooksWrite, handle: webhooks.update},
		{method: remove, path: "/webhooks/{id}", op: access.WebhooksWrite, handle: webhooks.remove},
		{method: post, path: "/webhooks/{id}/rotate-secret", op: access.WebhooksWrite, handle: webhooks.rotate},
		{method: post, path: "/webhooks/{id}/test", op: access.WebhooksTest, handle: webhooks.test},
		{method: get, path: "/webhooks/{id}/deliveries", op: access.WebhooksDeliveries, handle: webhooks.deliveries},
		{method: post, path: "/webhooks/{id}/deliveries/{delivery_id}/redeliver", op: access.WebhooksWrite, handle: webhooks.redeliver},

		{method: post, path: "/auth/tokens", op: access.AuthTokens, handle: sessions.issue},
		{method: post, path: "/auth/renew", op: access.AuthRenew, handle: sessions.renew},
		{method: get, path: "/auth/me", op: access.AuthMe, handle: sessions.me},
		{method: get, path: "/auth/sessions", op: access.AuthSessions, handle: sessions.list},
		{method: remove, path: "/auth/sessions/{sid}", op: access.AuthRevokeSession, handle: sessions.revoke},
		{method: post, path: "/auth/logout", op: access.AuthLogout, handle: sessions.logout},
		{method: post, path: "/auth/links", op: access.AuthLinks, handle: sessions.link},
		{method: post, path: "/auth/links/redeem", op: access.AuthSignIn, public: true, handle: sessions.signIn},
	}
	if s.cfg.Console {
		console := pages{web.Console(), consolePolicy}
		routes = append(routes,
			route{method: get, path: "/console", op: access.Console, public: true, atRoot: true, handle: console.index},
			route{method: get, path: "/console/{file}", op: access.Console, public: true, atRoot: true, handle: console.file})
	}
	return routes
}
