package identity

import (
	"errors"
	"strings"
	"testing"

	"orgd/domain/domaintest"
)

func TestCheck(t *testing.T) {
	skill := func(id string) []Skill { return []Skill{{ID: id}} }
	for _, tc := range []struct {
		what   string
		change func(*Content)
		want   string // how the error begins, "" for none
	}{
		{"the default", func(*Content) {}, ""},
		{"full autonomy of a mid", func(c *Content) { c.Autonomy = new(Full) }, ""},
		{"a junior with semi autonomy", func(c *Content) { c.Level, c.Autonomy = Junior, new(Semi) }, ""},
		{"a locked junior", func(c *Content) { c.Level, c.Autonomy = Junior, new(Locked) }, ""},
		{"a junior who inherits", func(c *Content) { c.Level = Junior }, ""},
		{"a junior with full autonomy", func(c *Content) { c.Level, c.Autonomy = Junior, new(Full) }, "autonomy_level: "},
		{"a model", func(c *Content) { c.Model = &Model{Provider: "p", ModelID: "m"} }, ""},
		{"a model without provider", func(c *Content) { c.Model = &Model{ModelID: "m"} }, "model: "},
		{"a model without id", func(c *Content) { c.Model = &Model{Provider: "p"} }, "model: "},
		{"no memory", func(c *Content) { c.Memory = Memory{Type: NoMemory} }, ""},
		{"no memory, kept a day", func(c *Content) { c.Memory = Memory{Type: NoMemory, RetentionDays: new(int64(1))} }, "memory: "},
		{"no memory with an override", func(c *Content) {
			c.Memory = Memory{Type: NoMemory, Overrides: []RetentionOverride{{"social", 1}}}
		}, "memory: "},
		{"disjoint tools", func(c *Content) { c.Tools.Allowed, c.Tools.Denied = []string{"a"}, []string{"A"} }, ""},
		{"a tool in both lists", func(c *Content) { c.Tools.Allowed, c.Tools.Denied = []string{"a", "b"}, []string{"c", "b"} }, `tools: "b"`},
		{"different skills", func(c *Content) { c.Skills = Skills{skill("a"), skill("b")} }, ""},
		{"a skill in both lists", func(c *Content) { c.Skills = Skills{skill("a"), skill("a")} }, `skills: the id "a"`},
		{"reports to another", func(c *Content) { c.ID, c.Authority.ReportsTo = "x", new("y") }, ""},
		{"delegates to itself", func(c *Content) { c.ID, c.Authority.CanDelegateTo = "x", []string{"x"} }, ""},
		{"reports to itself", func(c *Content) { c.ID, c.Authority.ReportsTo = "x", new("x") }, "authority.reports_to: "},
	} {
		c := Default()
		tc.change(&c)
		err := c.Check()
		if tc.want == "" && err != nil {
			t.Errorf("%s: Check = %v, want nil", tc.what, err)
		}
		if tc.want != "" && (!errors.Is(err, ErrCombination) || domaintest.Code(err) != 2000 || !strings.HasPrefix(err.Error(), tc.want)) {
			t.Errorf("%s: Check = %v, want 2000 %q", tc.what, err, tc.want)
		}
	}
}
