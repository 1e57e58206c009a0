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

// Lookup returns the current names of agents. It reads them from the store on demand,
// namesAtOnce at a time: a department may refer to sixteen thousand agents. One goroutine
// at a time may use it.
type Lookup struct {
	ctx    context.Context
	agents ports.AgentNames
	unread []agent.ID          // in the order in which they are rendered
	names  map[agent.ID]string // of those that were read; "" of one that is gone
	err    error
}

// namesAtOnce is how many names are read at once.
const namesAtOnce = 1000

// newLookup returns a Lookup of the agents that departments refer to.
func newLookup(ctx context.Context, agents ports.AgentNames, departments ...department.Department) *Lookup {
	l := &Lookup{ctx: ctx, agents: agents, names: map[agent.ID]string{}}
	for _, d := range departments {
		l.unread = append(l.unread, d.Agents()...)
	}
	return l
}

// Continue sets the context with which names are read from now on: the deadline moves
// when an answer turns out to be long.
func (l *Lookup) Continue(ctx context.Context) { l.ctx = ctx }

// Show returns the name of an agent. It returns false if the agent is gone, and after a
// read has failed; so check [Lookup.Err] when all is rendered.
func (l *Lookup) Show(id agent.ID) (string, bool) {
	for {
		text, known := l.names[id]
		if known || !l.readSome() {
			return text, text != ""
		}
	}
}

// Err returns the error of reading names, if any.
func (l *Lookup) Err() error { return l.err }

// readSome reads the next names. It returns false if none are left or reading has failed.
func (l *Lookup) readSome() bool {
	if l.err != nil {
		return false
	}
	var some []agent.ID
	for ; len(l.unread) > 0 && len(some) < namesAtOnce; l.unread = l.unread[1:] {
		id := l.unread[0]
		if _, known := l.names[id]; !known {
			l.names[id] = ""
			some = append(some, id)
		}
	}
	if len(some) == 0 {
		return false
	}
	var found map[agent.ID]string
	found, l.err = l.agents.Names(l.ctx, some)
	maps.Copy(l.names, found)
	return true
}

// readAll reads the names that were not read yet.
func (l *Lookup) readAll() error {
	for l.readSome() {
	}
	return l.err
}

// resolve looks up the agents that a patch names, as its caller wrote them.
func resolve(ctx context.Context, agents ports.AgentNames, texts []string) (identity.References, Names, error) {
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
