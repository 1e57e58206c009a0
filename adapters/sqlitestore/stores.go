package sqlitestore

import "orgd/ports"

// Stores returns the stores in db.
func (db *DB) Stores() ports.Stores {
	return ports.Stores{
		Agents: &Agents{db}, Identities: &Identities{db}, Departments: &Departments{db}, Company: &Company{db},
		Projects: &Projects{db}, Activities: &Activities{db}, Stream: &Stream{db}, Measures: &Measures{db}, Audit: &Audit{db},
		Idempotency: &Idempotency{db}, Sessions: &Sessions{db}, Webhooks: &Webhooks{db}, Outbox: &Outbox{db}, Archive: &Archive{db}, Storage: &Storage{db},
	}
}
