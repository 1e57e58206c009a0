// The types of the API. Made by make generate from its description.

/** Seniority, ascending. */
export type AgentLevel = "junior" | "mid" | "senior" | "lead" | "principal" | "director" | "vp" | "c_suite";

/** Where an agent stands in its employment. */
export type AgentStatus = "active" | "onboarding" | "on_leave" | "terminated";

/** How freely somebody acts, ascending. */
export type AutonomyLevel = "locked" | "supervised" | "semi" | "full";

/** How an agent takes part in strategy. */
export type StrategicOutputMode = "option_expander" | "advisor" | "decision_maker" | "context_dependent";

/** A coarse degree. */
export type Degree = "low" | "medium" | "high";

/** How decisions are made. */
export type DecisionMaking = "analytical" | "intuitive" | "consultative" | "directive";

/** How work is shared. */
export type Collaboration = "independent" | "pair" | "team";

/** How much is said. */
export type Verbosity = "terse" | "balanced" | "verbose";

/** How conflicts are met. */
export type ConflictApproach = "avoid" | "accommodate" | "compete" | "compromise" | "collaborate";

/** A class of language models. */
export type ModelTier = "large" | "medium" | "small";

/** How long memory lives. */
export type MemoryType = "persistent" | "project" | "session" | "none";

/** A kind of memory. */
export type MemoryCategory = "working" | "episodic" | "semantic" | "procedural" | "social" | "project_doc" | "knowledge";

/** Which class of tools may be used. */
export type ToolAccessLevel = "sandboxed" | "restricted" | "standard" | "elevated" | "custom";

/** Which files may be reached. */
export type FileSystemAccess = "workspace_only" | "project_directory" | "full";

/** Which hosts may be reached. */
export type NetworkAccess = "none" | "allowlist_only" | "open";

/** What may be done with repositories. */
export type GitAccess = "local_only" | "read_and_branch" | "full";

/** Where code runs. */
export type CodeExecution = "containerized" | "process";

/** Which commands may be run. */
export type TerminalAccess = "none" | "restricted_commands" | "full";

/** What happened. */
export type EventType = "hired" | "onboarded" | "fired" | "offboarded" | "status_changed" | "promoted" | "demoted" | "task_started" | "task_completed" | "cost_incurred" | "tool_used" | "delegation_sent" | "delegation_received";

/** What happened to an agent's employment. */
export type LifecycleEventType = "hired" | "onboarded" | "fired" | "offboarded" | "status_changed" | "promoted" | "demoted";

/** A day, two days or a week, in hours. */
export type ActivityWindowHours = 24 | 48 | 168;

/** Where a figure is heading. */
export type TrendDirection = "improving" | "stable" | "declining" | "insufficient_data";

/** Where a project stands. */
export type ProjectStatus = "planning" | "active" | "on_hold" | "completed" | "cancelled";

/** What the bearer of a token may do; see the table at the top. */
export type Role = "viewer" | "agent" | "reporter" | "department_admin" | "editor" | "admin";

/** What moves a sprint on. */
export type CeremonyStrategy = "task_driven" | "calendar" | "hybrid" | "event_driven" | "budget_driven" | "throughput_adaptive" | "external_trigger" | "milestone_driven";

/** How velocity is measured. */
export type VelocityCalculator = "task_driven" | "calendar" | "multi_dimensional" | "budget" | "points_per_sprint";

/** Where a value comes from. */
export type CeremonyOrigin = "department" | "company" | "default";

/** The length of a window in whole UTC days, today included. */
export type WindowSize = "7d" | "30d" | "90d";

/** Why no messages are sent: somebody asked for it, the endpoint answered 410, or deliveries have failed for three days. */
export type WebhookDisabledReason = "requested" | "gone" | "failing" | null;

/** What was done. */
export type ChangeAction = "agent.created" | "agent.updated" | "agent.rolled_back" | "agent.deleted" | "agent.restored" | "agent.purged" | "agent.label_set" | "agent.label_removed" | "department.created" | "department.updated" | "department.deleted" | "department.agents_reordered" | "ceremony_policy.set" | "ceremony_policy.removed" | "company.updated" | "company.departments_reordered" | "project.created" | "project.updated" | "project.deleted";

/** How the change came about. */
export type ChangeWay = "direct" | "proposal" | "return" | "bypass";

/** How it began. */
export type SessionKind = "token" | "sign_in" | "external";

/** One thing that is wrong with a document or a report. */
export interface Mistake {
  /** The field, such as `agents[3].level`; empty if it is about no single field. */
  path: string;
  /** What is wrong. */
  text: string;
  /** The line of the text, or of the entry of a list that the field is part of; null if it is unknown. */
  line: number | null;
}

/** Whether the process is alive. */
export interface LivenessStatus {
  /** Always "ok". */
  status: "ok";
  /** Version of the server. */
  version: string;
  /** How long the process has been running. */
  uptime_seconds: number;
}

/** Whether the service can do its work. */
export interface ReadinessStatus {
  /** Always "ok"; otherwise the answer is an error. */
  status: "ok";
  /** Whether the storage works. */
  persistence: boolean;
  /** Whether limits are shared between replicas; false while local limits stand in, null if not configured. */
  shared_limits: boolean | null;
  /** Version of the server. */
  version: string;
  /** How long the process has been running. */
  uptime_seconds: number;
}

/** What is wired and working in the process that answers. */
export interface Capabilities {
  /** Runtime events can be reported. */
  activity_ingest: boolean;
  /** The feed can be streamed. */
  activity_stream: boolean;
  /** Events can be delivered to webhooks. */
  webhooks: boolean;
  /** Limits are shared between replicas. */
  shared_limits: boolean;
  /** Tokens of an external issuer are accepted. */
  external_identity: boolean;
  /** Traces are exported. */
  telemetry: boolean;
  /** The reference pages are served. */
  api_docs: boolean;
  /** The console is served. */
  console: boolean;
}

/** Free-form, at most 64 KiB. */
export interface CompanySettings {
  ceremony_policy?: CeremonyPolicy;
  [key: string]: unknown;
}

export interface ReorderDepartmentsRequest {
  /** The names of all departments, each once, in the new order. */
  department_names: string[];
}

export interface ReorderAgentsRequest {
  /** The names or ids of all agents of the department, each once, in the new order; empty only for a department without agents. */
  agent_names: string[];
}

/** A free-form object with a few known keys; a key that is absent is inherited. */
export interface CeremonyPolicy {
  strategy?: CeremonyStrategy;
  /** Settings of the strategy. */
  strategy_config?: Record<string, unknown>;
  velocity_calculator?: VelocityCalculator;
  /** Whether sprints end by themselves. */
  auto_transition?: boolean;
  transition_threshold?: number;
  [key: string]: unknown;
}

/** A policy as it is written, at most 64 KiB. */
export interface CeremonyPolicyInput {
  strategy?: CeremonyStrategy | null;
  /** Settings of the strategy. */
  strategy_config?: Record<string, unknown> | null;
  velocity_calculator?: VelocityCalculator | null;
  /** Whether sprints end by themselves. */
  auto_transition?: boolean | null;
  /** Share of the work that ends a sprint, more than 0; the minimum is the least such number with double precision. */
  transition_threshold?: number | null;
  [key: string]: unknown;
}

export interface ResolvedValue {
  /** The value in force, of any type but null. */
  value: unknown;
  origin: CeremonyOrigin;
}

/** The organization as one document. */
export interface OrganizationDocument {
  /** Version of the form of documents. */
  format: 1;
  company: OrganizationCompany;
  /** All departments, in order. */
  departments: OrganizationDepartment[];
  /** All agents, in the organization's order. */
  agents: OrganizationAgent[];
}

