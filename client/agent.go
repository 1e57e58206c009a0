package client

import "time"

// AgentIdentity is the versioned part of an agent.
type AgentIdentity struct {
	// ID is a UUID and never changes.
	ID string `json:"id"`
	// Name is unique without regard to letter case.
	Name string `json:"name"`
	// Role says what the agent is there for.
	Role string `json:"role"`
	// Department is the name of the agent's department.
	Department  string      `json:"department"`
	Description string      `json:"description"`
	Level       AgentLevel  `json:"level"`
	Status      AgentStatus `json:"status"`
	Personality Personality `json:"personality"`
	Skills      Skills      `json:"skills"`
	// Model is the language model that drives the agent, nil if none is assigned.
	Model     *Model    `json:"model"`
	Memory    Memory    `json:"memory"`
	Tools     Tools     `json:"tools"`
	Authority Authority `json:"authority"`
	// AutonomyLevel is nil if the department's holds.
	AutonomyLevel *AutonomyLevel `json:"autonomy_level"`
	// StrategicOutputMode is nil if the agent takes no part in strategy.
	StrategicOutputMode *StrategicOutputMode `json:"strategic_output_mode"`
	// Instructions are the system prompt, at most 128 KiB. Everybody who may read
	// the organization can read them.
	Instructions string `json:"instructions"`
	// HiringDate never changes.
	HiringDate Date `json:"hiring_date"`
	// Metadata is free-form and never null.
	Metadata Object `json:"metadata"`

	// ETag is the tag of the agent, for [IfMatch] and [IfNoneMatch]. It is empty
	// in lists and inside versions.
	ETag string `json:"-"`
}

func (i *AgentIdentity) setETag(tag string) { i.ETag = tag }

// Agent is a member of the organization: its identity, what is not versioned,
// and the record's own numbers and times.
type Agent struct {
	AgentIdentity
	// PersonalityPreset names the preset that the personality was taken from.
	PersonalityPreset *string `json:"personality_preset"`
	// Tier is the class of model that the agent should have.
	Tier *ModelTier `json:"tier"`
	// ModelRequirement says what the agent needs of a model; nil is null.
	ModelRequirement Object `json:"model_requirement"`
	// Owner is the subject who answers for the agent, nil if nobody does.
	Owner *string `json:"owner"`
	// Tags are what agents are grouped by, each once.
	Tags []string `json:"tags"`
	// Version is the number of the current version of the identity.
	Version int64 `json:"version"`
	// Revision grows by one with every effective change.
	Revision  int64     `json:"revision"`
	CreatedAt time.Time `json:"created_at"`
	UpdatedAt time.Time `json:"updated_at"`
}

// AgentInput is a new agent. Name, Role and Department are required. What is
// left empty is not sent and gets the service's default.
type AgentInput struct {
	Name       string `json:"name"`
	Role       string `json:"role"`
	Department string `json:"department"`

	Description string `json:"description,omitzero"`
	// Level is mid by default.
	Level AgentLevel `json:"level,omitzero"`
	// Status is active by default.
	Status      AgentStatus `json:"status,omitzero"`
	Personality Personality `json:"personality,omitzero"`
	Skills      Skills      `json:"skills,omitzero"`
	Model       *Model      `json:"model,omitzero"`
	// ModelProvider and ModelID are a short form of Model: both or neither, and not
	// together with Model.
	ModelProvider       string              `json:"model_provider,omitzero"`
	ModelID             string              `json:"model_id,omitzero"`
	Memory              Memory              `json:"memory,omitzero"`
	Tools               Tools               `json:"tools,omitzero"`
	Authority           Authority           `json:"authority,omitzero"`
	AutonomyLevel       AutonomyLevel       `json:"autonomy_level,omitzero"`
	StrategicOutputMode StrategicOutputMode `json:"strategic_output_mode,omitzero"`
	Instructions        string              `json:"instructions,omitzero"`
	// HiringDate is today by default. It cannot be changed later.
	HiringDate        Date      `json:"hiring_date,omitzero"`
	Metadata          Object    `json:"metadata,omitzero"`
	PersonalityPreset string    `json:"personality_preset,omitzero"`
	Tier              ModelTier `json:"tier,omitzero"`
	ModelRequirement  Object    `json:"model_requirement,omitzero"`
	// Owner is nobody by default.
	Owner string   `json:"owner,omitzero"`
	Tags  []string `json:"tags,omitzero"`
}

