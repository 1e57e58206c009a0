"""The types of the API. Made by make generate from its description."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Literal, Optional, TypedDict, Union

if sys.version_info >= (3, 11):
    from typing import NotRequired
elif TYPE_CHECKING:
    from typing_extensions import NotRequired

ErrorTitle = Literal["Authentication Error", "Validation Error", "Resource Not Found", "Resource Conflict", "Rate Limit Exceeded", "Budget Exhausted", "Provider Error", "Internal Server Error"]

ErrorCode = Literal[1000, 1001, 1002, 2000, 2001, 3000, 3001, 3002, 4000, 4001, 4002, 5000, 5001, 5002, 6000, 7000, 8000, 8001, 8002]

ErrorCategory = Literal["auth", "validation", "not_found", "conflict", "rate_limit", "budget_exhausted", "provider_error", "internal"]

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


class ErrorEnvelope(TypedDict):
    """An error as `application/json`."""

    data: str | None
    error: str
    error_detail: ErrorDetail
    success: bool


class ErrorDetail(TypedDict):
    """An error for programs, inside the envelope."""

    type: str
    title: ErrorTitle
    detail: str
    instance: str
    error_code: ErrorCode
    error_category: ErrorCategory
    retryable: bool
    retry_after: int | None
    errors: NotRequired[list[Mistake]]


class ProblemDetail(TypedDict):
    """An error as `application/problem+json` (RFC 9457)."""

    type: str
    title: ErrorTitle
    status: int
    detail: str
    instance: str
    error_code: ErrorCode
    error_category: ErrorCategory
    retryable: bool
    retry_after: int | None
    errors: NotRequired[list[Mistake]]


class Mistake(TypedDict):
    """One thing that is wrong with a document or a report."""

    path: str
    text: str
    line: int | None


class Pagination(TypedDict):
    """Where the page stands."""

    limit: int
    next_cursor: str | None
    has_more: bool


class LivenessStatus(TypedDict):
    status: Literal["ok"]
    version: str
    uptime_seconds: float


class ReadinessStatus(TypedDict):
    status: Literal["ok"]
    persistence: bool
    shared_limits: bool | None
    version: str
    uptime_seconds: float


class Capabilities(TypedDict):
    """True only for what is wired and working in the process that answers."""

    activity_ingest: bool
    activity_stream: bool
    webhooks: bool
    shared_limits: bool
    external_identity: bool
    telemetry: bool
    api_docs: bool
    console: bool


class CompanySettings(TypedDict):
    """Free-form, at most 64 KiB."""

    ceremony_policy: NotRequired[CeremonyPolicy]


class ReorderDepartmentsRequest(TypedDict):
    department_names: list[str]


class ReorderAgentsRequest(TypedDict):
    agent_names: list[str]


class CeremonyPolicy(TypedDict):
    """A free-form object with a few known keys; a key that is absent is inherited."""

    strategy: NotRequired[CeremonyStrategy]
    strategy_config: NotRequired[dict[str, Any]]
    velocity_calculator: NotRequired[VelocityCalculator]
    auto_transition: NotRequired[bool]
    transition_threshold: NotRequired[float]


class CeremonyPolicyInput(TypedDict):
    """A policy as it is written, at most 64 KiB."""

    strategy: NotRequired[CeremonyStrategy | None]
    strategy_config: NotRequired[dict[str, Any] | None]
    velocity_calculator: NotRequired[VelocityCalculator | None]
    auto_transition: NotRequired[bool | None]
    transition_threshold: NotRequired[float | None]


class ResolvedValue(TypedDict):
    value: Any
    origin: CeremonyOrigin


class OrganizationDocument(TypedDict):
    """The organization as one document."""

    format: Literal[1]
    company: OrganizationCompany
    departments: list[OrganizationDepartment]
    agents: list[OrganizationAgent]


class OrganizationInput(TypedDict):
    """An organization as it shall be."""

    format: Literal[1]
    company: NotRequired[OrganizationCompanyInput]
    departments: NotRequired[list[OrganizationDepartmentInput]]
    agents: NotRequired[list[OrganizationAgentInput]]


class OrganizationPlan(TypedDict):
    plan_hash: str
    changes: list[OrganizationChange]


class OrganizationChange(TypedDict):
    path: str
    action: Literal["create", "update", "delete", "reorder"]
    old: Any
    new: Any


class OrganizationApplied(TypedDict):
    plan_hash: str
    created: int
    updated: int
    deleted: int
    reordered: int


class VersionSnapshot(TypedDict):
    """One stored revision of an agent's identity."""

    entity_id: str
    version: int
    content_hash: str
    snapshot: AgentIdentity
    saved_by: str
    saved_at: str
    imported: bool
    restored_from: int | None
    reason: str | None


