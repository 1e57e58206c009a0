package client

// AgentLevel is seniority, ascending.
type AgentLevel string

// The levels.
const (
	LevelJunior    AgentLevel = "junior"
	LevelMid       AgentLevel = "mid"
	LevelSenior    AgentLevel = "senior"
	LevelLead      AgentLevel = "lead"
	LevelPrincipal AgentLevel = "principal"
	LevelDirector  AgentLevel = "director"
	LevelVP        AgentLevel = "vp"
	LevelCSuite    AgentLevel = "c_suite"
)

// AgentStatus is where an agent stands in its employment.
type AgentStatus string

// The statuses of agents.
const (
	AgentActive     AgentStatus = "active"
	AgentOnboarding AgentStatus = "onboarding"
	AgentOnLeave    AgentStatus = "on_leave"
	AgentTerminated AgentStatus = "terminated"
)

// AutonomyLevel is how freely somebody acts, ascending.
type AutonomyLevel string

// The levels of autonomy.
const (
	AutonomyLocked     AutonomyLevel = "locked"
	AutonomySupervised AutonomyLevel = "supervised"
	AutonomySemi       AutonomyLevel = "semi"
	AutonomyFull       AutonomyLevel = "full"
)

// StrategicOutputMode is how an agent takes part in strategy.
type StrategicOutputMode string

// The strategic output modes.
const (
	StrategyOptionExpander   StrategicOutputMode = "option_expander"
	StrategyAdvisor          StrategicOutputMode = "advisor"
	StrategyDecisionMaker    StrategicOutputMode = "decision_maker"
	StrategyContextDependent StrategicOutputMode = "context_dependent"
)

// Degree is a coarse degree.
type Degree string

// The degrees.
const (
	DegreeLow    Degree = "low"
	DegreeMedium Degree = "medium"
	DegreeHigh   Degree = "high"
)

// DecisionMaking is how decisions are made.
type DecisionMaking string

// The ways to decide.
const (
	DecisionAnalytical   DecisionMaking = "analytical"
	DecisionIntuitive    DecisionMaking = "intuitive"
	DecisionConsultative DecisionMaking = "consultative"
	DecisionDirective    DecisionMaking = "directive"
)

// Collaboration is how work is shared.
type Collaboration string

// The ways to share work.
const (
	CollaborationIndependent Collaboration = "independent"
	CollaborationPair        Collaboration = "pair"
	CollaborationTeam        Collaboration = "team"
)

// Verbosity is how much is said.
type Verbosity string

// The verbosities.
const (
	VerbosityTerse    Verbosity = "terse"
	VerbosityBalanced Verbosity = "balanced"
	VerbosityVerbose  Verbosity = "verbose"
)

// ConflictApproach is how conflicts are met.
type ConflictApproach string

// The ways to meet a conflict.
const (
	ConflictAvoid       ConflictApproach = "avoid"
	ConflictAccommodate ConflictApproach = "accommodate"
	ConflictCompete     ConflictApproach = "compete"
	ConflictCompromise  ConflictApproach = "compromise"
	ConflictCollaborate ConflictApproach = "collaborate"
)

// ModelTier is a class of language models.
type ModelTier string

// The tiers.
const (
	TierLarge  ModelTier = "large"
	TierMedium ModelTier = "medium"
	TierSmall  ModelTier = "small"
)

// MemoryType is how long memory lives.
type MemoryType string

// The types of memory.
const (
	MemoryPersistent MemoryType = "persistent"
	MemoryProject    MemoryType = "project"
	MemorySession    MemoryType = "session"
	MemoryNone       MemoryType = "none"
)

// MemoryCategory is a kind of memory.
type MemoryCategory string

// The kinds of memory.
const (
	MemoryWorking    MemoryCategory = "working"
	MemoryEpisodic   MemoryCategory = "episodic"
	MemorySemantic   MemoryCategory = "semantic"
	MemoryProcedural MemoryCategory = "procedural"
	MemorySocial     MemoryCategory = "social"
	MemoryProjectDoc MemoryCategory = "project_doc"
	MemoryKnowledge  MemoryCategory = "knowledge"
)

// ToolAccessLevel is which class of tools may be used.
type ToolAccessLevel string

// The access levels.
const (
	ToolsSandboxed  ToolAccessLevel = "sandboxed"
	ToolsRestricted ToolAccessLevel = "restricted"
	ToolsStandard   ToolAccessLevel = "standard"
	ToolsElevated   ToolAccessLevel = "elevated"
	ToolsCustom     ToolAccessLevel = "custom"
)

