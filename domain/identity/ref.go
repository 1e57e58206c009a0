package identity

import (
	"strings"

	"orgd/domain/fault"
	"orgd/domain/jsondoc"
	"orgd/domain/name"
)

// ErrUnknownReference is a reference to an agent that does not exist.
var ErrUnknownReference = fault.New(fault.Validation, "the agent that is referred to does not exist")

// Ref names an agent by its id or by its name; exactly one of the two is set.
type Ref struct {
	ID   ID
	Name name.Key
}

// ParseRef reads an id or a name. A name can never look like an id.
func ParseRef(s string) (Ref, error) {
	if name.IsUUID(s) {
		return Ref{ID: ID(strings.ToLower(s))}, nil
	}
	n, err := name.Parse(s)
	if err != nil {
		return Ref{}, err
	}
	return Ref{Name: n.Key}, nil
}

// References maps references as a caller wrote them to the agents' ids.
type References map[string]ID

// ID returns the id behind text, or [ErrUnknownReference] naming the field. An
// id stands for itself.
func (rs References) ID(field, text string) (ID, error) {
	if id, ok := rs[text]; ok {
		return id, nil
	}
	if name.IsUUID(text) {
		return ID(strings.ToLower(text)), nil
	}
	return "", ErrUnknownReference.With("%s: there is no agent %q", field, text)
}

// IDs returns the ids behind a list of references. Two references to one agent
// are refused: the lists of an organization hold an agent once.
func (rs References) IDs(field string, texts []string) ([]string, error) {
	if texts == nil {
		return nil, nil
	}
	seen := make(map[ID]bool, len(texts))
	ids := make([]string, len(texts))
	for i, text := range texts {
		id, err := rs.ID(field, text)
		if err != nil {
			return nil, err
		}
		if seen[id] {
			return nil, ErrCombination.With("%s: names the agent %q twice", field, text)
		}
		seen[id] = true
		ids[i] = string(id)
	}
	return ids, nil
}

// ReadRef reads a nullable reference and reports one that is neither an id nor
// a possible name.
func ReadRef(r *jsondoc.Reader, field string, dst **string) {
	r.TextOrNull(field, dst, 1, 256)
	if r.Has(field) && *dst != nil {
		checkRef(r, field, **dst)
	}
}

// ReadRefs reads a list of references.
func ReadRefs(r *jsondoc.Reader, field string, dst *[]string) {
	r.Texts(field, dst, words)
	if r.Has(field) {
		for _, text := range *dst {
			checkRef(r, field, text)
		}
	}
}

func checkRef(r *jsondoc.Reader, field, text string) {
	if _, err := ParseRef(text); err != nil {
		r.Fail(field, "%s", err)
	}
}

// ResolveReferences replaces what a caller wrote in the references of c by ids.
func (c *Content) ResolveReferences(refs References) error {
	if to := c.Authority.ReportsTo; to != nil {
		id, err := refs.ID("authority.reports_to", *to)
		if err != nil {
			return err
		}
		text := string(id)
		c.Authority.ReportsTo = &text
	}
	ids, err := refs.IDs("authority.can_delegate_to", c.Authority.CanDelegateTo)
	if err != nil {
		return err
	}
	c.Authority.CanDelegateTo = ids
	return nil
}