class AsOf(TypedDict):
    """When and by whom an entry was written before it was imported."""

    at: str
    by: str
    reason: NotRequired[str | None]


class AgentIdentityDiff(TypedDict):
    agent_id: str
    from_version: int
    to_version: int
    field_changes: list[FieldChange]
    summary: str


class FieldChange(TypedDict):
    field_path: str
    change_type: Literal["added", "modified", "removed"]
    old_value: str | None
    new_value: str | None
    text_diff: str | None


class RollbackAgentIdentityRequest(TypedDict):
    target_version: int
    reason: NotRequired[str | None]


class AgentHealth(TypedDict):
    agent_id: str
    agent_name: str
    lifecycle_status: AgentStatus
    last_active_at: str | None
    trust: AgentTrust
    performance: AgentHealthPerformance | None


class AgentTrust(TypedDict):
    level: ToolAccessLevel
    score: float | None
    last_evaluated_at: str | None


class AgentHealthPerformance(TypedDict):
    quality_score: float | None
    collaboration_score: float | None
    trend: TrendDirection


class AgentPerformanceSummary(TypedDict):
    agent_name: str
    tasks_completed_total: int
    tasks_completed_7d: int
    tasks_completed_30d: int
    avg_completion_time_seconds: float | None
    success_rate_percent: float | None
    cost_per_task: float | None
    quality_score: float | None
    collaboration_score: float | None
    trend_direction: TrendDirection
    windows: list[PerformanceWindow]
    trends: list[PerformanceTrend]


class PerformanceTrend(TypedDict):
    metric_name: Literal["quality_score", "cost", "success_rate"]
    window_size: WindowSize
    direction: TrendDirection
    slope: float | None
    data_point_count: int


class CareerEvent(TypedDict):
    event_type: LifecycleEventType
    timestamp: str
    description: str
    initiated_by: str
    metadata: dict[str, str]


class ActivityEvent(TypedDict):
    id: str
    event_type: EventType
    timestamp: str
    agent_id: str
    agent_name: str
    description: str
    related_ids: dict[str, str]
    data: dict[str, Any] | None


class IngestActivitiesRequest(TypedDict):
    events: list[ActivityEntry]


class IngestResult(TypedDict):
    accepted: int
    duplicates: int
    warnings: list[str]


class Delivery(TypedDict):
    """One event on its way to one webhook."""

    id: str
    event_id: str
    attempt: int
    status: Literal["pending", "delivered", "failed"]
    response_code: int | None
    error: Literal["status", "timeout", "connection", "dns", "tls", "address", "event"] | None
    next_attempt_at: str | None
    created_at: str


class RedeemLinkRequest(TypedDict):
    code: str
    verifier: NotRequired[str]


class IssuedToken(TypedDict):
    token: str
    sid: str
    expires_at: str


class Caller(TypedDict):
    """What the presented token says."""

    sid: str
    issuer: str
    subject: str
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
    subject: str
    role: Role
    departments: list[str]
    agent_id: str | None
    issued_at: str
    expires_at: str
    label: str | None
    kind: SessionKind
    last_used_at: str | None
    revoked_at: str | None


class OpenAPIDocument(TypedDict):
    """An OpenAPI document."""

    openapi: Literal["3.1.0"]
    info: dict[str, Any]
    paths: dict[str, Any]


class CompanySettingsPatch(TypedDict):
    """Merged key by key; null removes a key."""

    ceremony_policy: NotRequired[CeremonyPolicyInput | None]


class CompanySettingsInput(TypedDict):
    """Replaced as a whole."""

    ceremony_policy: NotRequired[CeremonyPolicyInput]


class Company(TypedDict):
    company_name: str
    autonomy_level: AutonomyLevel
    budget_monthly: float
    currency: str
    communication_pattern: str
    settings: CompanySettings
    departments: list[Department]
    revision: int
    updated_at: str


class OrganizationCompany(TypedDict):
    company_name: str
    autonomy_level: AutonomyLevel
    budget_monthly: float
    currency: str
    communication_pattern: str
    settings: CompanySettings


class UpdateCompanyRequest(TypedDict):
    """A merge patch of the company."""

    company_name: NotRequired[str]
    autonomy_level: NotRequired[AutonomyLevel]
    budget_monthly: NotRequired[float]
    currency: NotRequired[str]
    communication_pattern: NotRequired[str]
    settings: NotRequired[CompanySettingsPatch]


class OrganizationCompanyInput(TypedDict):
    """The company."""

    company_name: NotRequired[str | None]
    autonomy_level: NotRequired[AutonomyLevel | None]
    budget_monthly: NotRequired[float | None]
    currency: NotRequired[str | None]
    communication_pattern: NotRequired[str | None]
    settings: NotRequired[CompanySettingsInput | None]


