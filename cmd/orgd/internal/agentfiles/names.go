package agentfiles

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"orgd/domain/name"
)

// Names gives agents names of their own where several files have one name: with the
// nearest folder in front, and with more of the path as long as that is not enough.
type Names struct {
	depth map[name.Key]int
	kept  map[name.Key]string // the path that keeps the name
}

// GiveNames makes one agent of those that are written for several programs, and gives each its
// name. keeps is as for [NamesOf].
func (t *Tree) GiveNames(keeps func(Agent) bool) (n Names, renamed []string) {
	t.unite()
	n = NamesOf(t.Agents, keeps)
	return n, t.Rename(n)
}

// unite leaves out agents that others of the tree are, for another program. Those that have
// other instructions in the same folder are bad.
func (t *Tree) unite() {
	var kept []Agent
	for _, a := range t.Agents {
		same := slices.ContainsFunc(kept, a.IsOneWith)
		other := slices.IndexFunc(kept, func(k Agent) bool { return a.isBeside(k) && slices.Equal(folders(a.Path), folders(k.Path)) })
		switch {
		case same:
			t.Skipped = append(t.Skipped, Skip{a.Path, "is the same agent for another program"})
		case other >= 0:
			t.Bad = append(t.Bad, a.mistake("name", "%q is also the name in %s:%d, where the instructions are others; %s",
				a.Name, printable(kept[other].Path), kept[other].Line("name"), choose))
		default:
			kept = append(kept, a)
		}
	}
	t.Agents = kept
	slices.SortStableFunc(t.Skipped, func(a, b Skip) int { return strings.Compare(a.Path, b.Path) })
	slices.SortStableFunc(t.Bad, compare)
}

// choose says what to do about two files of one agent.
const choose = "--exclude leaves one of the files out, --include takes one alone"

// IsOneWith reports whether two files are about one agent: in one place, for two programs, with
// the same name and instructions, whatever blank lines are around these.
func (a Agent) IsOneWith(b Agent) bool {
	return a.isBeside(b) && strings.TrimSpace(a.Instructions) == strings.TrimSpace(b.Instructions)
}

// isBeside reports whether two files have one name, in one place for two programs.
func (a Agent) isBeside(b Agent) bool {
	rootA, homeA := program(a.Path)
	rootB, homeB := program(b.Path)
	return Key(a.Name) == Key(b.Name) && rootA == rootB && homeA != homeB
}

// program returns where the files of several programs lie, and the folder of the one that a
// file is for, "" for what all can have.
func program(file string) (root, home string) {
	parts := strings.Split(path.Dir(file), "/")
	for i, part := range parts {
		if slices.Contains(homes, part) {
			return strings.Join(parts[:i], "/"), part
		}
	}
	if i := slices.IndexFunc(parts, func(part string) bool { return slices.Contains(places, strings.ToLower(part)) }); i >= 0 {
		parts = parts[:i]
	}
	return strings.TrimPrefix(strings.Join(parts, "/"), "."), ""
}

// NamesOf returns the names for agents. keeps, if any, reports whether one is known
// under its plain name already; the first of these keeps it.
func NamesOf(agents []Agent, keeps func(Agent) bool) Names {
	n := Names{map[name.Key]int{}, map[name.Key]string{}}
	groups := map[name.Key][]Agent{}
	for _, a := range agents {
		groups[Key(a.Name)] = append(groups[Key(a.Name)], a)
	}
	for _, key := range slices.Sorted(maps.Keys(groups)) {
		if group := distinct(groups[key]); len(group) > 1 {
			if i := slices.IndexFunc(group, func(a Agent) bool { return keeps != nil && keeps(a) }); i >= 0 {
				n.kept[key] = group[i].Path
			}
			most := 0
			for _, a := range group {
				most = max(most, len(folders(a.Path))+1, 2)
			}
			for n.depth[key] = 1; n.depth[key] < most && n.clash(group, groups); n.depth[key]++ {
			}
		}
	}
	return n
}

// distinct returns the first of those agents whose paths do not tell them apart.
func distinct(group []Agent) (first []Agent) {
	seen := map[string]bool{}
	for _, a := range group {
		words := strings.Join(append(folders(a.Path), stem(a.Path)), "/")
		if !seen[words] {
			seen[words] = true
			first = append(first, a)
		}
	}
	return first
}

// clash reports whether two agents of a group have one name, or one has that of another.
func (n Names) clash(group []Agent, others map[name.Key][]Agent) bool {
	taken := map[name.Key]bool{}
	for _, a := range group {
		key := Key(n.Of(a))
		if taken[key] || key != Key(a.Name) && others[key] != nil {
			return true
		}
		taken[key] = true
	}
	return false
}

// Of returns the name of an agent.
func (n Names) Of(a Agent) string {
	depth := n.depth[Key(a.Name)]
	if depth == 0 || n.kept[Key(a.Name)] == a.Path {
		return a.Name
	}
	parts := folders(a.Path)
	if depth > max(1, len(parts)) {
		parts = append(parts, stem(a.Path))
	}
	return strings.Join(append(parts[max(0, len(parts)-depth):], a.Name), "-")
}

// Rename gives the agents of a tree their names. What has the name of another or one that
// the service refuses is bad then.
func (t *Tree) Rename(n Names) (renamed []string) {
	first, written := map[name.Key]Agent{}, map[string]string{}
	for i, a := range t.Agents {
		written[a.Path] = a.Name
		if is := n.Of(a); is != a.Name {
			renamed = append(renamed, a.mistake("name", "%q becomes %q", a.Name, is).String())
			t.Agents[i].Name = is
		}
	}
	t.Refuse(func(a Agent) (mistakes []Mistake) {
		for _, m := range Rule("name", a.Name) {
			mistakes = append(mistakes, a.mistake("name", "%s", m.Text))
		}
		key := Key(a.Name)
		if other, taken := first[key]; taken {
			said := fmt.Sprintf("%q", written[a.Path])
			if written[a.Path] != a.Name {
				said += fmt.Sprintf(" becomes %q, which", a.Name)
			}
			mistakes = append(mistakes, a.mistake("name", "%s is also the name in %s:%d; %s", said, printable(other.Path), other.Line("name"), choose))
		} else {
			first[key] = a
		}
		return mistakes
	})
	return renamed
}
