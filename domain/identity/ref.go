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

// Clone is the reference in memory of its own, see [name.Key.Clone].
func (r Ref) Clone() Ref { return Ref{ID: ID(strings.Clone(string(r.ID))), Name: r.Name.Clone()} }

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

// References maps references as a caller wrote them to the ids of agents that
// exist.
type References map[string]ID

// ID returns the id behind text, or [ErrUnknownReference] naming the field.
func (rs References) ID(field, text string) (ID, error) {
	if id, ok := rs[text]; ok {
		return id, nil
	}
	return "", ErrUnknownReference.At(field, "there is no agent %q", text)
}

// IDOrNull is [References.ID] for a reference that may be nil.
func (rs References) IDOrNull(field string, text *string) (*string, error) {
	return resolveOne(rs.ID, field, text)
}

// IDs returns the ids behind a list of references. Two references to one agent
// are refused: the lists of an organization hold an agent once.
func (rs References) IDs(field string, texts []string) ([]string, error) {
	return resolveAll(rs.ID, field, texts)
}

// lasting is [References.ID] for references that stay when their agent goes: an
// id stands for itself.
func (rs References) lasting(field, text string) (ID, error) {
	if name.IsUUID(text) {
		return ID(strings.ToLower(text)), nil
	}
	return rs.ID(field, text)
}

// ResolveReferences replaces what a caller wrote in the references of c by ids.
func (c *Content) ResolveReferences(refs References) (err error) {
	a := &c.Authority
	if a.ReportsTo, err = resolveOne(refs.lasting, "authority.reports_to", a.ReportsTo); err != nil {
		return err
	}
	a.CanDelegateTo, err = resolveAll(refs.lasting, "authority.can_delegate_to", a.CanDelegateTo)
	return err
}

// Agents lists the agents that c refers to, existing or not.
func (c Content) Agents() []ID {
	var ids []ID
	for _, id := range c.Authority.CanDelegateTo {
		ids = append(ids, ID(id))
	}
	if to := c.Authority.ReportsTo; to != nil {
		ids = append(ids, ID(*to))
	}
	return ids
}

// resolver turns the text of a field into an id.
type resolver func(field, text string) (ID, error)

func resolveOne(resolve resolver, field string, text *string) (*string, error) {
	if text == nil {
		return nil, nil
	}
	id, err := resolve(field, *text)
	if err != nil {
		return nil, err
	}
	return (*string)(&id), nil
}

func resolveAll(resolve resolver, field string, texts []string) ([]string, error) {
	var ids []string
	named := make(map[ID]bool, len(texts))
	for _, text := range texts {
		id, err := resolve(field, text)
		if err != nil {
			return nil, err
		}
		if named[id] {
			return nil, ErrCombination.At(field, "names the agent %q twice", text)
		}
		named[id] = true
		ids = append(ids, string(id))
	}
	return ids, nil
}

// ReadRef reads a nullable reference and reports one that is neither an id nor
// a possible name.
func ReadRef(r *jsondoc.Reader, field string, dst **string) {
	r.TextOrNull(field, dst, 1, maxText)
	if r.Has(field) && *dst != nil {
		checkRef(r, field, **dst)
	}
}

// ReadRefs reads a list of at most max references.
func ReadRefs(r *jsondoc.Reader, field string, dst *[]string, max int) {
	r.Texts(field, dst, jsondoc.Bounds{MaxItems: max, MinLen: 1, MaxLen: maxText})
	if r.Has(field) {
		for _, text := range *dst {
			checkRef(r, field, text)
		}
	}
}

// Show turns the id of an agent into what a reader sees of it; false means that
// the agent is gone.
type Show func(ID) (string, bool)

// AsIs shows an id as it is, of whatever agent.
func AsIs(id ID) (string, bool) { return string(id), true }

// WriteRef writes a reference as show turns it; one to an agent that is gone is null.
func WriteRef(w *jsondoc.Writer, id *string, show Show) {
	if id != nil {
		if text, ok := show(ID(*id)); ok {
			w.Text(text)
			return
		}
	}
	w.Null()
}

// WriteRefs writes a list of references without those to agents that are gone.
func WriteRefs(w *jsondoc.Writer, ids []string, show Show) {
	w.OpenList()
	for _, id := range ids {
		if text, ok := show(ID(id)); ok {
			w.Text(text)
		}
	}
	w.CloseList()
}

func checkRef(r *jsondoc.Reader, field, text string) {
	if _, err := ParseRef(text); err != nil {
		r.Fail(field, "%s", err)
	}
}
