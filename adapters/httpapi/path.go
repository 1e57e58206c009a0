package httpapi

import (
	"errors"
	"net/url"
	"unicode/utf8"

	"orgd/domain/agent"
	"orgd/domain/department"
	"orgd/domain/identity"
	"orgd/domain/name"
)

// param returns a parameter of the path in the name that the tree knows. The
// router matches the path as it was escaped, so that %2F is not a protocol.Separator;
// its own decoding would take "+" for a space, as only queries do.
func (x *exchange) param(name string) string {
	text := x.Param(name)
	if x.Request.URL.RawPath == "" {
		return text // the router saw the decoded path
	}
	if decoded, err := url.PathUnescape(text); err == nil {
		return decoded
	}
	return text
}

// agentRef reads the agent in the path, by id or name.
func (x *exchange) agentRef() (identity.Ref, error) {
	text := x.param("agent")
	if err := checkPathText("agent", text); err != nil {
		return identity.Ref{}, err
	}
	ref, err := identity.ParseRef(text)
	if err != nil {
		return identity.Ref{}, errQuery.With("agent in the path: %s", err)
	}
	return ref, nil
}

// departmentKey reads the department in the path.
func (x *exchange) departmentKey() (name.Name, error) {
	text := x.param("name")
	if err := checkPathText("name", text); err != nil {
		return name.Name{}, err
	}
	n, err := name.Parse(text)
	if err != nil {
		return name.Name{}, errQuery.With("name in the path: %s", err)
	}
	return n, nil
}

func checkPathText(what, text string) error {
	if utf8.RuneCountInString(text) > name.MaxLength {
		return errQuery.With("%s in the path: must be at most %d characters", what, name.MaxLength)
	}
	return nil
}

// named is err with the name of a missing resource as the path has it. The
// storage knows only the key of a name.
func (x *exchange) named(err error) error {
	switch {
	case errors.Is(err, agent.ErrNotFound) && x.Param("agent") != "":
		return agent.ErrNotFound.With("agent %q not found", x.param("agent"))
	case errors.Is(err, department.ErrNotFound) && x.Param("name") != "":
		return department.ErrNotFound.With("department %q not found", x.param("name"))
	}
	return err
}
