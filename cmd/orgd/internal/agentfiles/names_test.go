package agentfiles

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// reviewer is a file about an agent.
func reviewer(body string) string {
	return "---\nname: reviewer\ndescription: d\n---\n" + body
}

// programs are trees with an agent for several programs, and what comes of them.
var programs = map[string]struct {
	texts        map[string]string
	agents, skip []string
	bad          string
}{
	"agree": {
		map[string]string{".claude/agents/reviewer.md": reviewer("Review it."), ".github/agents/reviewer.agent.md": reviewer("Review it."), ".opencode/agent/r.md": reviewer("\nReview it.\n")},
		[]string{".claude/agents/reviewer.md: reviewer"},
		[]string{".github/agents/reviewer.agent.md: is the same agent for another program", ".opencode/agent/r.md: is the same agent for another program"}, "",
	},
	"beside a plugin": {
		map[string]string{"plugins/web/agents/reviewer.md": reviewer("Review it."), "plugins/web/.github/agents/reviewer.agent.md": reviewer("Review it.")},
		[]string{"plugins/web/.github/agents/reviewer.agent.md: reviewer"},
		[]string{"plugins/web/agents/reviewer.md: is the same agent for another program"}, "",
	},
	"disagree": {
		map[string]string{".claude/agents/reviewer.md": reviewer("Review it."), ".github/agents/rev.agent.md": reviewer("Review all.")},
		[]string{".claude/agents/reviewer.md: reviewer"}, nil,
		".github/agents/rev.agent.md:2: name: \"reviewer\" is also the name in .claude/agents/reviewer.md:2, where the instructions are others; --exclude leaves one of the files out, --include takes one alone",
	},
	"two of three agree": {
		map[string]string{".claude/agents/reviewer.md": reviewer("Review it."), ".cursor/agents/reviewer.md": reviewer("Review all."), ".github/agents/reviewer.agent.md": reviewer("Review it.")},
		[]string{".claude/agents/reviewer.md: reviewer"},
		[]string{".github/agents/reviewer.agent.md: is the same agent for another program"},
		".cursor/agents/reviewer.md:2: name: \"reviewer\" is also the name in .claude/agents/reviewer.md:2, where the instructions are others; --exclude leaves one of the files out, --include takes one alone",
	},
	"folders tell them apart": {
		map[string]string{".claude/agents/eng/reviewer.md": reviewer("Review it."), ".codex/agents/law/reviewer.md": reviewer("Review all.")},
		[]string{".claude/agents/eng/reviewer.md: eng-reviewer", ".codex/agents/law/reviewer.md: law-reviewer"}, nil, "",
	},
	"in two packages": {
		map[string]string{"one/.claude/agents/reviewer.md": reviewer("Review it."), "two/.github/agents/reviewer.agent.md": reviewer("Review it.")},
		[]string{"one/.claude/agents/reviewer.md: one-reviewer", "two/.github/agents/reviewer.agent.md: two-reviewer"}, nil, "",
	},
	"one program": {
		map[string]string{".opencode/agent/reviewer.md": reviewer("Review it."), ".opencode/agents/reviewer.md": reviewer("Review it.")},
		[]string{".opencode/agent/reviewer.md: reviewer"}, nil,
		".opencode/agents/reviewer.md:2: name: \"reviewer\" is also the name in .opencode/agent/reviewer.md:2; --exclude leaves one of the files out, --include takes one alone",
	},
}

// Who is written for two programs in one place is one agent, if the instructions are the same.
// Who is not is refused under the name that stands in the files.
func TestAgentsOfTwoPrograms(t *testing.T) {
	for name, c := range programs {
		t.Run(name, func(t *testing.T) {
			tree, err := Scope{Department: "D"}.Read(files(c.texts))
			if err != nil {
				t.Fatal(err)
			}
			tree.GiveNames(nil)
			var agents, skip []string
			for _, a := range tree.Agents {
				agents = append(agents, a.Path+": "+a.Name)
			}
			for _, s := range tree.Skipped {
				skip = append(skip, s.Error())
			}
			if diff := cmp.Diff(c.agents, agents); diff != "" {
				t.Errorf("agents (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(c.skip, skip); diff != "" {
				t.Errorf("left out (-want +got):\n%s", diff)
			}
			if got := tree.Bad.Error(); got != c.bad {
				t.Errorf("mistakes = %s, want %s", got, c.bad)
			}
		})
	}
}
