"""The types of the API. Made by make generate from its description."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Literal, Optional, TypedDict, Union

if sys.version_info >= (3, 11):
    from typing import NotRequired
elif TYPE_CHECKING:
    from typing_extensions import NotRequired

AgentLevel = Literal["junior", "mid", "senior", "lead", "principal", "director", "vp", "c_suite"]

AgentStatus = Literal["active", "onboarding", "on_leave", "terminated"]

AutonomyLevel = Literal["locked", "supervised", "semi", "full"]

StrategicOutputMode = Literal["option_expander", "advisor", "decision_maker", "context_dependent"]

Degree = Literal["low", "medium", "high"]

DecisionMaking = Literal["analytical", "intuitive", "consultative", "directive"]

Collaboration = Literal["independent", "pair", "team"]

Verbosity = Literal["terse", "balanced", "verbose"]

ConflictApproach = Literal["avoid", "accommodate", "compete", "compromise", "collaborate"]

ModelTier = Literal["large", "medium", "small"]

MemoryType = Literal["persistent", "project", "session", "none"]

MemoryCategory = Literal["working", "episodic", "semantic", "procedural", "social", "project_doc", "knowledge"]

ToolAccessLevel = Literal["sandboxed", "restricted", "standard", "elevated", "custom"]

FileSystemAccess = Literal["workspace_only", "project_directory", "full"]

NetworkAccess = Literal["none", "allowlist_only", "open"]

GitAccess = Literal["local_only", "read_and_branch", "full"]

CodeExecution = Literal["containerized", "process"]

TerminalAccess = Literal["none", "restricted_commands", "full"]

EventType = Literal["hired", "onboarded", "fired", "offboarded", "status_changed", "promoted", "demoted", "task_started", "task_completed", "cost_incurred", "tool_used", "delegation_sent", "delegation_received"]

LifecycleEventType = Literal["hired", "onboarded", "fired", "offboarded", "status_changed", "promoted", "demoted"]

ActivityWindowHours = Literal[24, 48, 168]

TrendDirection = Literal["improving", "stable", "declining", "insufficient_data"]

ProjectStatus = Literal["planning", "active", "on_hold", "completed", "cancelled"]

Role = Literal["viewer", "agent", "reporter", "department_admin", "editor", "admin"]

CeremonyStrategy = Literal["task_driven", "calendar", "hybrid", "event_driven", "budget_driven", "throughput_adaptive", "external_trigger", "milestone_driven"]

VelocityCalculator = Literal["task_driven", "calendar", "multi_dimensional", "budget", "points_per_sprint"]

CeremonyOrigin = Literal["department", "company", "default"]

WindowSize = Literal["7d", "30d", "90d"]

WebhookDisabledReason = Optional[Literal["requested", "gone", "failing"]]

ChangeAction = Literal["agent.created", "agent.updated", "agent.rolled_back", "agent.deleted", "agent.restored", "agent.purged", "agent.label_set", "agent.label_removed", "department.created", "department.updated", "department.deleted", "department.agents_reordered", "ceremony_policy.set", "ceremony_policy.removed", "company.updated", "company.departments_reordered", "project.created", "project.updated", "project.deleted"]

ChangeWay = Literal["direct", "proposal", "return", "bypass"]

SessionKind = Literal["token", "sign_in", "external"]


class Mistake(TypedDict):
    """One thing that is wrong with a document or a report."""

    path: str
    """The field, such as `agents[3].level`; empty if it is about no single field."""
    text: str
    """What is wrong."""
    line: int | None
    """The line of the text, or of the entry of a list that the field is part of; null if it is unknown."""


class LivenessStatus(TypedDict):
    """Whether the process is alive."""

    status: Literal["ok"]
    """Always "ok"."""
    version: str
    """Version of the server."""
    uptime_seconds: float
    """How long the process has been running."""


class ReadinessStatus(TypedDict):
    """Whether the service can do its work."""

    status: Literal["ok"]
    """Always "ok"; otherwise the answer is an error."""
    persistence: bool
    """Whether the storage works."""
    shared_limits: bool | None
    """Whether limits are shared between replicas; false while local limits stand in, null if not configured."""
    version: str
    """Version of the server."""
    uptime_seconds: float
    """How long the process has been running."""


class Capabilities(TypedDict):
    """What is wired and working in the process that answers."""

    activity_ingest: bool
    """Runtime events can be reported."""
    activity_stream: bool
    """The feed can be streamed."""
    webhooks: bool
    """Events can be delivered to webhooks."""
    shared_limits: bool
    """Limits are shared between replicas."""
    external_identity: bool
    """Tokens of an external issuer are accepted."""
    telemetry: bool
    """Traces are exported."""
    api_docs: bool
    """The reference pages are served."""
    console: bool
    """The console is served."""


class CompanySettings(TypedDict):
    """Free-form, at most 64 KiB."""

    ceremony_policy: NotRequired[CeremonyPolicy]


class ReorderDepartmentsRequest(TypedDict):
    department_names: list[str]
    """The names of all departments, each once, in the new order."""


class ReorderAgentsRequest(TypedDict):
    agent_names: list[str]
    """The names or ids of all agents of the department, each once, in the new order; empty only for a department without agents."""


class CeremonyPolicy(TypedDict):
    """A free-form object with a few known keys; a key that is absent is inherited."""

    strategy: NotRequired[CeremonyStrategy]
    strategy_config: NotRequired[dict[str, Any]]
    """Settings of the strategy."""
    velocity_calculator: NotRequired[VelocityCalculator]
    auto_transition: NotRequired[bool]
    """Whether sprints end by themselves."""
    transition_threshold: NotRequired[float]


class CeremonyPolicyInput(TypedDict):
    """A policy as it is written, at most 64 KiB."""

    strategy: NotRequired[CeremonyStrategy | None]
    strategy_config: NotRequired[dict[str, Any] | None]
    """Settings of the strategy."""
    velocity_calculator: NotRequired[VelocityCalculator | None]
    auto_transition: NotRequired[bool | None]
    """Whether sprints end by themselves."""
    transition_threshold: NotRequired[float | None]
    """Share of the work that ends a sprint, more than 0; the minimum is the least such number with double precision."""


class ResolvedValue(TypedDict):
    value: Any
    """The value in force, of any type but null."""
    origin: CeremonyOrigin


class OrganizationDocument(TypedDict):
    """The organization as one document."""

    format: Literal[1]
    """Version of the form of documents."""
    company: OrganizationCompany
    departments: list[OrganizationDepartment]
    """All departments, in order."""
    agents: list[OrganizationAgent]
    """All agents, in the organization's order."""


class OrganizationInput(TypedDict):
    """An organization as it shall be."""

    format: Literal[1]
    """Version of the form of documents."""
    company: NotRequired[OrganizationCompanyInput]
    departments: NotRequired[list[OrganizationDepartmentInput]]
    """Departments in the order that they shall have; their names are unique."""
    agents: NotRequired[list[OrganizationAgentInput]]
    """Agents in the order that they shall have; their names are unique."""


class OrganizationPlan(TypedDict):
    """What a document would change."""

    plan_hash: str
    changes: list[OrganizationChange]
    """All differences; empty if there is none."""


class OrganizationChange(TypedDict):
    """A difference between the organization and a document."""

    path: str
    """What changes: `company.currency`, `agents["Ada"]`, `agents["Ada"].level`, or a whole list for its order."""
    action: Literal["create", "update", "delete", "reorder"]
    """How it changes."""
    old: Any
    """The value before: of a field, a whole entry, or the names of a list in their order; null for a creation."""
    new: Any
    """The value after, likewise; null for a deletion."""


