package agentfiles

import (
	"maps"
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

// NamesOf returns the names for agents. keeps, if any, reports whether one is known
// under its plain name already; the first of these keeps it.
func NamesOf(agents []Agent, keeps func(Agent) bool) Names {
	n := Names{map[name.Key]int{}, map[name.Key]string{}}
	groups := map[name.Key][]Agent{}
	for _, a := range agents {
		groups[Key(a.Name)] = append(groups[Key(a.Name)], a)
	}
	for _, key := range slices.Sorted(maps.Keys(groups)) {
		if group := groups[key]; len(group) > 1 {
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
	first := map[name.Key]Agent{}
	for i, a := range t.Agents {
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
			mistakes = append(mistakes, a.mistake("name", "%q is also the name in %s:%d", a.Name, printable(other.Path), other.Line("name")))
		} else {
			first[key] = a
		}
		return mistakes
	})
	return renamed
}
