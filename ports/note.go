package ports

import (
	"orgd/domain/audit"
	"orgd/domain/receipt"
)

// Note is what a change leaves beside itself. A store writes it in the change's
// own commit: a change without its note, or a note without its change, does not
// exist.
type Note struct {
	Audit audit.Entry
	// Receipt is nil if the request had no Idempotency-Key. If its key has a
	// receipt already, another attempt of the same request was faster: the store
	// keeps neither change nor note and answers receipt.ErrRunning.
	Receipt *receipt.Receipt
}