class Department(TypedDict):
    name: str
    description: str
    head: str | None
    budget_percent: float
    autonomy_level: AutonomyLevel | None
    teams: list[Team]
    reporting_lines: list[ReportingLine]
    policies: DepartmentPolicies
    ceremony_policy: CeremonyPolicy | None
    revision: int
    created_at: str
    updated_at: str


class OrganizationDepartment(TypedDict):
    name: str
    description: str
    head: str | None
    budget_percent: float
    autonomy_level: AutonomyLevel | None
    teams: list[Team]
    reporting_lines: list[ReportingLine]
    policies: DepartmentPolicies
    ceremony_policy: CeremonyPolicy | None


class CreateDepartmentRequest(TypedDict):
    name: str
    description: NotRequired[str | None]
    head: NotRequired[str | None]
    budget_percent: NotRequired[float | None]
    autonomy_level: NotRequired[AutonomyLevel | None]
    teams: NotRequired[list[CreateTeam] | None]
    reporting_lines: NotRequired[list[CreateReportingLine] | None]
    policies: NotRequired[CreateDepartmentPolicies | None]
    ceremony_policy: NotRequired[CeremonyPolicyInput | None]


class UpdateDepartmentRequest(TypedDict):
    """A merge patch of a department."""

    description: NotRequired[str]
    head: NotRequired[str | None]
    budget_percent: NotRequired[float]
    autonomy_level: NotRequired[AutonomyLevel | None]
    teams: NotRequired[list[CreateTeam]]
    reporting_lines: NotRequired[list[CreateReportingLine]]
    policies: NotRequired[UpdateDepartmentPolicies]
    ceremony_policy: NotRequired[CeremonyPolicyInput | None]


class OrganizationDepartmentInput(TypedDict):
    """A department."""

    name: str
    description: NotRequired[str | None]
    head: NotRequired[str | None]
    budget_percent: NotRequired[float | None]
    autonomy_level: NotRequired[AutonomyLevel | None]
    teams: NotRequired[list[CreateTeam] | None]
    reporting_lines: NotRequired[list[CreateReportingLine] | None]
    policies: NotRequired[OrganizationPoliciesInput | None]
    ceremony_policy: NotRequired[CeremonyPolicyInput | None]


class Team(TypedDict):
    name: str
    lead: str | None
    members: list[str]


class CreateTeam(TypedDict):
    name: str
    lead: NotRequired[str | None]
    members: NotRequired[list[str] | None]


class ReportingLine(TypedDict):
    subordinate: str
    supervisor: str


class CreateReportingLine(TypedDict):
    """Nobody reports to itself, everybody to one at most, and lines form no cycle (400/2000)."""

    subordinate: str
    supervisor: str


class DepartmentPolicies(TypedDict):
    review_requirements: ReviewRequirements
    approval_chains: list[ApprovalChain]
    protected_labels: list[str]


class CreateDepartmentPolicies(TypedDict):
    review_requirements: NotRequired[CreateReviewRequirements | None]
    approval_chains: NotRequired[list[CreateApprovalChain] | None]
    protected_labels: NotRequired[list[str] | None]


class UpdateDepartmentPolicies(TypedDict):
    review_requirements: NotRequired[UpdateReviewRequirements]
    approval_chains: NotRequired[list[CreateApprovalChain]]
    protected_labels: NotRequired[list[str]]


class OrganizationPoliciesInput(TypedDict):
    review_requirements: NotRequired[OrganizationReviewInput | None]
    approval_chains: NotRequired[list[CreateApprovalChain] | None]
    protected_labels: NotRequired[list[str] | None]


class ReviewRequirements(TypedDict):
    min_reviewers: int
    required_reviewer_roles: list[str]
    self_review_allowed: bool


class CreateReviewRequirements(TypedDict):
    min_reviewers: NotRequired[int | None]
    required_reviewer_roles: NotRequired[list[str] | None]
    self_review_allowed: NotRequired[bool | None]


class UpdateReviewRequirements(TypedDict):
    min_reviewers: NotRequired[int]
    required_reviewer_roles: NotRequired[list[str]]
    self_review_allowed: NotRequired[bool]


class OrganizationReviewInput(TypedDict):
    min_reviewers: NotRequired[int | None]
    required_reviewer_roles: NotRequired[list[str] | None]
    self_review_allowed: NotRequired[bool | None]


class ApprovalChain(TypedDict):
    action_type: str
    approvers: list[str]
    min_approvals: int


class CreateApprovalChain(TypedDict):
    action_type: str
    approvers: list[str]
    min_approvals: NotRequired[int | None]


