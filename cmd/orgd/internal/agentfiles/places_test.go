package agentfiles

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// Every restriction lands where the service reads it, and every other key in the metadata.
func TestPlaces(t *testing.T) {
	number := func(text string) json.Number { return json.Number(text) }
	for name, c := range map[string]struct {
		path, front string
		want        Agent
	}{
		"Claude Code": {
			".claude/agents/x/b.md", "disallowedTools: Write, Bash\npermissionMode: plan\nmaxTurns: 5",
			Agent{Denied: []string{"Write", "Bash"}, Restricted: true, Metadata: map[string]any{"maxTurns": number("5")}},
		},
		"other mode":    {"x/b.md", "permissionMode: acceptEdits", Agent{Metadata: map[string]any{"permissionMode": "acceptEdits"}}},
		"allowed tools": {"x/b.md", "allowed-tools:\n  - Read", Agent{Tools: []string{"Read"}}},
		"in both":       {"x/b.md", "tools: Read, Write\ndisallowedTools: Write", Agent{Tools: []string{"Read"}, Denied: []string{"Write"}}},
		"no tools":      {"x/b.md", "tools: []", Agent{Metadata: map[string]any{"tools": []any{}}}},
		"not denied":    {"x/b.md", "disallowedTools: {a: true, b: false}", Agent{Denied: []string{"a"}, Metadata: map[string]any{"disallowedTools": map[string]any{"a": true, "b": false}}}},
		"OpenCode": {
			".opencode/agent/x/b.md", "model: a/b\ntemperature: 0.10\nmaxTokens: 9\ntools: {write: false, read: true}\npermission: {edit: deny, bash: {\"*\": deny}}",
			Agent{Model: "a/b", Temperature: "0.1", MaxTokens: "9", Tools: []string{"read"}, Denied: []string{"write", "bash", "edit"}},
		},
		"more permissions": {
			"x/b.md", "permission: {edit: deny, bash: ask}",
			Agent{Denied: []string{"edit"}, Metadata: map[string]any{"permission": map[string]any{"edit": "deny", "bash": "ask"}}},
		},
		"all denied":     {"x/b.md", "permission: deny", Agent{Denied: []string{"*"}}},
		"no model":       {"x/b.md", "temperature: 1\nmax_tokens: 0", Agent{Metadata: map[string]any{"temperature": number("1"), "max_tokens": number("0")}}},
		"hot":            {"x/b.md", "model: m\ntemperature: 3", Agent{Model: "m", Metadata: map[string]any{"temperature": number("3")}}},
		"list of models": {"x/b.agent.md", "model: [A, B]", Agent{Model: "A", Metadata: map[string]any{"model": []any{"A", "B"}}}},
		"Cursor":         {".cursor/agents/x/b.md", "readonly: true", Agent{Restricted: true}},
		"values": {
			"x/b.md", "a: 1.0\nb: 007\nc: 2026-01-02\nd: {e: [1, yes, ~]}\nf: &x [1]\ng: *x\nh: !!str 1\ni: !odd z",
			Agent{Metadata: map[string]any{
				"a": "1.0", "b": "007", "c": "2026-01-02", "d": map[string]any{"e": []any{number("1"), "yes", ""}},
				"f": []any{number("1")}, "g": []any{number("1")}, "h": "1", "i": "z",
			}, Notes: []Mistake{{"x/b.md", 6, "d", "a value that is null becomes an empty text"}, {"x/b.md", 10, "i", "the tag !odd is left out"}}},
		},
		"camel case": {
			"x/b.md", "color: a: b\ndisallowedTools: Write",
			Agent{Lenient: true, Denied: []string{"Write"}, Metadata: map[string]any{"color": "a: b"}},
		},
		"comment in text": {"x/b.md", "color: a: b\nvibe: one # two", Agent{Lenient: true, Metadata: map[string]any{"color": "a: b", "vibe": "one # two"}}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := anywhere.Parse(c.path, []byte("---\nname: b\n"+c.front+"\n---\nDo.  \n"))
			c.want.Path, c.want.Name, c.want.Department, c.want.Instructions = c.path, "b", "x", "Do.  \n"
			if diff := cmp.Diff(c.want, got, plainly); err != nil || diff != "" {
				t.Errorf("Parse = %v (-want +got):\n%s", err, diff)
			}
		})
	}
}

