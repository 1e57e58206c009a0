// Package sqlitestore keeps an organization in one SQLite database in a data
// directory that one process uses at a time.
//
// All changes go through one writer, which commits what waits for it together
// and answers after the disk has it. Reads run beside it on connections of
// their own, each on one consistent state.
package sqlitestore

import (
	"orgd/adapters/telemetry"
	"orgd/domain/agent"
	"orgd/domain/audit"
	"orgd/ports"
	"sync/atomic"
)

// DB is an open data directory. Its methods are safe for concurrent use.
type DB struct {
	*engine
	*memory
	observer    telemetry.Observer
	fields      agent.Schema
	locks       locks // of idempotency keys
	blocks      *blocks
	incarnation atomic.Pointer[string]
	grown       ports.Broadcast     // when the log has grown
	told        func([]audit.Entry) // of the changes of each commit, see [ports.AuditLog]; may be nil
}
