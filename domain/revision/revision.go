// Package revision decides conditional changes: whether a resource is still in
// the revision that a caller has seen. It knows nothing of HTTP; the edge turns
// If-Match and If-None-Match into a [Condition].
package revision

import (
	"slices"
	"time"

	"orgd/domain/fault"
)

// ErrStale is returned when a condition does not hold: somebody else changed,
// deleted or created the resource since the caller read it.
var ErrStale = fault.New(fault.VersionConflict, "the resource has changed since it was read")

// Tag names one state of one resource. A resource that is deleted and made
// again has another ID, so an old tag never matches it. The zero Tag stands for
// a resource that does not exist.
type Tag struct {
	ID       string // identity of the resource, never reused
	Revision int64  // grows by one with every effective change
}

// Condition is what a caller demands of the state before a change. The zero
// value demands nothing. Stores evaluate it in the same atomic step as the
// change. A Condition is never modified once made.
type Condition struct {
	kind   kind
	tags   []Tag
	absent bool
}

type kind int

const (
	unguarded kind = iota
	mustExist
	oneOf
)

// Any demands that the resource exists, in whatever revision.
func Any() Condition { return Condition{kind: mustExist} }

// OneOf demands that the resource is in one of the given states. Without any
// tag it never holds, which is what a list of tags that cannot match means.
func OneOf(tags ...Tag) Condition {
	return Condition{kind: oneOf, tags: slices.Clone(tags)}
}

// AndAbsent returns c with the demand added that the thing to create does not
// exist yet.
func (c Condition) AndAbsent() Condition {
	c.absent = true
	return c
}

// IsSet reports whether c demands anything.
func (c Condition) IsSet() bool { return c.kind != unguarded || c.absent }

// Check returns an occurrence of ErrStale unless current is a state that c accepts. It does
// not look at the demand of [Condition.AndAbsent]; see [Condition.CheckAbsent].
func (c Condition) Check(current Tag) error {
	ofCurrent := func(t Tag) bool { return t.ID == current.ID }
	switch {
	case c.kind == unguarded:
		return nil
	case current != (Tag{}) && (c.kind == mustExist || slices.Contains(c.tags, current)):
		return nil
	case c.kind == oneOf && len(c.tags) == 0:
		return ErrStale.With("the condition has no tag that this service made, or only tags from before a restore or under another cursor key, so it names no revision; read again, and send the ETag of the answer as it is")
	case c.kind == oneOf && !slices.ContainsFunc(c.tags, ofCurrent):
		return ErrStale.With("the condition has only tags of other resources, or of one that was deleted and made again")
	}
	return ErrStale
}

// CheckAbsent returns an occurrence of ErrStale if c demands that the thing to
// create is absent and it exists. It looks at nothing else.
func (c Condition) CheckAbsent(exists bool) error {
	if c.absent && exists {
		return ErrStale.With("the resource already exists")
	}
	return nil
}

// step is the finest step of time that every store keeps.
const step = time.Millisecond

// Time returns the time of the revision that follows one of the time before:
// at, or one step after before if the clock shows no later time. So the times
// of one resource ascend with its revisions, also when several fall into one
// step, commit in another order than they began, or the clock steps back.
func Time(at, before time.Time) time.Time {
	if !at.After(before) {
		return before.Add(step)
	}
	return at
}