/** An organization as it shall be. */
export interface OrganizationInput {
  /** Version of the form of documents. */
  format: 1;
  company?: OrganizationCompanyInput;
  /** Departments in the order that they shall have; their names are unique. */
  departments?: OrganizationDepartmentInput[];
  /** Agents in the order that they shall have; their names are unique. */
  agents?: OrganizationAgentInput[];
}

/** What a document would change. */
export interface OrganizationPlan {
  plan_hash: string;
  /** All differences; empty if there is none. */
  changes: OrganizationChange[];
}

/** A difference between the organization and a document. */
export interface OrganizationChange {
  /** What changes: `company.currency`, `agents["Ada"]`, `agents["Ada"].level`, or a whole list for its order. */
  path: string;
  /** How it changes. */
  action: "create" | "update" | "delete" | "reorder";
  /** The value before: of a field, a whole entry, or the names of a list in their order; null for a creation. */
  old: unknown;
  /** The value after, likewise; null for a deletion. */
  new: unknown;
}

/** What an apply has changed. */
export interface OrganizationApplied {
  plan_hash: string;
  /** Departments and agents that were made. */
  created: number;
  /** The company, departments and agents that were changed. */
  updated: number;
  /** Departments and agents that were deleted. */
  deleted: number;
  /** Lists that got another order. */
  reordered: number;
}

/** One stored revision of an agent's identity. */
export interface VersionSnapshot {
  /** Id of the agent. */
  entity_id: string;
  version: number;
  content_hash: string;
  /** The identity as it was stored: the text that `content_hash` is of. */
  snapshot: AgentIdentity;
  /** Subject that made the change. */
  saved_by: string;
  saved_at: string;
  /** Whether `saved_by` and `saved_at` are from where it was imported from, by `as_of` of a document. */
  imported: boolean;
  /** The version that a rollback brought back; null for any other change. */
  restored_from: number | null;
  reason: string | null;
}

/** When and by whom an entry was written before it was imported. */
export interface AsOf {
  /** When, with any offset. */
  at: string;
  /** As a subject, such as the author of a commit. */
  by: string;
  /** Why; it counts more than `Change-Reason`. */
  reason?: string | null;
}

/** What changed between two versions. */
export interface AgentIdentityDiff {
  agent_id: string;
  from_version: number;
  to_version: number;
  /** Sorted by path. */
  field_changes: FieldChange[];
  /** How much changed, in words. */
  summary: string;
}

/** What became of one field. */
export interface FieldChange {
  /** Dotted path of the field. */
  field_path: string;
  /** What became of the field. */
  change_type: "added" | "modified" | "removed";
  /** JSON text of the earlier value; null if the field was not there. */
  old_value: string | null;
  /** JSON text of the later value; null if the field is not there. */
  new_value: string | null;
  /** Unified diff of a long text; null for everything else. */
  text_diff: string | null;
}

/** What to bring back. */
export interface RollbackAgentIdentityRequest {
  /** The version to bring back. */
  target_version: number;
  /** Why; it is kept with the version. */
  reason?: string | null;
}

/** How an agent is doing. */
export interface AgentHealth {
  agent_id: string;
  agent_name: string;
  lifecycle_status: AgentStatus;
  /** Time of the newest event of any type. */
  last_active_at: string | null;
  trust: AgentTrust;
  /** Figures of 30 days; null without any data. */
  performance: AgentHealthPerformance | null;
}

/** How far the tools of an agent are trusted. */
export interface AgentTrust {
  level: ToolAccessLevel;
  /** Null so far: trust is set, not measured. */
  score: number | null;
  /** Null so far: trust is set, not measured. */
  last_evaluated_at: string | null;
}

/** A short form of the performance of an agent. */
export interface AgentHealthPerformance {
  quality_score: number | null;
  collaboration_score: number | null;
  trend: TrendDirection;
}

/** What an agent did. */
export interface AgentPerformanceSummary {
  agent_name: string;
  /** Tasks completed with success, of all time. */
  tasks_completed_total: number;
  tasks_completed_7d: number;
  tasks_completed_30d: number;
  avg_completion_time_seconds: number | null;
  /** Successes of all finished tasks; null if there is too little data. */
  success_rate_percent: number | null;
  cost_per_task: number | null;
  quality_score: number | null;
  collaboration_score: number | null;
  /** Of the success rate over 30 days or, without enough data, of the quality. */
  trend_direction: TrendDirection;
  /** 7, 30 and 90 days. */
  windows: PerformanceWindow[];
  /** Every metric over every window. */
  trends: PerformanceTrend[];
}

/** Where a metric is heading in a window. */
export interface PerformanceTrend {
  /** What is measured. */
  metric_name: "quality_score" | "cost" | "success_rate";
  window_size: WindowSize;
  direction: TrendDirection;
  /** Change per day, in the unit of the metric; null if there is too little data. */
  slope: number | null;
  data_point_count: number;
}

/** A step of an agent's career. */
export interface CareerEvent {
  event_type: LifecycleEventType;
  timestamp: string;
  /** What happened, in words. */
  description: string;
  /** Subject that made the change. */
  initiated_by: string;
  /** `from`, `to` and `version` where they apply. */
  metadata: Record<string, string>;
}

/** Something that happened to an agent, or that it did. */
export interface ActivityEvent {
  id: string;
  event_type: EventType;
  timestamp: string;
  agent_id: string;
  /** The agent's name at the time of the event. */
  agent_name: string;
  /** What happened, in words. */
  description: string;
  /** What is involved: what was reported, `actor` for lifecycle events, `agent_id`, and `task_id` and `tool` out of the data. */
  related_ids: Record<string, string>;
  /** What was reported with a runtime event; null for lifecycle events. */
  data: Record<string, unknown> | null;
}

export interface IngestActivitiesRequest {
  events: ActivityEntry[];
}

/** What came of reported events. */
export interface IngestResult {
  /** Events that are new. */
  accepted: number;
  /** Events that were known, or stood twice in the batch. */
  duplicates: number;
  /** Members of `data` that look like ones that are counted and are none, such as `duration` for `duration_seconds`. */
  warnings: string[];
}

/** One event on its way to one webhook. */
export interface Delivery {
  id: string;
  /** Id of the event, the `webhook-id` of its messages. */
  event_id: string;
  /** How many attempts have begun; 0 before the first, and again when it begins anew. */
  attempt: number;
  /** Where it stands: `pending` until the endpoint has answered 2xx (`delivered`) or there are no more attempts (`failed`). */
  status: "pending" | "delivered" | "failed";
  /** What the endpoint answered to the last attempt that has ended; null if it did not. */
  response_code: number | null;
  /** Why the last attempt that has ended failed. */
  error: "status" | "timeout" | "connection" | "dns" | "tls" | "address" | "event" | null;
  /** When the next attempt may begin; while one is under way, when it would be taken for lost. */
  next_attempt_at: string | null;
  created_at: string;
}

export interface RedeemLinkRequest {
  /** The code of the link. */
  code: string;
  /** That of the `challenge` with which a program began, if the code came to it. */
  verifier?: string;
}

/** A new token of a session. */
export interface IssuedToken {
  /** The token. */
  token: string;
  sid: string;
  expires_at: string;
}

/** What the presented token says. */
export interface Caller {
  sid: string;
  /** Who issued the token. */
  issuer: string;
  /** Who limits and the audit trail count; with the issuer in front for external tokens. */
  subject: string;
  role: Role;
  departments: string[];
  agent_id: string | null;
  issued_at: string;
  expires_at: string;
  label: string | null;
  kind: SessionKind;
}

