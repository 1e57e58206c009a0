// Package sqlitestore keeps an organization in one SQLite database in a data
// directory that one process uses at a time.
//
// All changes go through one writer, which commits what waits for it together
// and answers after the disk has it. Reads run beside it on connections of
// their own, each on one consistent state.
package sqlitestore

import (
	"sync/atomic"

	"go.uber.org/zap"

	"orgd/adapters/sqlitestore/internal/engine"
	"orgd/adapters/sqlitestore/internal/memory"
	"orgd/adapters/telemetry"
	"orgd/domain/agent"
	"orgd/domain/audit"
	"orgd/ports"
)

// DB is an open data directory. Its methods are safe for concurrent use.
type DB struct {
	*engine.DB
	*memory.Memory
	observer    telemetry.Observer
	log         *zap.Logger
	fields      agent.Schema
	locks       locks // of idempotency keys
	blocks      *blocks
	incarnation atomic.Pointer[string]
	changed     ports.Broadcast     // when there is more in the log
	told        func([]audit.Entry) // of the changes of each commit, see [ports.AuditLog]; may be nil
}
