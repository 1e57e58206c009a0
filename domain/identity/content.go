// Package identity holds what an agent is: the versioned part of an agent, its
// numbered history, and the difference between two points of that history.
//
// A [Content] has exactly one JSON form, which is canonical (RFC 8785). It is
// what the content hash covers, what stores keep and what clients read.
package identity

import (
	"slices"
	"time"

	"orgd/domain/decimal"
	"orgd/domain/jsondoc"
	"orgd/domain/money"
	"orgd/domain/name"
)

// ID identifies an agent for ever: a UUIDv7 in lower-case text form.
type ID string

// Level is the seniority of an agent.
type Level string

// The levels in ascending order.
const (
	Junior    Level = "junior"
	Mid       Level = "mid"
	Senior    Level = "senior"
	Lead      Level = "lead"
	Principal Level = "principal"
	Director  Level = "director"
	VP        Level = "vp"
	CSuite    Level = "c_suite"
)

var levels = []Level{Junior, Mid, Senior, Lead, Principal, Director, VP, CSuite}

// ParseLevel returns the level that s names.
func ParseLevel(s string) (Level, error) { return parseWord("level", s, levels) }

// Compare is negative, zero or positive as l is below, at or above m.
func (l Level) Compare(m Level) int { return slices.Index(levels, l) - slices.Index(levels, m) }

// Status says where an agent stands in its employment. The moves between
// statuses are a rule of package agent.
type Status string

// The statuses of an agent.
const (
	Active     Status = "active"
	Onboarding Status = "onboarding"
	OnLeave    Status = "on_leave"
	Terminated Status = "terminated"
)

var statuses = []Status{Active, Onboarding, OnLeave, Terminated}

// ParseStatus returns the status that s names.
func ParseStatus(s string) (Status, error) { return parseWord("status", s, statuses) }

// Autonomy is how freely an agent, a department or a company acts.
type Autonomy string

// The autonomy levels in ascending order.
const (
	Locked     Autonomy = "locked"
	Supervised Autonomy = "supervised"
	Semi       Autonomy = "semi"
	Full       Autonomy = "full"
)

// Autonomies lists every autonomy level in ascending order.
func Autonomies() []Autonomy { return []Autonomy{Locked, Supervised, Semi, Full} }

// OutputMode is how an agent takes part in strategy.
type OutputMode string

// The strategic output modes.
const (
	OptionExpander   OutputMode = "option_expander"
	Advisor          OutputMode = "advisor"
	DecisionMaker    OutputMode = "decision_maker"
	ContextDependent OutputMode = "context_dependent"
)

// Date is a calendar day in UTC, written YYYY-MM-DD.
type Date string

// DateOf returns the UTC day of t.
func DateOf(t time.Time) Date { return Date(t.UTC().Format(time.DateOnly)) }

// Content is the versioned part of an agent.
type Content struct {
	ID           ID
	Name         name.Name
	Role         string // 1..128
	Department   name.Name
	Description  string // ..8192
	Level        Level
	Status       Status
	Personality  Personality
	Skills       Skills
	Model        *Model // nil: none assigned
	Memory       Memory
	Tools        Tools
	Authority    Authority
	Autonomy     *Autonomy   // nil: inherited
	OutputMode   *OutputMode // nil: none
	Instructions string      // the system prompt, ..128 KiB of UTF-8
	HiringDate   Date
	Metadata     jsondoc.Object // free-form, ≤ 16 KiB
}

// Personality is how an agent behaves towards others.
type Personality struct {
	Traits             []string
	CommunicationStyle string // 1..100
	Description        string // ..500
	RiskTolerance      Degree
	Creativity         Degree
	Openness           decimal.Decimal // 0..1, as the four that follow
	Conscientiousness  decimal.Decimal
	Extraversion       decimal.Decimal
	Agreeableness      decimal.Decimal
	StressResponse     decimal.Decimal
	DecisionMaking     string // one of decisionStyles
	Collaboration      string // one of collaborationStyles
	Verbosity          string // one of verbosities
	ConflictApproach   string // one of conflictApproaches
}

// Degree is low, medium or high.
type Degree string

var (
	degrees             = []Degree{"low", "medium", "high"}
	decisionStyles      = []string{"analytical", "intuitive", "consultative", "directive"}
	collaborationStyles = []string{"independent", "pair", "team"}
	verbosities         = []string{"terse", "balanced", "verbose"}
	conflictApproaches  = []string{"avoid", "accommodate", "compete", "compromise", "collaborate"}
)

// Skills are what an agent can do; ids are unique across both lists.
type Skills struct {
	Primary   []Skill
	Secondary []Skill
}

// Skill is one ability, described the way agent directories describe them.
type Skill struct {
	ID          string
	Name        string
	Description string
	Tags        []string
	InputModes  []string // media types
	OutputModes []string // media types
	Proficiency decimal.Decimal
}

// Model is the language model that drives an agent.
type Model struct {
	Provider      string
	ModelID       string
	Temperature   decimal.Decimal // 0..2
	MaxTokens     int64           // ≥ 1
	FallbackModel *string
	Tier          *Tier
}

// Tier is a class of models.
type Tier string

// Tiers lists the model tiers.
func Tiers() []Tier { return []Tier{"large", "medium", "small"} }

// Memory is what an agent remembers and for how long.
type Memory struct {
	Type          MemoryType
	RetentionDays *int64 // ≥ 1; nil: no limit
	Overrides     []RetentionOverride
}

// MemoryType is how long an agent's memory lives.
type MemoryType string

// NoMemory excludes any retention setting.
const NoMemory MemoryType = "none"

var memoryTypes = []MemoryType{"persistent", "project", "session", NoMemory}

// RetentionOverride sets the retention of one category of memory.
type RetentionOverride struct {
	Category      string // one of memoryCategories, unique
	RetentionDays int64  // ≥ 1
}

var memoryCategories = []string{
	"working", "episodic", "semantic", "procedural", "social", "project_doc", "knowledge",
}

// Tools is what an agent may use.
type Tools struct {
	AccessLevel     AccessLevel
	Allowed         []string // disjoint from Denied
	Denied          []string
	MCPCapabilities []string
	Constraints     *SubConstraints // nil: those of the access level
}

// AccessLevel is the class of tools an agent may use; health reports it as the
// trust level.
type AccessLevel string

var accessLevels = []AccessLevel{"sandboxed", "restricted", "standard", "elevated", "custom"}

// SubConstraints narrow the tools of an agent. Their defaults are the
// narrowest of each list.
type SubConstraints struct {
	FileSystem       string
	Network          string
	Git              string
	CodeExecution    string
	Terminal         string
	RequiresApproval []string
	NetworkAllowlist []string
}

var (
	fileSystems    = []string{"workspace_only", "project_directory", "full"}
	networks       = []string{"none", "allowlist_only", "open"}
	gits           = []string{"local_only", "read_and_branch", "full"}
	codeExecutions = []string{"containerized", "process"}
	terminals      = []string{"none", "restricted_commands", "full"}
)

// Authority is what an agent may decide. Its references are agent ids; they
// stay when the agent that they name goes.
type Authority struct {
	CanApprove    []string // free text
	ReportsTo     *string
	CanDelegateTo []string
	BudgetLimit   money.Amount
}
