package agent

import (
	"fmt"
	"slices"

	"orgd/domain/identity"
	"orgd/domain/page"
	"orgd/domain/search"
)

// MaxSearched is how many bytes of identities are looked at for a page of a search, without the
// last one of them. An agent in which the text may be counts twice: it is read.
const MaxSearched = 16 << 20

// SearchQuery selects a page of the agents in which a text is found. They come in the
// organization's order, so there is no prefix.
type SearchQuery struct {
	Query
	Text search.Text
}

// Hit is an agent in which a text was found.
type Hit struct {
	Record
	Matches []search.Match
}

// Found is a page of a search.
type Found struct {
	Hits []Hit
	// Reached is the position behind which the next page begins; nil if there is none. A page
	// that has one may have any number of hits, even none.
	Reached *Position
}

// Searching makes a page of a search of the agents that the query selects, one after the
// other in their order.
type Searching struct {
	Found
	Bytes   int // that were looked at
	query   SearchQuery
	stored  func(string) bool // whether the text may be in what is stored
	filling page.Filling
}

// Search begins a page.
func Search(q SearchQuery) *Searching { return &Searching{query: q, stored: q.Text.InJSON()} }

// Look looks at the next agent, of which it needs the id, the order key, the name, the identity
// and the tags, and reports whether the page ends here. whole reads all of an agent that is a hit.
func (s *Searching) Look(r Record, whole func() (Record, error)) (done bool, err error) {
	size := len(r.Identity)
	if !s.stored(r.Identity) && !slices.ContainsFunc(r.Tags, s.stored) {
		return s.Pass(r.Position(), size), nil
	}
	matches, err := s.matches(r)
	if err == nil && len(matches) > 0 {
		r, err = whole()
	}
	if err != nil {
		return true, err
	}
	if len(matches) > 0 {
		if n := len(s.Hits); n == s.query.Limit || s.filling.Add(r.Size()) {
			last := s.Hits[n-1].Position()
			s.Reached = &last
			return true, nil
		}
		s.Hits = append(s.Hits, Hit{r, matches})
	}
	return s.Pass(r.Position(), 2*size), nil
}

// Pass passes the next agent, which cannot have the text. Its identity has so many bytes.
func (s *Searching) Pass(at Position, size int) (done bool) {
	if s.Bytes += size; s.Bytes > MaxSearched {
		s.Reached = &at
	}
	return s.Reached != nil
}

// matches looks for the text in what an agent is called and told.
func (s *Searching) matches(r Record) ([]search.Match, error) {
	role, description, instructions, err := identity.TextsIn(r.Identity, s.stored)
	if err != nil {
		return nil, fmt.Errorf("agent %s: %w", r.ID, err)
	}
	in := []search.Field{{Name: "name", Text: r.Name}, {Name: "role", Text: role}, {Name: "description", Text: description}}
	for _, tag := range r.Tags {
		in = append(in, search.Field{Name: "tags", Text: tag})
	}
	return s.query.Text.Matches(append(in, search.Field{Name: "instructions", Text: instructions})...), nil
}
