package fields

// unversioned are the forms of an agent that show more than its identity.
const unversioned = Whole | Summary | Document | Requests

// recorded are those with what the service keeps of it.
const recorded = Whole | Summary

var agents = []Noun{{
	Name: "Agent",
	Schemas: map[Form]Schema{
		Whole:    {"AgentConfig", "An agent: its identity, the fields that are not versioned, and the record's own numbers and times."},
		Version:  {"AgentIdentity", "The versioned part of an agent."},
		Summary:  {"AgentSummary", "An agent in a list. `view=summary` leaves out its instructions."},
		Document: {"OrganizationAgent", "An agent in a document."},
		Create: {"CreateAgentOrgRequest", "A new agent. `model_provider` with `model_id` is a short form of `model`: both or neither, " +
			"and not together with a `model` that is not null (400/2000). `junior` does not go with `full` autonomy (400/2000)."},
		Change: {"UpdateAgentOrgRequest", "A merge patch of an agent. `model_provider` with `model_id` sets these two fields of `model` and keeps " +
			"the others: both or neither, and not together with a `model` that is not null (400/2000). A null `model` beside them counts as absent."},
		Entry: {"OrganizationAgentInput", "An agent. What is absent stays as it is, or is the default of a new one, which needs `role` and `department`."},
	},
	Together: [2]string{"model_provider", "model_id"},
	Fields: []Field{
		{Name: "id", Kind: "UUID", Forms: Whole | Version | Summary},
		{Name: "name", Kind: "Name", Must: Create | Entry},
		{Name: "previous_name", Kind: "Name", Forms: Entry, Doc: "The name of the agent that is renamed."},
		{Name: "as_of", Kind: "AsOf", Null: true, Forms: Entry},
		{Name: "role", Kind: "AgentRole", Must: Create},
		{Name: "department", Kind: "Name", Must: Create, Doc: "Name of the agent's department.",
			Docs: map[Form]string{Create | Change: "Name of an existing department.", Entry: "A department that exists or is in the document."}},
		{Name: "description", Kind: "AgentDescription", Default: "''"},
		{Name: "level", Kind: "AgentLevel", Default: "mid"},
		{Name: "status", Kind: "AgentStatus", Default: "active"},
		{Name: "personality", Kind: "Personality"},
		{Name: "skills", Kind: "Skills"},
		{Name: "model", Kind: "Model", Null: true, Doc: "The language model that drives the agent; null if none is assigned.",
			Docs: map[Form]string{Change | Entry: "Merged; null takes the model away."}},
		{Name: "model_provider", Kind: "Text", Forms: Requests, Doc: "Short form of `model.provider`."},
		{Name: "model_id", Kind: "Text", Forms: Requests, Doc: "Short form of `model.model_id`."},
		{Name: "memory", Kind: "Memory"},
		{Name: "tools", Kind: "Tools"},
		{Name: "authority", Kind: "Authority"},
		{Name: "autonomy_level", Kind: "AutonomyLevel", Null: true, Doc: "Null inherits the department's."},
		{Name: "strategic_output_mode", Kind: "StrategicOutputMode", Null: true, Doc: "Null if the agent takes no part in strategy."},
		{Name: "instructions", Kind: "AgentInstructions", Maybe: Summary, Default: "''"},
		{Name: "hiring_date", Kind: "Date", Forms: Answers | Create | Entry, Docs: map[Form]string{
			Create: "Today if absent. It never changes.", Entry: "Of a new agent, today if absent. That of an existing one cannot change."}},
		{Name: "metadata", Kind: "FreeObject", Docs: map[Form]string{Create: "Free-form, empty if absent.",
			Change: "Merged key by key; null removes a key. At most 16 KiB, as a patch and when merged.", Entry: "Replaced as a whole. At most 16 KiB."}},
		{Name: "personality_preset", Kind: "PersonalityPreset", Null: true, Forms: unversioned},
		{Name: "tier", Kind: "ModelTier", Null: true, Forms: unversioned, Doc: "The class of model that the agent should have."},
		{Name: "model_requirement", Kind: "FreeObject", Null: true, Forms: unversioned, Doc: "What the agent needs of a model, free-form.",
			Docs: map[Form]string{Change: "Merged key by key; null clears it.", Entry: "Replaced as a whole; null clears it."}},
		{Name: "owner", Kind: "AgentOwner", Null: true, Forms: unversioned},
		{Name: "tags", Kind: "AgentTag", List: 16, Unique: true, Forms: unversioned, Doc: "What agents are grouped by, in the order in which they were given.",
			Docs: map[Form]string{Change | Entry: "Replaces the whole list."}},
		{Name: "version", Kind: "VersionNumber", Forms: recorded, Doc: "Number of the current version of the identity."},
		{Name: "revision", Kind: "Revision", Forms: recorded},
		{Name: "created_at", Kind: "Timestamp", Forms: recorded},
		{Name: "updated_at", Kind: "Timestamp", Forms: recorded},
		{Name: "matches", Kind: "SearchMatch", List: 3, Forms: Summary, Maybe: Summary,
			Doc: "The first places where the text of `search` stands, which only that list has. What the one before shows is no other place."},
	},
}, {
	Name:    "SearchMatch",
	Schemas: map[Form]Schema{Summary: {"SearchMatch", "A place where a text was found."}},
	Fields: []Field{
		{Name: "field", Kind: "{type: string}", Doc: "`name`, `role`, `description`, `tags` or `instructions`. More may come."},
		{Name: "line", Kind: "{type: integer, minimum: 1, maximum: 200000}", Doc: "Number of its line in the field. LF, CR and CRLF end a line."},
		{Name: "text", Kind: "{type: string, minLength: 3, maxLength: 160}", Doc: "Text around the place, of its line as far as there is room."},
	},
}}