func TestParseCodex(t *testing.T) {
	text := "name = \"b\"\ndescription = \"d\"\nmodel = \"m\"\nsandbox_mode = \"read-only\"\nday = 2026-01-02\nhalf = 0.5\n" +
		"developer_instructions = \"\"\"\n  Do.\n\"\"\"\n[mcp.x]\nport = 3000\n"
	want := Agent{
		Path: "x/b.toml", Name: "b", Department: "x", Description: "d", Model: "m", Restricted: true, Instructions: "  Do.\n",
		Metadata: map[string]any{
			"day": "2026-01-02", "half": json.Number("0.5"), "mcp": map[string]any{"x": map[string]any{"port": json.Number("3000")}},
		},
	}
	got, err := Scope{}.Parse("x/b.toml", []byte(text))
	if diff := cmp.Diff(want, got, plainly); err != nil || diff != "" || got.Line("description") != 2 || got.Line("metadata") != 5 {
		t.Errorf("Parse = %v, lines %v (-want +got):\n%s", err, got.lines, diff)
	}
	if _, err := (Scope{}).Parse(".codex/agents/b.toml", []byte("name = b\n")); err == nil || !strings.HasPrefix(err.Error(), ".codex/agents/b.toml:1: is not TOML: ") {
		t.Errorf("Parse = %v, want the place of the mistake", err)
	}
}

// What is an agent is decided by the place and the keys of a file together.
func TestScope(t *testing.T) {
	const full, short = "---\nname: b\ndescription: d\n---\n", "---\ndescription: d\n---\n"
	for _, c := range []struct {
		file, text string
		scope      Scope
		agent      bool
	}{
		{"team/b.md", full, Scope{}, true},
		{"team/b.md", short, Scope{}, false},
		{"team/b.md", short, Scope{Base: "agents"}, true},
		{"team/b.md", "---\ndescription: d\nmode: subagent\n---\n", Scope{}, true},
		{"x/agents/b.md", short, Scope{}, true},
		{"x/b.agent.md", short, Scope{}, true},
		{"x/b.chatmode.md", short, Scope{}, true},
		{"x/agents/b.md", "---\ncolor: red\n---\n", Scope{}, false},
		{"x/agents/b.md", "---\ndescription: d\napplyTo: '**'\n---\n", Scope{}, false},
		{"x/b.md", "---\nname: b\ndescription: d\nalwaysApply: true\n---\n", Scope{}, false},
		{"x/bug.md", "---\nname: b\nabout: a\ntitle: t\ntools: x\n---\n", Scope{}, false},
		{".github/ISSUE_TEMPLATE/b.md", full, Scope{}, false},
		{".github/agents/x/b.md", full, Scope{}, true},
		{".claude/commands/b.md", full, Scope{}, false},
		{".claude/agents/x/b.md", full, Scope{}, true},
		{".git/agents/x/b.md", full, Scope{Include: []string{"**"}}, false},
		{".vscode/agents/x/b.md", full, Scope{}, false},
		{"x/commands/b.md", full, Scope{}, false},
		{"x/b.instructions.md", full, Scope{}, false},
		{"x/b.prompt.md", full, Scope{}, false},
		{"x/b.mdc", full, Scope{}, false},
		{"x/b.mdc", "---\nglobs: '*'\n---\nRule.\n", Scope{Include: []string{"x/*.mdc"}}, true},
		{".cursor/rules/b.mdc", "---\nglobs: '*'\n---\nRule.\n", Scope{Include: []string{"**/*.mdc"}}, true},
		{"x/b.md", "Only a text.\n", Scope{Include: []string{"x/*"}}, true},
		{"x/b.md", full, Scope{Include: []string{"y/*"}}, false},
		{"x/b.md", full, Scope{Exclude: []string{"**/b.md"}}, false},
		{"x/Cargo.toml", "[package]\nname = \"b\"\n", Scope{}, false},
		{"x/b.toml", "name = \"b\"\ndescription = \"d\"\n", Scope{}, false},
		{"x/b.md", "---\nA rule above a page.\n", Scope{}, false},
	} {
		c.scope.Department = "D"
		tree, err := c.scope.Read(files(map[string]string{c.file: c.text}))
		if err != nil || len(tree.Bad) > 0 || (len(tree.Agents) == 1) != c.agent {
			t.Errorf("Read(%s, %q) by %+v = %+v, %v, want an agent: %t", c.file, c.text, c.scope, tree, err, c.agent)
		}
	}
}

func TestDepartments(t *testing.T) {
	const text = "---\nname: b\ndescription: d\ncategory: Law\n---\n"
	for _, c := range []struct {
		file  string
		scope Scope
		want  string
	}{
		{"one/two/agents/b.md", Scope{}, "two"},
		{"one/two/agents/b.md", Scope{Department: "D"}, "D"},
		{"one/two/agents/b.md", Scope{Department: "D", DepartmentFrom: Nearest}, "two"},
		{"one/two/agents/b.md", Scope{DepartmentFrom: Top}, "one"},
		{"one/b.md", Scope{DepartmentFrom: "category"}, "Law"},
		{"one/b.md", Scope{DepartmentFrom: "color"}, "one"},
		{"agents/b.md", Scope{Department: "D", DepartmentFrom: Top}, "D"},
		{".claude/agents/b.md", Scope{Department: "D", DepartmentFrom: Nearest}, "D"},
	} {
		got, err := c.scope.Parse(c.file, []byte(text))
		if err != nil || got.Department != c.want {
			t.Errorf("the department of %s by %+v = %q, %v, want %q", c.file, c.scope, got.Department, err, c.want)
		}
	}
}

