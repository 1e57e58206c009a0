// Package ceremony holds the ceremony policy of a department or company: when
// sprints begin and end, and how their velocity is measured.
package ceremony

import (
	"slices"
	"strings"

	"orgd/domain/decimal"
	"orgd/domain/fault"
	"orgd/domain/jsondoc"
)

// MaxBytes bounds a policy's JSON text.
const MaxBytes = 64 << 10

// SettingsKey is the member of a company's settings that holds its policy.
const SettingsKey = "ceremony_policy"

// ErrPolicy is a policy with a wrong value under a known key.
var ErrPolicy = fault.New(fault.RequestValidation, "not a ceremony policy")

// Policy is a free-form JSON object. Its known keys are checked, other keys are
// kept as they are; "{}" is a policy too.
type Policy jsondoc.Object

// The known keys.
const (
	keyStrategy   = "strategy"
	keyConfig     = "strategy_config"
	keyVelocity   = "velocity_calculator"
	keyTransition = "auto_transition"
	keyThreshold  = "transition_threshold"
)

var strategies = []string{
	"task_driven", "calendar", "hybrid", "event_driven", "budget_driven",
	"throughput_adaptive", "external_trigger", "milestone_driven",
}

var calculators = []string{
	"task_driven", "calendar", "multi_dimensional", "budget", "points_per_sprint",
}

// Parse returns the policy in v, or [ErrPolicy] with every wrong key named. A
// known key that is null is left out.
func Parse(v jsondoc.Value) (Policy, error) {
	return ParseAt("", v)
}

// ParseAt is Parse for a policy inside another document; path leads there, with
// a dot at its end.
func ParseAt(path string, v jsondoc.Value) (Policy, error) {
	if v.Kind() != jsondoc.KindObject {
		return "", ErrPolicy.With("%s: must be an object", strings.TrimSuffix("ceremony policy "+path, "."))
	}
	var wrong []string
	patch := jsondoc.NewWriter(nil)
	patch.Open()
	for _, m := range v.Members() {
		want := known(m.Name, m.Value)
		switch {
		case want == keep, want == wellFormed:
			patch.Field(m.Name).Value(m.Value)
		case want != drop:
			wrong = append(wrong, path+m.Name+": "+want)
		}
	}
	patch.Close()
	if len(wrong) > 0 {
		return "", ErrPolicy.With("%s", strings.Join(wrong, "; "))
	}
	o, err := jsondoc.ParseObject(patch.Bytes())
	if err != nil {
		return "", err
	}
	if len(o) > MaxBytes {
		return "", ErrPolicy.With("%s: must be at most %d bytes", strings.TrimSuffix("ceremony policy "+path, "."), MaxBytes)
	}
	return Policy(o), nil
}

// What known says of a member besides the sentence of a problem.
const (
	wellFormed = ""
	keep       = "-keep"
	drop       = "-drop"
)

// known checks one member: it returns wellFormed, keep (an unknown key), drop
// (a known key that is null), or what the value must be.
func known(key string, v jsondoc.Value) string {
	var want string
	var ok bool
	switch key {
	case keyStrategy:
		ok, want = isOneOf(v, strategies)
	case keyVelocity:
		ok, want = isOneOf(v, calculators)
	case keyConfig:
		ok, want = v.Kind() == jsondoc.KindObject, "must be an object"
	case keyTransition:
		ok, want = v.Kind() == jsondoc.KindBool, "must be true or false"
	case keyThreshold:
		ok, want = isThreshold(v), "must be a number above 0 and at most 1"
	default:
		return keep
	}
	if v.Kind() == jsondoc.KindNull {
		return drop
	}
	if !ok {
		return want
	}
	return wellFormed
}

func isOneOf(v jsondoc.Value, words []string) (bool, string) {
	ok := v.Kind() == jsondoc.KindString && slices.Contains(words, v.Text())
	return ok, "must be one of " + strings.Join(words, ", ")
}

func isThreshold(v jsondoc.Value) bool {
	return v.Kind() == jsondoc.KindNumber &&
		decimal.Cmp(v.Number(), "0") > 0 && decimal.Cmp(v.Number(), "1") <= 0
}

// Value returns the policy as a JSON value.
func (p Policy) Value() jsondoc.Value { return jsondoc.Object(p).Value() }

// String returns the policy's canonical JSON text.
func (p Policy) String() string { return jsondoc.Object(p).String() }
