// Package ceremony holds the ceremony policy of a department or company: when
// sprints begin and end, and how their velocity is measured.
package ceremony

import (
	"fmt"
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
func Parse(v jsondoc.Value) (Policy, error) { return ParseAt("", v) }

// ParseAt is [Parse] for a policy that stands at path in another document,
// which the errors then say.
func ParseAt(path string, v jsondoc.Value) (Policy, error) {
	if v.Kind() != jsondoc.KindObject {
		return "", wrongPolicy(path, "must be an object")
	}
	var mistakes []fault.Mistake
	w := jsondoc.NewWriter(nil)
	w.Open()
	for _, m := range v.Members() {
		if check, isKnown := checks[m.Name]; isKnown {
			if m.Value.IsNull() {
				continue
			}
			if problem := check(m.Value); problem != "" {
				mistakes = append(mistakes, fault.Mistake{Path: strings.TrimPrefix(path+".", ".") + m.Name, Text: problem})
			}
		}
		w.Field(m.Name).Value(m.Value)
	}
	w.Close()
	if len(mistakes) > 0 {
		return "", ErrPolicy.Join(mistakes)
	}
	return sized(path, w.Bytes())
}

// sized returns the policy with this text unless it is too long.
func sized(path string, text []byte) (Policy, error) {
	if len(text) > MaxBytes {
		return "", wrongPolicy(path, fmt.Sprintf("must be at most %d bytes of JSON, not %d", MaxBytes, len(text)))
	}
	o, err := jsondoc.ParseObject(text)
	return Policy(o), err
}

func wrongPolicy(path, sentence string) error {
	if path == "" {
		return ErrPolicy.With("the ceremony policy: %s", sentence)
	}
	return ErrPolicy.At(path, "%s", sentence)
}

// checks return what the value of a known key must be, or "" if it is that.
var checks = map[string]func(jsondoc.Value) string{
	keyStrategy:   func(v jsondoc.Value) string { return checkWord(v, strategies) },
	keyConfig:     func(v jsondoc.Value) string { return unless(v.Kind() == jsondoc.KindObject, "must be an object") },
	keyVelocity:   func(v jsondoc.Value) string { return checkWord(v, calculators) },
	keyTransition: func(v jsondoc.Value) string { return unless(v.Kind() == jsondoc.KindBool, "must be true or false") },
	keyThreshold:  func(v jsondoc.Value) string { return unless(isThreshold(v), "must be a number above 0 and at most 1") },
}

func unless(ok bool, sentence string) string {
	if ok {
		return ""
	}
	return sentence
}

func checkWord(v jsondoc.Value, words []string) string {
	ok := v.Kind() == jsondoc.KindString && slices.Contains(words, v.Text())
	return unless(ok, "must be one of "+strings.Join(words, ", "))
}

func isThreshold(v jsondoc.Value) bool {
	return v.Kind() == jsondoc.KindNumber &&
		v.Number().Sign() > 0 && decimal.Cmp(v.Number(), "1") <= 0
}

// Value returns the policy as a JSON value.
func (p Policy) Value() jsondoc.Value { return jsondoc.Object(p).Value() }

// String returns the policy's canonical JSON text.
func (p Policy) String() string { return jsondoc.Object(p).String() }

// Base returns what a merge patch is merged into: p, without the configuration of its
// strategy if the patch sets another one and says nothing of the configuration.
func (p Policy) Base(patch jsondoc.Value) Policy {
	strategy, changes := patch.Get(keyStrategy)
	_, configures := patch.Get(keyConfig)
	old, had := p.Value().Get(keyStrategy)
	if !changes || configures || had && old.Equal(strategy) {
		return p
	}
	return Policy(jsondoc.Object(p).Merge(noConfig))
}

// noConfig is a merge patch that removes the configuration of a strategy.
var noConfig = jsondoc.Object(`{"` + keyConfig + `":null}`).Value()