class OrganizationApplied(TypedDict):
    """What an apply has changed."""

    plan_hash: str
    created: int
    """Departments and agents that were made."""
    updated: int
    """The company, departments and agents that were changed."""
    deleted: int
    """Departments and agents that were deleted."""
    reordered: int
    """Lists that got another order."""


class VersionSnapshot(TypedDict):
    """One stored revision of an agent's identity."""

    entity_id: str
    """Id of the agent."""
    version: int
    content_hash: str
    snapshot: AgentIdentity
    """The identity as it was stored: the text that `content_hash` is of."""
    saved_by: str
    """Subject that made the change."""
    saved_at: str
    imported: bool
    """Whether `saved_by` and `saved_at` are from where it was imported from, by `as_of` of a document."""
    restored_from: int | None
    """The version that a rollback brought back; null for any other change."""
    reason: str | None


class AsOf(TypedDict):
    """When and by whom an entry was written before it was imported."""

    at: str
    """When, with any offset."""
    by: str
    """As a subject, such as the author of a commit."""
    reason: NotRequired[str | None]
    """Why; it counts more than `Change-Reason`."""


class AgentIdentityDiff(TypedDict):
    """What changed between two versions."""

    agent_id: str
    from_version: int
    to_version: int
    field_changes: list[FieldChange]
    """Sorted by path."""
    summary: str
    """How much changed, in words."""


class FieldChange(TypedDict):
    """What became of one field."""

    field_path: str
    """Dotted path of the field."""
    change_type: Literal["added", "modified", "removed"]
    """What became of the field."""
    old_value: str | None
    """JSON text of the earlier value; null if the field was not there."""
    new_value: str | None
    """JSON text of the later value; null if the field is not there."""
    text_diff: str | None
    """Unified diff of a long text; null for everything else."""


class RollbackAgentIdentityRequest(TypedDict):
    """What to bring back."""

    target_version: int
    """The version to bring back."""
    reason: NotRequired[str | None]
    """Why; it is kept with the version."""


class AgentHealth(TypedDict):
    """How an agent is doing."""

    agent_id: str
    agent_name: str
    lifecycle_status: AgentStatus
    last_active_at: str | None
    """Time of the newest event of any type."""
    trust: AgentTrust
    performance: AgentHealthPerformance | None
    """Figures of 30 days; null without any data."""


class AgentTrust(TypedDict):
    """How far the tools of an agent are trusted."""

    level: ToolAccessLevel
    score: float | None
    """Null so far: trust is set, not measured."""
    last_evaluated_at: str | None
    """Null so far: trust is set, not measured."""


class AgentHealthPerformance(TypedDict):
    """A short form of the performance of an agent."""

    quality_score: float | None
    collaboration_score: float | None
    trend: TrendDirection


class AgentPerformanceSummary(TypedDict):
    """What an agent did."""

    agent_name: str
    tasks_completed_total: int
    """Tasks completed with success, of all time."""
    tasks_completed_7d: int
    tasks_completed_30d: int
    avg_completion_time_seconds: float | None
    success_rate_percent: float | None
    """Successes of all finished tasks; null if there is too little data."""
    cost_per_task: float | None
    quality_score: float | None
    collaboration_score: float | None
    trend_direction: TrendDirection
    """Of the success rate over 30 days or, without enough data, of the quality."""
    windows: list[PerformanceWindow]
    """7, 30 and 90 days."""
    trends: list[PerformanceTrend]
    """Every metric over every window."""


class PerformanceTrend(TypedDict):
    """Where a metric is heading in a window."""

    metric_name: Literal["quality_score", "cost", "success_rate"]
    """What is measured."""
    window_size: WindowSize
    direction: TrendDirection
    slope: float | None
    """Change per day, in the unit of the metric; null if there is too little data."""
    data_point_count: int


class CareerEvent(TypedDict):
    """A step of an agent's career."""

    event_type: LifecycleEventType
    timestamp: str
    description: str
    """What happened, in words."""
    initiated_by: str
    """Subject that made the change."""
    metadata: dict[str, str]
    """`from`, `to` and `version` where they apply."""


class ActivityEvent(TypedDict):
    """Something that happened to an agent, or that it did."""

    id: str
    event_type: EventType
    timestamp: str
    agent_id: str
    agent_name: str
    """The agent's name at the time of the event."""
    description: str
    """What happened, in words."""
    related_ids: dict[str, str]
    """What is involved: what was reported, `actor` for lifecycle events, `agent_id`, and `task_id` and `tool` out of the data."""
    data: dict[str, Any] | None
    """What was reported with a runtime event; null for lifecycle events."""


class IngestActivitiesRequest(TypedDict):
    events: list[ActivityEntry]


class IngestResult(TypedDict):
    """What came of reported events."""

    accepted: int
    """Events that are new."""
    duplicates: int
    """Events that were known, or stood twice in the batch."""
    warnings: list[str]
    """Members of `data` that look like ones that are counted and are none, such as `duration` for `duration_seconds`."""


class Delivery(TypedDict):
    """One event on its way to one webhook."""

    id: str
    event_id: str
    """Id of the event, the `webhook-id` of its messages."""
    attempt: int
    """How many attempts have begun; 0 before the first, and again when it begins anew."""
    status: Literal["pending", "delivered", "failed"]
    """Where it stands: `pending` until the endpoint has answered 2xx (`delivered`) or there are no more attempts (`failed`)."""
    response_code: int | None
    """What the endpoint answered to the last attempt that has ended; null if it did not."""
    error: Literal["status", "timeout", "connection", "dns", "tls", "address", "event"] | None
    """Why the last attempt that has ended failed."""
    next_attempt_at: str | None
    """When the next attempt may begin; while one is under way, when it would be taken for lost."""
    created_at: str


class RedeemLinkRequest(TypedDict):
    code: str
    """The code of the link."""
    verifier: NotRequired[str]
    """That of the `challenge` with which a program began, if the code came to it."""


class IssuedToken(TypedDict):
    """A new token of a session."""

    token: str
    """The token."""
    sid: str
    expires_at: str


class Caller(TypedDict):
    """What the presented token says."""

    sid: str
    issuer: str
    """Who issued the token."""
    subject: str
    """Who limits and the audit trail count; with the issuer in front for external tokens."""
    role: Role
    departments: list[str]
    agent_id: str | None
    issued_at: str
    expires_at: str
    label: str | None
    kind: SessionKind


class Session(TypedDict):
    """One login."""

    sid: str
    issuer: str
    """Who issued its tokens."""
    subject: str
    """Who is logged in."""
    role: Role
    departments: list[str]
    agent_id: str | None
    issued_at: str
    expires_at: str
    label: str | None
    kind: SessionKind
    last_used_at: str | None
    revoked_at: str | None
    """When it was logged out or revoked; null while it is in force."""


class CompanySettingsPatch(TypedDict):
    """Merged key by key; null removes a key."""

    ceremony_policy: NotRequired[CeremonyPolicyInput | None]
    """Merged key by key; null removes the policy."""


class CompanySettingsInput(TypedDict):
    """Replaced as a whole."""

    ceremony_policy: NotRequired[CeremonyPolicyInput]


class Company(TypedDict):
    """The one company, with its departments."""

    company_name: str
    """How the company is called."""
    autonomy_level: AutonomyLevel
    """For departments and agents that do not say otherwise."""
    budget_monthly: float
    """0 means no budget."""
    currency: str
    communication_pattern: str
    """How agents talk to each other, "hybrid" at first."""
    settings: CompanySettings
    departments: list[Department]
    """All departments, in order."""
    revision: int
    updated_at: str


class OrganizationCompany(TypedDict):
    """The company in a document."""

    company_name: str
    """How the company is called."""
    autonomy_level: AutonomyLevel
    """For departments and agents that do not say otherwise."""
    budget_monthly: float
    """0 means no budget."""
    currency: str
    communication_pattern: str
    """How agents talk to each other, "hybrid" at first."""
    settings: CompanySettings


