package portstest

import (
	"context"
	"crypto/sha256"
	"maps"
	"slices"
	"strings"
	"time"

	"orgd/domain/activity"
	"orgd/domain/agent"
	"orgd/domain/idempotency"
	"orgd/domain/performance"
	"orgd/domain/session"
	"orgd/ports"
)

type memoryActivities struct{ *memory }

type memoryIdempotency struct{ *memory }

type memorySessions struct{ *memory }

func (m memoryActivities) Append(_ context.Context, reports []ports.Report, seal func(ports.Counted) ports.Trail) (ports.Counted, error) {
	defer m.lock()()
	var fresh []ports.Report
	seen := map[activity.ID]bool{}
	for _, r := range reports {
		if m.purged[r.Event.AgentID] {
			return ports.Counted{}, agent.ErrNotFound
		}
		if _, stored := m.events[r.Event.ID]; !stored && !seen[r.Event.ID] {
			fresh = append(fresh, r)
		}
		seen[r.Event.ID] = true
	}
	n := ports.Counted{
		Accepted: len(fresh), Duplicates: len(reports) - len(fresh), Disagree: disagree(slices.Concat(m.counted, fresh), fresh),
	}
	trail := seal(n)
	if err := m.free(trail.Idempotency); err != nil {
		return ports.Counted{}, err
	}
	m.putTrail(trail, n.Accepted > 0)
	for _, r := range fresh {
		m.enter(r.Event, r.Department)
		m.counted = append(m.counted, r)
	}
	return n, nil
}

func (m memoryActivities) Feed(ctx context.Context, q activity.Query) ([]activity.Encoded, error) {
	defer m.lock()()
	found := sorted(slices.Collect(maps.Values(m.events)), func(e activity.Event) bool {
		return (q.AgentID == "" || e.AgentID == q.AgentID) && (q.Type == "" || e.Type == q.Type) &&
			!e.At.Before(q.Since) && (q.After == nil || e.Position().Compare(*q.After) > 0)
	}, func(a, b activity.Event) int { return a.Position().Compare(b.Position()) })
	var encoded []activity.Encoded
	for _, e := range first(found, q.Limit) {
		encoded = append(encoded, e.Encoded())
	}
	return firstPage(ctx, encoded, q.Limit)
}

func (m memoryActivities) Find(_ context.Context, ids []activity.ID) (map[activity.ID]activity.Event, error) {
	defer m.lock()()
	found := map[activity.ID]activity.Event{}
	for _, id := range ids {
		if e, ok := m.events[id]; ok {
			found[id] = e
		}
	}
	return found, nil
}

func (m memoryActivities) Career(_ context.Context, id agent.ID) ([]activity.Event, error) {
	defer m.lock()()
	return sorted(slices.Collect(maps.Values(m.events)), func(e activity.Event) bool {
		return e.AgentID == string(id) && e.Type.Lifecycle()
	}, func(a, b activity.Event) int { return b.Position().Compare(a.Position()) }), nil
}

func (m memoryActivities) LastActive(ctx context.Context, ids []agent.ID) (map[agent.ID]time.Time, error) {
	found := map[agent.ID]time.Time{}
	for _, id := range ids {
		newest, err := m.Feed(ctx, activity.Query{AgentID: string(id), Limit: 1})
		if err != nil {
			return nil, err
		}
		for _, e := range newest {
			found[id] = e.At
		}
	}
	return found, nil
}

func (m memoryActivities) AgentFigures(ctx context.Context, ids []agent.ID, size performance.Size, today performance.Date) ([]performance.Figures, error) {
	found := make([]performance.Figures, len(ids))
	for i, id := range ids {
		days, _, err := m.AgentDays(ctx, id, 0)
		if err != nil {
			return nil, err
		}
		for _, d := range days {
			found[i] = found[i].Add(d, size, today)
		}
	}
	return found, nil
}