/** One login. */
export interface Session {
  sid: string;
  /** Who issued its tokens. */
  issuer: string;
  /** Who is logged in. */
  subject: string;
  role: Role;
  departments: string[];
  agent_id: string | null;
  issued_at: string;
  expires_at: string;
  label: string | null;
  kind: SessionKind;
  last_used_at: string | null;
  /** When it was logged out or revoked; null while it is in force. */
  revoked_at: string | null;
}

/** Merged key by key; null removes a key. */
export interface CompanySettingsPatch {
  /** Merged key by key; null removes the policy. */
  ceremony_policy?: CeremonyPolicyInput | null;
  [key: string]: unknown;
}

/** Replaced as a whole. */
export interface CompanySettingsInput {
  ceremony_policy?: CeremonyPolicyInput;
  [key: string]: unknown;
}

/** The one company, with its departments. */
export interface Company {
  /** How the company is called. */
  company_name: string;
  /** For departments and agents that do not say otherwise. */
  autonomy_level: AutonomyLevel;
  /** 0 means no budget. */
  budget_monthly: number;
  currency: string;
  /** How agents talk to each other, "hybrid" at first. */
  communication_pattern: string;
  settings: CompanySettings;
  /** All departments, in order. */
  departments: Department[];
  revision: number;
  updated_at: string;
}

/** The company in a document. */
export interface OrganizationCompany {
  /** How the company is called. */
  company_name: string;
  /** For departments and agents that do not say otherwise. */
  autonomy_level: AutonomyLevel;
  /** 0 means no budget. */
  budget_monthly: number;
  currency: string;
  /** How agents talk to each other, "hybrid" at first. */
  communication_pattern: string;
  settings: CompanySettings;
}

/** A merge patch of the company. */
export interface UpdateCompanyRequest {
  /** How the company is called. */
  company_name?: string;
  /** For departments and agents that do not say otherwise. */
  autonomy_level?: AutonomyLevel;
  budget_monthly?: number;
  /** Only while no cost is recorded. */
  currency?: string;
  /** How agents talk to each other, "hybrid" at first. */
  communication_pattern?: string;
  settings?: CompanySettingsPatch;
}

/** The company. */
export interface OrganizationCompanyInput {
  /** How the company is called. */
  company_name?: string | null;
  /** For departments and agents that do not say otherwise. */
  autonomy_level?: AutonomyLevel | null;
  /** Units of the company's currency, less than 1 000 000 000, with at most 9 decimals. */
  budget_monthly?: number | null;
  /** Changes only while no cost is recorded. */
  currency?: string | null;
  /** How agents talk to each other, "hybrid" at first. */
  communication_pattern?: string | null;
  settings?: CompanySettingsInput | null;
}

/** A part of the company. */
export interface Department {
  /** Identifies the department and never changes. */
  name: string;
  description: string;
  /** Name of the agent that leads the department. */
  head: string | null;
  /** Share of the company's budget, at most 4 decimals. */
  budget_percent: number;
  /** Null inherits the company's. */
  autonomy_level: AutonomyLevel | null;
  /** Groups of agents; their names are unique in the department. */
  teams: Team[];
  /** Who answers to whom. */
  reporting_lines: ReportingLine[];
  policies: DepartmentPolicies;
  /** Null inherits the company's. */
  ceremony_policy: CeremonyPolicy | null;
  revision: number;
  created_at: string;
  updated_at: string;
}

/** A department in a document. */
export interface OrganizationDepartment {
  /** Identifies the department and never changes. */
  name: string;
  description: string;
  /** Name of the agent that leads the department. */
  head: string | null;
  /** Share of the company's budget, at most 4 decimals. */
  budget_percent: number;
  /** Null inherits the company's. */
  autonomy_level: AutonomyLevel | null;
  /** Groups of agents; their names are unique in the department. */
  teams: Team[];
  /** Who answers to whom. */
  reporting_lines: ReportingLine[];
  policies: DepartmentPolicies;
  /** Null inherits the company's. */
  ceremony_policy: CeremonyPolicy | null;
}

/** A new department. */
export interface CreateDepartmentRequest {
  /** Identifies the department and never changes. */
  name: string;
  /** What the department is for. */
  description?: string | null;
  /** Id or name of the agent that leads the department. */
  head?: string | null;
  /** Share of the company's budget, at most 4 decimals. */
  budget_percent?: number | null;
  /** Null inherits the company's. */
  autonomy_level?: AutonomyLevel | null;
  /** Groups of agents; their names are unique in the department. */
  teams?: CreateTeam[] | null;
  /** Who answers to whom. */
  reporting_lines?: CreateReportingLine[] | null;
  policies?: CreateDepartmentPolicies | null;
  /** Null inherits the company's. */
  ceremony_policy?: CeremonyPolicyInput | null;
}

/** A merge patch of a department. */
export interface UpdateDepartmentRequest {
  description?: string;
  /** Id or name of an agent; null clears it. */
  head?: string | null;
  /** Share of the company's budget, at most 4 decimals. */
  budget_percent?: number;
  /** Null inherits the company's. */
  autonomy_level?: AutonomyLevel | null;
  /** Replaces all teams. */
  teams?: CreateTeam[];
  /** Replaces all lines. */
  reporting_lines?: CreateReportingLine[];
  policies?: UpdateDepartmentPolicies;
  /** Merged key by key; null removes the policy. */
  ceremony_policy?: CeremonyPolicyInput | null;
}

/** A department. */
export interface OrganizationDepartmentInput {
  /** Identifies the department and never changes. */
  name: string;
  /** What the department is for. */
  description?: string | null;
  /** Name of the agent that leads the department. */
  head?: string | null;
  /** Share of the company's budget, at most 4 decimals. */
  budget_percent?: number | null;
  /** Null inherits the company's. */
  autonomy_level?: AutonomyLevel | null;
  /** Replaces all teams. */
  teams?: CreateTeam[] | null;
  /** Replaces all lines. */
  reporting_lines?: CreateReportingLine[] | null;
  policies?: OrganizationPoliciesInput | null;
  /** Replaced as a whole; null inherits the company's. */
  ceremony_policy?: CeremonyPolicyInput | null;
}

/** A group of agents of any departments. */
export interface Team {
  /** Unique in the department. */
  name: string;
  /** Name of the agent that leads the team. */
  lead: string | null;
  /** Names of the agents in the team. */
  members: string[];
}

export interface CreateTeam {
  /** Unique in the department. */
  name: string;
  /** Id or name of the agent that leads the team. */
  lead?: string | null;
  /** Ids or names of existing agents, each agent once. */
  members?: string[] | null;
}

/** Who answers to whom. */
export interface ReportingLine {
  /** Name of the agent that answers to the other. */
  subordinate: string;
  /** Name of the agent that is answered to. */
  supervisor: string;
}

/** Nobody reports to itself, everybody to one at most, and lines form no cycle (400/2000). */
export interface CreateReportingLine {
  /** Id or name of the agent that answers to the other. */
  subordinate: string;
  /** Id or name of the agent that is answered to. */
  supervisor: string;
}

/** What work in a department has to pass. */
export interface DepartmentPolicies {
  review_requirements: ReviewRequirements;
  /** Who approves what; the types of action are unique. */
  approval_chains: ApprovalChain[];
  /** Labels of the department's agents that only its `department_admin` and an `admin` set, move and remove. */
  protected_labels: string[];
}

