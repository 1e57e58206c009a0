package fields

// Success is an answer of success that is JSON: what its description says, and names of
// headers, of its schema and of examples. It has the headers of every answer, too.
type Success struct {
	Name, Doc string
	Headers   []string
	Schema    string
	Examples  []string
}

// Successes are those of all operations. What has another form is written by hand.
var Successes = []Success{
	{"CapabilitiesAnswer", "What works in this process.", nil, "ApiResponse_Capabilities", []string{"capabilities"}},
	{"CompanyAnswer", "The company.", []string{"ETag"}, "ApiResponse_Company", []string{"company"}},
	{"Organization", "The organization.", nil, "ApiResponse_OrganizationDocument", []string{"organization"}},
	{"OrganizationPlanAnswer", "What the document would change.", []string{"Idempotent-Replayed"}, "ApiResponse_OrganizationPlan", []string{"organization_plan"}},
	{"OrganizationAppliedAnswer", "The organization is as the document says.", []string{"Idempotent-Replayed"}, "ApiResponse_OrganizationApplied", []string{"organization_applied"}},
	{"DepartmentList", "All departments, in order.", nil, "ApiResponse_DepartmentList", []string{"department_list"}},
	{"DepartmentsReordered", "All departments, in the new order. The tag is the company's.", []string{"ETag", "Idempotent-Replayed"}, "ApiResponse_DepartmentList", []string{"department_list"}},
	{"AgentPage", "A page of agents, as full records or, with `view=summary`, without instructions, or of deleted ones. With `search` each has `matches`.", []string{"Link"}, "PaginatedResponse_AgentConfig", []string{"agent_page", "agent_page_summary", "agent_page_search", "deleted_agents"}},
	{"Agent", "The agent.", []string{"ETag"}, "ApiResponse_AgentConfig", []string{"agent"}},
	{"AgentCreated", "The new agent.", []string{"Location", "ETag", "Idempotent-Replayed"}, "ApiResponse_AgentConfig", []string{"agent_created"}},
	{"AgentRestored", "The agent, which exists again.", []string{"ETag", "Idempotent-Replayed"}, "ApiResponse_AgentConfig", []string{"agent"}},
	{"AgentsReordered", "The agents of the department, in the new order. `Location` is the department, and the tag is the department's.", []string{"Location", "ETag", "Idempotent-Replayed"}, "ApiResponse_AgentConfigList", []string{"agents_reordered"}},
	{"AgentHealthAnswer", "How the agent is doing.", nil, "ApiResponse_AgentHealth", []string{"agent_health", "agent_health_new"}},
	{"AgentHistory", "The career of the agent, oldest event first.", nil, "ApiResponse_CareerEventList", []string{"agent_history"}},
	{"AgentPerformance", "The performance of the agent.", nil, "ApiResponse_AgentPerformanceSummary", []string{"agent_performance"}},
	{"VersionPage", "A page of versions, newest first.", []string{"Link"}, "PaginatedResponse_VersionSnapshot", []string{"version_page"}},
	{"Version", "The version.", []string{"ETag"}, "ApiResponse_VersionSnapshot", []string{"version"}},
	{"Labels", "The labels, in the order of their names.", nil, "ApiResponse_LabelList", []string{"labels"}},
	{"LabelMoved", "The label; the tag is the agent's.", []string{"ETag"}, "ApiResponse_Label", []string{"label_moved"}},
	{"LabelSet", "The new label; the tag is the agent's.", []string{"Location", "ETag"}, "ApiResponse_Label", []string{"label_set"}},
	{"LabelMovePage", "A page of the history, newest first.", []string{"Link"}, "PaginatedResponse_LabelMove", []string{"label_history"}},
	{"ResolvedAgentAnswer", "The agent and the version.", []string{"ETag"}, "ApiResponse_ResolvedAgent", []string{"resolved_agent"}},
	{"ResolvedAgentPage", "A page of agents and versions. The tag is of the whole page.", []string{"ETag", "Link"}, "PaginatedResponse_ResolvedAgent", []string{"resolved_agents"}},
	{"ActivityPage", "A page of events, newest first.", []string{"Link"}, "PaginatedResponse_ActivityEvent", []string{"activity_page", "activity_page_empty"}},
	{"ActivitiesIngested", "All events are stored or were known. `Location` is the feed.", []string{"Location", "Idempotent-Replayed"}, "ApiResponse_IngestResult", []string{"ingested"}},
	{"DepartmentPage", "A page of departments, in order.", []string{"Link"}, "PaginatedResponse_Department", []string{"department_page"}},
	{"DepartmentAnswer", "The department.", []string{"ETag"}, "ApiResponse_Department", []string{"department"}},
	{"DepartmentCreated", "The new department.", []string{"Location", "ETag", "Idempotent-Replayed"}, "ApiResponse_Department", []string{"department_created"}},
	{"CeremonyPolicyOrNull", "The department's own policy, or null. The tag is the department's.", []string{"ETag"}, "ApiResponse_CeremonyPolicyOrNull", []string{"ceremony_policy", "no_ceremony_policy"}},
	{"CeremonyPolicyAnswer", "The department's policy as it is stored. The tag is the department's.", []string{"ETag"}, "ApiResponse_CeremonyPolicy", []string{"ceremony_policy"}},
	{"ResolvedCeremonyPolicyAnswer", "The policy in force.", nil, "ApiResponse_ResolvedCeremonyPolicy", []string{"resolved_ceremony_policy"}},
	{"DepartmentHealthAnswer", "How the department is doing.", nil, "ApiResponse_DepartmentHealth", []string{"department_health"}},
	{"DailyFiguresAnswer", "What was done on each day.", nil, "ApiResponse_DailyFigures", []string{"daily_figures"}},
	{"DepartmentFiguresPage", "A page of the figures of departments, in order.", []string{"Link"}, "PaginatedResponse_DepartmentFigures", []string{"department_figures_page"}},
	{"AgentFiguresPage", "A page of the figures of agents, in the order that was asked for.", []string{"Link"}, "PaginatedResponse_AgentFigures", []string{"agent_figures_page"}},
	{"ProjectPage", "A page of projects, by id.", []string{"Link"}, "PaginatedResponse_Project", []string{"project_page"}},
	{"ProjectAnswer", "The project.", []string{"ETag"}, "ApiResponse_Project", []string{"project"}},
	{"ProjectCreated", "The new project.", []string{"Location", "ETag", "Idempotent-Replayed"}, "ApiResponse_Project", []string{"project_created"}},
	{"WebhookPage", "A page of webhooks, by id.", []string{"Link"}, "PaginatedResponse_Webhook", []string{"webhook_page"}},
	{"WebhookAnswer", "The webhook.", []string{"ETag"}, "ApiResponse_Webhook", []string{"webhook"}},
	{"WebhookCreated", "The new webhook with its secret, shown this once.", []string{"Location", "ETag"}, "ApiResponse_WebhookWithSecret", []string{"webhook_created"}},
	{"WebhookSecret", "The webhook with its new secret, shown this once.", []string{"ETag"}, "ApiResponse_WebhookWithSecret", []string{"webhook_rotated"}},
	{"DeliveryPage", "A page of deliveries, newest first.", []string{"Link"}, "PaginatedResponse_Delivery", []string{"delivery_page"}},
	{"DeliveryCreated", "The delivery of the test. `Location` is the list where to see what came of it.", []string{"Location", "Idempotent-Replayed"}, "ApiResponse_Delivery", []string{"delivery_created"}},
	{"DeliveryAnswer", "The delivery, which begins anew.", []string{"Idempotent-Replayed"}, "ApiResponse_Delivery", []string{"delivery_again"}},
	{"ChangePage", "A page of the change log, newest first.", []string{"Link"}, "PaginatedResponse_ChangeEvent", []string{"change_page"}},
	{"AuditPage", "A page of the trail, newest first.", []string{"Link"}, "PaginatedResponse_AuditEntry", []string{"audit_page"}},
	{"TokenIssued", "The token, shown this once. `Location` is the session, to revoke it.", []string{"Location"}, "ApiResponse_IssuedToken", []string{"token"}},
	{"LinkMade", "The code of the link, shown this once.", nil, "ApiResponse_SignInLink", []string{"link"}},
	{"TokenRenewed", "The new token, shown this once.", nil, "ApiResponse_IssuedToken", []string{"token"}},
	{"Me", "What the token says.", nil, "ApiResponse_Caller", []string{"me"}},
	{"SessionPage", "A page of sessions, newest first.", []string{"Link"}, "PaginatedResponse_Session", []string{"session_page"}},
	{"DocumentJSON", "This document.", nil, "OpenAPIDocument", []string{"document"}},
}