class UpdateCompanyRequest(TypedDict):
    """A merge patch of the company."""

    company_name: NotRequired[str]
    """How the company is called."""
    autonomy_level: NotRequired[AutonomyLevel]
    """For departments and agents that do not say otherwise."""
    budget_monthly: NotRequired[float]
    currency: NotRequired[str]
    """Only while no cost is recorded."""
    communication_pattern: NotRequired[str]
    """How agents talk to each other, "hybrid" at first."""
    settings: NotRequired[CompanySettingsPatch]


class OrganizationCompanyInput(TypedDict):
    """The company."""

    company_name: NotRequired[str | None]
    """How the company is called."""
    autonomy_level: NotRequired[AutonomyLevel | None]
    """For departments and agents that do not say otherwise."""
    budget_monthly: NotRequired[float | None]
    """Units of the company's currency, less than 1 000 000 000, with at most 9 decimals."""
    currency: NotRequired[str | None]
    """Changes only while no cost is recorded."""
    communication_pattern: NotRequired[str | None]
    """How agents talk to each other, "hybrid" at first."""
    settings: NotRequired[CompanySettingsInput | None]


class Department(TypedDict):
    """A part of the company."""

    name: str
    """Identifies the department and never changes."""
    description: str
    head: str | None
    """Name of the agent that leads the department."""
    budget_percent: float
    """Share of the company's budget, at most 4 decimals."""
    autonomy_level: AutonomyLevel | None
    """Null inherits the company's."""
    teams: list[Team]
    """Groups of agents; their names are unique in the department."""
    reporting_lines: list[ReportingLine]
    """Who answers to whom."""
    policies: DepartmentPolicies
    ceremony_policy: CeremonyPolicy | None
    """Null inherits the company's."""
    revision: int
    created_at: str
    updated_at: str


class OrganizationDepartment(TypedDict):
    """A department in a document."""

    name: str
    """Identifies the department and never changes."""
    description: str
    head: str | None
    """Name of the agent that leads the department."""
    budget_percent: float
    """Share of the company's budget, at most 4 decimals."""
    autonomy_level: AutonomyLevel | None
    """Null inherits the company's."""
    teams: list[Team]
    """Groups of agents; their names are unique in the department."""
    reporting_lines: list[ReportingLine]
    """Who answers to whom."""
    policies: DepartmentPolicies
    ceremony_policy: CeremonyPolicy | None
    """Null inherits the company's."""


class CreateDepartmentRequest(TypedDict):
    """A new department."""

    name: str
    """Identifies the department and never changes."""
    description: NotRequired[str | None]
    """What the department is for."""
    head: NotRequired[str | None]
    """Id or name of the agent that leads the department."""
    budget_percent: NotRequired[float | None]
    """Share of the company's budget, at most 4 decimals."""
    autonomy_level: NotRequired[AutonomyLevel | None]
    """Null inherits the company's."""
    teams: NotRequired[list[CreateTeam] | None]
    """Groups of agents; their names are unique in the department."""
    reporting_lines: NotRequired[list[CreateReportingLine] | None]
    """Who answers to whom."""
    policies: NotRequired[CreateDepartmentPolicies | None]
    ceremony_policy: NotRequired[CeremonyPolicyInput | None]
    """Null inherits the company's."""


class UpdateDepartmentRequest(TypedDict):
    """A merge patch of a department."""

    description: NotRequired[str]
    head: NotRequired[str | None]
    """Id or name of an agent; null clears it."""
    budget_percent: NotRequired[float]
    """Share of the company's budget, at most 4 decimals."""
    autonomy_level: NotRequired[AutonomyLevel | None]
    """Null inherits the company's."""
    teams: NotRequired[list[CreateTeam]]
    """Replaces all teams."""
    reporting_lines: NotRequired[list[CreateReportingLine]]
    """Replaces all lines."""
    policies: NotRequired[UpdateDepartmentPolicies]
    ceremony_policy: NotRequired[CeremonyPolicyInput | None]
    """Merged key by key; null removes the policy."""


class OrganizationDepartmentInput(TypedDict):
    """A department."""

    name: str
    """Identifies the department and never changes."""
    description: NotRequired[str | None]
    """What the department is for."""
    head: NotRequired[str | None]
    """Name of the agent that leads the department."""
    budget_percent: NotRequired[float | None]
    """Share of the company's budget, at most 4 decimals."""
    autonomy_level: NotRequired[AutonomyLevel | None]
    """Null inherits the company's."""
    teams: NotRequired[list[CreateTeam] | None]
    """Replaces all teams."""
    reporting_lines: NotRequired[list[CreateReportingLine] | None]
    """Replaces all lines."""
    policies: NotRequired[OrganizationPoliciesInput | None]
    ceremony_policy: NotRequired[CeremonyPolicyInput | None]
    """Replaced as a whole; null inherits the company's."""


class Team(TypedDict):
    """A group of agents of any departments."""

    name: str
    """Unique in the department."""
    lead: str | None
    """Name of the agent that leads the team."""
    members: list[str]
    """Names of the agents in the team."""


class CreateTeam(TypedDict):
    name: str
    """Unique in the department."""
    lead: NotRequired[str | None]
    """Id or name of the agent that leads the team."""
    members: NotRequired[list[str] | None]
    """Ids or names of existing agents, each agent once."""


class ReportingLine(TypedDict):
    """Who answers to whom."""

    subordinate: str
    """Name of the agent that answers to the other."""
    supervisor: str
    """Name of the agent that is answered to."""


class CreateReportingLine(TypedDict):
    """Nobody reports to itself, everybody to one at most, and lines form no cycle (400/2000)."""

    subordinate: str
    """Id or name of the agent that answers to the other."""
    supervisor: str
    """Id or name of the agent that is answered to."""


class DepartmentPolicies(TypedDict):
    """What work in a department has to pass."""

    review_requirements: ReviewRequirements
    approval_chains: list[ApprovalChain]
    """Who approves what; the types of action are unique."""
    protected_labels: list[str]
    """Labels of the department's agents that only its `department_admin` and an `admin` set, move and remove."""


class CreateDepartmentPolicies(TypedDict):
    """What work in a new department has to pass."""

    review_requirements: NotRequired[CreateReviewRequirements | None]
    approval_chains: NotRequired[list[CreateApprovalChain] | None]
    """Who approves what; the types of action are unique."""
    protected_labels: NotRequired[list[str] | None]
    """Labels of the department's agents that only its `department_admin` and an `admin` set, move and remove."""


class UpdateDepartmentPolicies(TypedDict):
    review_requirements: NotRequired[UpdateReviewRequirements]
    approval_chains: NotRequired[list[CreateApprovalChain]]
    """Replaces all chains."""
    protected_labels: NotRequired[list[str]]
    """Replaces all of them."""


class OrganizationPoliciesInput(TypedDict):
    review_requirements: NotRequired[OrganizationReviewInput | None]
    approval_chains: NotRequired[list[CreateApprovalChain] | None]
    """Replaces all chains."""
    protected_labels: NotRequired[list[str] | None]
    """Replaces all of them."""


class ReviewRequirements(TypedDict):
    """Who reviews work."""

    min_reviewers: int
    required_reviewer_roles: list[str]
    """Roles that must be among the reviewers, free text."""
    self_review_allowed: bool


class CreateReviewRequirements(TypedDict):
    """Who reviews work in a new department."""

    min_reviewers: NotRequired[int | None]
    """How many reviewers work needs."""
    required_reviewer_roles: NotRequired[list[str] | None]
    """Roles that must be among the reviewers, free text."""
    self_review_allowed: NotRequired[bool | None]
    """Whether authors may review their own work."""


