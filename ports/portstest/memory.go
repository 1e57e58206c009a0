package portstest

import (
	"context"
	"crypto/sha256"
	"maps"
	"slices"
	"sync"
	"time"

	"orgd/domain/activity"
	"orgd/domain/agent"
	"orgd/domain/audit"
	"orgd/domain/company"
	"orgd/domain/department"
	"orgd/domain/idempotency"
	"orgd/domain/identity"
	"orgd/domain/name"
	"orgd/domain/page"
	"orgd/domain/project"
	"orgd/domain/session"
	"orgd/domain/webhook"
	"orgd/ports"
)

// memory keeps the promises of the ports in the dullest way: maps, one lock,
// and a search of everything. It is the model that stores are compared with,
// and what the suites themselves are tested with.
type memory struct {
	mu          sync.Mutex
	company     company.Company
	departments map[name.Key]department.Department
	agents      map[agent.ID]agent.Agent
	former      map[agent.ID]agent.Former
	names       map[agent.ID]name.Name // of agents that exist or existed
	purged      map[string]bool        // ids of agents
	versions    map[agent.ID][]identity.Version
	moves       []labelMove
	events      map[activity.ID]activity.Event
	log         []activity.Logged
	marks       []mark
	begin       activity.Seq
	changed     ports.Broadcast
	counted     []ports.Report // whatever was ever accepted
	projects    map[project.ID]project.Project
	trail       []audit.Entry
	records     map[idempotency.Key]idempotency.Record
	locks       map[idempotency.Key]idempotency.Lock
	sessions    map[string]session.Session
	used        map[string]time.Time // session id → when last
	revocations map[string]session.Revocation
	revoked     time.Time // the latest, also if it has expired
	links       map[[sha256.Size]byte]memoryLink
	webhooks    map[webhook.ID]webhook.Webhook
	deliveries  map[webhook.DeliveryID]webhook.Delivery
	position    activity.Seq // up to which deliveries are recorded
	committed   func([]audit.Entry)
}

// NewMemory returns the model, empty, for tests of what is built on stores.
func NewMemory() Stores { return newMemory() }

func newMemory() Stores {
	m := &memory{
		company:     company.Default(epoch),
		departments: map[name.Key]department.Department{},
		agents:      map[agent.ID]agent.Agent{},
		former:      map[agent.ID]agent.Former{},
		names:       map[agent.ID]name.Name{},
		purged:      map[string]bool{},
		versions:    map[agent.ID][]identity.Version{},
		events:      map[activity.ID]activity.Event{},
		projects:    map[project.ID]project.Project{},
		records:     map[idempotency.Key]idempotency.Record{},
		locks:       map[idempotency.Key]idempotency.Lock{},
		sessions:    map[string]session.Session{},
		used:        map[string]time.Time{},
		revocations: map[string]session.Revocation{},
		links:       map[[sha256.Size]byte]memoryLink{},
		webhooks:    map[webhook.ID]webhook.Webhook{},
		deliveries:  map[webhook.DeliveryID]webhook.Delivery{},
	}
	return Stores{
		Agents: memoryAgents{m}, Identities: memoryIdentities{m}, Activities: memoryActivities{m}, Stream: memoryStream{m},
		Measures: memoryActivities{m}, Departments: memoryDepartments{m}, Company: memoryCompany{m},
		Projects: memoryProjects{m}, Audit: memoryAudit{m}, Idempotency: memoryIdempotency{m}, Sessions: memorySessions{m}, Storage: m,
		Webhooks: memoryWebhooks{m}, Outbox: memoryOutbox{m},
	}
}

// lock locks the storage until the function that it returns is called.
func (m *memory) lock() func() {
	m.mu.Lock()
	return m.mu.Unlock
}

// free returns idempotency.ErrRunning if the idempotency record's key has one that has
// not expired.
func (m *memory) free(r *idempotency.Record) error {
	if r != nil {
		if old, ok := m.records[r.Key]; ok && r.At.Sub(old.At) <= idempotency.Kept {
			return idempotency.ErrRunning
		}
	}
	return nil
}

// putTrail stores the trail of a change. One without effect has no audit entry.
func (m *memory) putTrail(n ports.Trail, effective bool) {
	if n.Idempotency != nil {
		m.records[n.Idempotency.Key] = *n.Idempotency
		delete(m.locks, n.Idempotency.Key)
	}
	if effective {
		m.trail = append(m.trail, n.Audit)
		m.log = append(m.log, activity.Logged{Seq: m.head() + 1, Change: &n.Audit})
		if c := n.Audit.Change; c != nil {
			m.log[len(m.log)-1].Department = c.Department.Key
		}
		m.changed.Notify()
		if m.committed != nil {
			m.committed([]audit.Entry{n.Audit})
		}
	}
}

// sorted returns the rows that keep accepts, in order.
func sorted[T any](rows []T, keep func(T) bool, order func(a, b T) int) []T {
	var kept []T
	for _, r := range rows {
		if keep(r) {
			kept = append(kept, r)
		}
	}
	slices.SortFunc(kept, order)
	return kept
}

func first[T any](rows []T, limit int) []T { return rows[:min(limit, len(rows))] }

// firstPage is first for rows that may be large.
func firstPage[T page.Row](ctx context.Context, rows []T, limit int) ([]T, error) {
	rows = first(rows, min(limit, page.Fits(rows)+1))
	size := 0
	for _, r := range rows {
		size += r.Size()
	}
	return rows, page.Allow(ctx, size)
}

func (m *memory) Ping(ctx context.Context) error { return ended(ctx) }

// Incarnation is always the same, as nothing can be restored into the model.
func (m *memory) Incarnation() string { return "" }

// ended returns ports.ErrUnavailable if ctx has ended.
func ended(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return ports.ErrUnavailable.Because(err)
	}
	return nil
}

func (m *memory) DeleteExpired(_ context.Context, e ports.Expiry) (bool, error) {
	defer m.lock()()
	m.markLog(e)
	for id, x := range m.events {
		if !x.Type.Lifecycle() && x.At.Before(e.Events) {
			delete(m.events, id)
		}
	}
	m.trail = slices.DeleteFunc(m.trail, func(x audit.Entry) bool { return x.At.Before(e.Audit) })
	for k, r := range m.records {
		if r.At.Before(e.Idempotency) {
			delete(m.records, k)
		}
	}
	maps.DeleteFunc(m.deliveries, func(_ webhook.DeliveryID, d webhook.Delivery) bool { return d.CreatedAt.Before(e.Deliveries) })
	m.deleteExpiredSessions(e.Now)
	return false, nil
}

func (m *memory) deleteExpiredSessions(now time.Time) {
	for id, s := range m.sessions {
		if !s.ExpiresAt.After(now) {
			delete(m.sessions, id)
			delete(m.used, id)
		}
	}
	for id, r := range m.revocations {
		if !r.Until.After(now) {
			delete(m.revocations, id)
		}
	}
	maps.DeleteFunc(m.links, func(_ [sha256.Size]byte, l memoryLink) bool { return !l.ExpiresAt.After(now) })
}