/** What work in a new department has to pass. */
export interface CreateDepartmentPolicies {
  review_requirements?: CreateReviewRequirements | null;
  /** Who approves what; the types of action are unique. */
  approval_chains?: CreateApprovalChain[] | null;
  /** Labels of the department's agents that only its `department_admin` and an `admin` set, move and remove. */
  protected_labels?: string[] | null;
}

export interface UpdateDepartmentPolicies {
  review_requirements?: UpdateReviewRequirements;
  /** Replaces all chains. */
  approval_chains?: CreateApprovalChain[];
  /** Replaces all of them. */
  protected_labels?: string[];
}

export interface OrganizationPoliciesInput {
  review_requirements?: OrganizationReviewInput | null;
  /** Replaces all chains. */
  approval_chains?: CreateApprovalChain[] | null;
  /** Replaces all of them. */
  protected_labels?: string[] | null;
}

/** Who reviews work. */
export interface ReviewRequirements {
  min_reviewers: number;
  /** Roles that must be among the reviewers, free text. */
  required_reviewer_roles: string[];
  self_review_allowed: boolean;
}

/** Who reviews work in a new department. */
export interface CreateReviewRequirements {
  /** How many reviewers work needs. */
  min_reviewers?: number | null;
  /** Roles that must be among the reviewers, free text. */
  required_reviewer_roles?: string[] | null;
  /** Whether authors may review their own work. */
  self_review_allowed?: boolean | null;
}

export interface UpdateReviewRequirements {
  min_reviewers?: number;
  /** Roles that must be among the reviewers, free text. */
  required_reviewer_roles?: string[];
  self_review_allowed?: boolean;
}

export interface OrganizationReviewInput {
  /** How many reviewers work needs. */
  min_reviewers?: number | null;
  /** Roles that must be among the reviewers, free text. */
  required_reviewer_roles?: string[] | null;
  /** Whether authors may review their own work. */
  self_review_allowed?: boolean | null;
}

/** Who approves one type of action. */
export interface ApprovalChain {
  /** What needs approval; unique in the department. */
  action_type: string;
  approvers: string[];
  min_approvals: number;
}

export interface CreateApprovalChain {
  /** What needs approval; unique in the department. */
  action_type: string;
  approvers: string[];
  /** How many must approve, at most as many as there are; 0 means all. */
  min_approvals?: number | null;
}

/** An agent: its identity, the fields that are not versioned, and the record's own numbers and times. */
export interface AgentConfig {
  id: string;
  name: string;
  role: string;
  /** Name of the agent's department. */
  department: string;
  description: string;
  level: AgentLevel;
  status: AgentStatus;
  personality: Personality;
  skills: Skills;
  /** The language model that drives the agent; null if none is assigned. */
  model: Model | null;
  memory: Memory;
  tools: Tools;
  authority: Authority;
  /** Null inherits the department's. */
  autonomy_level: AutonomyLevel | null;
  /** Null if the agent takes no part in strategy. */
  strategic_output_mode: StrategicOutputMode | null;
  instructions: string;
  hiring_date: string;
  metadata: Record<string, unknown>;
  personality_preset: string | null;
  /** The class of model that the agent should have. */
  tier: ModelTier | null;
  /** What the agent needs of a model, free-form. */
  model_requirement: Record<string, unknown> | null;
  /** Who answers for the agent: the subject of a token. */
  owner: string | null;
  /** What agents are grouped by, in the order in which they were given. */
  tags: string[];
  /** Number of the current version of the identity. */
  version: number;
  revision: number;
  created_at: string;
  updated_at: string;
}

/** The versioned part of an agent. */
export interface AgentIdentity {
  id: string;
  name: string;
  role: string;
  /** Name of the agent's department. */
  department: string;
  description: string;
  level: AgentLevel;
  status: AgentStatus;
  personality: Personality;
  skills: Skills;
  /** The language model that drives the agent; null if none is assigned. */
  model: Model | null;
  memory: Memory;
  tools: Tools;
  authority: Authority;
  /** Null inherits the department's. */
  autonomy_level: AutonomyLevel | null;
  /** Null if the agent takes no part in strategy. */
  strategic_output_mode: StrategicOutputMode | null;
  instructions: string;
  hiring_date: string;
  metadata: Record<string, unknown>;
}

/** An agent in a list. */
export interface AgentSummary {
  id: string;
  name: string;
  role: string;
  /** Name of the agent's department. */
  department: string;
  description: string;
  level: AgentLevel;
  status: AgentStatus;
  personality: Personality;
  skills: Skills;
  /** The language model that drives the agent; null if none is assigned. */
  model: Model | null;
  memory: Memory;
  tools: Tools;
  authority: Authority;
  /** Null inherits the department's. */
  autonomy_level: AutonomyLevel | null;
  /** Null if the agent takes no part in strategy. */
  strategic_output_mode: StrategicOutputMode | null;
  instructions?: string;
  hiring_date: string;
  metadata: Record<string, unknown>;
  personality_preset: string | null;
  /** The class of model that the agent should have. */
  tier: ModelTier | null;
  /** What the agent needs of a model, free-form. */
  model_requirement: Record<string, unknown> | null;
  /** Who answers for the agent: the subject of a token. */
  owner: string | null;
  /** What agents are grouped by, in the order in which they were given. */
  tags: string[];
  /** Number of the current version of the identity. */
  version: number;
  revision: number;
  created_at: string;
  updated_at: string;
  /** The first places where the text of `search` stands, which only that list has. */
  matches?: SearchMatch[];
}

/** An agent in a document. */
export interface OrganizationAgent {
  name: string;
  role: string;
  /** Name of the agent's department. */
  department: string;
  description: string;
  level: AgentLevel;
  status: AgentStatus;
  personality: Personality;
  skills: Skills;
  /** The language model that drives the agent; null if none is assigned. */
  model: Model | null;
  memory: Memory;
  tools: Tools;
  authority: OrganizationAuthority;
  /** Null inherits the department's. */
  autonomy_level: AutonomyLevel | null;
  /** Null if the agent takes no part in strategy. */
  strategic_output_mode: StrategicOutputMode | null;
  instructions: string;
  hiring_date: string;
  metadata: Record<string, unknown>;
  personality_preset: string | null;
  /** The class of model that the agent should have. */
  tier: ModelTier | null;
  /** What the agent needs of a model, free-form. */
  model_requirement: Record<string, unknown> | null;
  /** Who answers for the agent: the subject of a token. */
  owner: string | null;
  /** What agents are grouped by, in the order in which they were given. */
  tags: string[];
}

/** A new agent. */
export interface CreateAgentOrgRequest {
  name: string;
  role: string;
  /** Name of an existing department. */
  department: string;
  /** The agent in words. */
  description?: string | null;
  level?: AgentLevel | null;
  status?: AgentStatus | null;
  personality?: CreatePersonality | null;
  skills?: CreateSkills | null;
  /** The language model that drives the agent; null if none is assigned. */
  model?: CreateModel | null;
  /** Short form of `model.provider`. */
  model_provider?: string | null;
  /** Short form of `model.model_id`. */
  model_id?: string | null;
  memory?: CreateMemory | null;
  tools?: CreateTools | null;
  authority?: CreateAuthority | null;
  /** Null inherits the department's. */
  autonomy_level?: AutonomyLevel | null;
  /** Null if the agent takes no part in strategy. */
  strategic_output_mode?: StrategicOutputMode | null;
  /** The system prompt, at most 128 KiB of UTF-8. */
  instructions?: string | null;
  /** Today if absent. */
  hiring_date?: string | null;
  /** Free-form, empty if absent. */
  metadata?: Record<string, unknown> | null;
  personality_preset?: string | null;
  /** The class of model that the agent should have. */
  tier?: ModelTier | null;
  /** What the agent needs of a model, free-form. */
  model_requirement?: Record<string, unknown> | null;
  /** Who answers for the agent: the subject of a token. */
  owner?: string | null;
  /** What agents are grouped by, in the order in which they were given. */
  tags?: string[] | null;
}

