package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"orgd/test/history"
)

// Definition is the part of an agent that a history tells, as the service is
// to keep it. Its JSON form fits the bodies of the interface.
type Definition struct {
	Role         string `json:"role"`
	Department   string `json:"department"`
	Description  string `json:"description"`
	Model        *Model `json:"model"`
	Tools        Tools  `json:"tools"`
	Instructions string `json:"instructions"`
}

// Model is the language model of an agent.
type Model struct {
	Provider string `json:"provider"`
	ID       string `json:"model_id"`
}

// Tools are what an agent may use.
type Tools struct {
	Allowed []string `json:"allowed"`
}

// provider is given to every model, because a history names none.
const provider = "unspecified"

// modelOf translates a history's word for a model. An agent without a word of
// its own, or that inherits its model, has none.
func modelOf(word string) *Model {
	if word == "" || word == "inherit" {
		return nil
	}
	return &Model{Provider: provider, ID: word}
}

// After returns the definition after an entry that hires or updates.
func (d Definition) After(e history.Entry) Definition {
	d.Role = e.Name
	set(&d.Department, e.Department)
	set(&d.Description, e.Description)
	set(&d.Instructions, e.Instructions)
	set(&d.Tools.Allowed, e.Tools)
	if e.Model != nil {
		d.Model = modelOf(*e.Model)
	}
	return d
}

func set[T any](dst *T, told *T) {
	if told != nil {
		*dst = *told
	}
}

// Equal reports whether both mean the same. No list and an empty one do.
func (d Definition) Equal(other Definition) bool { return len(d.Differences(other)) == 0 }

// Differences lists the fields in which two definitions differ, sorted.
func (d Definition) Differences(other Definition) []string {
	same := map[string]bool{
		"role":          d.Role == other.Role,
		"department":    d.Department == other.Department,
		"description":   d.Description == other.Description,
		"instructions":  d.Instructions == other.Instructions,
		"model":         equalModels(d.Model, other.Model),
		"tools.allowed": slices.Equal(d.Tools.Allowed, other.Tools.Allowed),
	}
	maps.DeleteFunc(same, func(_ string, same bool) bool { return same })
	return slices.Sorted(maps.Keys(same))
}

func equalModels(a, b *Model) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}

// patch is the body that changes what an update tells, and nothing else.
func patch(e history.Entry) map[string]any {
	body := map[string]any{}
	if e.Department != nil {
		body["department"] = *e.Department
	}
	if e.Description != nil {
		body["description"] = *e.Description
	}
	if e.Instructions != nil {
		body["instructions"] = *e.Instructions
	}
	if e.Tools != nil {
		body["tools"] = Tools{Allowed: *e.Tools}
	}
	if e.Model != nil {
		body["model"] = modelOf(*e.Model)
	}
	return body
}

// Life is what a history tells of one agent, from hire to departure. Who is
// hired again begins another life.
type Life struct {
	Name     string
	Versions []Version // number 1 first
	Fired    bool
}

// Version is a definition and why it came about.
type Version struct {
	Definition
	Reason string
}

// last is the life's newest definition.
func (l *Life) last() Version { return l.Versions[len(l.Versions)-1] }

// Lives works out, without the service, which agents a history leaves behind
// and which versions each has: one for the hire and one for every update that
// changes something. They come in the order of their hires.
func Lives(entries []history.Entry) []*Life {
	var lives []*Life
	current := map[string]*Life{}
	for _, e := range entries {
		switch l := current[e.Name]; e.Op {
		case history.Hire:
			l = &Life{Name: e.Name, Versions: []Version{{Definition{}.After(e), e.Reason()}}}
			lives = append(lives, l)
			current[e.Name] = l
		case history.Update:
			if next := l.last().After(e); !next.Equal(l.last().Definition) {
				l.Versions = append(l.Versions, Version{next, e.Reason()})
			}
		case history.Fire:
			l.Fired = true
		}
	}
	return lives
}

// Employed returns the lives that have not ended.
func Employed(lives []*Life) []*Life {
	return slices.DeleteFunc(slices.Clone(lives), func(l *Life) bool { return l.Fired })
}

// busiest is the life with most versions; of several the first by name.
func busiest(lives []*Life) (*Life, error) {
	if len(lives) == 0 {
		return nil, fmt.Errorf("the history leaves nobody behind")
	}
	return slices.MaxFunc(lives, func(a, b *Life) int {
		return cmp.Or(cmp.Compare(len(a.Versions), len(b.Versions)), cmp.Compare(b.Name, a.Name))
	}), nil
}
