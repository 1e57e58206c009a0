package fields

// All are all nouns.
func All() []Noun {
	var all []Noun
	for _, list := range [][]Noun{companies, departments, agents, parts, projects, webhooks, tokens, entries, changes, labels, former, figures} {
		all = append(all, list...)
	}
	return all
}