/** A merge patch of an agent. */
export interface UpdateAgentOrgRequest {
  name?: string;
  role?: string;
  /** Name of an existing department. */
  department?: string;
  description?: string;
  level?: AgentLevel;
  status?: AgentStatus;
  personality?: UpdatePersonality;
  skills?: UpdateSkills;
  /** Merged; null takes the model away. */
  model?: UpdateModel | null;
  /** Short form of `model.provider`. */
  model_provider?: string;
  /** Short form of `model.model_id`. */
  model_id?: string;
  memory?: UpdateMemory;
  tools?: UpdateTools;
  authority?: UpdateAuthority;
  /** Null inherits the department's. */
  autonomy_level?: AutonomyLevel | null;
  /** Null if the agent takes no part in strategy. */
  strategic_output_mode?: StrategicOutputMode | null;
  instructions?: string;
  /** Merged key by key; null removes a key. */
  metadata?: Record<string, unknown>;
  personality_preset?: string | null;
  /** The class of model that the agent should have. */
  tier?: ModelTier | null;
  /** Merged key by key; null clears it. */
  model_requirement?: Record<string, unknown> | null;
  /** Who answers for the agent: the subject of a token. */
  owner?: string | null;
  /** Replaces the whole list. */
  tags?: string[];
}

/** An agent. */
export interface OrganizationAgentInput {
  name: string;
  /** The name of the agent that is renamed. */
  previous_name?: string | null;
  as_of?: AsOf | null;
  /** What the agent is there for. */
  role?: string | null;
  /** A department that exists or is in the document. */
  department?: string | null;
  /** The agent in words. */
  description?: string | null;
  level?: AgentLevel | null;
  status?: AgentStatus | null;
  personality?: OrganizationPersonalityInput | null;
  skills?: OrganizationSkillsInput | null;
  /** Merged; null takes the model away. */
  model?: OrganizationModelInput | null;
  /** Short form of `model.provider`. */
  model_provider?: string | null;
  /** Short form of `model.model_id`. */
  model_id?: string | null;
  memory?: OrganizationMemoryInput | null;
  tools?: OrganizationToolsInput | null;
  authority?: OrganizationAuthorityInput | null;
  /** Null inherits the department's. */
  autonomy_level?: AutonomyLevel | null;
  /** Null if the agent takes no part in strategy. */
  strategic_output_mode?: StrategicOutputMode | null;
  /** The system prompt, at most 128 KiB of UTF-8. */
  instructions?: string | null;
  /** Of a new agent, today if absent. */
  hiring_date?: string | null;
  /** Replaced as a whole. */
  metadata?: Record<string, unknown> | null;
  personality_preset?: string | null;
  /** The class of model that the agent should have. */
  tier?: ModelTier | null;
  /** Replaced as a whole; null clears it. */
  model_requirement?: Record<string, unknown> | null;
  /** Who answers for the agent: the subject of a token. */
  owner?: string | null;
  /** Replaces the whole list. */
  tags?: string[] | null;
}

/** A place where a text was found. */
export interface SearchMatch {
  /** `name`, `role`, `description`, `tags` or `instructions`. */
  field: string;
  /** Number of its line in the field. */
  line: number;
  /** Text around the place, of its line as far as there is room. */
  text: string;
}

/** How an agent behaves. */
export interface Personality {
  /** What stands out. */
  traits: string[];
  communication_style: string;
  description: string;
  /** How much risk is taken. */
  risk_tolerance: Degree;
  /** How freely ideas come. */
  creativity: Degree;
  openness: number;
  conscientiousness: number;
  extraversion: number;
  agreeableness: number;
  stress_response: number;
  decision_making: DecisionMaking;
  collaboration: Collaboration;
  verbosity: Verbosity;
  conflict_approach: ConflictApproach;
}

export interface CreatePersonality {
  /** What stands out. */
  traits?: string[] | null;
  /** How the agent talks. */
  communication_style?: string | null;
  /** The personality in words. */
  description?: string | null;
  /** How much risk is taken. */
  risk_tolerance?: Degree | null;
  /** How freely ideas come. */
  creativity?: Degree | null;
  /** A degree from 0 to 1. */
  openness?: number | null;
  /** A degree from 0 to 1. */
  conscientiousness?: number | null;
  /** A degree from 0 to 1. */
  extraversion?: number | null;
  /** A degree from 0 to 1. */
  agreeableness?: number | null;
  /** A degree from 0 to 1. */
  stress_response?: number | null;
  decision_making?: DecisionMaking | null;
  collaboration?: Collaboration | null;
  verbosity?: Verbosity | null;
  conflict_approach?: ConflictApproach | null;
}

export interface UpdatePersonality {
  /** What stands out. */
  traits?: string[];
  communication_style?: string;
  description?: string;
  /** How much risk is taken. */
  risk_tolerance?: Degree;
  /** How freely ideas come. */
  creativity?: Degree;
  openness?: number;
  conscientiousness?: number;
  extraversion?: number;
  agreeableness?: number;
  stress_response?: number;
  decision_making?: DecisionMaking;
  collaboration?: Collaboration;
  verbosity?: Verbosity;
  conflict_approach?: ConflictApproach;
}

export interface OrganizationPersonalityInput {
  /** What stands out. */
  traits?: string[] | null;
  /** How the agent talks. */
  communication_style?: string | null;
  /** The personality in words. */
  description?: string | null;
  /** How much risk is taken. */
  risk_tolerance?: Degree | null;
  /** How freely ideas come. */
  creativity?: Degree | null;
  /** A degree from 0 to 1. */
  openness?: number | null;
  /** A degree from 0 to 1. */
  conscientiousness?: number | null;
  /** A degree from 0 to 1. */
  extraversion?: number | null;
  /** A degree from 0 to 1. */
  agreeableness?: number | null;
  /** A degree from 0 to 1. */
  stress_response?: number | null;
  decision_making?: DecisionMaking | null;
  collaboration?: Collaboration | null;
  verbosity?: Verbosity | null;
  conflict_approach?: ConflictApproach | null;
}

/** What an agent can do. */
export interface Skills {
  /** What the agent is hired for. */
  primary: Skill[];
  /** What it can do besides. */
  secondary: Skill[];
}

export interface CreateSkills {
  /** What the agent is hired for. */
  primary?: CreateSkill[] | null;
  /** What it can do besides. */
  secondary?: CreateSkill[] | null;
}

export interface UpdateSkills {
  /** What the agent is hired for; replaces the whole list. */
  primary?: CreateSkill[];
  /** What it can do besides; replaces the whole list. */
  secondary?: CreateSkill[];
}

export interface OrganizationSkillsInput {
  /** What the agent is hired for; replaces the whole list. */
  primary?: CreateSkill[] | null;
  /** What it can do besides; replaces the whole list. */
  secondary?: CreateSkill[] | null;
}

/** Something that an agent can do. */
export interface Skill {
  /** Unique among all skills of the agent. */
  id: string;
  name: string;
  description: string;
  tags: string[];
  /** Media types that the skill takes. */
  input_modes: string[];
  /** Media types that the skill gives. */
  output_modes: string[];
  proficiency: number;
}

