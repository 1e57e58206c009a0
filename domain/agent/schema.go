package agent

import (
	"errors"
	"fmt"
	"strings"

	"orgd/domain/jsondoc"
)

// Schema lists the fields of agents that came after the first release. Stores keep
// texts, so an agent that was stored before a field came has a text without it.
type Schema []Added

// Added is a field that came later.
type Added struct {
	// Path leads to the field, such as "model.region"; items of lists have no step of
	// their own.
	Path string
	// Since is the number of the schema that it came with, from 2 on. All fields of one
	// release have the same.
	Since int
}

// Current returns the schema of this release.
func Current() Schema { return nil }

// Number returns the number of the schema: 1 as long as no field was added.
func (s Schema) Number() int {
	n := 1
	for _, f := range s {
		n = max(n, f.Since)
	}
	return n
}

// Complete returns r as a release with this schema stores it: a field that its texts
// lack is there with its default.
func (s Schema) Complete(r Record) (Record, error) {
	if len(s) == 0 {
		return r, nil
	}
	versioned, err := jsondoc.ParseStored(r.Identity)
	unversioned, err2 := jsondoc.ParseStored(r.Unversioned)
	if err := errors.Join(err, err2); err != nil {
		return r, fmt.Errorf("agent %s: %w", r.ID, jsondoc.ErrStored.Because(err))
	}
	for _, f := range s {
		path := strings.Split(f.Path, ".")
		if !lacks(versioned, path) || !lacks(unversioned, path) {
			continue
		}
		a, err := r.Agent()
		if err == nil {
			r.Identity, r.Unversioned = a.Identity.Canonical(), a.Unversioned()
		}
		return r, err
	}
	return r, nil
}

// lacks reports whether the path ends early in v. What is null or an empty list lacks
// nothing.
func lacks(v jsondoc.Value, path []string) bool {
	if len(path) == 0 {
		return false
	}
	for _, item := range v.Items() {
		if lacks(item, path) {
			return true
		}
	}
	if v.Kind() != jsondoc.KindObject {
		return false
	}
	member, ok := v.Get(path[0])
	return !ok || lacks(member, path[1:])
}