class UpdateReviewRequirements(TypedDict):
    min_reviewers: NotRequired[int]
    required_reviewer_roles: NotRequired[list[str]]
    """Roles that must be among the reviewers, free text."""
    self_review_allowed: NotRequired[bool]


class OrganizationReviewInput(TypedDict):
    min_reviewers: NotRequired[int | None]
    """How many reviewers work needs."""
    required_reviewer_roles: NotRequired[list[str] | None]
    """Roles that must be among the reviewers, free text."""
    self_review_allowed: NotRequired[bool | None]
    """Whether authors may review their own work."""


class ApprovalChain(TypedDict):
    """Who approves one type of action."""

    action_type: str
    """What needs approval; unique in the department."""
    approvers: list[str]
    min_approvals: int


class CreateApprovalChain(TypedDict):
    action_type: str
    """What needs approval; unique in the department."""
    approvers: list[str]
    min_approvals: NotRequired[int | None]
    """How many must approve, at most as many as there are; 0 means all."""


class AgentConfig(TypedDict):
    """An agent: its identity, the fields that are not versioned, and the record's own numbers and times."""

    id: str
    name: str
    role: str
    department: str
    """Name of the agent's department."""
    description: str
    level: AgentLevel
    status: AgentStatus
    personality: Personality
    skills: Skills
    model: Model | None
    """The language model that drives the agent; null if none is assigned."""
    memory: Memory
    tools: Tools
    authority: Authority
    autonomy_level: AutonomyLevel | None
    """Null inherits the department's."""
    strategic_output_mode: StrategicOutputMode | None
    """Null if the agent takes no part in strategy."""
    instructions: str
    hiring_date: str
    metadata: dict[str, Any]
    personality_preset: str | None
    tier: ModelTier | None
    """The class of model that the agent should have."""
    model_requirement: dict[str, Any] | None
    """What the agent needs of a model, free-form."""
    owner: str | None
    """Who answers for the agent: the subject of a token."""
    tags: list[str]
    """What agents are grouped by, in the order in which they were given."""
    version: int
    """Number of the current version of the identity."""
    revision: int
    created_at: str
    updated_at: str


class AgentIdentity(TypedDict):
    """The versioned part of an agent."""

    id: str
    name: str
    role: str
    department: str
    """Name of the agent's department."""
    description: str
    level: AgentLevel
    status: AgentStatus
    personality: Personality
    skills: Skills
    model: Model | None
    """The language model that drives the agent; null if none is assigned."""
    memory: Memory
    tools: Tools
    authority: Authority
    autonomy_level: AutonomyLevel | None
    """Null inherits the department's."""
    strategic_output_mode: StrategicOutputMode | None
    """Null if the agent takes no part in strategy."""
    instructions: str
    hiring_date: str
    metadata: dict[str, Any]


class AgentSummary(TypedDict):
    """An agent in a list."""

    id: str
    name: str
    role: str
    department: str
    """Name of the agent's department."""
    description: str
    level: AgentLevel
    status: AgentStatus
    personality: Personality
    skills: Skills
    model: Model | None
    """The language model that drives the agent; null if none is assigned."""
    memory: Memory
    tools: Tools
    authority: Authority
    autonomy_level: AutonomyLevel | None
    """Null inherits the department's."""
    strategic_output_mode: StrategicOutputMode | None
    """Null if the agent takes no part in strategy."""
    instructions: NotRequired[str]
    hiring_date: str
    metadata: dict[str, Any]
    personality_preset: str | None
    tier: ModelTier | None
    """The class of model that the agent should have."""
    model_requirement: dict[str, Any] | None
    """What the agent needs of a model, free-form."""
    owner: str | None
    """Who answers for the agent: the subject of a token."""
    tags: list[str]
    """What agents are grouped by, in the order in which they were given."""
    version: int
    """Number of the current version of the identity."""
    revision: int
    created_at: str
    updated_at: str
    matches: NotRequired[list[SearchMatch]]
    """The first places where the text of `search` stands, which only that list has."""


class OrganizationAgent(TypedDict):
    """An agent in a document."""

    name: str
    role: str
    department: str
    """Name of the agent's department."""
    description: str
    level: AgentLevel
    status: AgentStatus
    personality: Personality
    skills: Skills
    model: Model | None
    """The language model that drives the agent; null if none is assigned."""
    memory: Memory
    tools: Tools
    authority: OrganizationAuthority
    autonomy_level: AutonomyLevel | None
    """Null inherits the department's."""
    strategic_output_mode: StrategicOutputMode | None
    """Null if the agent takes no part in strategy."""
    instructions: str
    hiring_date: str
    metadata: dict[str, Any]
    personality_preset: str | None
    tier: ModelTier | None
    """The class of model that the agent should have."""
    model_requirement: dict[str, Any] | None
    """What the agent needs of a model, free-form."""
    owner: str | None
    """Who answers for the agent: the subject of a token."""
    tags: list[str]
    """What agents are grouped by, in the order in which they were given."""


class CreateAgentOrgRequest(TypedDict):
    """A new agent."""

    name: str
    role: str
    department: str
    """Name of an existing department."""
    description: NotRequired[str | None]
    """The agent in words."""
    level: NotRequired[AgentLevel | None]
    status: NotRequired[AgentStatus | None]
    personality: NotRequired[CreatePersonality | None]
    skills: NotRequired[CreateSkills | None]
    model: NotRequired[CreateModel | None]
    """The language model that drives the agent; null if none is assigned."""
    model_provider: NotRequired[str | None]
    """Short form of `model.provider`."""
    model_id: NotRequired[str | None]
    """Short form of `model.model_id`."""
    memory: NotRequired[CreateMemory | None]
    tools: NotRequired[CreateTools | None]
    authority: NotRequired[CreateAuthority | None]
    autonomy_level: NotRequired[AutonomyLevel | None]
    """Null inherits the department's."""
    strategic_output_mode: NotRequired[StrategicOutputMode | None]
    """Null if the agent takes no part in strategy."""
    instructions: NotRequired[str | None]
    """The system prompt, at most 128 KiB of UTF-8."""
    hiring_date: NotRequired[str | None]
    """Today if absent."""
    metadata: NotRequired[dict[str, Any] | None]
    """Free-form, empty if absent."""
    personality_preset: NotRequired[str | None]
    tier: NotRequired[ModelTier | None]
    """The class of model that the agent should have."""
    model_requirement: NotRequired[dict[str, Any] | None]
    """What the agent needs of a model, free-form."""
    owner: NotRequired[str | None]
    """Who answers for the agent: the subject of a token."""
    tags: NotRequired[list[str] | None]
    """What agents are grouped by, in the order in which they were given."""


class UpdateAgentOrgRequest(TypedDict):
    """A merge patch of an agent."""

    name: NotRequired[str]
    role: NotRequired[str]
    department: NotRequired[str]
    """Name of an existing department."""
    description: NotRequired[str]
    level: NotRequired[AgentLevel]
    status: NotRequired[AgentStatus]
    personality: NotRequired[UpdatePersonality]
    skills: NotRequired[UpdateSkills]
    model: NotRequired[UpdateModel | None]
    """Merged; null takes the model away."""
    model_provider: NotRequired[str]
    """Short form of `model.provider`."""
    model_id: NotRequired[str]
    """Short form of `model.model_id`."""
    memory: NotRequired[UpdateMemory]
    tools: NotRequired[UpdateTools]
    authority: NotRequired[UpdateAuthority]
    autonomy_level: NotRequired[AutonomyLevel | None]
    """Null inherits the department's."""
    strategic_output_mode: NotRequired[StrategicOutputMode | None]
    """Null if the agent takes no part in strategy."""
    instructions: NotRequired[str]
    metadata: NotRequired[dict[str, Any]]
    """Merged key by key; null removes a key."""
    personality_preset: NotRequired[str | None]
    tier: NotRequired[ModelTier | None]
    """The class of model that the agent should have."""
    model_requirement: NotRequired[dict[str, Any] | None]
    """Merged key by key; null clears it."""
    owner: NotRequired[str | None]
    """Who answers for the agent: the subject of a token."""
    tags: NotRequired[list[str]]
    """Replaces the whole list."""