export interface CreateSkill {
  /** Unique in its list (400/2001) and among all skills of the agent (400/2000). */
  id: string;
  name: string;
  /** The skill in words. */
  description?: string | null;
  tags?: string[] | null;
  /** Media types that the skill takes, each once; `text/plain` alone if absent. */
  input_modes?: string[] | null;
  /** Media types that the skill gives, each once; `text/plain` alone if absent. */
  output_modes?: string[] | null;
  /** A degree from 0 to 1. */
  proficiency?: number | null;
}

/** A language model. */
export interface Model {
  provider: string;
  model_id: string;
  temperature: number;
  max_tokens: number;
  fallback_model: string | null;
  /** The class of the model. */
  model_tier: ModelTier | null;
}

export interface CreateModel {
  provider: string;
  model_id: string;
  /** Sampling temperature. */
  temperature?: number | null;
  /** Most tokens of one answer. */
  max_tokens?: number | null;
  fallback_model?: string | null;
  /** The class of the model. */
  model_tier?: ModelTier | null;
}

/** Merged into the model; an agent without one needs `provider` and `model_id` (400/2000). */
export interface UpdateModel {
  provider?: string;
  model_id?: string;
  temperature?: number;
  max_tokens?: number;
  fallback_model?: string | null;
  /** The class of the model. */
  model_tier?: ModelTier | null;
}

/** Merged into the model; an agent without one needs `provider` and `model_id` (400/2000). */
export interface OrganizationModelInput {
  /** A short text. */
  provider?: string | null;
  /** A short text. */
  model_id?: string | null;
  /** Sampling temperature. */
  temperature?: number | null;
  /** Most tokens of one answer. */
  max_tokens?: number | null;
  fallback_model?: string | null;
  /** The class of the model. */
  model_tier?: ModelTier | null;
}

/** What an agent remembers. */
export interface Memory {
  type: MemoryType;
  /** How many days memory is kept; null means no limit. */
  retention_days: number | null;
  /** Retention of single categories, each once. */
  retention_overrides: RetentionOverride[];
}

/** Type `none` goes with neither `retention_days` nor overrides (400/2000). */
export interface CreateMemory {
  type?: MemoryType | null;
  /** How many days memory is kept; null means no limit. */
  retention_days?: number | null;
  /** Retention of single categories, each once. */
  retention_overrides?: CreateRetentionOverride[] | null;
}

/** Type `none` goes with neither `retention_days` nor overrides (400/2000). */
export interface UpdateMemory {
  type?: MemoryType;
  /** How many days memory is kept; null means no limit. */
  retention_days?: number | null;
  /** Retention of single categories, each once. */
  retention_overrides?: CreateRetentionOverride[];
}

/** Type `none` goes with neither `retention_days` nor overrides (400/2000). */
export interface OrganizationMemoryInput {
  type?: MemoryType | null;
  /** How many days memory is kept; null means no limit. */
  retention_days?: number | null;
  /** Retention of single categories, each once. */
  retention_overrides?: CreateRetentionOverride[] | null;
}

/** How long memory of one category is kept. */
export interface RetentionOverride {
  category: MemoryCategory;
  retention_days: number;
}

export interface CreateRetentionOverride {
  category: MemoryCategory;
  retention_days: number;
}

/** What an agent may use. */
export interface Tools {
  access_level: ToolAccessLevel;
  /** Tools that may be used besides those of the access level. */
  allowed: string[];
  /** Tools that may not be used; none of them is also allowed. */
  denied: string[];
  /** Capabilities granted on tool servers. */
  mcp_capabilities: string[];
  /** Narrower rules; null means those of the access level. */
  sub_constraints: ToolSubConstraints | null;
}

/** No tool is both allowed and denied (400/2000). */
export interface CreateTools {
  access_level?: ToolAccessLevel | null;
  /** Tools that may be used besides those of the access level. */
  allowed?: string[] | null;
  /** Tools that may not be used; none of them is also allowed. */
  denied?: string[] | null;
  /** Capabilities granted on tool servers. */
  mcp_capabilities?: string[] | null;
  /** Narrower rules; null means those of the access level. */
  sub_constraints?: CreateToolSubConstraints | null;
}

/** No tool is both allowed and denied (400/2000). */
export interface UpdateTools {
  access_level?: ToolAccessLevel;
  /** Tools that may be used besides those of the access level. */
  allowed?: string[];
  /** Tools that may not be used; none of them is also allowed. */
  denied?: string[];
  /** Capabilities granted on tool servers. */
  mcp_capabilities?: string[];
  /** Narrower rules; null means those of the access level. */
  sub_constraints?: UpdateToolSubConstraints | null;
}

/** No tool is both allowed and denied (400/2000). */
export interface OrganizationToolsInput {
  access_level?: ToolAccessLevel | null;
  /** Tools that may be used besides those of the access level. */
  allowed?: string[] | null;
  /** Tools that may not be used; none of them is also allowed. */
  denied?: string[] | null;
  /** Capabilities granted on tool servers. */
  mcp_capabilities?: string[] | null;
  /** Narrower rules; null means those of the access level. */
  sub_constraints?: OrganizationSubConstraintsInput | null;
}

/** What narrows an access level. */
export interface ToolSubConstraints {
  file_system: FileSystemAccess;
  network: NetworkAccess;
  git: GitAccess;
  code_execution: CodeExecution;
  terminal: TerminalAccess;
  /** Tools that need approval. */
  requires_approval: string[];
  /** Hosts that may be reached with `allowlist_only`. */
  network_allowlist: string[];
}

/** What is not given is the narrowest choice. */
export interface CreateToolSubConstraints {
  file_system?: FileSystemAccess | null;
  network?: NetworkAccess | null;
  git?: GitAccess | null;
  code_execution?: CodeExecution | null;
  terminal?: TerminalAccess | null;
  /** Tools that need approval. */
  requires_approval?: string[] | null;
  /** Hosts that may be reached with `allowlist_only`. */
  network_allowlist?: string[] | null;
}

export interface UpdateToolSubConstraints {
  file_system?: FileSystemAccess;
  network?: NetworkAccess;
  git?: GitAccess;
  code_execution?: CodeExecution;
  terminal?: TerminalAccess;
  /** Tools that need approval. */
  requires_approval?: string[];
  /** Hosts that may be reached with `allowlist_only`. */
  network_allowlist?: string[];
}

export interface OrganizationSubConstraintsInput {
  file_system?: FileSystemAccess | null;
  network?: NetworkAccess | null;
  git?: GitAccess | null;
  code_execution?: CodeExecution | null;
  terminal?: TerminalAccess | null;
  /** Tools that need approval. */
  requires_approval?: string[] | null;
  /** Hosts that may be reached with `allowlist_only`. */
  network_allowlist?: string[] | null;
}

/** What an agent may decide. */
export interface Authority {
  /** What the agent may approve, free text. */
  can_approve: string[];
  /** Id of the agent that it answers to. */
  reports_to: string | null;
  /** Ids of the agents that it may hand work to. */
  can_delegate_to: string[];
  /** What it may spend; 0 means nothing without approval. */
  budget_limit: number;
}

/** What an agent may decide, with other agents by name. */
export interface OrganizationAuthority {
  /** What the agent may approve, free text. */
  can_approve: string[];
  /** Name of the agent that it answers to. */
  reports_to: string | null;
  /** Names of the agents that it may hand work to. */
  can_delegate_to: string[];
  /** What it may spend; 0 means nothing without approval. */
  budget_limit: number;
}

