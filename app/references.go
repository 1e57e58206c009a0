package app

import (
	"context"
	"maps"

	"orgd/domain/agent"
	"orgd/domain/department"
	"orgd/domain/identity"
	"orgd/ports"
)

// Names are the current names of the existing agents among some that were
// asked for.
type Names map[agent.ID]string

// Show returns the name of an agent, or false if it is gone.
func (n Names) Show(id agent.ID) (string, bool) {
	text, ok := n[id]
	return text, ok
}

// Exists reports whether the agent exists.
func (n Names) Exists(id agent.ID) bool {
	_, ok := n[id]
	return ok
}

// Lookup shows agents by their current names. It reads the names when they are asked
// for, and many at once: a department may refer to sixteen thousand agents. It is for
// one goroutine.
type Lookup struct {
	ctx    context.Context
	agents ports.AgentStore
	next   []agent.ID          // that are not read yet, in the order in which they are asked for
	names  map[agent.ID]string // of those that were read; "" of who is gone
	err    error
}

// namesAtOnce is how many names are read at once.
const namesAtOnce = 1000

// lookUp returns a Lookup of the agents that departments refer to.
func lookUp(ctx context.Context, agents ports.AgentStore, departments ...department.Department) *Lookup {
	l := &Lookup{ctx: ctx, agents: agents, names: map[agent.ID]string{}}
	for _, d := range departments {
		l.next = append(l.next, d.Agents()...)
	}
	return l
}

// Continue lets what has not been read be read under another context.
func (l *Lookup) Continue(ctx context.Context) { l.ctx = ctx }

// Show returns the name of an agent, or false if it is gone, or if names could not be
// read: see [Lookup.Err].
func (l *Lookup) Show(id agent.ID) (string, bool) {
	for {
		text, known := l.names[id]
		if known || !l.readSome() {
			return text, text != ""
		}
	}
}

// Err returns the error of reading names, with which what was shown is not whole.
func (l *Lookup) Err() error { return l.err }

// readSome reads the next names, and returns false if there are none.
func (l *Lookup) readSome() bool {
	var some []agent.ID
	for ; len(l.next) > 0 && len(some) < namesAtOnce; l.next = l.next[1:] {
		if _, known := l.names[l.next[0]]; !known {
			l.names[l.next[0]] = ""
			some = append(some, l.next[0])
		}
	}
	if len(some) == 0 || l.err != nil {
		return false
	}
	var found map[agent.ID]string
	found, l.err = l.agents.Names(l.ctx, some)
	maps.Copy(l.names, found)
	return true
}

// readAll reads all names that are left.
func (l *Lookup) readAll() error {
	for l.readSome() {
	}
	return l.err
}

// resolve looks up the agents that a patch names, as its caller wrote them.
func resolve(ctx context.Context, agents ports.AgentStore, texts []string) (identity.References, Names, error) {
	if len(texts) == 0 {
		return nil, nil, nil
	}
	byText := make(map[string]identity.Ref, len(texts))
	var ids []agent.ID
	var others []identity.Ref
	for _, text := range texts {
		ref, err := identity.ParseRef(text)
		if err != nil {
			return nil, nil, err
		}
		if byText[text] = ref; ref.ID != "" {
			ids = append(ids, ref.ID)
		} else {
			others = append(others, ref)
		}
	}
	names, err := agents.Names(ctx, ids)
	if err != nil {
		return nil, nil, err
	}
	found, err := agents.Find(ctx, others)
	if err != nil {
		return nil, nil, err
	}
	known := make(identity.References, len(byText))
	for text, ref := range byText {
		if p, ok := found[ref]; ok {
			known[text], names[p.ID] = p.ID, p.Name.Text
		} else if _, ok := names[ref.ID]; ok {
			known[text] = ref.ID
		}
	}
	return known, names, nil
}
