package agentfiles

import (
	"crypto/sha256"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"orgd/client"
)

// layouts are where formats have their files: the folder of all, and in it that of a
// department, where they have one, and an agent.
var layouts = map[Format][2]string{
	ClaudeCode: {".claude/agents", "DEPARTMENT/AGENT.md"},
	Codex:      {".codex/agents", "DEPARTMENT/AGENT.toml"},
	Copilot:    {".github/agents", "AGENT.agent.md"}, // which is not looked for in folders
	OpenCode:   {".opencode/agent", "DEPARTMENT/AGENT.md"},
}

// Home returns the folder of a format.
func Home(f Format) string { return layouts[f][0] }

// Files returns the paths of the files of agents.
func Files(f Format, agents []client.AgentIdentity) (paths []string) {
	var names, departments []string
	for _, a := range agents {
		names, departments = append(names, a.Name), append(departments, a.Department)
	}
	agent, department := slugs(names), slugs(departments)
	for _, a := range agents {
		path := strings.NewReplacer("DEPARTMENT", department[a.Department], "AGENT", agent[a.Name]).Replace(layouts[f][1])
		paths = append(paths, Home(f)+"/"+path)
	}
	return paths
}

// maxSlug bounds the name of a file or folder, without a suffix.
const maxSlug = 64

var (
	unsafe   = regexp.MustCompile(`[^a-z0-9]+`)
	reserved = regexp.MustCompile(`^(con|prn|aux|nul|com[0-9]|lpt[0-9]|readme|)$`) // by Windows, and by imports
)

// slugs returns for names a file name each that is safe on all systems. Where that is the
// one of several names, those that are not written like it have a suffix.
func slugs(names []string) map[string]string {
	all, used := map[string]string{}, map[string]int{}
	for _, name := range names {
		if _, known := all[name]; !known {
			decomposed := strings.Map(func(r rune) rune {
				if '\u0300' <= r && r <= '\u036f' { // an accent
					return -1
				}
				return r
			}, norm.NFKD.String(string(Key(name))))
			slug := strings.Trim(unsafe.ReplaceAllString(decomposed, "-"), "-")
			all[name] = slug[:min(len(slug), maxSlug)]
			used[all[name]]++
		}
	}
	for name, slug := range all {
		taken := used[slug] > 1 && string(Key(name)) != slug
		if taken || reserved.MatchString(slug) || slices.Contains(others, slug) {
			all[name] = strings.TrimPrefix(fmt.Sprintf("%s-%x", slug, sha256.Sum256([]byte(Key(name))))[:len(slug)+9], "-")
		}
	}
	return all
}
