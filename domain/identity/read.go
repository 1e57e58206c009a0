package identity

import (
	"time"

	"orgd/domain/decimal"
	"orgd/domain/jsondoc"
	"orgd/domain/money"
	"orgd/domain/name"
)

// Bounds of the texts of an identity, in code points, and of its free-form
// object, in bytes.
const (
	maxRole         = 128
	maxDescription  = 8192
	maxInstructions = 128 << 10
	maxMetadata     = 16 << 10
)

// words bounds a list of short texts.
var words = jsondoc.Bounds{MaxItems: 256, MinLen: 1, MaxLen: 256}

// Read merges the writable fields that r has into c. Fields that r has not
// keep their value. Problems are reported to r.
func (c *Content) Read(r *jsondoc.Reader) {
	name.Read(r, "name", &c.Name, name.MaxLength)
	r.Text("role", &c.Role, 1, maxRole)
	name.Read(r, "department", &c.Department, name.MaxLength)
	r.Text("description", &c.Description, 0, maxDescription)
	jsondoc.Enum(r, "level", &c.Level, levels...)
	jsondoc.Enum(r, "status", &c.Status, statuses...)
	r.Object("personality", c.Personality.read)
	r.Object("skills", c.Skills.read)
	c.readModel(r)
	r.Object("memory", c.Memory.read)
	r.Object("tools", c.Tools.read)
	r.Object("authority", c.Authority.read)
	jsondoc.EnumOrNull(r, "autonomy_level", &c.Autonomy, Autonomies()...)
	jsondoc.EnumOrNull(r, "strategic_output_mode", &c.OutputMode,
		OptionExpander, Advisor, DecisionMaker, ContextDependent)
	r.Text("instructions", &c.Instructions, 0, maxInstructions)
	r.Free("metadata", &c.Metadata, maxMetadata)
}

// ReadHiringDate reads the day of hiring, which a client may give at creation
// only.
func (c *Content) ReadHiringDate(r *jsondoc.Reader) {
	var day string
	if r.Text("hiring_date", &day, 0, maxRole); day == "" {
		if r.Has("hiring_date") && !r.Null("hiring_date") {
			r.Fail("hiring_date", "must be a date such as 2026-01-31")
		}
		return
	}
	if _, err := time.Parse(time.DateOnly, day); err != nil {
		r.Fail("hiring_date", "must be a date such as 2026-01-31")
		return
	}
	c.HiringDate = Date(day)
}

func (p *Personality) read(r *jsondoc.Reader) {
	r.Texts("traits", &p.Traits, words)
	r.Text("communication_style", &p.CommunicationStyle, 1, 100)
	r.Text("description", &p.Description, 0, 500)
	jsondoc.Enum(r, "risk_tolerance", &p.RiskTolerance, degrees...)
	jsondoc.Enum(r, "creativity", &p.Creativity, degrees...)
	readShare(r, "openness", &p.Openness)
	readShare(r, "conscientiousness", &p.Conscientiousness)
	readShare(r, "extraversion", &p.Extraversion)
	readShare(r, "agreeableness", &p.Agreeableness)
	readShare(r, "stress_response", &p.StressResponse)
	jsondoc.Enum(r, "decision_making", &p.DecisionMaking, decisionStyles...)
	jsondoc.Enum(r, "collaboration", &p.Collaboration, collaborationStyles...)
	jsondoc.Enum(r, "verbosity", &p.Verbosity, verbosities...)
	jsondoc.Enum(r, "conflict_approach", &p.ConflictApproach, conflictApproaches...)
}

func readShare(r *jsondoc.Reader, field string, dst *decimal.Decimal) {
	r.Decimal(field, dst, "0", "1")
}

func (s *Skills) read(r *jsondoc.Reader) {
	jsondoc.List(r, "primary", &s.Primary, words.MaxItems, readSkill)
	jsondoc.List(r, "secondary", &s.Secondary, words.MaxItems, readSkill)
}