export interface CreateAuthority {
  /** What the agent may approve, free text. */
  can_approve?: string[] | null;
  /** Id or name of the agent that it answers to. */
  reports_to?: string | null;
  /** Ids or names of the agents that it may hand work to, each agent once. */
  can_delegate_to?: string[] | null;
  /** Units of the company's currency, less than 1 000 000 000, with at most 9 decimals. */
  budget_limit?: number | null;
}

/** Nobody reports to itself (400/2000). */
export interface UpdateAuthority {
  /** What the agent may approve, free text. */
  can_approve?: string[];
  /** Id or name of the agent that it answers to. */
  reports_to?: string | null;
  /** Ids or names of the agents that it may hand work to, each agent once. */
  can_delegate_to?: string[];
  budget_limit?: number;
}

/** Nobody reports to itself (400/2000). */
export interface OrganizationAuthorityInput {
  /** What the agent may approve, free text. */
  can_approve?: string[] | null;
  /** Id or name of the agent that it answers to. */
  reports_to?: string | null;
  /** Ids or names of the agents that it may hand work to, each agent once. */
  can_delegate_to?: string[] | null;
  /** Units of the company's currency, less than 1 000 000 000, with at most 9 decimals. */
  budget_limit?: number | null;
}

/** Work that agents do together. */
export interface Project {
  /** Never used again. */
  id: string;
  name: string;
  description: string;
  /** Ids of the agents that work on it; deleted agents are left out. */
  team: string[];
  /** Id of the agent that leads it; null also if that agent was deleted. */
  lead: string | null;
  /** Ids of its tasks in other systems. */
  task_ids: string[];
  /** When it should be done. */
  deadline: string | null;
  budget: number;
  status: ProjectStatus;
  revision: number;
  created_at: string;
  updated_at: string;
}

/** A new project. */
export interface CreateProjectRequest {
  name: string;
  /** What the project is about. */
  description?: string | null;
  /** Ids or names of the agents that work on it. */
  team?: string[] | null;
  /** Id or name of the agent that leads it. */
  lead?: string | null;
  deadline?: string | null;
  /** Units of the company's currency, less than 1 000 000 000, with at most 9 decimals. */
  budget?: number | null;
}

/** A merge patch of a project. */
export interface UpdateProjectRequest {
  name?: string;
  description?: string;
  /** Replaces the whole team. */
  team?: string[];
  /** Null clears it. */
  lead?: string | null;
  /** Replaces all of them. */
  task_ids?: string[];
  /** When it should be done. */
  deadline?: string | null;
  budget?: number;
  status?: ProjectStatus;
}

/** An address that events are sent to. */
export interface Webhook {
  id: string;
  url: string;
  event_types: string[];
  departments: string[];
  enabled: boolean;
  disabled_reason: WebhookDisabledReason;
  revision: number;
  created_at: string;
  updated_at: string;
}

/** A webhook with the key that its messages are signed with. */
export interface WebhookWithSecret {
  id: string;
  url: string;
  event_types: string[];
  departments: string[];
  enabled: boolean;
  disabled_reason: WebhookDisabledReason;
  revision: number;
  created_at: string;
  updated_at: string;
  /** The key that messages are signed with. */
  secret: string;
}

/** A new webhook. */
export interface CreateWebhookRequest {
  url: string;
  event_types?: string[] | null;
  departments?: string[] | null;
  /** Whether messages are sent. */
  enabled?: boolean | null;
}

/** A merge patch of a webhook. */
export interface UpdateWebhookRequest {
  url?: string;
  event_types?: string[];
  departments?: string[];
  enabled?: boolean;
}

/** The token to issue. */
export interface IssueTokenRequest {
  subject: string;
  role: Role;
  /** Departments that a `department_admin` is responsible for, or of whose agents a `reporter` reports (none are all). */
  departments?: string[] | null;
  /** What the token is for. */
  label?: string | null;
  /** How long the token lives. */
  ttl_seconds?: number | null;
}

/** A sign-in link. */
export interface SignInLink {
  /** The code of the link. */
  code: string;
  expires_at: string;
  /** The link; null without a `--public-url`, or a console. */
  url: string | null;
}

export interface MakeLinkRequest {
  subject: string;
  role: Role;
  /** Departments that a `department_admin` is responsible for, or of whose agents a `reporter` reports (none are all). */
  departments?: string[] | null;
  /** What the session is for. */
  label?: string | null;
  /** How long the link can be used. */
  ttl_seconds?: number | null;
}

/** An agent has begun a task. */
export interface TaskStartedEntry {
  id?: string | null;
  event_type: "task_started";
  agent: string;
  timestamp?: string | null;
  description?: string | null;
  /** At most 64 pairs of short texts, none if absent. */
  related_ids?: Record<string, string> | null;
  data: TaskStartedData;
}

/** A task has ended, with or without success. */
export interface TaskCompletedEntry {
  id?: string | null;
  event_type: "task_completed";
  agent: string;
  timestamp?: string | null;
  description?: string | null;
  /** At most 64 pairs of short texts, none if absent. */
  related_ids?: Record<string, string> | null;
  data: TaskCompletedData;
}

/** Money was spent; it counts for the agent and its department. */
export interface CostIncurredEntry {
  id?: string | null;
  event_type: "cost_incurred";
  agent: string;
  timestamp?: string | null;
  description?: string | null;
  /** At most 64 pairs of short texts, none if absent. */
  related_ids?: Record<string, string> | null;
  data: CostIncurredData;
}

/** A tool was used. */
export interface ToolUsedEntry {
  id?: string | null;
  event_type: "tool_used";
  agent: string;
  timestamp?: string | null;
  description?: string | null;
  /** At most 64 pairs of short texts, none if absent. */
  related_ids?: Record<string, string> | null;
  data: ToolUsedData;
}

/** Work was handed over, or taken over. */
export interface DelegationEntry {
  id?: string | null;
  event_type: "delegation_sent" | "delegation_received";
  agent: string;
  timestamp?: string | null;
  description?: string | null;
  /** At most 64 pairs of short texts, none if absent. */
  related_ids?: Record<string, string> | null;
  data: DelegationData;
}

/** What an event reports, at most 16 KiB. */
export interface TaskStartedData {
  task_id: string;
  /** The version of the agent that caused it. */
  agent_version?: number | null;
  [key: string]: unknown;
}

/** What an event reports, at most 16 KiB. */
export interface TaskCompletedData {
  task_id: string;
  /** Whether the task was completed or failed. */
  success: boolean;
  /** How long it took. */
  duration_seconds?: number | null;
  quality_score?: number | null;
  /** What the task cost. */
  cost?: number | null;
  tokens?: number | null;
  /** The version of the agent that caused it. */
  agent_version?: number | null;
  [key: string]: unknown;
}

/** What an event reports, at most 16 KiB. */
export interface CostIncurredData {
  amount: number;
  /** A short text. */
  model?: string | null;
  input_tokens?: number | null;
  output_tokens?: number | null;
  /** The version of the agent that caused it. */
  agent_version?: number | null;
  [key: string]: unknown;
}

/** What an event reports, at most 16 KiB. */
export interface ToolUsedData {
  tool: string;
  /** Whether the tool did what it should. */
  success: boolean;
  /** The version of the agent that caused it. */
  agent_version?: number | null;
  [key: string]: unknown;
}

/** What an event reports, at most 16 KiB. */
export interface DelegationData {
  task_id: string;
  /** The other agent, free text. */
  counterpart?: string | null;
  /** How well it went; feeds the collaboration score. */
  score?: number | null;
  /** The version of the agent that caused it. */
  agent_version?: number | null;
  [key: string]: unknown;
}

