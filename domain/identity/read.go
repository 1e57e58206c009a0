package identity

import (
	"fmt"
	"math"
	"time"

	"orgd/domain/decimal"
	"orgd/domain/jsondoc"
	"orgd/domain/money"
	"orgd/domain/name"
)

// Bounds of an identity: texts in code points, except the instructions, which
// are bounded in bytes as the free-form object is.
const (
	maxRole         = 128
	maxDescription  = 8192
	maxInstructions = 128 << 10
	maxMetadata     = 16 << 10
	maxText         = 256 // of a text about which nothing else is said
	maxItems        = 256 // of a list about which nothing else is said
)

// words bounds a list of short texts.
var words = jsondoc.Bounds{MaxItems: maxItems, MinLen: 1, MaxLen: maxText}

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
	c.readInstructions(r)
	r.Free("metadata", &c.Metadata, maxMetadata)
}

// readInstructions reads the system prompt. Its bound is in bytes, so that a
// version has a size that stores can rely on.
func (c *Content) readInstructions(r *jsondoc.Reader) {
	text := c.Instructions
	r.Text("instructions", &text, 0, math.MaxInt)
	if problem := CheckInstructions(text); problem != "" {
		r.Fail("instructions", "%s", problem)
		return
	}
	c.Instructions = text
}

// ReadHiringDate reads the day of hiring, which a client may give at creation
// only.
func (c *Content) ReadHiringDate(r *jsondoc.Reader) {
	v, ok := r.Raw("hiring_date")
	if !ok || v.IsNull() {
		return
	}
	if _, err := time.Parse(time.DateOnly, v.Text()); err != nil {
		r.Fail("hiring_date", "must be a date such as 2026-01-31")
		return
	}
	c.HiringDate = Date(v.Text())
}

// CheckInstructions returns what is wrong with the length of instructions, "" if nothing.
func CheckInstructions(text string) string {
	if len(text) <= maxInstructions {
		return ""
	}
	return fmt.Sprintf("must be at most %d bytes of UTF-8 (%d KiB), not %d", maxInstructions, maxInstructions>>10, len(text))
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
	readSkills(r, "primary", &s.Primary)
	readSkills(r, "secondary", &s.Secondary)
}

// readSkills reads one of the two lists. An id twice in one list is wrong by
// itself; one that is in both lists is found by [Content.Check].
func readSkills(r *jsondoc.Reader, field string, dst *[]Skill) {
	jsondoc.List(r, field, dst, maxItems, readSkill)
	if id, twice := repeated(*dst, func(s Skill) string { return s.ID }); twice {
		r.Fail(field, "the id %q is given twice", id)
	}
}

// repeated returns the first key that two of the items share.
func repeated[T any](items []T, key func(T) string) (k string, twice bool) {
	seen := make(map[string]bool, len(items))
	for _, item := range items {
		if k = key(item); seen[k] {
			return k, true
		}
		seen[k] = true
	}
	return "", false
}

func readSkill(r *jsondoc.Reader, s *Skill) {
	*s = defaultSkill()
	r.Text("id", &s.ID, 1, maxText)
	r.Text("name", &s.Name, 1, maxText)
	r.Text("description", &s.Description, 0, maxText)
	r.Texts("tags", &s.Tags, words)
	r.Texts("input_modes", &s.InputModes, words)
	r.Texts("output_modes", &s.OutputModes, words)
	readShare(r, "proficiency", &s.Proficiency)
	r.Require("id", "name")
}

// readModel reads the model object, or its short form model_provider and
// model_id, which sets these two and keeps the rest. Beside the short form a null
// model is one that is not given.
func (c *Content) readModel(r *jsondoc.Reader) {
	m := defaultModel()
	if c.Model != nil {
		m = *c.Model
	}
	r.Text("model_provider", &m.Provider, 1, maxText)
	r.Text("model_id", &m.ModelID, 1, maxText)
	null := r.Null("model")
	if !null {
		r.Object("model", m.read)
	}
	switch {
	case r.Has("model") && !null, r.Given("model_provider"), r.Given("model_id"):
		c.Model = &m
	case null:
		c.Model = nil
	}
}

func (m *Model) read(r *jsondoc.Reader) {
	r.Text("provider", &m.Provider, 1, maxText)
	r.Text("model_id", &m.ModelID, 1, maxText)
	r.Decimal("temperature", &m.Temperature, "0", "2")
	r.Int("max_tokens", &m.MaxTokens, 1, maxCount)
	r.TextOrNull("fallback_model", &m.FallbackModel, 1, maxText)
	jsondoc.EnumOrNull(r, "model_tier", &m.Tier, Tiers()...)
}

// maxCount bounds counts to what every JSON client reads exactly.
const maxCount = 1<<53 - 1

func (m *Memory) read(r *jsondoc.Reader) {
	jsondoc.Enum(r, "type", &m.Type, memoryTypes...)
	r.IntOrNull("retention_days", &m.RetentionDays, 1, maxCount)
	jsondoc.List(r, "retention_overrides", &m.Overrides, len(memoryCategories), readOverride)
	if c, twice := repeated(m.Overrides, func(o RetentionOverride) string { return o.Category }); twice {
		r.Fail("retention_overrides", "the category %q is given twice", c)
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
	if !r.Has("sub_constraints") {
		return
	}
	c := defaultConstraints()
	if t.Constraints != nil {
		c = *t.Constraints
	}
	r.Object("sub_constraints", c.read)
	t.Constraints = &c
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
	ReadRefs(r, "can_delegate_to", &a.CanDelegateTo, maxItems)
	money.ReadAmount(r, "budget_limit", &a.BudgetLimit)
}