class AgentConfig(TypedDict):
    """An agent: its identity, the fields that are not versioned, and the record's own numbers and times."""

    id: str
    name: str
    role: str
    department: str
    description: str
    level: AgentLevel
    status: AgentStatus
    personality: Personality
    skills: Skills
    model: Model | None
    memory: Memory
    tools: Tools
    authority: Authority
    autonomy_level: AutonomyLevel | None
    strategic_output_mode: StrategicOutputMode | None
    instructions: str
    hiring_date: str
    metadata: dict[str, Any]
    personality_preset: str | None
    tier: ModelTier | None
    model_requirement: dict[str, Any] | None
    owner: str | None
    tags: list[str]
    version: int
    revision: int
    created_at: str
    updated_at: str


class AgentIdentity(TypedDict):
    """The versioned part of an agent."""

    id: str
    name: str
    role: str
    department: str
    description: str
    level: AgentLevel
    status: AgentStatus
    personality: Personality
    skills: Skills
    model: Model | None
    memory: Memory
    tools: Tools
    authority: Authority
    autonomy_level: AutonomyLevel | None
    strategic_output_mode: StrategicOutputMode | None
    instructions: str
    hiring_date: str
    metadata: dict[str, Any]


class AgentSummary(TypedDict):
    """An agent in a list."""

    id: str
    name: str
    role: str
    department: str
    description: str
    level: AgentLevel
    status: AgentStatus
    personality: Personality
    skills: Skills
    model: Model | None
    memory: Memory
    tools: Tools
    authority: Authority
    autonomy_level: AutonomyLevel | None
    strategic_output_mode: StrategicOutputMode | None
    instructions: NotRequired[str]
    hiring_date: str
    metadata: dict[str, Any]
    personality_preset: str | None
    tier: ModelTier | None
    model_requirement: dict[str, Any] | None
    owner: str | None
    tags: list[str]
    version: int
    revision: int
    created_at: str
    updated_at: str
    matches: NotRequired[list[SearchMatch]]


class OrganizationAgent(TypedDict):
    name: str
    role: str
    department: str
    description: str
    level: AgentLevel
    status: AgentStatus
    personality: Personality
    skills: Skills
    model: Model | None
    memory: Memory
    tools: Tools
    authority: OrganizationAuthority
    autonomy_level: AutonomyLevel | None
    strategic_output_mode: StrategicOutputMode | None
    instructions: str
    hiring_date: str
    metadata: dict[str, Any]
    personality_preset: str | None
    tier: ModelTier | None
    model_requirement: dict[str, Any] | None
    owner: str | None
    tags: list[str]


class CreateAgentOrgRequest(TypedDict):
    """A new agent."""

    name: str
    role: str
    department: str
    description: NotRequired[str | None]
    level: NotRequired[AgentLevel | None]
    status: NotRequired[AgentStatus | None]
    personality: NotRequired[CreatePersonality | None]
    skills: NotRequired[CreateSkills | None]
    model: NotRequired[CreateModel | None]
    model_provider: NotRequired[str | None]
    model_id: NotRequired[str | None]
    memory: NotRequired[CreateMemory | None]
    tools: NotRequired[CreateTools | None]
    authority: NotRequired[CreateAuthority | None]
    autonomy_level: NotRequired[AutonomyLevel | None]
    strategic_output_mode: NotRequired[StrategicOutputMode | None]
    instructions: NotRequired[str | None]
    hiring_date: NotRequired[str | None]
    metadata: NotRequired[dict[str, Any] | None]
    personality_preset: NotRequired[str | None]
    tier: NotRequired[ModelTier | None]
    model_requirement: NotRequired[dict[str, Any] | None]
    owner: NotRequired[str | None]
    tags: NotRequired[list[str] | None]


class UpdateAgentOrgRequest(TypedDict):
    """A merge patch of an agent."""

    name: NotRequired[str]
    role: NotRequired[str]
    department: NotRequired[str]
    description: NotRequired[str]
    level: NotRequired[AgentLevel]
    status: NotRequired[AgentStatus]
    personality: NotRequired[UpdatePersonality]
    skills: NotRequired[UpdateSkills]
    model: NotRequired[UpdateModel | None]
    model_provider: NotRequired[str]
    model_id: NotRequired[str]
    memory: NotRequired[UpdateMemory]
    tools: NotRequired[UpdateTools]
    authority: NotRequired[UpdateAuthority]
    autonomy_level: NotRequired[AutonomyLevel | None]
    strategic_output_mode: NotRequired[StrategicOutputMode | None]
    instructions: NotRequired[str]
    metadata: NotRequired[dict[str, Any]]
    personality_preset: NotRequired[str | None]
    tier: NotRequired[ModelTier | None]
    model_requirement: NotRequired[dict[str, Any] | None]
    owner: NotRequired[str | None]
    tags: NotRequired[list[str]]