class OrganizationAgentInput(TypedDict):
    """An agent."""

    name: str
    previous_name: NotRequired[str | None]
    """The name of the agent that is renamed."""
    as_of: NotRequired[AsOf | None]
    role: NotRequired[str | None]
    """What the agent is there for."""
    department: NotRequired[str | None]
    """A department that exists or is in the document."""
    description: NotRequired[str | None]
    """The agent in words."""
    level: NotRequired[AgentLevel | None]
    status: NotRequired[AgentStatus | None]
    personality: NotRequired[OrganizationPersonalityInput | None]
    skills: NotRequired[OrganizationSkillsInput | None]
    model: NotRequired[OrganizationModelInput | None]
    """Merged; null takes the model away."""
    model_provider: NotRequired[str | None]
    """Short form of `model.provider`."""
    model_id: NotRequired[str | None]
    """Short form of `model.model_id`."""
    memory: NotRequired[OrganizationMemoryInput | None]
    tools: NotRequired[OrganizationToolsInput | None]
    authority: NotRequired[OrganizationAuthorityInput | None]
    autonomy_level: NotRequired[AutonomyLevel | None]
    """Null inherits the department's."""
    strategic_output_mode: NotRequired[StrategicOutputMode | None]
    """Null if the agent takes no part in strategy."""
    instructions: NotRequired[str | None]
    """The system prompt, at most 128 KiB of UTF-8."""
    hiring_date: NotRequired[str | None]
    """Of a new agent, today if absent."""
    metadata: NotRequired[dict[str, Any] | None]
    """Replaced as a whole."""
    personality_preset: NotRequired[str | None]
    tier: NotRequired[ModelTier | None]
    """The class of model that the agent should have."""
    model_requirement: NotRequired[dict[str, Any] | None]
    """Replaced as a whole; null clears it."""
    owner: NotRequired[str | None]
    """Who answers for the agent: the subject of a token."""
    tags: NotRequired[list[str] | None]
    """Replaces the whole list."""


class SearchMatch(TypedDict):
    """A place where a text was found."""

    field: str
    """`name`, `role`, `description`, `tags` or `instructions`."""
    line: int
    """Number of its line in the field."""
    text: str
    """Text around the place, of its line as far as there is room."""


class Personality(TypedDict):
    """How an agent behaves."""

    traits: list[str]
    """What stands out."""
    communication_style: str
    description: str
    risk_tolerance: Degree
    """How much risk is taken."""
    creativity: Degree
    """How freely ideas come."""
    openness: float
    conscientiousness: float
    extraversion: float
    agreeableness: float
    stress_response: float
    decision_making: DecisionMaking
    collaboration: Collaboration
    verbosity: Verbosity
    conflict_approach: ConflictApproach


class CreatePersonality(TypedDict):
    traits: NotRequired[list[str] | None]
    """What stands out."""
    communication_style: NotRequired[str | None]
    """How the agent talks."""
    description: NotRequired[str | None]
    """The personality in words."""
    risk_tolerance: NotRequired[Degree | None]
    """How much risk is taken."""
    creativity: NotRequired[Degree | None]
    """How freely ideas come."""
    openness: NotRequired[float | None]
    """A degree from 0 to 1."""
    conscientiousness: NotRequired[float | None]
    """A degree from 0 to 1."""
    extraversion: NotRequired[float | None]
    """A degree from 0 to 1."""
    agreeableness: NotRequired[float | None]
    """A degree from 0 to 1."""
    stress_response: NotRequired[float | None]
    """A degree from 0 to 1."""
    decision_making: NotRequired[DecisionMaking | None]
    collaboration: NotRequired[Collaboration | None]
    verbosity: NotRequired[Verbosity | None]
    conflict_approach: NotRequired[ConflictApproach | None]


class UpdatePersonality(TypedDict):
    traits: NotRequired[list[str]]
    """What stands out."""
    communication_style: NotRequired[str]
    description: NotRequired[str]
    risk_tolerance: NotRequired[Degree]
    """How much risk is taken."""
    creativity: NotRequired[Degree]
    """How freely ideas come."""
    openness: NotRequired[float]
    conscientiousness: NotRequired[float]
    extraversion: NotRequired[float]
    agreeableness: NotRequired[float]
    stress_response: NotRequired[float]
    decision_making: NotRequired[DecisionMaking]
    collaboration: NotRequired[Collaboration]
    verbosity: NotRequired[Verbosity]
    conflict_approach: NotRequired[ConflictApproach]


class OrganizationPersonalityInput(TypedDict):
    traits: NotRequired[list[str] | None]
    """What stands out."""
    communication_style: NotRequired[str | None]
    """How the agent talks."""
    description: NotRequired[str | None]
    """The personality in words."""
    risk_tolerance: NotRequired[Degree | None]
    """How much risk is taken."""
    creativity: NotRequired[Degree | None]
    """How freely ideas come."""
    openness: NotRequired[float | None]
    """A degree from 0 to 1."""
    conscientiousness: NotRequired[float | None]
    """A degree from 0 to 1."""
    extraversion: NotRequired[float | None]
    """A degree from 0 to 1."""
    agreeableness: NotRequired[float | None]
    """A degree from 0 to 1."""
    stress_response: NotRequired[float | None]
    """A degree from 0 to 1."""
    decision_making: NotRequired[DecisionMaking | None]
    collaboration: NotRequired[Collaboration | None]
    verbosity: NotRequired[Verbosity | None]
    conflict_approach: NotRequired[ConflictApproach | None]


class Skills(TypedDict):
    """What an agent can do."""

    primary: list[Skill]
    """What the agent is hired for."""
    secondary: list[Skill]
    """What it can do besides."""


class CreateSkills(TypedDict):
    primary: NotRequired[list[CreateSkill] | None]
    """What the agent is hired for."""
    secondary: NotRequired[list[CreateSkill] | None]
    """What it can do besides."""


class UpdateSkills(TypedDict):
    primary: NotRequired[list[CreateSkill]]
    """What the agent is hired for; replaces the whole list."""
    secondary: NotRequired[list[CreateSkill]]
    """What it can do besides; replaces the whole list."""


class OrganizationSkillsInput(TypedDict):
    primary: NotRequired[list[CreateSkill] | None]
    """What the agent is hired for; replaces the whole list."""
    secondary: NotRequired[list[CreateSkill] | None]
    """What it can do besides; replaces the whole list."""


class Skill(TypedDict):
    """Something that an agent can do."""

    id: str
    """Unique among all skills of the agent."""
    name: str
    description: str
    tags: list[str]
    input_modes: list[str]
    """Media types that the skill takes."""
    output_modes: list[str]
    """Media types that the skill gives."""
    proficiency: float


class CreateSkill(TypedDict):
    id: str
    """Unique in its list (400/2001) and among all skills of the agent (400/2000)."""
    name: str
    description: NotRequired[str | None]
    """The skill in words."""
    tags: NotRequired[list[str] | None]
    input_modes: NotRequired[list[str] | None]
    """Media types that the skill takes, each once; `text/plain` alone if absent."""
    output_modes: NotRequired[list[str] | None]
    """Media types that the skill gives, each once; `text/plain` alone if absent."""
    proficiency: NotRequired[float | None]
    """A degree from 0 to 1."""


