package agentfiles

import (
	"cmp"
	"io/fs"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/bmatcuk/doublestar/v4"
)

// Scope says which files of a directory define agents, and in which departments.
type Scope struct {
	// Base is the name of the directory. It counts as a folder around every file.
	Base string
	// Include, if there is any, are patterns of the only files that count, whatever they
	// are; Exclude are those of files that do not.
	Include, Exclude []string
	// Department is that of all agents or, with DepartmentFrom, of those that have none.
	Department string
	// DepartmentFrom is [Nearest], [Top] or a key of the front matter; "" is Nearest.
	DepartmentFrom string
	// Ignored are the files and folders that Git ignores, the folders with a slash at the end.
	Ignored []string

	notOwn map[string]string // what others wrote, by place, and why that is known
}

// Where a department comes from, beside keys. A file without the key takes Nearest.
const (
	Nearest = "folder" // the nearest folder
	Top     = "top"    // the first folder below the directory
)

// places are folders that hold nothing but agents. They are no departments.
var places = []string{"agents", "subagents", "agent", "chatmodes"}

// homes are the hidden folders that have places for agents. Nothing else in them counts.
var homes = []string{".claude", ".codex", ".cursor", ".opencode", ".github"}

// others are folders of what collections keep beside their agents, in the same form.
var others = []string{"commands", "skills", "rules", "prompts", "hooks", "loops", "issue_template"}

// packages are folders that tools fill with what others wrote, and copies those that people
// do. Below a place for agents, copies are departments.
var (
	packages = []string{"node_modules", "bower_components", "site-packages", "venv"}
	copies   = []string{"vendor", "third_party", "third-party", "dist"}
)

// papers are files about a collection, or about something else in it, up to the
// first dot. A README is one in any letter case; an agent may well be called
// security.
var papers = []string{
	"CONTRIBUTING", "CHANGELOG", "LICENSE", "CODE_OF_CONDUCT", "SECURITY", "SUPPORT",
	"AGENTS", "CLAUDE", "GEMINI", "SKILL",
}

// suffixes are ends of files of Copilot and Cursor that define no agents.
var suffixes = map[string]string{
	".instructions.md": "has instructions of Copilot", ".prompt.md": "is a prompt of Copilot", ".mdc": "is a rule of Cursor",
}

// markers are keys of files that define something else.
var markers = []struct{ key, why string }{
	{"applyTo", "has instructions of Copilot"}, {"globs", "is a rule of Cursor"}, {"alwaysApply", "is a rule of Cursor"},
	{"about", "is a template of issues"}, {"assignees", "is a template of issues"},
	{"on", "is a workflow of GitHub"}, {"safe-outputs", "is a workflow of GitHub"},
}

// isHidden reports whether a folder holds no definitions, whatever lies in it.
func (s Scope) isHidden(folder string) bool {
	if folder == ".git" {
		return true
	}
	return len(s.Include) == 0 && strings.HasPrefix(folder, ".") && folder != "." && !slices.Contains(homes, folder)
}

// InScope reports whether a path is that of a file that may define an agent, or is left
// out for a reason.
func (s Scope) InScope(file string) bool {
	if !slices.Contains([]string{".md", ".markdown", ".mdc", ".toml"}, strings.ToLower(path.Ext(file))) {
		return false
	}
	folders := strings.Split(path.Dir(file), "/")
	for i, folder := range folders {
		isHome := strings.HasPrefix(folder, ".") && folder != "." && len(s.Include) == 0
		if s.isHidden(folder) || isHome && (i+1 == len(folders) || !slices.Contains(places, folders[i+1])) {
			return false
		}
	}
	return true
}

// Candidate returns why a file in scope cannot define an agent, or nil.
func (s Scope) Candidate(file string, mode fs.FileMode) error {
	word, _, _ := strings.Cut(path.Base(file), ".")
	foreign := s.foreign(file)
	switch {
	case mode&fs.ModeSymlink != 0:
		return Skip{file, "is a symbolic link"}
	case !mode.IsRegular():
		return Skip{file, "is not a regular file"}
	case matches(s.Exclude, file):
		return Skip{file, "is left out by --exclude"}
	case len(s.Include) > 0 && !matches(s.Include, file):
		return Skip{file, "is not named by --include"}
	case foreign != "":
		return Skip{file, foreign}
	case !utf8.ValidString(file):
		return Mistakes{{Path: file, Text: "the name of the file must be UTF-8"}}
	case len(s.Include) > 0:
		return nil
	case strings.EqualFold(word, "readme") || slices.Contains(papers, word):
		return Skip{file, "is not about one agent"}
	}
	for suffix, why := range suffixes {
		if strings.HasSuffix(strings.ToLower(file), suffix) {
			return Skip{file, why}
		}
	}
	for folder := range strings.SplitSeq(strings.ToLower(path.Dir(file)), "/") {
		if slices.Contains(others, folder) {
			return Skip{file, "lies in a folder " + folder}
		}
	}
	return nil
}