class OrganizationAgentInput(TypedDict):
    """An agent."""

    name: str
    previous_name: NotRequired[str | None]
    as_of: NotRequired[AsOf | None]
    role: NotRequired[str | None]
    department: NotRequired[str | None]
    description: NotRequired[str | None]
    level: NotRequired[AgentLevel | None]
    status: NotRequired[AgentStatus | None]
    personality: NotRequired[OrganizationPersonalityInput | None]
    skills: NotRequired[OrganizationSkillsInput | None]
    model: NotRequired[OrganizationModelInput | None]
    model_provider: NotRequired[str | None]
    model_id: NotRequired[str | None]
    memory: NotRequired[OrganizationMemoryInput | None]
    tools: NotRequired[OrganizationToolsInput | None]
    authority: NotRequired[OrganizationAuthorityInput | None]
    autonomy_level: NotRequired[AutonomyLevel | None]
    strategic_output_mode: NotRequired[StrategicOutputMode | None]
    instructions: NotRequired[str | None]
    hiring_date: NotRequired[str | None]
    metadata: NotRequired[dict[str, Any] | None]
    personality_preset: NotRequired[str | None]
    tier: NotRequired[ModelTier | None]
    model_requirement: NotRequired[dict[str, Any] | None]
    owner: NotRequired[str | None]
    tags: NotRequired[list[str] | None]


class SearchMatch(TypedDict):
    """A place where a text was found."""

    field: str
    line: int
    text: str


class Personality(TypedDict):
    traits: list[str]
    communication_style: str
    description: str
    risk_tolerance: Degree
    creativity: Degree
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
    communication_style: NotRequired[str | None]
    description: NotRequired[str | None]
    risk_tolerance: NotRequired[Degree | None]
    creativity: NotRequired[Degree | None]
    openness: NotRequired[float | None]
    conscientiousness: NotRequired[float | None]
    extraversion: NotRequired[float | None]
    agreeableness: NotRequired[float | None]
    stress_response: NotRequired[float | None]
    decision_making: NotRequired[DecisionMaking | None]
    collaboration: NotRequired[Collaboration | None]
    verbosity: NotRequired[Verbosity | None]
    conflict_approach: NotRequired[ConflictApproach | None]


class UpdatePersonality(TypedDict):
    traits: NotRequired[list[str]]
    communication_style: NotRequired[str]
    description: NotRequired[str]
    risk_tolerance: NotRequired[Degree]
    creativity: NotRequired[Degree]
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
    communication_style: NotRequired[str | None]
    description: NotRequired[str | None]
    risk_tolerance: NotRequired[Degree | None]
    creativity: NotRequired[Degree | None]
    openness: NotRequired[float | None]
    conscientiousness: NotRequired[float | None]
    extraversion: NotRequired[float | None]
    agreeableness: NotRequired[float | None]
    stress_response: NotRequired[float | None]
    decision_making: NotRequired[DecisionMaking | None]
    collaboration: NotRequired[Collaboration | None]
    verbosity: NotRequired[Verbosity | None]
    conflict_approach: NotRequired[ConflictApproach | None]


class Skills(TypedDict):
    primary: list[Skill]
    secondary: list[Skill]


class CreateSkills(TypedDict):
    primary: NotRequired[list[CreateSkill] | None]
    secondary: NotRequired[list[CreateSkill] | None]


class UpdateSkills(TypedDict):
    primary: NotRequired[list[CreateSkill]]
    secondary: NotRequired[list[CreateSkill]]


class OrganizationSkillsInput(TypedDict):
    primary: NotRequired[list[CreateSkill] | None]
    secondary: NotRequired[list[CreateSkill] | None]


class Skill(TypedDict):
    id: str
    name: str
    description: str
    tags: list[str]
    input_modes: list[str]
    output_modes: list[str]
    proficiency: float


class CreateSkill(TypedDict):
    id: str
    name: str
    description: NotRequired[str | None]
    tags: NotRequired[list[str] | None]
    input_modes: NotRequired[list[str] | None]
    output_modes: NotRequired[list[str] | None]
    proficiency: NotRequired[float | None]


class Model(TypedDict):
    provider: str
    model_id: str
    temperature: float
    max_tokens: int
    fallback_model: str | None
    model_tier: ModelTier | None


class CreateModel(TypedDict):
    provider: str
    model_id: str
    temperature: NotRequired[float | None]
    max_tokens: NotRequired[int | None]
    fallback_model: NotRequired[str | None]
    model_tier: NotRequired[ModelTier | None]


class UpdateModel(TypedDict):
    """Merged into the model; an agent without one needs `provider` and `model_id` (400/2000)."""

    provider: NotRequired[str]
    model_id: NotRequired[str]
    temperature: NotRequired[float]
    max_tokens: NotRequired[int]
    fallback_model: NotRequired[str | None]
    model_tier: NotRequired[ModelTier | None]


