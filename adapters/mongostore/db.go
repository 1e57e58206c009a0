// Package mongostore keeps everything in a MongoDB database that replicas share.
//
// A change is one function, which [DB.write] runs in a transaction of the server. It
// reads from the snapshot of the transaction and adds writes to it. Each process has one
// writer, which runs what waits together in one transaction: when all the functions have
// returned, their writes are sent and committed with write concern majority. A batch that
// conflicts with another process runs again. Callers are answered after the commit, also
// if the answer is a refusal.
//
// What must hold across documents holds because both changes write one document and
// so conflict: the headcounts of a department (headcounts.go), the guard of the
// company (company.go), the _id of an idempotency record (idempotency.go). Replicas
// coordinate in no other way. The log of events is a change stream (stream.go).
package mongostore

import (
	"sync/atomic"

	"orgd/adapters/contents"
	"orgd/adapters/mongostore/internal/eventlog"
	"orgd/adapters/telemetry"
	"orgd/domain/agent"
	"orgd/ports"
)

// DB is the shared store. It is safe for concurrent use.
type DB struct {
	*engine
	observer telemetry.Observer
	fields   agent.Schema
	clock    ports.Clock
	contents *contents.Memory
	figures  *agentFigures
	costs    atomic.Bool // whether costs are known to be recorded

	incarnation atomic.Pointer[string] // nil before the schema was read

	tail      eventlog.Tail
	startTail func() // in the background, if it is not running
	catchUps  eventlog.CatchUps
	trail     eventlog.CatchUps // who reads the audit trail in the order of the log
	leftLocks leftLocks
}