// Personality is how an agent behaves. In an input, and for a whole new skill,
// model or the like, what is left empty gets the service's default.
type Personality struct {
	// Traits are what stands out, each once.
	Traits             []string `json:"traits,omitzero"`
	CommunicationStyle string   `json:"communication_style,omitzero"`
	Description        string   `json:"description,omitzero"`
	RiskTolerance      Degree   `json:"risk_tolerance,omitzero"`
	Creativity         Degree   `json:"creativity,omitzero"`
	// The following are degrees from 0 to 1.
	Openness          Decimal          `json:"openness,omitzero"`
	Conscientiousness Decimal          `json:"conscientiousness,omitzero"`
	Extraversion      Decimal          `json:"extraversion,omitzero"`
	Agreeableness     Decimal          `json:"agreeableness,omitzero"`
	StressResponse    Decimal          `json:"stress_response,omitzero"`
	DecisionMaking    DecisionMaking   `json:"decision_making,omitzero"`
	Collaboration     Collaboration    `json:"collaboration,omitzero"`
	Verbosity         Verbosity        `json:"verbosity,omitzero"`
	ConflictApproach  ConflictApproach `json:"conflict_approach,omitzero"`
}

// Skills are what an agent can do. Ids are unique across both lists.
type Skills struct {
	// Primary is what the agent is hired for.
	Primary []Skill `json:"primary,omitzero"`
	// Secondary is what it can do besides.
	Secondary []Skill `json:"secondary,omitzero"`
}

// Skill is one of them. ID and Name are required.
type Skill struct {
	ID          string   `json:"id"`
	Name        string   `json:"name"`
	Description string   `json:"description,omitzero"`
	Tags        []string `json:"tags,omitzero"`
	// InputModes and OutputModes are media types, text/plain by default.
	InputModes  []string `json:"input_modes,omitzero"`
	OutputModes []string `json:"output_modes,omitzero"`
	// Proficiency is a degree from 0 to 1, by default 1.
	Proficiency Decimal `json:"proficiency,omitzero"`
}

// Model is a language model. Provider and ModelID are required.
type Model struct {
	Provider string `json:"provider"`
	ModelID  string `json:"model_id"`
	// Temperature is from 0 to 2.
	Temperature Decimal `json:"temperature,omitzero"`
	// MaxTokens is the most that one answer may have.
	MaxTokens int64 `json:"max_tokens,omitzero"`
	// FallbackModel is used when this one fails.
	FallbackModel *string    `json:"fallback_model,omitzero"`
	ModelTier     *ModelTier `json:"model_tier,omitzero"`
}

// Memory is what an agent remembers. With type none there is no retention.
type Memory struct {
	Type MemoryType `json:"type,omitzero"`
	// RetentionDays is nil if there is no limit.
	RetentionDays      *int64              `json:"retention_days,omitzero"`
	RetentionOverrides []RetentionOverride `json:"retention_overrides,omitzero"`
}

// RetentionOverride is the retention of one category.
type RetentionOverride struct {
	Category      MemoryCategory `json:"category"`
	RetentionDays int64          `json:"retention_days"`
}

// Tools are what an agent may use. No tool is both allowed and denied.
type Tools struct {
	AccessLevel     ToolAccessLevel `json:"access_level,omitzero"`
	Allowed         []string        `json:"allowed,omitzero"`
	Denied          []string        `json:"denied,omitzero"`
	MCPCapabilities []string        `json:"mcp_capabilities,omitzero"`
	// SubConstraints is nil if those of the access level hold.
	SubConstraints *ToolSubConstraints `json:"sub_constraints,omitzero"`
}

// ToolSubConstraints narrow an access level.
type ToolSubConstraints struct {
	FileSystem    FileSystemAccess `json:"file_system,omitzero"`
	Network       NetworkAccess    `json:"network,omitzero"`
	Git           GitAccess        `json:"git,omitzero"`
	CodeExecution CodeExecution    `json:"code_execution,omitzero"`
	Terminal      TerminalAccess   `json:"terminal,omitzero"`
	// RequiresApproval names tools.
	RequiresApproval []string `json:"requires_approval,omitzero"`
	// NetworkAllowlist names hosts.
	NetworkAllowlist []string `json:"network_allowlist,omitzero"`
}

// Authority is what an agent may decide. Agents are taken by name or id and
// always shown by id.
type Authority struct {
	CanApprove    []string `json:"can_approve,omitzero"`
	ReportsTo     *string  `json:"reports_to,omitzero"`
	CanDelegateTo []string `json:"can_delegate_to,omitzero"`
	// BudgetLimit is what it may spend; 0 is nothing without approval.
	BudgetLimit Decimal `json:"budget_limit,omitzero"`
}