class Model(TypedDict):
    """A language model."""

    provider: str
    model_id: str
    temperature: float
    max_tokens: int
    fallback_model: str | None
    model_tier: ModelTier | None
    """The class of the model."""


class CreateModel(TypedDict):
    provider: str
    model_id: str
    temperature: NotRequired[float | None]
    """Sampling temperature."""
    max_tokens: NotRequired[int | None]
    """Most tokens of one answer."""
    fallback_model: NotRequired[str | None]
    model_tier: NotRequired[ModelTier | None]
    """The class of the model."""


class UpdateModel(TypedDict):
    """Merged into the model; an agent without one needs `provider` and `model_id` (400/2000)."""

    provider: NotRequired[str]
    model_id: NotRequired[str]
    temperature: NotRequired[float]
    max_tokens: NotRequired[int]
    fallback_model: NotRequired[str | None]
    model_tier: NotRequired[ModelTier | None]
    """The class of the model."""


class OrganizationModelInput(TypedDict):
    """Merged into the model; an agent without one needs `provider` and `model_id` (400/2000)."""

    provider: NotRequired[str | None]
    """A short text."""
    model_id: NotRequired[str | None]
    """A short text."""
    temperature: NotRequired[float | None]
    """Sampling temperature."""
    max_tokens: NotRequired[int | None]
    """Most tokens of one answer."""
    fallback_model: NotRequired[str | None]
    model_tier: NotRequired[ModelTier | None]
    """The class of the model."""


class Memory(TypedDict):
    """What an agent remembers."""

    type: MemoryType
    retention_days: int | None
    """How many days memory is kept; null means no limit."""
    retention_overrides: list[RetentionOverride]
    """Retention of single categories, each once."""


class CreateMemory(TypedDict):
    """Type `none` goes with neither `retention_days` nor overrides (400/2000)."""

    type: NotRequired[MemoryType | None]
    retention_days: NotRequired[int | None]
    """How many days memory is kept; null means no limit."""
    retention_overrides: NotRequired[list[CreateRetentionOverride] | None]
    """Retention of single categories, each once."""


class UpdateMemory(TypedDict):
    """Type `none` goes with neither `retention_days` nor overrides (400/2000)."""

    type: NotRequired[MemoryType]
    retention_days: NotRequired[int | None]
    """How many days memory is kept; null means no limit."""
    retention_overrides: NotRequired[list[CreateRetentionOverride]]
    """Retention of single categories, each once."""


class OrganizationMemoryInput(TypedDict):
    """Type `none` goes with neither `retention_days` nor overrides (400/2000)."""

    type: NotRequired[MemoryType | None]
    retention_days: NotRequired[int | None]
    """How many days memory is kept; null means no limit."""
    retention_overrides: NotRequired[list[CreateRetentionOverride] | None]
    """Retention of single categories, each once."""


class RetentionOverride(TypedDict):
    """How long memory of one category is kept."""

    category: MemoryCategory
    retention_days: int


class CreateRetentionOverride(TypedDict):
    category: MemoryCategory
    retention_days: int


class Tools(TypedDict):
    """What an agent may use."""

    access_level: ToolAccessLevel
    allowed: list[str]
    """Tools that may be used besides those of the access level."""
    denied: list[str]
    """Tools that may not be used; none of them is also allowed."""
    mcp_capabilities: list[str]
    """Capabilities granted on tool servers."""
    sub_constraints: ToolSubConstraints | None
    """Narrower rules; null means those of the access level."""


class CreateTools(TypedDict):
    """No tool is both allowed and denied (400/2000)."""

    access_level: NotRequired[ToolAccessLevel | None]
    allowed: NotRequired[list[str] | None]
    """Tools that may be used besides those of the access level."""
    denied: NotRequired[list[str] | None]
    """Tools that may not be used; none of them is also allowed."""
    mcp_capabilities: NotRequired[list[str] | None]
    """Capabilities granted on tool servers."""
    sub_constraints: NotRequired[CreateToolSubConstraints | None]
    """Narrower rules; null means those of the access level."""


class UpdateTools(TypedDict):
    """No tool is both allowed and denied (400/2000)."""

    access_level: NotRequired[ToolAccessLevel]
    allowed: NotRequired[list[str]]
    """Tools that may be used besides those of the access level."""
    denied: NotRequired[list[str]]
    """Tools that may not be used; none of them is also allowed."""
    mcp_capabilities: NotRequired[list[str]]
    """Capabilities granted on tool servers."""
    sub_constraints: NotRequired[UpdateToolSubConstraints | None]
    """Narrower rules; null means those of the access level."""


class OrganizationToolsInput(TypedDict):
    """No tool is both allowed and denied (400/2000)."""

    access_level: NotRequired[ToolAccessLevel | None]
    allowed: NotRequired[list[str] | None]
    """Tools that may be used besides those of the access level."""
    denied: NotRequired[list[str] | None]
    """Tools that may not be used; none of them is also allowed."""
    mcp_capabilities: NotRequired[list[str] | None]
    """Capabilities granted on tool servers."""
    sub_constraints: NotRequired[OrganizationSubConstraintsInput | None]
    """Narrower rules; null means those of the access level."""


class ToolSubConstraints(TypedDict):
    """What narrows an access level."""

    file_system: FileSystemAccess
    network: NetworkAccess
    git: GitAccess
    code_execution: CodeExecution
    terminal: TerminalAccess
    requires_approval: list[str]
    """Tools that need approval."""
    network_allowlist: list[str]
    """Hosts that may be reached with `allowlist_only`."""


class CreateToolSubConstraints(TypedDict):
    """What is not given is the narrowest choice."""

    file_system: NotRequired[FileSystemAccess | None]
    network: NotRequired[NetworkAccess | None]
    git: NotRequired[GitAccess | None]
    code_execution: NotRequired[CodeExecution | None]
    terminal: NotRequired[TerminalAccess | None]
    requires_approval: NotRequired[list[str] | None]
    """Tools that need approval."""
    network_allowlist: NotRequired[list[str] | None]
    """Hosts that may be reached with `allowlist_only`."""


class UpdateToolSubConstraints(TypedDict):
    file_system: NotRequired[FileSystemAccess]
    network: NotRequired[NetworkAccess]
    git: NotRequired[GitAccess]
    code_execution: NotRequired[CodeExecution]
    terminal: NotRequired[TerminalAccess]
    requires_approval: NotRequired[list[str]]
    """Tools that need approval."""
    network_allowlist: NotRequired[list[str]]
    """Hosts that may be reached with `allowlist_only`."""


class OrganizationSubConstraintsInput(TypedDict):
    file_system: NotRequired[FileSystemAccess | None]
    network: NotRequired[NetworkAccess | None]
    git: NotRequired[GitAccess | None]
    code_execution: NotRequired[CodeExecution | None]
    terminal: NotRequired[TerminalAccess | None]
    requires_approval: NotRequired[list[str] | None]
    """Tools that need approval."""
    network_allowlist: NotRequired[list[str] | None]
    """Hosts that may be reached with `allowlist_only`."""


class Authority(TypedDict):
    """What an agent may decide."""

    can_approve: list[str]
    """What the agent may approve, free text."""
    reports_to: str | None
    """Id of the agent that it answers to."""
    can_delegate_to: list[str]
    """Ids of the agents that it may hand work to."""
    budget_limit: float
    """What it may spend; 0 means nothing without approval."""


class OrganizationAuthority(TypedDict):
    """What an agent may decide, with other agents by name."""

    can_approve: list[str]
    """What the agent may approve, free text."""
    reports_to: str | None
    """Name of the agent that it answers to."""
    can_delegate_to: list[str]
    """Names of the agents that it may hand work to."""
    budget_limit: float
    """What it may spend; 0 means nothing without approval."""