class OrganizationModelInput(TypedDict):
    """Merged into the model; an agent without one needs `provider` and `model_id` (400/2000)."""

    provider: NotRequired[str | None]
    model_id: NotRequired[str | None]
    temperature: NotRequired[float | None]
    max_tokens: NotRequired[int | None]
    fallback_model: NotRequired[str | None]
    model_tier: NotRequired[ModelTier | None]


class Memory(TypedDict):
    """With type `none`, `retention_days` is null and there are no overrides."""

    type: MemoryType
    retention_days: int | None
    retention_overrides: list[RetentionOverride]


class CreateMemory(TypedDict):
    """Type `none` goes with neither `retention_days` nor overrides (400/2000)."""

    type: NotRequired[MemoryType | None]
    retention_days: NotRequired[int | None]
    retention_overrides: NotRequired[list[CreateRetentionOverride] | None]


class UpdateMemory(TypedDict):
    """Type `none` goes with neither `retention_days` nor overrides (400/2000)."""

    type: NotRequired[MemoryType]
    retention_days: NotRequired[int | None]
    retention_overrides: NotRequired[list[CreateRetentionOverride]]


class OrganizationMemoryInput(TypedDict):
    """Type `none` goes with neither `retention_days` nor overrides (400/2000)."""

    type: NotRequired[MemoryType | None]
    retention_days: NotRequired[int | None]
    retention_overrides: NotRequired[list[CreateRetentionOverride] | None]


class RetentionOverride(TypedDict):
    category: MemoryCategory
    retention_days: int


class CreateRetentionOverride(TypedDict):
    category: MemoryCategory
    retention_days: int


class Tools(TypedDict):
    access_level: ToolAccessLevel
    allowed: list[str]
    denied: list[str]
    mcp_capabilities: list[str]
    sub_constraints: ToolSubConstraints | None


class CreateTools(TypedDict):
    """No tool is both allowed and denied (400/2000)."""

    access_level: NotRequired[ToolAccessLevel | None]
    allowed: NotRequired[list[str] | None]
    denied: NotRequired[list[str] | None]
    mcp_capabilities: NotRequired[list[str] | None]
    sub_constraints: NotRequired[CreateToolSubConstraints | None]


class UpdateTools(TypedDict):
    """No tool is both allowed and denied (400/2000)."""

    access_level: NotRequired[ToolAccessLevel]
    allowed: NotRequired[list[str]]
    denied: NotRequired[list[str]]
    mcp_capabilities: NotRequired[list[str]]
    sub_constraints: NotRequired[UpdateToolSubConstraints | None]


class OrganizationToolsInput(TypedDict):
    """No tool is both allowed and denied (400/2000)."""

    access_level: NotRequired[ToolAccessLevel | None]
    allowed: NotRequired[list[str] | None]
    denied: NotRequired[list[str] | None]
    mcp_capabilities: NotRequired[list[str] | None]
    sub_constraints: NotRequired[OrganizationSubConstraintsInput | None]


class ToolSubConstraints(TypedDict):
    file_system: FileSystemAccess
    network: NetworkAccess
    git: GitAccess
    code_execution: CodeExecution
    terminal: TerminalAccess
    requires_approval: list[str]
    network_allowlist: list[str]


class CreateToolSubConstraints(TypedDict):
    """What is not given is the narrowest choice."""

    file_system: NotRequired[FileSystemAccess | None]
    network: NotRequired[NetworkAccess | None]
    git: NotRequired[GitAccess | None]
    code_execution: NotRequired[CodeExecution | None]
    terminal: NotRequired[TerminalAccess | None]
    requires_approval: NotRequired[list[str] | None]
    network_allowlist: NotRequired[list[str] | None]


class UpdateToolSubConstraints(TypedDict):
    file_system: NotRequired[FileSystemAccess]
    network: NotRequired[NetworkAccess]
    git: NotRequired[GitAccess]
    code_execution: NotRequired[CodeExecution]
    terminal: NotRequired[TerminalAccess]
    requires_approval: NotRequired[list[str]]
    network_allowlist: NotRequired[list[str]]


class OrganizationSubConstraintsInput(TypedDict):
    file_system: NotRequired[FileSystemAccess | None]
    network: NotRequired[NetworkAccess | None]
    git: NotRequired[GitAccess | None]
    code_execution: NotRequired[CodeExecution | None]
    terminal: NotRequired[TerminalAccess | None]
    requires_approval: NotRequired[list[str] | None]
    network_allowlist: NotRequired[list[str] | None]


