package identity

import (
	"slices"

	"orgd/domain/fault"
)

var (
	// ErrWord is a word that is none of a closed list.
	ErrWord = fault.New(fault.RequestValidation, "not one of the known words")
	// ErrCombination is a content whose fields do not go together.
	ErrCombination = fault.New(fault.Validation, "these fields do not go together")
)

func parseWord[T ~string](what, s string, known []T) (T, error) {
	if slices.Contains(known, T(s)) {
		return T(s), nil
	}
	return "", ErrWord.At(what, "must be one of %s", fault.List(known))
}

// Check returns [ErrCombination] for fields that are fine by themselves and
// wrong together.
func (c Content) Check() error {
	if c.Level == Junior && c.Autonomy != nil && *c.Autonomy == Full {
		return ErrCombination.At("autonomy_level", "a junior agent must not have full autonomy")
	}
	if c.Model != nil && (c.Model.Provider == "" || c.Model.ModelID == "") {
		return ErrCombination.At("model", "provider and model_id are both required")
	}
	if c.Memory.Type == NoMemory && (c.Memory.RetentionDays != nil || len(c.Memory.Overrides) > 0) {
		return ErrCombination.At("memory", "type none allows neither retention_days nor retention_overrides")
	}
	for _, tool := range c.Tools.Allowed {
		if slices.Contains(c.Tools.Denied, tool) {
			return ErrCombination.At("tools", "%q is both allowed and denied", tool)
		}
	}
	if a := c.Authority.ReportsTo; a != nil && *a == string(c.ID) {
		return ErrCombination.At("authority.reports_to", "an agent must not report to itself")
	}
	both := slices.Concat(c.Skills.Primary, c.Skills.Secondary) // each was checked when it was read
	if id, twice := repeated(both, func(s Skill) string { return s.ID }); twice {
		return ErrCombination.At("skills", "the id %q is both primary and secondary", id)
	}
	return nil
}