// FileSystemAccess is which files may be reached.
type FileSystemAccess string

// The accesses to files.
const (
	FilesWorkspaceOnly    FileSystemAccess = "workspace_only"
	FilesProjectDirectory FileSystemAccess = "project_directory"
	FilesFull             FileSystemAccess = "full"
)

// NetworkAccess is which hosts may be reached.
type NetworkAccess string

// The accesses to the network.
const (
	NetworkNone          NetworkAccess = "none"
	NetworkAllowlistOnly NetworkAccess = "allowlist_only"
	NetworkOpen          NetworkAccess = "open"
)

// GitAccess is what may be done with repositories.
type GitAccess string

// The accesses to repositories.
const (
	GitLocalOnly     GitAccess = "local_only"
	GitReadAndBranch GitAccess = "read_and_branch"
	GitFull          GitAccess = "full"
)

// CodeExecution is where code runs.
type CodeExecution string

// The places for code to run.
const (
	CodeContainerized CodeExecution = "containerized"
	CodeProcess       CodeExecution = "process"
)

// TerminalAccess is which commands may be run.
type TerminalAccess string

// The accesses to a terminal.
const (
	TerminalNone               TerminalAccess = "none"
	TerminalRestrictedCommands TerminalAccess = "restricted_commands"
	TerminalFull               TerminalAccess = "full"
)

// EventType is what happened. The first seven are lifecycle events, which the
// service emits; the others are runtime events, which are reported to it.
type EventType string

// The types of events.
const (
	EventHired              EventType = "hired"
	EventOnboarded          EventType = "onboarded"
	EventFired              EventType = "fired"
	EventOffboarded         EventType = "offboarded"
	EventStatusChanged      EventType = "status_changed"
	EventPromoted           EventType = "promoted"
	EventDemoted            EventType = "demoted"
	EventTaskStarted        EventType = "task_started"
	EventTaskCompleted      EventType = "task_completed"
	EventCostIncurred       EventType = "cost_incurred"
	EventToolUsed           EventType = "tool_used"
	EventDelegationSent     EventType = "delegation_sent"
	EventDelegationReceived EventType = "delegation_received"
)

// ChangeAction is what was done, as "agent.updated". The first part alone stands for all
// actions with it where changes are selected. Newer services may know more.
type ChangeAction string

// The actions of the change log.
const (
	ActionAgentCreated         ChangeAction = "agent.created"
	ActionAgentUpdated         ChangeAction = "agent.updated"
	ActionAgentRolledBack      ChangeAction = "agent.rolled_back"
	ActionAgentDeleted         ChangeAction = "agent.deleted"
	ActionAgentRestored        ChangeAction = "agent.restored"
	ActionAgentPurged          ChangeAction = "agent.purged"
	ActionLabelSet             ChangeAction = "agent.label_set"
	ActionLabelRemoved         ChangeAction = "agent.label_removed"
	ActionDepartmentCreated    ChangeAction = "department.created"
	ActionDepartmentUpdated    ChangeAction = "department.updated"
	ActionDepartmentDeleted    ChangeAction = "department.deleted"
	ActionAgentsReordered      ChangeAction = "department.agents_reordered"
	ActionCeremonySet          ChangeAction = "ceremony_policy.set"
	ActionCeremonyRemoved      ChangeAction = "ceremony_policy.removed"
	ActionCompanyUpdated       ChangeAction = "company.updated"
	ActionDepartmentsReordered ChangeAction = "company.departments_reordered"
	ActionProjectCreated       ChangeAction = "project.created"
	ActionProjectUpdated       ChangeAction = "project.updated"
	ActionProjectDeleted       ChangeAction = "project.deleted"
)

// ChangeWay is how a change came about. Newer services may know more.
type ChangeWay string

// The ways of changes.
const (
	WayDirect   ChangeWay = "direct"
	WayProposal ChangeWay = "proposal"
	WayReturn   ChangeWay = "return"
	WayBypass   ChangeWay = "bypass"
)

// ActivityWindow is how many hours of a feed to read.
type ActivityWindow int

// The windows of a feed.
const (
	LastDay     ActivityWindow = 24
	LastTwoDays ActivityWindow = 48
	LastWeek    ActivityWindow = 168
)

// TrendDirection is where a figure is heading.
type TrendDirection string