func (m memoryActivities) AgentDays(_ context.Context, id agent.ID, since performance.Date) ([]performance.Day, int64, error) {
	defer m.lock()()
	days, completed := rollup(m.counted, func(r ports.Report) bool { return r.Event.AgentID == string(id) })
	return slices.DeleteFunc(days, func(d performance.Day) bool { return d.Date < since }), completed, nil
}

func (m memoryActivities) DepartmentDays(_ context.Context, id string, since performance.Date) ([]performance.Day, error) {
	defer m.lock()()
	days, _ := rollup(m.counted, func(r ports.Report) bool { return r.DepartmentID == id })
	return slices.DeleteFunc(days, func(d performance.Day) bool { return d.Date < since }), nil
}

func (m memoryActivities) DepartmentWork(ctx context.Context, ids []string, first, last performance.Date) (map[string]performance.Work, error) {
	found := map[string]performance.Work{}
	for _, id := range ids {
		days, err := m.DepartmentDays(ctx, id, first)
		if err != nil {
			return nil, err
		}
		found[id] = workOf(days, last)
	}
	return found, nil
}

func (m memoryActivities) WorkDays(_ context.Context, of performance.Owner, first, last performance.Date) (map[performance.Date]performance.Work, error) {
	defer m.lock()()
	return workDays(m.counted, of, first, last), nil
}

func (m memoryActivities) FirstDays(_ context.Context, of []performance.Owner) (map[performance.Owner]performance.Date, error) {
	defer m.lock()()
	found := map[performance.Owner]performance.Date{}
	for _, o := range of {
		if days, _ := rollup(m.counted, countsFor(o)); len(days) > 0 {
			found[o] = days[0].Date
		}
	}
	return found, nil
}

func (m memoryIdempotency) Lock(_ context.Context, c idempotency.Lock) (*idempotency.Record, error) {
	defer m.lock()()
	if r, ok := m.records[c.Key]; ok {
		if c.At.Sub(r.At) <= idempotency.Kept {
			return &r, nil
		}
		delete(m.records, c.Key)
	}
	if held, ok := m.locks[c.Key]; ok && c.At.Sub(held.At) <= idempotency.Lease {
		if held.Fingerprint != c.Fingerprint {
			return nil, idempotency.ErrReused
		}
		return nil, idempotency.ErrRunning
	}
	m.locks[c.Key] = c
	return nil, nil
}

func (m memoryIdempotency) Renew(_ context.Context, c idempotency.Lock, at time.Time) error {
	defer m.lock()()
	held, ok := m.locks[c.Key]
	if !ok || held.Owner != c.Owner {
		return idempotency.ErrRunning
	}
	held.At = at
	m.locks[c.Key] = held
	return nil
}

func (m memoryIdempotency) Release(_ context.Context, c idempotency.Lock) error {
	defer m.lock()()
	if m.locks[c.Key].Owner == c.Owner {
		delete(m.locks, c.Key)
	}
	return nil
}

func (m memoryIdempotency) DeleteReplies(_ context.Context, texts []string) error {
	defer m.lock()()
	for key, r := range m.records {
		if r.Reply != nil && r.Reply.Tells(texts) {
			r.Reply = &idempotency.Reply{}
			m.records[key] = r
		}
	}
	return nil
}

// keep records a session, or lets the known one live longer.
func (m *memory) keep(s session.Session) {
	if known, ok := m.sessions[s.ID]; ok {
		if s.ExpiresAt.After(known.ExpiresAt) {
			known.ExpiresAt = s.ExpiresAt
		}
		s = known
	}
	m.sessions[s.ID] = s
}

func (m memorySessions) Issue(_ context.Context, s session.Session, trail ports.Trail) error {
	defer m.lock()()
	if err := m.free(trail.Idempotency); err != nil {
		return err
	}
	if _, ok := m.revocations[s.ID]; ok {
		return session.ErrRevoked
	}
	m.putTrail(trail, true)
	m.keep(s)
	return nil
}

