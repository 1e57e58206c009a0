package identity

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"orgd/domain/fault"
	"orgd/domain/jsondoc"
)

// ErrVersionNotFound is a version number that the agent never had.
var ErrVersionNotFound = fault.New(fault.NotFound, "version not found")

// NoVersion returns the [ErrVersionNotFound] of an agent whose latest version is known.
func NoVersion(id ID, number, latest int64) error {
	has := "1 version"
	if latest != 1 {
		has = fmt.Sprintf("%d versions", latest)
	}
	return ErrVersionNotFound.With("agent %s has no version %d: it has %s", id, number, has)
}

// ErrRecordMissing is an agent whose identity is gone from the storage: the
// storage is damaged.
var ErrRecordMissing = fault.New(fault.RecordNotFound, "the agent's identity is missing from the storage")

// ErrVersionDamaged is a version that cannot be read, because the storage has another text
// than the one that was saved.
var ErrVersionDamaged = fault.New(fault.Persistence, "the version is damaged in the storage")

// DamagedVersion returns the [ErrVersionDamaged] of a version, and of those that are stored as
// what differs from it.
func DamagedVersion(number int64) *fault.Error {
	return ErrVersionDamaged.With("version %d is damaged in the storage: restore the last backup", number)
}

// Version is one stored revision of an agent's identity. History only grows: a
// rollback is a new version with old content.
type Version struct {
	Number       int64 // one-based, without gaps
	Content      Content
	Text         string // of Content, see [Content.Canonical]
	Hash         string // of Text
	SavedBy      string // the subject that made it
	SavedAt      time.Time
	Imported     bool    // SavedBy and SavedAt are those of an [AsOf]
	RestoredFrom *int64  // the version whose content a rollback brought back
	Reason       *string // why, as the caller put it
}

// Size implements [page.Row].
func (v Version) Size() int { return len(v.Text) }

// Check returns an [ErrVersionDamaged] if the text is not that of the hash.
func (v Version) Check() error {
	if hash([]byte(v.Text)) != v.Hash {
		return DamagedVersion(v.Number)
	}
	return nil
}

// Stored is what stores keep of the content of a version.
type Stored struct {
	Text string // see [Content.Canonical]
	Hash string // of Text
}

// First returns version 1 of an agent.
func First(c Content, by string, at time.Time) Version {
	return Version{}.Next(c, by, at)
}

// Next returns the version that follows v.
func (v Version) Next(c Content, by string, at time.Time) Version {
	s := c.Stored()
	return Version{Number: v.Number + 1, Content: c, Text: s.Text, Hash: s.Hash, SavedBy: by, SavedAt: at}
}

// AsOf says when and by whom a version was made elsewhere, before it was imported.
type AsOf struct {
	At     time.Time // UTC, whole milliseconds
	By     string    // as a subject is written
	Reason *string   // nil if none is known
}

// AsOf returns v, which follows before, as a version that was made elsewhere. Times never go
// back: it is not older than before.
func (v Version) AsOf(as AsOf, before Version) Version {
	v.SavedBy, v.SavedAt, v.Imported = as.By, as.At, true
	if v.SavedAt.Before(before.SavedAt) {
		v.SavedAt = before.SavedAt
	}
	return v
}

// ErrDiffOrder is a diff whose first version is not before its second.
var ErrDiffOrder = fault.New(fault.Validation, "from_version: must be less than to_version")

// ChangeType is how a field differs between two versions.
type ChangeType string

// The kinds of change.
const (
	Added    ChangeType = "added"
	Modified ChangeType = "modified"
	Removed  ChangeType = "removed"
)

// FieldChange is one field that differs. Old and New are JSON texts; nil means
// that the field was not there, which happens inside free-form objects only.
type FieldChange struct {
	// Path leads to the field, one member name a step.
	Path []string
	Type ChangeType
	Old  *string
	New  *string
}

// Dotted is the path in the form that clients show, such as
// "personality.openness".
func (f FieldChange) Dotted() string { return strings.Join(f.Path, ".") }

// Diff is the difference between two versions of one agent.
type Diff struct {
	AgentID  ID
	From, To int64
	// Changes are sorted by dotted path.
	Changes []FieldChange
}

// Compare returns what changed from one version to a later one. Objects are
// walked, arrays are compared whole. It returns [ErrDiffOrder] unless from is
// before to.
func Compare(from, to Version) (Diff, error) {
	if err := CheckDiffOrder(from.Number, to.Number); err != nil {
		return Diff{}, err
	}
	d := Diff{AgentID: to.Content.ID, From: from.Number, To: to.Number}
	jsondoc.Differences(from.Content.Canonical(), to.Content.Canonical(), func(path []string, was, is string) {
		c := FieldChange{Path: slices.Clone(path), Type: Modified, Old: &was, New: &is}
		switch {
		case was == "":
			c.Type, c.Old = Added, nil
		case is == "":
			c.Type, c.New = Removed, nil
		}
		d.Changes = append(d.Changes, c)
	})
	slices.SortStableFunc(d.Changes, func(x, y FieldChange) int { return strings.Compare(x.Dotted(), y.Dotted()) })
	return d, nil
}

// CheckDiffOrder returns [ErrDiffOrder] unless from is before to.
func CheckDiffOrder(from, to int64) error {
	if from >= to {
		return ErrDiffOrder
	}
	return nil
}

// Summary says in words how much changed.
func (d Diff) Summary() string { return Summary(len(d.Changes)) }

// Summary says in words how many fields changed.
func Summary(fields int) string {
	switch fields {
	case 0:
		return "no changes"
	case 1:
		return "1 field changed"
	default:
		return strconv.Itoa(fields) + " fields changed"
	}
}