class Authority(TypedDict):
    """Agents are shown by id, and stay here when they are deleted."""

    can_approve: list[str]
    reports_to: str | None
    can_delegate_to: list[str]
    budget_limit: float


class OrganizationAuthority(TypedDict):
    """What an agent may decide, with other agents by name."""

    can_approve: list[str]
    reports_to: str | None
    can_delegate_to: list[str]
    budget_limit: float


class CreateAuthority(TypedDict):
    can_approve: NotRequired[list[str] | None]
    reports_to: NotRequired[str | None]
    can_delegate_to: NotRequired[list[str] | None]
    budget_limit: NotRequired[float | None]


class UpdateAuthority(TypedDict):
    """Nobody reports to itself (400/2000)."""

    can_approve: NotRequired[list[str]]
    reports_to: NotRequired[str | None]
    can_delegate_to: NotRequired[list[str]]
    budget_limit: NotRequired[float]


class OrganizationAuthorityInput(TypedDict):
    """Nobody reports to itself (400/2000)."""

    can_approve: NotRequired[list[str] | None]
    reports_to: NotRequired[str | None]
    can_delegate_to: NotRequired[list[str] | None]
    budget_limit: NotRequired[float | None]


class Project(TypedDict):
    id: str
    name: str
    description: str
    team: list[str]
    lead: str | None
    task_ids: list[str]
    deadline: str | None
    budget: float
    status: ProjectStatus
    revision: int
    created_at: str
    updated_at: str


class CreateProjectRequest(TypedDict):
    name: str
    description: NotRequired[str | None]
    team: NotRequired[list[str] | None]
    lead: NotRequired[str | None]
    deadline: NotRequired[str | None]
    budget: NotRequired[float | None]


class UpdateProjectRequest(TypedDict):
    """A merge patch of a project."""

    name: NotRequired[str]
    description: NotRequired[str]
    team: NotRequired[list[str]]
    lead: NotRequired[str | None]
    task_ids: NotRequired[list[str]]
    deadline: NotRequired[str | None]
    budget: NotRequired[float]
    status: NotRequired[ProjectStatus]


class Webhook(TypedDict):
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


class CreateWebhookRequest(TypedDict):
    url: str
    event_types: NotRequired[list[str] | None]
    departments: NotRequired[list[str] | None]
    enabled: NotRequired[bool | None]


class UpdateWebhookRequest(TypedDict):
    """A merge patch of a webhook."""

    url: NotRequired[str]
    event_types: NotRequired[list[str]]
    departments: NotRequired[list[str]]
    enabled: NotRequired[bool]


class IssueTokenRequest(TypedDict):
    subject: str
    role: Role
    departments: NotRequired[list[str] | None]
    label: NotRequired[str | None]
    ttl_seconds: NotRequired[int | None]


class SignInLink(TypedDict):
    code: str
    expires_at: str
    url: str | None


class MakeLinkRequest(TypedDict):
    subject: str
    role: Role
    departments: NotRequired[list[str] | None]
    label: NotRequired[str | None]
    ttl_seconds: NotRequired[int | None]


class TaskStartedEntry(TypedDict):
    """An agent has begun a task."""

    id: NotRequired[str | None]
    event_type: Literal["task_started"]
    agent: str
    timestamp: NotRequired[str | None]
    description: NotRequired[str | None]
    related_ids: NotRequired[dict[str, str] | None]
    data: TaskStartedData


class TaskCompletedEntry(TypedDict):
    """A task has ended, with or without success."""

    id: NotRequired[str | None]
    event_type: Literal["task_completed"]
    agent: str
    timestamp: NotRequired[str | None]
    description: NotRequired[str | None]
    related_ids: NotRequired[dict[str, str] | None]
    data: TaskCompletedData


class CostIncurredEntry(TypedDict):
    """Money was spent; it counts for the agent and its department."""

    id: NotRequired[str | None]
    event_type: Literal["cost_incurred"]
    agent: str
    timestamp: NotRequired[str | None]
    description: NotRequired[str | None]
    related_ids: NotRequired[dict[str, str] | None]
    data: CostIncurredData


class ToolUsedEntry(TypedDict):
    """A tool was used."""

    id: NotRequired[str | None]
    event_type: Literal["tool_used"]
    agent: str
    timestamp: NotRequired[str | None]
    description: NotRequired[str | None]
    related_ids: NotRequired[dict[str, str] | None]
    data: ToolUsedData


class DelegationEntry(TypedDict):
    """Work was handed over, or taken over."""

    id: NotRequired[str | None]
    event_type: Literal["delegation_sent", "delegation_received"]
    agent: str
    timestamp: NotRequired[str | None]
    description: NotRequired[str | None]
    related_ids: NotRequired[dict[str, str] | None]
    data: DelegationData