func (m memorySessions) See(_ context.Context, s session.Session) error {
	defer m.lock()()
	m.keep(s)
	return nil
}

func (m memorySessions) Used(_ context.Context, uses []session.Use) error {
	defer m.lock()()
	for _, u := range uses {
		if _, known := m.sessions[u.ID]; known && u.At.After(m.used[u.ID]) {
			m.used[u.ID] = u.At
		}
	}
	return nil
}

func (m *memory) record(s session.Session) session.Record {
	rec := session.Record{Session: s, LastUsedAt: m.used[s.ID]}
	if r, ok := m.revocations[s.ID]; ok {
		rec.Revocation = &r
	}
	return rec
}

func (m memorySessions) Session(_ context.Context, id string) (session.Record, error) {
	defer m.lock()()
	s, ok := m.sessions[id]
	if !ok {
		return session.Record{}, session.ErrNotFound
	}
	return m.record(s), nil
}

func (m memorySessions) Sessions(_ context.Context, q session.Query) ([]session.Record, error) {
	defer m.lock()()
	var all []session.Record
	for _, s := range m.sessions {
		all = append(all, m.record(s))
	}
	found := sorted(all, func(r session.Record) bool {
		return r.ExpiresAt.After(q.At) && (q.Subject == "" || r.Subject == q.Subject) &&
			(q.After == nil || q.After.Before(r.Position()))
	}, func(a, b session.Record) int {
		if c := b.IssuedAt.Compare(a.IssuedAt); c != 0 {
			return c
		}
		return strings.Compare(a.ID, b.ID)
	})
	return first(found, q.Limit), nil
}

func (m memorySessions) Revoke(_ context.Context, r session.Revocation, trail ports.Trail) error {
	defer m.lock()()
	if err := m.free(trail.Idempotency); err != nil {
		return err
	}
	m.putTrail(trail, true)
	if known, ok := m.revocations[r.ID]; ok {
		if r.Until.After(known.Until) {
			known.Until = r.Until
		}
		r = known
	} else {
		if !r.At.After(m.revoked) {
			r.At = m.revoked.Add(time.Millisecond)
		}
		m.revoked = r.At
	}
	m.revocations[r.ID] = r
	return nil
}

func (m memorySessions) Revoked(_ context.Context, since, now time.Time) ([]session.Revocation, error) {
	defer m.lock()()
	return sorted(slices.Collect(maps.Values(m.revocations)), func(r session.Revocation) bool {
		return !r.At.Before(since) && r.Until.After(now)
	}, func(a, b session.Revocation) int { return strings.Compare(a.ID, b.ID) }), nil
}

// memoryLink is a link that was stored at a time.
type memoryLink struct {
	session.Link
	hash [sha256.Size]byte
	at   time.Time
}

func (m memorySessions) KeepLink(_ context.Context, hash [sha256.Size]byte, l session.Link, trail ports.Trail) error {
	defer m.lock()()
	if err := m.free(trail.Idempotency); err != nil {
		return err
	}
	m.putTrail(trail, true)
	at := trail.Audit.At
	maps.DeleteFunc(m.links, func(_ [sha256.Size]byte, old memoryLink) bool {
		return old.Maker == l.Maker && !old.ExpiresAt.After(at)
	})
	others := sorted(slices.Collect(maps.Values(m.links)), func(old memoryLink) bool { return old.Maker == l.Maker },
		func(a, b memoryLink) int { return b.at.Compare(a.at) })
	for _, old := range others[min(session.MaxLinks-1, len(others)):] {
		delete(m.links, old.hash)
	}
	m.links[hash] = memoryLink{l, hash, at}
	return nil
}

func (m memorySessions) TakeLink(_ context.Context, hash [sha256.Size]byte, now time.Time) (session.Link, error) {
	defer m.lock()()
	found, ok := m.links[hash]
	if !ok || !now.Before(found.ExpiresAt) {
		return session.Link{}, session.ErrLink
	}
	delete(m.links, hash)
	return found.Link, nil
}
