package httpapi

import (
	"net/http"
	"slices"

	"orgd/adapters/httpapi/apidoc"
	"orgd/adapters/httpapi/internal/protocol"
	"orgd/adapters/httpapi/internal/request"
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

// routes returns the interface: every method and path that the service answers.
func (s *Server) routes() []request.Route {
	return slices.Concat(
		s.operationRoutes(), s.feedRoutes(), s.companyRoutes(), s.organizationRoutes(), s.agentRoutes(), s.labelRoutes(),
		s.departmentRoutes(), s.projectRoutes(), s.webhookRoutes(), s.sessionRoutes(), s.consoleRoutes(), s.modelRoutes(),
	)
}

func (s *Server) operationRoutes() []request.Route {
	operations, docs := operations{s}, site{web.Docs()}
	return []request.Route{
		{Method: get, Path: "/healthz", Op: access.Live, Uncounted: true, Handle: operations.live},
		{Method: get, Path: "/readyz", Op: access.Ready, Uncounted: true, Handle: operations.ready},
		{Method: get, Path: "/metrics", Op: access.Metrics, Handle: operations.metrics},
		{Method: get, Path: "/capabilities", Op: access.Capabilities, Handle: operations.capabilities},
		{Method: get, Path: "/openapi.json", Op: access.OpenAPI, Handle: openapi(protocol.JSON, apidoc.JSON)},
		{Method: get, Path: "/openapi.yaml", Op: access.OpenAPI, Handle: openapi("application/yaml", apidoc.YAML)},
		{Method: get, Path: "/", Op: access.Docs, AtRoot: true, Handle: operations.index},
		{Method: get, Path: "/docs/errors", Op: access.Docs, AtRoot: true, Handle: operations.errorDocs},
		{Method: get, Path: "/docs", Op: access.Docs, AtRoot: true, Handle: docs.index},
		{Method: get, Path: "/docs/{file}", Op: access.Docs, AtRoot: true, Handle: docs.file},
	}
}

func (s *Server) feedRoutes() []request.Route {
	activities := activities{s.parts.Activities, s.parts.Clock}
	streams := streams{s.parts.Streams, s.parts.Clock, s.parts.Metrics, &s.streaming, s.ending}
	return []request.Route{
		{Method: get, Path: "/audit", Op: access.AuditList, Handle: audits{s.parts.Audit, s.parts.Trail}.list},
		{Method: get, Path: "/changes", Op: access.ChangesList, Handle: changes{s.parts.Changes, s.parts.Clock}.list},
		{Method: get, Path: "/changes/stream", Op: access.ChangesStream, Handle: streams.followChanges},
		{Method: get, Path: "/activities", Op: access.ActivitiesList, Handle: activities.list},
		{Method: post, Path: "/activities", Op: access.ActivitiesIngest, MaxBody: 8 << 20, Mistakes: true, Handle: activities.report},
		{Method: get, Path: "/activities/stream", Op: access.ActivitiesStream, Handle: streams.follow},
	}
}

func (s *Server) companyRoutes() []request.Route {
	company, measures := companies{s.parts.Company}, measures{s.parts.Measures}
	return []request.Route{
		{Method: get, Path: "/company", Op: access.CompanyGet, Handle: company.get},
		{Method: patch, Path: "/company", Op: access.CompanyUpdate, MaxBody: request.DefaultMaxBody, Handle: company.update},
		{Method: get, Path: "/company/departments", Op: access.CompanyDepartments, Handle: company.departments},
		{Method: get, Path: "/company/days", Op: access.CompanyDays, Handle: measures.companyDays},
		{Method: get, Path: "/company/departments/figures", Op: access.DepartmentsFigures, Handle: measures.departmentFigures},
		{Method: get, Path: "/company/agents/figures", Op: access.AgentsFigures, Handle: measures.agentFigures},
		{Method: post, Path: "/company/reorder-departments", Op: access.CompanyReorderDepartments, MaxBody: request.DefaultMaxBody, Long: true, Handle: company.reorder},
	}
}

func (s *Server) organizationRoutes() []request.Route {
	organizations := organizations{s.parts.Documents}
	return []request.Route{
		{Method: get, Path: "/organization", Op: access.OrganizationExport, Whole: true, Long: true, Handle: organizations.export},
		{Method: post, Path: "/organization/plan", Op: access.OrganizationPlan, Whole: true, Long: true, Spooled: true, Mistakes: true, Handle: organizations.plan},
		{Method: post, Path: "/organization/apply", Op: access.OrganizationApply, Whole: true, Long: true, Spooled: true, Mistakes: true, Handle: organizations.apply},
	}
}

func (s *Server) agentRoutes() []request.Route {
	agents, measures := agents{s.parts.Agents}, measures{s.parts.Measures}
	activities := activities{s.parts.Activities, s.parts.Clock}
	return []request.Route{
		{Method: get, Path: "/agents", Op: access.AgentsList, Handle: agents.list},
		{Method: post, Path: "/agents", Op: access.AgentsCreate, MaxBody: request.DefaultMaxBody, Handle: agents.create},
		{Method: get, Path: "/agents/{agent_name}", Op: access.AgentsGet, Handle: agents.get},
		{Method: patch, Path: "/agents/{agent_name}", Op: access.AgentsUpdate, MaxBody: request.DefaultMaxBody, Handle: agents.update},
		{Method: remove, Path: "/agents/{agent_name}", Op: access.AgentsDelete, Handle: agents.remove},
		{Method: post, Path: "/agents/{agent_name}/restore", Op: access.AgentsRestore, MaxBody: request.DefaultMaxBody, Handle: agents.restore},
		{Method: get, Path: "/agents/{agent_name}/activity", Op: access.AgentsActivity, Handle: activities.ofAgent},
		{Method: get, Path: "/agents/{agent_name}/health", Op: access.AgentsHealth, Handle: measures.agentHealth},
		{Method: get, Path: "/agents/{agent_name}/history", Op: access.AgentsHistory, Handle: activities.career},
		{Method: get, Path: "/agents/{agent_name}/performance", Op: access.AgentsPerformance, Handle: measures.performance},
		{Method: get, Path: "/agents/{agent_name}/days", Op: access.AgentsDays, Handle: measures.agentDays},
		{Method: get, Path: "/agents/{agent_id}/versions", Op: access.VersionsList, Handle: agents.versions},
		{Method: get, Path: "/agents/{agent_id}/versions/diff", Op: access.VersionsDiff, Handle: agents.diff},
		{Method: get, Path: "/agents/{agent_id}/versions/{version_num}", Op: access.VersionsGet, Handle: agents.version},
		{Method: post, Path: "/agents/{agent_id}/versions/rollback", Op: access.AgentsRollback, MaxBody: request.DefaultMaxBody, Handle: agents.rollback},
	}
}

func (s *Server) labelRoutes() []request.Route {
	agents := agents{s.parts.Agents}
	return []request.Route{
		{Method: get, Path: "/agents/{agent_name}/labels", Op: access.LabelsList, Handle: agents.labels},
		{Method: get, Path: "/agents/{agent_name}/labels/{label}", Op: access.LabelsResolve, Handle: agents.resolve},
		{Method: put, Path: "/agents/{agent_name}/labels/{label}", Op: access.LabelsMove, MaxBody: request.DefaultMaxBody, Handle: agents.placeLabel},
		{Method: remove, Path: "/agents/{agent_name}/labels/{label}", Op: access.LabelsMove, Handle: agents.removeLabel},
		{Method: get, Path: "/agents/{agent_name}/labels/{label}/history", Op: access.LabelsHistory, Handle: agents.labelHistory},
		{Method: get, Path: "/labels/{label}/agents", Op: access.LabelsAgents, Handle: agents.labeled},
	}
}

func (s *Server) departmentRoutes() []request.Route {
	departments, measures := departments{s.parts.Departments}, measures{s.parts.Measures}
	return []request.Route{
		{Method: get, Path: "/departments", Op: access.DepartmentsList, Handle: departments.list},
		{Method: post, Path: "/departments", Op: access.DepartmentsCreate, MaxBody: request.DefaultMaxBody, Handle: departments.create},
		{Method: get, Path: "/departments/{name}", Op: access.DepartmentsGet, Handle: departments.get},
		{Method: patch, Path: "/departments/{name}", Op: access.DepartmentsUpdate, MaxBody: request.DefaultMaxBody, Handle: departments.update},
		{Method: remove, Path: "/departments/{name}", Op: access.DepartmentsDelete, Handle: departments.remove},
		{Method: get, Path: "/departments/{name}/ceremony-policy", Op: access.DepartmentsCeremonyPolicy, Handle: departments.ceremonyPolicy},
		{Method: put, Path: "/departments/{name}/ceremony-policy", Op: access.DepartmentsUpdateCeremonyPolicy, MaxBody: 64 << 10, Handle: departments.putCeremonyPolicy},
		{Method: remove, Path: "/departments/{name}/ceremony-policy", Op: access.DepartmentsDeleteCeremonyPolicy, Handle: departments.removeCeremonyPolicy},
		{Method: get, Path: "/departments/{name}/ceremony-policy/resolved", Op: access.DepartmentsResolvedCeremonyPolicy, Handle: departments.resolvedCeremonyPolicy},
		{Method: get, Path: "/departments/{name}/health", Op: access.DepartmentsHealth, Handle: measures.departmentHealth},
		{Method: get, Path: "/departments/{name}/days", Op: access.DepartmentsDays, Handle: measures.departmentDays},
		{Method: post, Path: "/departments/{name}/reorder-agents", Op: access.DepartmentsReorderAgents, MaxBody: request.DefaultMaxBody, Long: true, Handle: departments.reorderAgents},
	}
}

func (s *Server) projectRoutes() []request.Route {
	projects := projects{s.parts.Projects}
	return []request.Route{
		{Method: get, Path: "/projects", Op: access.ProjectsList, Handle: projects.list},
		{Method: post, Path: "/projects", Op: access.ProjectsCreate, MaxBody: request.DefaultMaxBody, Handle: projects.create},
		{Method: get, Path: "/projects/{project_id}", Op: access.ProjectsGet, Handle: projects.get},
		{Method: patch, Path: "/projects/{project_id}", Op: access.ProjectsUpdate, MaxBody: request.DefaultMaxBody, Handle: projects.update},
		{Method: remove, Path: "/projects/{project_id}", Op: access.ProjectsDelete, Handle: projects.remove},
	}
}

func (s *Server) webhookRoutes() []request.Route {
	webhooks := webhooks{s.parts.Webhooks}
	return []request.Route{
		{Method: get, Path: "/webhooks", Op: access.WebhooksList, Handle: webhooks.list},
		{Method: post, Path: "/webhooks", Op: access.WebhooksWrite, MaxBody: request.DefaultMaxBody, Handle: webhooks.create},
		{Method: get, Path: "/webhooks/{id}", Op: access.WebhooksGet, Handle: webhooks.get},
		{Method: patch, Path: "/webhooks/{id}", Op: access.WebhooksWrite, MaxBody: request.DefaultMaxBody, Handle: webhooks.update},
		{Method: remove, Path: "/webhooks/{id}", Op: access.WebhooksWrite, Handle: webhooks.remove},
		{Method: post, Path: "/webhooks/{id}/rotate-secret", Op: access.WebhooksWrite, Handle: webhooks.rotate},
		{Method: post, Path: "/webhooks/{id}/test", Op: access.WebhooksTest, Handle: webhooks.test},
		{Method: get, Path: "/webhooks/{id}/deliveries", Op: access.WebhooksDeliveries, Handle: webhooks.deliveries},
		{Method: post, Path: "/webhooks/{id}/deliveries/{delivery_id}/redeliver", Op: access.WebhooksWrite, Handle: webhooks.redeliver},
	}
}

func (s *Server) sessionRoutes() []request.Route {
	signIns := signIns{s.parts.SignIns, s.browsers, s.countSignIn, s.countFailure}
	sessions := s.sessions()
	return []request.Route{
		{Method: post, Path: "/auth/tokens", Op: access.AuthTokens, MaxBody: request.DefaultMaxBody, Handle: sessions.issue},
		{Method: post, Path: "/auth/renew", Op: access.AuthRenew, Handle: sessions.renew},
		{Method: get, Path: "/auth/me", Op: access.AuthMe, Handle: sessions.me},
		{Method: get, Path: "/auth/sessions", Op: access.AuthSessions, Handle: sessions.list},
		{Method: remove, Path: "/auth/sessions/{sid}", Op: access.AuthRevokeSession, Handle: sessions.revoke},
		{Method: post, Path: "/auth/logout", Op: access.AuthLogout, Handle: sessions.logout},
		{Method: post, Path: "/auth/links", Op: access.AuthLinks, MaxBody: request.DefaultMaxBody, Handle: sessions.link},
		{Method: post, Path: "/auth/links/redeem", Op: access.AuthSignIn, MaxBody: 4 << 10, Handle: sessions.signIn},
		{Method: get, Path: oidcStart, Op: access.AuthBrowser, Back: toConsole, Handle: signIns.start},
		{Method: get, Path: "/auth/oidc/callback", Op: access.AuthBrowser, Back: toConsole, Handle: signIns.callback},
	}
}

func (s *Server) consoleRoutes() []request.Route {
	if !s.cfg.Console {
		return nil
	}
	console, sessions := site{web.Console()}, s.sessions()
	return []request.Route{
		{Method: get, Path: "/console", Op: access.Console, AtRoot: true, Handle: console.index},
		{Method: get, Path: "/console/{file}", Op: access.Console, AtRoot: true, Handle: console.file},
		{Method: get, Path: "/console/session", Op: access.AuthBrowser, AtRoot: true, Handle: sessions.signedIn},
		{Method: post, Path: "/console/session", Op: access.AuthBrowser, AtRoot: true, MaxBody: 16 << 10, Handle: sessions.signInBrowser},
	}
}

func (s *Server) modelRoutes() []request.Route {
	if s.parts.MCP == nil {
		return nil
	}
	models := models{s.parts.MCP(s.Handler())}
	return []request.Route{
		{Method: post, Path: "/mcp", Op: access.MCP, AtRoot: true, MaxBody: request.DefaultMaxBody, Handle: models.serve},
	}
}

func (s *Server) sessions() sessions {
	return sessions{s.parts.Sessions, s.parts.SignIns, s.clients, s.browsers, s.countFailure}
}