class CreateAuthority(TypedDict):
    can_approve: NotRequired[list[str] | None]
    """What the agent may approve, free text."""
    reports_to: NotRequired[str | None]
    """Id or name of the agent that it answers to."""
    can_delegate_to: NotRequired[list[str] | None]
    """Ids or names of the agents that it may hand work to, each agent once."""
    budget_limit: NotRequired[float | None]
    """Units of the company's currency, less than 1 000 000 000, with at most 9 decimals."""


class UpdateAuthority(TypedDict):
    """Nobody reports to itself (400/2000)."""

    can_approve: NotRequired[list[str]]
    """What the agent may approve, free text."""
    reports_to: NotRequired[str | None]
    """Id or name of the agent that it answers to."""
    can_delegate_to: NotRequired[list[str]]
    """Ids or names of the agents that it may hand work to, each agent once."""
    budget_limit: NotRequired[float]


class OrganizationAuthorityInput(TypedDict):
    """Nobody reports to itself (400/2000)."""

    can_approve: NotRequired[list[str] | None]
    """What the agent may approve, free text."""
    reports_to: NotRequired[str | None]
    """Id or name of the agent that it answers to."""
    can_delegate_to: NotRequired[list[str] | None]
    """Ids or names of the agents that it may hand work to, each agent once."""
    budget_limit: NotRequired[float | None]
    """Units of the company's currency, less than 1 000 000 000, with at most 9 decimals."""


class Project(TypedDict):
    """Work that agents do together."""

    id: str
    """Never used again."""
    name: str
    description: str
    team: list[str]
    """Ids of the agents that work on it; deleted agents are left out."""
    lead: str | None
    """Id of the agent that leads it; null also if that agent was deleted."""
    task_ids: list[str]
    """Ids of its tasks in other systems."""
    deadline: str | None
    """When it should be done."""
    budget: float
    status: ProjectStatus
    revision: int
    created_at: str
    updated_at: str


class CreateProjectRequest(TypedDict):
    """A new project."""

    name: str
    description: NotRequired[str | None]
    """What the project is about."""
    team: NotRequired[list[str] | None]
    """Ids or names of the agents that work on it."""
    lead: NotRequired[str | None]
    """Id or name of the agent that leads it."""
    deadline: NotRequired[str | None]
    budget: NotRequired[float | None]
    """Units of the company's currency, less than 1 000 000 000, with at most 9 decimals."""


class UpdateProjectRequest(TypedDict):
    """A merge patch of a project."""

    name: NotRequired[str]
    description: NotRequired[str]
    team: NotRequired[list[str]]
    """Replaces the whole team."""
    lead: NotRequired[str | None]
    """Null clears it."""
    task_ids: NotRequired[list[str]]
    """Replaces all of them."""
    deadline: NotRequired[str | None]
    """When it should be done."""
    budget: NotRequired[float]
    status: NotRequired[ProjectStatus]


class Webhook(TypedDict):
    """An address that events are sent to."""

    id: str
    url: str
    event_types: list[str]
    departments: list[str]
    enabled: bool
    disabled_reason: WebhookDisabledReason
    revision: int
    created_at: str
    updated_at: str


class WebhookWithSecret(TypedDict):
    """A webhook with the key that its messages are signed with."""

    id: str
    url: str
    event_types: list[str]
    departments: list[str]
    enabled: bool
    disabled_reason: WebhookDisabledReason
    revision: int
    created_at: str
    updated_at: str
    secret: str
    """The key that messages are signed with."""


class CreateWebhookRequest(TypedDict):
    """A new webhook."""

    url: str
    event_types: NotRequired[list[str] | None]
    departments: NotRequired[list[str] | None]
    enabled: NotRequired[bool | None]
    """Whether messages are sent."""


class UpdateWebhookRequest(TypedDict):
    """A merge patch of a webhook."""

    url: NotRequired[str]
    event_types: NotRequired[list[str]]
    departments: NotRequired[list[str]]
    enabled: NotRequired[bool]


class IssueTokenRequest(TypedDict):
    """The token to issue."""

    subject: str
    role: Role
    departments: NotRequired[list[str] | None]
    """Departments that a `department_admin` is responsible for, or of whose agents a `reporter` reports (none are all)."""
    label: NotRequired[str | None]
    """What the token is for."""
    ttl_seconds: NotRequired[int | None]
    """How long the token lives."""


class SignInLink(TypedDict):
    """A sign-in link."""

    code: str
    """The code of the link."""
    expires_at: str
    url: str | None
    """The link; null without a `--public-url`, or a console."""


class MakeLinkRequest(TypedDict):
    subject: str
    role: Role
    departments: NotRequired[list[str] | None]
    """Departments that a `department_admin` is responsible for, or of whose agents a `reporter` reports (none are all)."""
    label: NotRequired[str | None]
    """What the session is for."""
    ttl_seconds: NotRequired[int | None]
    """How long the link can be used."""


class TaskStartedEntry(TypedDict):
    """An agent has begun a task."""

    id: NotRequired[str | None]
    event_type: Literal["task_started"]
    agent: str
    timestamp: NotRequired[str | None]
    description: NotRequired[str | None]
    related_ids: NotRequired[dict[str, str] | None]
    """At most 64 pairs of short texts, none if absent."""
    data: TaskStartedData


class TaskCompletedEntry(TypedDict):
    """A task has ended, with or without success."""

    id: NotRequired[str | None]
    event_type: Literal["task_completed"]
    agent: str
    timestamp: NotRequired[str | None]
    description: NotRequired[str | None]
    related_ids: NotRequired[dict[str, str] | None]
    """At most 64 pairs of short texts, none if absent."""
    data: TaskCompletedData


class CostIncurredEntry(TypedDict):
    """Money was spent; it counts for the agent and its department."""

    id: NotRequired[str | None]
    event_type: Literal["cost_incurred"]
    agent: str
    timestamp: NotRequired[str | None]
    description: NotRequired[str | None]
    related_ids: NotRequired[dict[str, str] | None]
    """At most 64 pairs of short texts, none if absent."""
    data: CostIncurredData


class ToolUsedEntry(TypedDict):
    """A tool was used."""

    id: NotRequired[str | None]
    event_type: Literal["tool_used"]
    agent: str
    timestamp: NotRequired[str | None]
    description: NotRequired[str | None]
    related_ids: NotRequired[dict[str, str] | None]
    """At most 64 pairs of short texts, none if absent."""
    data: ToolUsedData


class DelegationEntry(TypedDict):
    """Work was handed over, or taken over."""

    id: NotRequired[str | None]
    event_type: Literal["delegation_sent", "delegation_received"]
    agent: str
    timestamp: NotRequired[str | None]
    description: NotRequired[str | None]
    related_ids: NotRequired[dict[str, str] | None]
    """At most 64 pairs of short texts, none if absent."""
    data: DelegationData


class TaskStartedData(TypedDict):
    """What an event reports, at most 16 KiB."""

    task_id: str
    agent_version: NotRequired[int | None]
    """The version of the agent that caused it."""


class TaskCompletedData(TypedDict):
    """What an event reports, at most 16 KiB."""

    task_id: str
    success: bool
    """Whether the task was completed or failed."""
    duration_seconds: NotRequired[float | None]
    """How long it took."""
    quality_score: NotRequired[float | None]
    cost: NotRequired[float | None]
    """What the task cost."""
    tokens: NotRequired[int | None]
    agent_version: NotRequired[int | None]
    """The version of the agent that caused it."""


class CostIncurredData(TypedDict):
    """What an event reports, at most 16 KiB."""

    amount: float
    model: NotRequired[str | None]
    """A short text."""
    input_tokens: NotRequired[int | None]
    output_tokens: NotRequired[int | None]
    agent_version: NotRequired[int | None]
    """The version of the agent that caused it."""