func readSkill(r *jsondoc.Reader, s *Skill) {
	*s = defaultSkill()
	r.Text("id", &s.ID, 1, 256)
	r.Text("name", &s.Name, 1, 256)
	r.Text("description", &s.Description, 0, 2048)
	r.Texts("tags", &s.Tags, words)
	r.Texts("input_modes", &s.InputModes, words)
	r.Texts("output_modes", &s.OutputModes, words)
	readShare(r, "proficiency", &s.Proficiency)
	r.Require("id", "name")
}

// readModel reads the model object, or its short form model_provider and
// model_id, which sets these two and keeps the rest.
func (c *Content) readModel(r *jsondoc.Reader) {
	m := defaultModel()
	if c.Model != nil {
		m = *c.Model
	}
	r.Text("model_provider", &m.Provider, 1, 256)
	r.Text("model_id", &m.ModelID, 1, 256)
	if r.Null("model") {
		c.Model = nil
		return
	}
	r.Object("model", m.read)
	if r.Has("model") || r.Has("model_provider") || r.Has("model_id") {
		c.Model = &m
	}
}

func (m *Model) read(r *jsondoc.Reader) {
	r.Text("provider", &m.Provider, 1, 256)
	r.Text("model_id", &m.ModelID, 1, 256)
	r.Decimal("temperature", &m.Temperature, "0", "2")
	r.Int("max_tokens", &m.MaxTokens, 1, maxCount)
	r.TextOrNull("fallback_model", &m.FallbackModel, 1, 256)
	jsondoc.EnumOrNull(r, "model_tier", &m.Tier, Tiers()...)
}

// maxCount bounds counts to what every JSON client reads exactly.
const maxCount = 1<<53 - 1

func (m *Memory) read(r *jsondoc.Reader) {
	jsondoc.Enum(r, "type", &m.Type, memoryTypes...)
	r.IntOrNull("retention_days", &m.RetentionDays, 1, maxCount)
	jsondoc.List(r, "retention_overrides", &m.Overrides, len(memoryCategories), readOverride)
	seen := map[string]bool{}
	for _, o := range m.Overrides {
		if seen[o.Category] {
			r.Fail("retention_overrides", "category %q is given twice", o.Category)
		}
		seen[o.Category] = true
	}
}

func readOverride(r *jsondoc.Reader, o *RetentionOverride) {
	jsondoc.Enum(r, "category", &o.Category, memoryCategories...)
	r.Int("retention_days", &o.RetentionDays, 1, maxCount)
	r.Require("category", "retention_days")
}

func (t *Tools) read(r *jsondoc.Reader) {
	jsondoc.Enum(r, "access_level", &t.AccessLevel, accessLevels...)
	r.Texts("allowed", &t.Allowed, words)
	r.Texts("denied", &t.Denied, words)
	r.Texts("mcp_capabilities", &t.MCPCapabilities, words)
	if r.Null("sub_constraints") {
		t.Constraints = nil
		return
	}
	c := defaultConstraints()
	if t.Constraints != nil {
		c = *t.Constraints
	}
	r.Object("sub_constraints", c.read)
	if r.Has("sub_constraints") {
		t.Constraints = &c
	}
}

func (c *SubConstraints) read(r *jsondoc.Reader) {
	jsondoc.Enum(r, "file_system", &c.FileSystem, fileSystems...)
	jsondoc.Enum(r, "network", &c.Network, networks...)
	jsondoc.Enum(r, "git", &c.Git, gits...)
	jsondoc.Enum(r, "code_execution", &c.CodeExecution, codeExecutions...)
	jsondoc.Enum(r, "terminal", &c.Terminal, terminals...)
	r.Texts("requires_approval", &c.RequiresApproval, words)
	r.Texts("network_allowlist", &c.NetworkAllowlist, words)
}

func (a *Authority) read(r *jsondoc.Reader) {
	r.Texts("can_approve", &a.CanApprove, words)
	ReadRef(r, "reports_to", &a.ReportsTo)
	ReadRefs(r, "can_delegate_to", &a.CanDelegateTo)
	money.ReadAmount(r, "budget_limit", &a.BudgetLimit)
}
