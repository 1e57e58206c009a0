package fields

var companies = []Noun{{
	Name: "Company",
	Schemas: map[Form]Schema{
		Whole:    {"Company", "The one company, with its departments."},
		Document: {"OrganizationCompany", "The company in a document."},
		Change:   {"UpdateCompanyRequest", "A merge patch of the company."},
		Entry:    {"OrganizationCompanyInput", "The company. What is absent or null stays as it is."},
	},
	Fields: []Field{
		{Name: "company_name", Kind: "Text", Doc: "How the company is called."},
		{Name: "autonomy_level", Kind: "AutonomyLevel", Doc: "For departments and agents that do not say otherwise."},
		{Name: "budget_monthly", Kind: "Money", In: "MoneyInput", Doc: "0 means no budget.", Docs: map[Form]string{Requests: ""}},
		{Name: "currency", Kind: "Currency", Docs: map[Form]string{
			Change: "Only while no cost is recorded.", Entry: "Changes only while no cost is recorded."}},
		{Name: "communication_pattern", Kind: "Text", Doc: `How agents talk to each other, "hybrid" at first.`},
		{Name: "settings", Kind: "CompanySettings", Kinds: map[Form]string{Change: "CompanySettingsPatch", Entry: "CompanySettingsInput"}},
		{Name: "departments", Kind: "Department", List: NoEnd, Forms: Whole, Doc: "All departments, in order."},
		{Name: "revision", Kind: "Revision", Forms: Whole},
		{Name: "updated_at", Kind: "Timestamp", Forms: Whole},
	},
}}

var departments = []Noun{{
	Name: "Department",
	Schemas: map[Form]Schema{
		Whole:    {"Department", "A part of the company."},
		Document: {"OrganizationDepartment", "A department in a document."},
		Create:   {"CreateDepartmentRequest", "A new department."},
		Change:   {"UpdateDepartmentRequest", "A merge patch of a department."},
		Entry:    {"OrganizationDepartmentInput", "A department. What is absent stays as it is, or is the default of a new one."},
	},
	Fields: []Field{
		{Name: "name", Kind: "Name", Forms: Answers | Create | Entry, Must: Create | Entry, Doc: "Identifies the department and never changes."},
		{Name: "description", Kind: "DepartmentDescription", Default: "''"},
		{Name: "head", Kind: "NameOfAgent", In: "AgentReference", Null: true, Doc: "Name of the agent that leads the department.",
			Docs: map[Form]string{Create: "Id or name of the agent that leads the department.", Change: "Id or name of an agent; null clears it."}},
		{Name: "budget_percent", Kind: "Percent", Default: "0", Doc: "Share of the company's budget, at most 4 decimals. All departments together have at most 100."},
		{Name: "autonomy_level", Kind: "AutonomyLevel", Null: true, Doc: "Null inherits the company's."},
		{Name: "teams", Kind: "Team", List: 64, Doc: "Groups of agents; their names are unique in the department.",
			Docs: map[Form]string{Change | Entry: "Replaces all teams."}},
		{Name: "reporting_lines", Kind: "ReportingLine", List: 256, Doc: "Who answers to whom.",
			Docs: map[Form]string{Change | Entry: "Replaces all lines."}},
		{Name: "policies", Kind: "DepartmentPolicies"},
		{Name: "ceremony_policy", Kind: "CeremonyPolicy", In: "CeremonyPolicyInput", Null: true, Doc: "Null inherits the company's.",
			Docs: map[Form]string{Change: "Merged key by key; null removes the policy.", Entry: "Replaced as a whole; null inherits the company's."}},
		{Name: "revision", Kind: "Revision", Forms: Whole},
		{Name: "created_at", Kind: "Timestamp", Forms: Whole},
		{Name: "updated_at", Kind: "Timestamp", Forms: Whole},
	},
}, {
	Name:    "Team",
	Schemas: map[Form]Schema{Whole: {"Team", "A group of agents of any departments."}, Create: {"CreateTeam", ""}},
	Fields: []Field{
		{Name: "name", Kind: "Name", Must: Create, Doc: "Unique in the department."},
		{Name: "lead", Kind: "NameOfAgent", In: "AgentReference", Null: true, Doc: "Name of the agent that leads the team.",
			Docs: map[Form]string{Create: "Id or name of the agent that leads the team."}},
		{Name: "members", Kind: "NameOfAgent", In: "AgentReference", List: 256, Unique: true,
			Doc:  "Names of the agents in the team. They need not belong to the department.",
			Docs: map[Form]string{Create: "Ids or names of existing agents, each agent once."}},
	},
}, {
	Name: "ReportingLine",
	Schemas: map[Form]Schema{
		Whole:  {"ReportingLine", "Who answers to whom."},
		Create: {"CreateReportingLine", "Nobody reports to itself, everybody to one at most, and lines form no cycle (400/2000)."},
	},
	Fields: []Field{
		{Name: "subordinate", Kind: "NameOfAgent", In: "AgentReference", Must: Create, Doc: "Name of the agent that answers to the other.",
			Docs: map[Form]string{Create: "Id or name of the agent that answers to the other."}},
		{Name: "supervisor", Kind: "NameOfAgent", In: "AgentReference", Must: Create, Doc: "Name of the agent that is answered to.",
			Docs: map[Form]string{Create: "Id or name of the agent that is answered to."}},
	},
}, {
	Name: "DepartmentPolicies",
	Schemas: map[Form]Schema{
		Whole: {"DepartmentPolicies", "What work in a department has to pass."}, Create: {"CreateDepartmentPolicies", "What work in a new department has to pass."},
		Change: {"UpdateDepartmentPolicies", ""}, Entry: {"OrganizationPoliciesInput", ""},
	},
	Fields: []Field{
		{Name: "review_requirements", Kind: "ReviewRequirements"},
		{Name: "approval_chains", Kind: "ApprovalChain", List: 256, Doc: "Who approves what; the types of action are unique.",
			Docs: map[Form]string{Change | Entry: "Replaces all chains."}},
		{Name: "protected_labels", Kind: "LabelName", List: 16, Unique: true,
			Doc:  "Labels of the department's agents that only its `department_admin` and an `admin` set, move and remove. `latest` cannot be one.",
			Docs: map[Form]string{Change | Entry: "Replaces all of them."}},
	},
}, {
	Name: "ReviewRequirements",
	Schemas: map[Form]Schema{
		Whole: {"ReviewRequirements", "Who reviews work."}, Create: {"CreateReviewRequirements", "Who reviews work in a new department."},
		Change: {"UpdateReviewRequirements", ""}, Entry: {"OrganizationReviewInput", ""},
	},
	Fields: []Field{
		{Name: "min_reviewers", Kind: "MinReviewers", Default: "1"},
		{Name: "required_reviewer_roles", Kind: "Texts", Doc: "Roles that must be among the reviewers, free text."},
		{Name: "self_review_allowed", Kind: "SelfReviewAllowed", Default: "false"},
	},
}, {
	Name:    "ApprovalChain",
	Schemas: map[Form]Schema{Whole: {"ApprovalChain", "Who approves one type of action."}, Create: {"CreateApprovalChain", ""}},
	Fields: []Field{
		{Name: "action_type", Kind: "Text", Must: Create, Doc: "What needs approval; unique in the department."},
		{Name: "approvers", Kind: "Approvers", Must: Create},
		{Name: "min_approvals", Kind: "MinApprovals", Default: "0"},
	},
}}