// The directions.
const (
	TrendImproving        TrendDirection = "improving"
	TrendStable           TrendDirection = "stable"
	TrendDeclining        TrendDirection = "declining"
	TrendInsufficientData TrendDirection = "insufficient_data"
)

// WindowSize is the length of a window of figures in whole UTC days, today
// included.
type WindowSize string

// The windows of figures.
const (
	Window7Days  WindowSize = "7d"
	Window30Days WindowSize = "30d"
	Window90Days WindowSize = "90d"
)

// FigureSort is what the figures of agents are ordered by. Agents without data come last.
type FigureSort string

// The orders of figures.
const (
	SortByName    FigureSort = "name"
	SortBySuccess FigureSort = "success" // the worst success rate first
	SortByQuality FigureSort = "quality" // the worst score first
	SortByCost    FigureSort = "cost"    // the highest cost first
	SortByTasks   FigureSort = "tasks"   // the most completed tasks first
)

// Metric is what a trend is of.
type Metric string

// The metrics.
const (
	MetricQuality     Metric = "quality_score"
	MetricCost        Metric = "cost"
	MetricSuccessRate Metric = "success_rate"
)

// OrganizationAction is what a change of a plan does.
type OrganizationAction string

// The actions of plans.
const (
	ActionCreate  OrganizationAction = "create"
	ActionUpdate  OrganizationAction = "update"
	ActionDelete  OrganizationAction = "delete"
	ActionReorder OrganizationAction = "reorder"
)

// ChangeType is what became of a field from one version to another.
type ChangeType string

// The types of changes.
const (
	FieldAdded    ChangeType = "added"
	FieldModified ChangeType = "modified"
	FieldRemoved  ChangeType = "removed"
)

// PatchOp is what an operation of a JSON Patch does.
type PatchOp string

// The operations.
const (
	PatchAdd     PatchOp = "add"
	PatchRemove  PatchOp = "remove"
	PatchReplace PatchOp = "replace"
)

// ProjectStatus is where a project stands.
type ProjectStatus string

// The statuses of projects.
const (
	ProjectPlanning  ProjectStatus = "planning"
	ProjectActive    ProjectStatus = "active"
	ProjectOnHold    ProjectStatus = "on_hold"
	ProjectCompleted ProjectStatus = "completed"
	ProjectCancelled ProjectStatus = "cancelled"
)

// CeremonyStrategy is what moves a sprint on.
type CeremonyStrategy string

// The strategies.
const (
	CeremonyTaskDriven         CeremonyStrategy = "task_driven"
	CeremonyCalendar           CeremonyStrategy = "calendar"
	CeremonyHybrid             CeremonyStrategy = "hybrid"
	CeremonyEventDriven        CeremonyStrategy = "event_driven"
	CeremonyBudgetDriven       CeremonyStrategy = "budget_driven"
	CeremonyThroughputAdaptive CeremonyStrategy = "throughput_adaptive"
	CeremonyExternalTrigger    CeremonyStrategy = "external_trigger"
	CeremonyMilestoneDriven    CeremonyStrategy = "milestone_driven"
)

// VelocityCalculator is how velocity is measured.
type VelocityCalculator string

// The calculators.
const (
	VelocityTaskDriven       VelocityCalculator = "task_driven"
	VelocityCalendar         VelocityCalculator = "calendar"
	VelocityMultiDimensional VelocityCalculator = "multi_dimensional"
	VelocityBudget           VelocityCalculator = "budget"
	VelocityPointsPerSprint  VelocityCalculator = "points_per_sprint"
)

// CeremonyOrigin is where a value of a ceremony policy comes from.
type CeremonyOrigin string

// The origins.
const (
	FromDepartment CeremonyOrigin = "department"
	FromCompany    CeremonyOrigin = "company"
	FromDefault    CeremonyOrigin = "default"
)

// Role is what the bearer of a token may do.
type Role string

// The roles.
const (
	RoleViewer          Role = "viewer"
	RoleAgent           Role = "agent"
	RoleReporter        Role = "reporter"
	RoleDepartmentAdmin Role = "department_admin"
	RoleEditor          Role = "editor"
	RoleAdmin           Role = "admin"
)

// SessionKind is how a session began. More may come.
type SessionKind string

// The kinds of sessions: with a token of the service, with a sign-in link, with a token
// of another issuer.
const (
	SessionByToken  SessionKind = "token"
	SessionBySignIn SessionKind = "sign_in"
	SessionExternal SessionKind = "external"
)