class ToolUsedData(TypedDict):
    """What an event reports, at most 16 KiB."""

    tool: str
    success: bool
    """Whether the tool did what it should."""
    agent_version: NotRequired[int | None]
    """The version of the agent that caused it."""


class DelegationData(TypedDict):
    """What an event reports, at most 16 KiB."""

    task_id: str
    counterpart: NotRequired[str | None]
    """The other agent, free text."""
    score: NotRequired[float | None]
    """How well it went; feeds the collaboration score."""
    agent_version: NotRequired[int | None]
    """The version of the agent that caused it."""


class ChangeEvent(TypedDict):
    """A change, without its values."""

    id: str
    timestamp: str
    action: ChangeAction
    resource: ChangedResource
    department: str | None
    """The department that was changed, or that the agent was in after the change."""
    actor: str
    reason: str | None
    """Why, as the actor put it: `Change-Reason` of the request."""
    from_revision: int | None
    """Revision before the change; null for a creation."""
    to_revision: int | None
    """Revision after the change; null for a deletion."""
    from_version: int | None
    """The agent's version before the change; null for a new agent and for what is no agent."""
    to_version: int | None
    """The agent's version after the change; null for a deleted agent and for what is no agent."""
    changed_fields: list[str]
    """Fields that changed, as dotted paths, sorted."""
    summary: str
    """How much changed, in words."""
    label: str | None
    """The label that was moved."""
    proposal_id: str | None
    """The proposal that the change came from."""
    way: ChangeWay


class ChangedResource(TypedDict):
    """What was changed."""

    type: str
    """Such as `agent` or `department`."""
    id: str
    """Its id; the name of a department, and `company` for the company."""
    name: str
    """Its name after the change; of what was deleted, before."""


class AuditEntry(TypedDict):
    """A change that was made."""

    id: str
    timestamp: str
    actor: str
    action: str | None
    """What was done: an action of the change log, or one such as `session.issued`, `webhook.created`, `activities.reported`."""
    route: str
    """Method and path template of the request, or what the service was doing."""
    resource: str
    """What changed."""
    revision_from: int | None
    """Revision before the change; null for a creation and for what has no revision."""
    revision_to: int | None
    """Revision after the change; null for a deletion and for what has no revision."""
    request_id: str
    """`X-Request-Id` of the request, or the delivery that made the service disable a webhook."""
    change: ChangeEvent | None
    """What the change log shows of the entry; null for what is not in it."""


class Label(TypedDict):
    """A name for a version of an agent."""

    label: str
    """Its name; `latest` always names the newest version."""
    version: int
    """The version that it names."""
    fixed: bool
    """Whether it names this version for ever."""
    protected: bool
    """Whether the agent's department protects it."""
    set_by: str
    set_at: str
    reason: str | None
    """Why, in the caller's words."""


class PutLabelRequest(TypedDict):
    """What the label is to name."""

    version: int
    """The version that it names."""
    fixed: NotRequired[bool | None]
    """true has it name this version for ever: it is never moved or removed again."""
    reason: NotRequired[str | None]
    """Why, in the caller's words."""


class LabelMove(TypedDict):
    """An entry of the history of a label."""

    version: int | None
    """The version that it named from then on; null if it was removed, or its agent deleted."""
    from_version: int | None
    """The version that it named until then; null if it was new."""
    by: str
    at: str
    reason: str | None
    way: ChangeWay


class ResolvedAgent(TypedDict):
    """An agent as it is now, and the version of its identity that a label names."""

    agent_id: str
    name: str
    """The agent's current name."""
    department: str
    """The agent's current department."""
    status: AgentStatus
    """The agent's current status, whatever `snapshot` says."""
    label: str
    version: int
    """The version that the label names."""
    content_hash: str
    snapshot: AgentIdentity
    """The version's identity as it was stored: the text that `content_hash` is of."""


class DeletedAgent(TypedDict):
    """An agent that was deleted."""

    id: str
    name: str
    """Its last name."""
    department: str
    """The department that it was in."""
    deleted_at: str
    deleted_by: str


class RestoreAgentRequest(TypedDict):
    """What an agent comes back as."""

    name: NotRequired[str | None]
    """Another name than its last one."""
    department: NotRequired[str | None]
    """Another department than the one that it was in."""


class DepartmentHealth(TypedDict):
    """How a department is doing."""

    department_name: str
    agent_count: int
    """Agents in the department now."""
    active_agent_count: int
    """Those of them with status `active`."""
    currency: str
    avg_performance_score: float | None
    """Mean quality score of the last 30 days."""
    department_cost_7d: float
    """Cost of the last seven UTC days, today included."""
    cost_trend: list[CostPoint]
    """The same day by day, oldest first."""
    collaboration_score: float | None
    """Mean delegation score of the last 30 days."""
    utilization_percent: float
    """Active agents of all agents, two decimals; 0 without agents."""


class CostPoint(TypedDict):
    """What was spent on one day."""

    timestamp: str
    """Beginning of the day."""
    value: float


class PerformanceWindow(TypedDict):
    """What an agent did in a window."""

    window_size: WindowSize
    data_point_count: int
    """Finished tasks, with or without success."""
    tasks_completed: int
    tasks_failed: int
    avg_quality_score: float | None
    avg_cost_per_task: float | None
    currency: str
    avg_completion_time_seconds: float | None
    avg_tokens_per_task: float | None
    success_rate: float | None
    """Successes of all finished tasks."""
    collaboration_score: float | None


class DailyFigures(TypedDict):
    """What an agent, a department or the company did on each of the last days."""

    currency: str
    first_date: str | None
    """The first day of all time of which anything was reported that counts in figures."""
    days: list[DayFigures]
    """The days, the oldest first, without gaps."""


class DayFigures(TypedDict):
    """What was done on one day."""

    date: str
    tasks_completed: int
    """Finished tasks that succeeded."""
    tasks_failed: int
    """Finished tasks that failed."""
    cost: float
    """What was spent."""


class DepartmentFigures(TypedDict):
    """What a department did in 30 days."""

    department_name: str
    agent_count: int
    """Agents in the department now."""
    active_agent_count: int
    """Those of them with status `active`."""
    tasks_completed: int
    """Finished tasks that succeeded."""
    tasks_failed: int
    """Finished tasks that failed."""
    success_rate: float | None
    """Completed tasks of all finished ones, four decimals."""
    cost: float
    """What was spent."""
    cost_before: float
    """What was spent on the 30 days before."""
    cost_before_days: int
    """How many of these 30 days there are figures of, counted from the first day of which anything was reported."""
    currency: str


class AgentFigures(TypedDict):
    """An agent as it is now, and what it did in a window."""

    agent_id: str
    name: str
    role: str
    department: str
    """Name of the agent's department."""
    level: AgentLevel
    status: AgentStatus
    owner: str | None
    """Who answers for the agent: the subject of a token."""
    tags: list[str]
    labels: list[AgentLabel]
    """Its labels, in the order of their names, without `latest`."""
    tasks_completed: int
    """Finished tasks that succeeded."""
    tasks_failed: int
    """Finished tasks that failed."""
    success_rate: float | None
    """Completed tasks of all finished ones, six decimals."""
    quality_score: float | None
    """Mean score of finished tasks, four decimals."""
    cost: float
    """What was spent."""
    cost_before: float
    """What was spent in the window of the same length before."""
    cost_before_days: int
    """How many days of that window there are figures of, counted from the first day of which anything was reported."""
    last_active_at: str | None
    """Time of its newest event of any type; null if there is none."""


class AgentLabel(TypedDict):
    """A label of an agent."""

    label: str
    version: int
    """The version that it names."""

ActivityEntry = Union[TaskStartedEntry, TaskCompletedEntry, CostIncurredEntry, ToolUsedEntry, DelegationEntry]