class TaskStartedData(TypedDict):
    """At most 16 KiB."""

    task_id: str


class TaskCompletedData(TypedDict):
    """At most 16 KiB."""

    task_id: str
    success: bool
    duration_seconds: NotRequired[float | None]
    quality_score: NotRequired[float | None]
    cost: NotRequired[float | None]
    tokens: NotRequired[int | None]


class CostIncurredData(TypedDict):
    """At most 16 KiB."""

    amount: float
    model: NotRequired[str | None]
    input_tokens: NotRequired[int | None]
    output_tokens: NotRequired[int | None]


class ToolUsedData(TypedDict):
    """At most 16 KiB."""

    tool: str
    success: bool


class DelegationData(TypedDict):
    """At most 16 KiB."""

    task_id: str
    counterpart: NotRequired[str | None]
    score: NotRequired[float | None]


class ChangeEvent(TypedDict):
    """A change, without its values."""

    id: str
    timestamp: str
    action: ChangeAction
    resource: ChangedResource
    department: str | None
    actor: str
    reason: str | None
    from_revision: int | None
    to_revision: int | None
    from_version: int | None
    to_version: int | None
    changed_fields: list[str]
    summary: str
    label: str | None
    proposal_id: str | None
    way: ChangeWay


class ChangedResource(TypedDict):
    """What was changed."""

    type: str
    id: str
    name: str


class AuditEntry(TypedDict):
    id: str
    timestamp: str
    actor: str
    action: str | None
    route: str
    resource: str
    revision_from: int | None
    revision_to: int | None
    request_id: str
    change: ChangeEvent | None


class Label(TypedDict):
    """A name for a version of an agent."""

    label: str
    version: int
    fixed: bool
    protected: bool
    set_by: str
    set_at: str
    reason: str | None


class PutLabelRequest(TypedDict):
    """What the label is to name."""

    version: int
    fixed: NotRequired[bool | None]
    reason: NotRequired[str | None]


class LabelMove(TypedDict):
    """An entry of the history of a label."""

    version: int | None
    from_version: int | None
    by: str
    at: str
    reason: str | None
    way: ChangeWay


class ResolvedAgent(TypedDict):
    """An agent as it is now, and the version of its identity that a label names."""

    agent_id: str
    name: str
    department: str
    status: AgentStatus
    label: str
    version: int
    content_hash: str
    snapshot: AgentIdentity


class DeletedAgent(TypedDict):
    """An agent that was deleted."""

    id: str
    name: str
    department: str
    deleted_at: str
    deleted_by: str


class RestoreAgentRequest(TypedDict):
    """As what the agent comes back."""

    name: NotRequired[str | None]
    department: NotRequired[str | None]


class DepartmentHealth(TypedDict):
    department_name: str
    agent_count: int
    active_agent_count: int
    currency: str
    avg_performance_score: float | None
    department_cost_7d: float
    cost_trend: list[CostPoint]
    collaboration_score: float | None
    utilization_percent: float


class CostPoint(TypedDict):
    timestamp: str
    value: float


class PerformanceWindow(TypedDict):
    """With fewer than 5 data points, averages and rates are null."""

    window_size: WindowSize
    data_point_count: int
    tasks_completed: int
    tasks_failed: int
    avg_quality_score: float | None
    avg_cost_per_task: float | None
    currency: str
    avg_completion_time_seconds: float | None
    avg_tokens_per_task: float | None
    success_rate: float | None
    collaboration_score: float | None


class DailyFigures(TypedDict):
    """What an agent, a department or the company did on each of the last days."""

    currency: str
    first_date: str | None
    days: list[DayFigures]


class DayFigures(TypedDict):
    """What was done on one day."""

    date: str
    tasks_completed: int
    tasks_failed: int
    cost: float


class DepartmentFigures(TypedDict):
    """What a department did in 30 days."""

    department_name: str
    agent_count: int
    active_agent_count: int
    tasks_completed: int
    tasks_failed: int
    success_rate: float | None
    cost: float
    cost_before: float
    cost_before_days: int
    currency: str


class AgentFigures(TypedDict):
    """An agent as it is now, and what it did in a window."""

    agent_id: str
    name: str
    role: str
    department: str
    level: AgentLevel
    status: AgentStatus
    owner: str | None
    tags: list[str]
    labels: list[AgentLabel]
    tasks_completed: int
    tasks_failed: int
    success_rate: float | None
    quality_score: float | None
    cost: float
    cost_before: float
    cost_before_days: int
    last_active_at: str | None


class AgentLabel(TypedDict):
    """A label of an agent."""

    label: str
    version: int

ActivityEntry = Union[TaskStartedEntry, TaskCompletedEntry, CostIncurredEntry, ToolUsedEntry, DelegationEntry]
