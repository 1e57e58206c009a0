package request

import (
	"errors"
	"net/url"
	"unicode/utf8"

	"orgd/domain/agent"
	"orgd/domain/department"
	"orgd/domain/identity"
	"orgd/domain/name"
)

// Param returns a parameter of the path; the parameter of an agent is "agent". The
// router matches the path as it was escaped, so that %2F is not a separator;
// its own decoding would turn "+" into a space, as only queries do.
func (r *Request) Param(name string) string {
	text := r.params.ByName(name)
	if r.HTTP.URL.RawPath == "" {
		return text // the router used the decoded path
	}
	if decoded, err := url.PathUnescape(text); err == nil {
		return decoded
	}
	return text
}

// BoundedParam returns a parameter of the path that has at most as many characters as
// a name.
func (r *Request) BoundedParam(param string) (string, error) {
	text := r.Param(param)
	if n := utf8.RuneCountInString(text); n > name.MaxLength {
		return "", errQuery.With("%s in the path: must be at most %d characters, not %d", param, name.MaxLength, n)
	}
	return text, nil
}

// AgentRef returns the agent in the path, by id or name.
func (r *Request) AgentRef() (identity.Ref, error) {
	text, err := r.BoundedParam("agent")
	if err != nil {
		return identity.Ref{}, err
	}
	ref, err := identity.ParseRef(text)
	if err != nil {
		return identity.Ref{}, errQuery.With("agent in the path: %s", err)
	}
	return ref, nil
}

// Department returns the key of the department in the path.
func (r *Request) Department() (name.Key, error) {
	text, err := r.BoundedParam("name")
	if err != nil {
		return "", err
	}
	n, err := name.Parse(text)
	if err != nil {
		return "", errQuery.With("name in the path: %s", err)
	}
	return n.Key, nil
}

// withName returns err with the name of a missing resource as it is in the path. Stores
// know only the key of a name.
func (r *Request) withName(err error) error {
	switch {
	case errors.Is(err, agent.ErrNotFound) && r.Param("agent") != "":
		return agent.ErrNotFound.With("agent %q not found", r.Param("agent"))
	case errors.Is(err, department.ErrNotFound) && r.Param("name") != "":
		return department.ErrNotFound.With("department %q not found", r.Param("name"))
	}
	return err
}
