package identity

import (
	"time"

	"orgd/domain/fault"
)

// ErrVersionNotFound is a version number that the agent never had.
var ErrVersionNotFound = fault.New(fault.NotFound, "version not found")

// ErrRecordMissing is an agent whose identity is gone from the storage: the
// storage is damaged.
var ErrRecordMissing = fault.New(fault.RecordNotFound, "the agent's identity is missing from the storage")

// Version is one stored revision of an agent's identity. History only grows: a
// rollback is a new version with old content.
type Version struct {
	Number       int64 // one-based, without gaps
	Content      Content
	Text         string // of Content, see [Content.Canonical]
	Hash         string // of Text
	SavedBy      string // the subject that made it
	SavedAt      time.Time
	RestoredFrom *int64  // the version whose content a rollback brought back
	Reason       *string // why, as the caller put it
}

// Size implements [page.Row].
func (v Version) Size() int { return len(v.Text) }

// First returns version 1 of an agent.
func First(c Content, by string, at time.Time) Version {
	return Version{}.Next(c, by, at)
}

// Next returns the version that follows v.
func (v Version) Next(c Content, by string, at time.Time) Version {
	text := c.Canonical()
	return Version{Number: v.Number + 1, Content: c, Text: string(text), Hash: hash(text), SavedBy: by, SavedAt: at}
}