// foreign returns why others wrote a file or folder, or "". A pattern of --include that begins
// where their files are takes these.
func (s Scope) foreign(file string) string {
	parts := strings.Split(file, "/")
	inPlace := slices.Contains(places, strings.ToLower(s.Base))
	for i, part := range parts {
		place := strings.Join(parts[:i+1], "/")
		why := s.notOwn[place]
		if slices.Contains(packages, part) || slices.Contains(copies, part) && !inPlace {
			why = "lies in a folder " + part + ", which has what others wrote"
		}
		if why != "" && !s.includes(place) {
			return why + "; --include takes it"
		}
		inPlace = inPlace || slices.Contains(places, strings.ToLower(part))
	}
	return ""
}

// includes reports whether a pattern of --include begins with a place.
func (s Scope) includes(place string) bool {
	return slices.ContainsFunc(s.Include, func(p string) bool {
		fixed, _ := doublestar.SplitPattern(p)
		return p == place || strings.HasPrefix(fixed+"/", place+"/")
	})
}

func matches(patterns []string, file string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool { return doublestar.MatchUnvalidated(p, file) })
}

// isPlace reports whether a file lies where programs look for agents, or is called as
// their files are.
func (s Scope) isPlace(file string) bool {
	lower := strings.ToLower(file)
	if strings.HasSuffix(lower, ".agent.md") || strings.HasSuffix(lower, ".chatmode.md") {
		return true
	}
	folders := append(strings.Split(path.Dir(lower), "/"), strings.ToLower(s.Base))
	return slices.ContainsFunc(folders, func(folder string) bool { return slices.Contains(places, folder) })
}

// refuse returns why a file with these keys defines no agent, or "".
func (s Scope) refuse(file string, fields []field) string {
	if len(s.Include) > 0 {
		return ""
	}
	has := func(key string) bool {
		return slices.ContainsFunc(fields, func(f field) bool { return strings.EqualFold(f.key, key) })
	}
	for _, m := range markers {
		if has(m.key) {
			return m.why
		}
	}
	known := 0
	for _, p := range Places {
		if has(p.Key) {
			known++
		}
	}
	switch {
	case known == 0:
		return "has no key that agents have"
	case s.isPlace(file) || has("description") && slices.ContainsFunc(fields, isMode):
		return ""
	case isTOML(file) && !has("developer_instructions"):
		return "has no developer_instructions"
	case known == 1 || !has("name"):
		return "lies in no folder for agents, and has not both a name and a description, tools or a model"
	}
	return ""
}

// isMode reports whether a field says when OpenCode uses an agent. There, files name agents.
func isMode(f field) bool {
	text, _ := f.scalar()
	return f.key == "mode" && slices.Contains([]string{"primary", "subagent", "all"}, text)
}

func isTOML(file string) bool { return strings.EqualFold(path.Ext(file), ".toml") }

// folders returns those that a file lies in, without the ones that are places for agents.
func folders(file string) []string {
	return slices.DeleteFunc(strings.Split(path.Dir(file), "/"), func(folder string) bool {
		return strings.HasPrefix(folder, ".") || slices.Contains(places, strings.ToLower(folder))
	})
}

// department returns that of an agent, or "".
func (s Scope) department(a Agent) string {
	if said := cmp.Or(s.Department, a.mark.Department); said != "" && s.DepartmentFrom == "" {
		return said
	}
	all := append([]string{s.Department}, folders(a.Path)...)
	if text, ok := a.Metadata[s.DepartmentFrom].(string); ok && strings.TrimSpace(text) != "" {
		return text
	}
	if s.DepartmentFrom == Top {
		return all[min(1, len(all)-1)]
	}
	return cmp.Or(all[len(all)-1], s.Department)
}

// stem is the name of a file without what says that it is an agent's.
func stem(file string) string {
	text := strings.TrimSuffix(path.Base(file), path.Ext(file))
	return strings.TrimSuffix(strings.TrimSuffix(text, ".agent"), ".chatmode")
}