func TestNames(t *testing.T) {
	agent := func(path string) string { return "---\nname: b\ndescription: d\n---\n" }
	for name, c := range map[string]struct {
		paths []string
		keeps string
		want  []string
		bad   int
	}{
		"different":    {[]string{"one/agents/b.md"}, "", []string{"b"}, 0},
		"by folder":    {[]string{"one/agents/b.md", "two/b.md"}, "", []string{"one-b", "two-b"}, 0},
		"by path":      {[]string{"x/one/b.md", "y/one/b.md"}, "", []string{"x-one-b", "y-one-b"}, 0},
		"one is known": {[]string{"one/b.md", "two/b.md"}, "two/b.md", []string{"one-b", "b"}, 0},
		"only a file":  {[]string{"b.md", "c.md"}, "", []string{"b-b", "c-b"}, 0},
		"one folder":   {[]string{"one/b.md", "one/c.md"}, "", []string{"one-b-b", "one-c-b"}, 0},
		"no folder":    {[]string{"b.md", "one/b.md"}, "", []string{"b", "one-b"}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			texts := map[string]string{}
			for _, path := range c.paths {
				texts[path] = agent(path)
			}
			tree, err := Scope{Department: "D"}.Read(files(texts))
			if err != nil {
				t.Fatal(err)
			}
			tree.GiveNames(func(a Agent) bool { return a.Path == c.keeps })
			var got []string
			for _, a := range tree.Agents {
				got = append(got, a.Name)
			}
			if diff := cmp.Diff(c.want, got); diff != "" || len(tree.Bad) != c.bad {
				t.Errorf("names, %v (-want +got):\n%s", tree.Bad, diff)
			}
		})
	}
}

// A patch between two files makes the one agent the other, and takes back what only the
// first says.
func TestSince(t *testing.T) {
	parse := func(front string) Agent {
		a, err := anywhere.Parse("x/b.md", []byte("---\nname: b\n"+front+"\n---\n"))
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	before := parse("model: m\ntemperature: 1\npermissionMode: plan\nhooks: {a: 1, b: 2}\ncolor: red")
	got := parse("model: m\nhooks: {b: 3}").Since(before, "p")
	want := map[string]any{
		"name": "b", "role": "b", "department": "x", "description": "", "instructions": "",
		"model":    map[string]any{"provider": "p", "model_id": "m", "temperature": defaultTemperature},
		"tools":    map[string]any{"allowed": []string{}, "denied": []string{}, "access_level": "standard"},
		"metadata": map[string]any{"hooks": map[string]any{"a": nil, "b": json.Number("3")}, "color": nil},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Since (-want +got):\n%s", diff)
	}
}

// However a front matter is broken, every key of it is in the agent, or is told.
func TestNothingIsLost(t *testing.T) {
	values := []string{
		"plain", "a: b", "[x", "{a: b", "\"open", "'it''s'", "a # b", "*x", "&y z", "!t v", "%d", "@e", "`f`", "- g", "? h", "| i", "> j", "\tk",
		"yes", "1.0", "007", "~", "", "2026-01-02", "[a, b]", "{a: {b: [1]}}", "\n  nested: x\n  more: [1]", "\n  - one\n  - two", "<example>", "\"q\" r",
	}
	keys := []string{"color", "maxTurns", "disallowedTools", "tools", "model", "permission", "temperature", "hooks", "mcp-servers", "x_y", "description"}
	rapid.Check(t, func(t *rapid.T) {
		want := map[string]bool{}
		var front strings.Builder
		for range rapid.IntRange(1, 6).Draw(t, "lines") {
			key := rapid.SampledFrom(keys).Draw(t, "key")
			want[key] = true
			fmt.Fprintf(&front, "%s: %s\n", key, rapid.SampledFrom(values).Draw(t, "value"))
		}
		a, err := anywhere.Parse("x/b.md", []byte("---\nname: b\n"+front.String()+"---\nBody "))
		if err != nil {
			return // told, with all that is wrong
		}
		texts := a.Description
		for _, value := range a.Metadata {
			texts += fmt.Sprint(value)
		}
		for _, key := range slices.Sorted(maps.Keys(want)) {
			if _, kept := a.Metadata[key]; !kept && !a.Says(key) && !strings.Contains(texts, key+":") {
				t.Errorf("Parse(%q) = %+v, which has no %s", front.String(), a, key)
			}
		}
		if a.Instructions != "Body " {
			t.Errorf("Parse(%q) has the instructions %q", front.String(), a.Instructions)
		}
	})
}