/** A change, without its values. */
export interface ChangeEvent {
  id: string;
  timestamp: string;
  action: ChangeAction;
  resource: ChangedResource;
  /** The department that was changed, or that the agent was in after the change. */
  department: string | null;
  actor: string;
  /** Why, as the actor put it: `Change-Reason` of the request. */
  reason: string | null;
  /** Revision before the change; null for a creation. */
  from_revision: number | null;
  /** Revision after the change; null for a deletion. */
  to_revision: number | null;
  /** The agent's version before the change; null for a new agent and for what is no agent. */
  from_version: number | null;
  /** The agent's version after the change; null for a deleted agent and for what is no agent. */
  to_version: number | null;
  /** Fields that changed, as dotted paths, sorted. */
  changed_fields: string[];
  /** How much changed, in words. */
  summary: string;
  /** The label that was moved. */
  label: string | null;
  /** The proposal that the change came from. */
  proposal_id: string | null;
  way: ChangeWay;
}

/** What was changed. */
export interface ChangedResource {
  /** Such as `agent` or `department`. */
  type: string;
  /** Its id; the name of a department, and `company` for the company. */
  id: string;
  /** Its name after the change; of what was deleted, before. */
  name: string;
}

/** A change that was made. */
export interface AuditEntry {
  id: string;
  timestamp: string;
  actor: string;
  /** What was done: an action of the change log, or one such as `session.issued`, `webhook.created`, `activities.reported`. */
  action: string | null;
  /** Method and path template of the request, or what the service was doing. */
  route: string;
  /** What changed. */
  resource: string;
  /** Revision before the change; null for a creation and for what has no revision. */
  revision_from: number | null;
  /** Revision after the change; null for a deletion and for what has no revision. */
  revision_to: number | null;
  /** `X-Request-Id` of the request, or the delivery that made the service disable a webhook. */
  request_id: string;
  /** What the change log shows of the entry; null for what is not in it. */
  change: ChangeEvent | null;
}

/** A name for a version of an agent. */
export interface Label {
  /** Its name; `latest` always names the newest version. */
  label: string;
  /** The version that it names. */
  version: number;
  /** Whether it names this version for ever. */
  fixed: boolean;
  /** Whether the agent's department protects it. */
  protected: boolean;
  set_by: string;
  set_at: string;
  /** Why, in the caller's words. */
  reason: string | null;
}

/** What the label is to name. */
export interface PutLabelRequest {
  /** The version that it names. */
  version: number;
  /** true has it name this version for ever: it is never moved or removed again. */
  fixed?: boolean | null;
  /** Why, in the caller's words. */
  reason?: string | null;
}

/** An entry of the history of a label. */
export interface LabelMove {
  /** The version that it named from then on; null if it was removed, or its agent deleted. */
  version: number | null;
  /** The version that it named until then; null if it was new. */
  from_version: number | null;
  by: string;
  at: string;
  reason: string | null;
  way: ChangeWay;
}

/** An agent as it is now, and the version of its identity that a label names. */
export interface ResolvedAgent {
  agent_id: string;
  /** The agent's current name. */
  name: string;
  /** The agent's current department. */
  department: string;
  /** The agent's current status, whatever `snapshot` says. */
  status: AgentStatus;
  label: string;
  /** The version that the label names. */
  version: number;
  content_hash: string;
  /** The version's identity as it was stored: the text that `content_hash` is of. */
  snapshot: AgentIdentity;
}

/** An agent that was deleted. */
export interface DeletedAgent {
  id: string;
  /** Its last name. */
  name: string;
  /** The department that it was in. */
  department: string;
  deleted_at: string;
  deleted_by: string;
}

/** What an agent comes back as. */
export interface RestoreAgentRequest {
  /** Another name than its last one. */
  name?: string | null;
  /** Another department than the one that it was in. */
  department?: string | null;
}

/** How a department is doing. */
export interface DepartmentHealth {
  department_name: string;
  /** Agents in the department now. */
  agent_count: number;
  /** Those of them with status `active`. */
  active_agent_count: number;
  currency: string;
  /** Mean quality score of the last 30 days. */
  avg_performance_score: number | null;
  /** Cost of the last seven UTC days, today included. */
  department_cost_7d: number;
  /** The same day by day, oldest first. */
  cost_trend: CostPoint[];
  /** Mean delegation score of the last 30 days. */
  collaboration_score: number | null;
  /** Active agents of all agents, two decimals; 0 without agents. */
  utilization_percent: number;
}

/** What was spent on one day. */
export interface CostPoint {
  /** Beginning of the day. */
  timestamp: string;
  value: number;
}

/** What an agent did in a window. */
export interface PerformanceWindow {
  window_size: WindowSize;
  /** Finished tasks, with or without success. */
  data_point_count: number;
  tasks_completed: number;
  tasks_failed: number;
  avg_quality_score: number | null;
  avg_cost_per_task: number | null;
  currency: string;
  avg_completion_time_seconds: number | null;
  avg_tokens_per_task: number | null;
  /** Successes of all finished tasks. */
  success_rate: number | null;
  collaboration_score: number | null;
}

/** What an agent, a department or the company did on each of the last days. */
export interface DailyFigures {
  currency: string;
  /** The first day of all time of which anything was reported that counts in figures. */
  first_date: string | null;
  /** The days, the oldest first, without gaps. */
  days: DayFigures[];
}

/** What was done on one day. */
export interface DayFigures {
  date: string;
  /** Finished tasks that succeeded. */
  tasks_completed: number;
  /** Finished tasks that failed. */
  tasks_failed: number;
  /** What was spent. */
  cost: number;
}

/** What a department did in 30 days. */
export interface DepartmentFigures {
  department_name: string;
  /** Agents in the department now. */
  agent_count: number;
  /** Those of them with status `active`. */
  active_agent_count: number;
  /** Finished tasks that succeeded. */
  tasks_completed: number;
  /** Finished tasks that failed. */
  tasks_failed: number;
  /** Completed tasks of all finished ones, four decimals. */
  success_rate: number | null;
  /** What was spent. */
  cost: number;
  /** What was spent on the 30 days before. */
  cost_before: number;
  /** How many of these 30 days there are figures of, counted from the first day of which anything was reported. */
  cost_before_days: number;
  currency: string;
}

/** An agent as it is now, and what it did in a window. */
export interface AgentFigures {
  agent_id: string;
  name: string;
  role: string;
  /** Name of the agent's department. */
  department: string;
  level: AgentLevel;
  status: AgentStatus;
  /** Who answers for the agent: the subject of a token. */
  owner: string | null;
  tags: string[];
  /** Its labels, in the order of their names, without `latest`. */
  labels: AgentLabel[];
  /** Finished tasks that succeeded. */
  tasks_completed: number;
  /** Finished tasks that failed. */
  tasks_failed: number;
  /** Completed tasks of all finished ones, six decimals. */
  success_rate: number | null;
  /** Mean score of finished tasks, four decimals. */
  quality_score: number | null;
  /** What was spent. */
  cost: number;
  /** What was spent in the window of the same length before. */
  cost_before: number;
  /** How many days of that window there are figures of, counted from the first day of which anything was reported. */
  cost_before_days: number;
  /** Time of its newest event of any type; null if there is none. */
  last_active_at: string | null;
}

/** A label of an agent. */
export interface AgentLabel {
  label: string;
  /** The version that it names. */
  version: number;
}

/** One runtime event; `event_type` says what `data` holds. */
export type ActivityEntry = TaskStartedEntry | TaskCompletedEntry | CostIncurredEntry | ToolUsedEntry | DelegationEntry;