// parts are the objects that an agent is made of.
var parts = []Noun{{
	Name: "Personality",
	Schemas: map[Form]Schema{Whole: {"Personality", "How an agent behaves."}, Create: {"CreatePersonality", ""},
		Change: {"UpdatePersonality", ""}, Entry: {"OrganizationPersonalityInput", ""}},
	Fields: []Field{
		{Name: "traits", Kind: "Texts", Doc: "What stands out."},
		{Name: "communication_style", Kind: "CommunicationStyle", Default: "neutral"},
		{Name: "description", Kind: "PersonalityDescription", Default: "''"},
		{Name: "risk_tolerance", Kind: "Degree", Default: "medium", Doc: "How much risk is taken."},
		{Name: "creativity", Kind: "Degree", Default: "medium", Doc: "How freely ideas come."},
		{Name: "openness", Kind: "Share", Default: "0.5"},
		{Name: "conscientiousness", Kind: "Share", Default: "0.5"},
		{Name: "extraversion", Kind: "Share", Default: "0.5"},
		{Name: "agreeableness", Kind: "Share", Default: "0.5"},
		{Name: "stress_response", Kind: "Share", Default: "0.5"},
		{Name: "decision_making", Kind: "DecisionMaking", Default: "consultative"},
		{Name: "collaboration", Kind: "Collaboration", Default: "team"},
		{Name: "verbosity", Kind: "Verbosity", Default: "balanced"},
		{Name: "conflict_approach", Kind: "ConflictApproach", Default: "collaborate"},
	},
}, {
	Name: "Skills",
	Schemas: map[Form]Schema{Whole: {"Skills", "What an agent can do. Ids are unique across both lists."}, Create: {"CreateSkills", ""},
		Change: {"UpdateSkills", ""}, Entry: {"OrganizationSkillsInput", ""}},
	Fields: []Field{
		{Name: "primary", Kind: "Skill", List: 256, Doc: "What the agent is hired for.",
			Docs: map[Form]string{Change | Entry: "What the agent is hired for; replaces the whole list."}},
		{Name: "secondary", Kind: "Skill", List: 256, Doc: "What it can do besides.",
			Docs: map[Form]string{Change | Entry: "What it can do besides; replaces the whole list."}},
	},
}, {
	Name:    "Skill",
	Schemas: map[Form]Schema{Whole: {"Skill", "Something that an agent can do."}, Create: {"CreateSkill", ""}},
	Fields: []Field{
		{Name: "id", Kind: "Text", Must: Create, Doc: "Unique among all skills of the agent.",
			Docs: map[Form]string{Create: "Unique in its list (400/2001) and among all skills of the agent (400/2000)."}},
		{Name: "name", Kind: "Text", Must: Create},
		{Name: "description", Kind: "SkillDescription", Default: "''"},
		{Name: "tags", Kind: "Texts"},
		{Name: "input_modes", Kind: "Texts", Doc: "Media types that the skill takes.",
			Docs: map[Form]string{Create: "Media types that the skill takes, each once; `text/plain` alone if absent."}},
		{Name: "output_modes", Kind: "Texts", Doc: "Media types that the skill gives.",
			Docs: map[Form]string{Create: "Media types that the skill gives, each once; `text/plain` alone if absent."}},
		{Name: "proficiency", Kind: "Share", Default: "1"},
	},
}, {
	Name: "Model",
	Schemas: map[Form]Schema{Whole: {"Model", "A language model."}, Create: {"CreateModel", ""},
		Change: {"UpdateModel", "Merged into the model; an agent without one needs `provider` and `model_id` (400/2000)."},
		Entry:  {"OrganizationModelInput", "Merged into the model; an agent without one needs `provider` and `model_id` (400/2000)."}},
	Fields: []Field{
		{Name: "provider", Kind: "Text", Must: Create},
		{Name: "model_id", Kind: "Text", Must: Create},
		{Name: "temperature", Kind: "Temperature", Default: "0.7"},
		{Name: "max_tokens", Kind: "MaxTokens", Default: "4096"},
		{Name: "fallback_model", Kind: "FallbackModel", Null: true},
		{Name: "model_tier", Kind: "ModelTier", Null: true, Doc: "The class of the model."},
	},
}, {
	Name: "Memory",
	Schemas: map[Form]Schema{
		Whole:  {"Memory", "What an agent remembers. With type `none`, `retention_days` is null and there are no overrides."},
		Create: {"CreateMemory", "Type `none` goes with neither `retention_days` nor overrides (400/2000)."},
		Change: {"UpdateMemory", "Type `none` goes with neither `retention_days` nor overrides (400/2000)."},
		Entry:  {"OrganizationMemoryInput", "Type `none` goes with neither `retention_days` nor overrides (400/2000)."},
	},
	Fields: []Field{
		{Name: "type", Kind: "MemoryType", Default: "session"},
		{Name: "retention_days", Kind: "RetentionDays", Null: true, Doc: "How many days memory is kept; null means no limit."},
		{Name: "retention_overrides", Kind: "RetentionOverride", List: 7, Doc: "Retention of single categories, each once."},
	},
}, {
	Name:    "RetentionOverride",
	Schemas: map[Form]Schema{Whole: {"RetentionOverride", "How long memory of one category is kept."}, Create: {"CreateRetentionOverride", ""}},
	Fields: []Field{
		{Name: "category", Kind: "MemoryCategory", Must: Create},
		{Name: "retention_days", Kind: "RetentionDays", Must: Create},
	},
}, {
	Name: "Tools",
	Schemas: map[Form]Schema{Whole: {"Tools", "What an agent may use. No tool is both allowed and denied."},
		Create: {"CreateTools", "No tool is both allowed and denied (400/2000)."},
		Change: {"UpdateTools", "No tool is both allowed and denied (400/2000)."},
		Entry:  {"OrganizationToolsInput", "No tool is both allowed and denied (400/2000)."}},
	Fields: []Field{
		{Name: "access_level", Kind: "ToolAccessLevel", Default: "standard"},
		{Name: "allowed", Kind: "Texts", Doc: "Tools that may be used besides those of the access level."},
		{Name: "denied", Kind: "Texts", Doc: "Tools that may not be used; none of them is also allowed."},
		{Name: "mcp_capabilities", Kind: "Texts", Doc: "Capabilities granted on tool servers."},
		{Name: "sub_constraints", Kind: "ToolSubConstraints", Null: true, Doc: "Narrower rules; null means those of the access level."},
	},
}, {
	Name: "ToolSubConstraints",
	Schemas: map[Form]Schema{Whole: {"ToolSubConstraints", "What narrows an access level."},
		Create: {"CreateToolSubConstraints", "What is not given is the narrowest choice."},
		Change: {"UpdateToolSubConstraints", ""}, Entry: {"OrganizationSubConstraintsInput", ""}},
	Fields: []Field{
		{Name: "file_system", Kind: "FileSystemAccess", Default: "workspace_only"},
		{Name: "network", Kind: "NetworkAccess", Default: "none"},
		{Name: "git", Kind: "GitAccess", Default: "local_only"},
		{Name: "code_execution", Kind: "CodeExecution", Default: "containerized"},
		{Name: "terminal", Kind: "TerminalAccess", Default: "none"},
		{Name: "requires_approval", Kind: "Texts", Doc: "Tools that need approval."},
		{Name: "network_allowlist", Kind: "Texts", Doc: "Hosts that may be reached with `allowlist_only`."},
	},
}, {
	Name: "Authority",
	Schemas: map[Form]Schema{
		Whole:    {"Authority", "What an agent may decide. Agents are shown by id, and stay here when they are deleted."},
		Document: {"OrganizationAuthority", "What an agent may decide, with other agents by name."},
		Create:   {"CreateAuthority", ""},
		Change:   {"UpdateAuthority", "Nobody reports to itself (400/2000)."},
		Entry:    {"OrganizationAuthorityInput", "Nobody reports to itself (400/2000)."},
	},
	Fields: []Field{
		{Name: "can_approve", Kind: "Texts", Doc: "What the agent may approve, free text."},
		{Name: "reports_to", Kind: "UUID", In: "AgentReference", Kinds: map[Form]string{Document: "Name"}, Null: true,
			Doc:  "Id of the agent that it answers to.",
			Docs: map[Form]string{Document: "Name of the agent that it answers to.", Requests: "Id or name of the agent that it answers to."}},
		{Name: "can_delegate_to", Kind: "UUID", In: "AgentReference", Kinds: map[Form]string{Document: "Name"}, List: 256, Unique: true,
			Doc: "Ids of the agents that it may hand work to.",
			Docs: map[Form]string{Document: "Names of the agents that it may hand work to.",
				Requests: "Ids or names of the agents that it may hand work to, each agent once."}},
		{Name: "budget_limit", Kind: "Money", In: "MoneyInput", Default: "0", Doc: "What it may spend; 0 means nothing without approval.",
			Docs: map[Form]string{Requests: ""}},
	},
}}
