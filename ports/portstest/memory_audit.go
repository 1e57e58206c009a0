package portstest

import (
	"context"
	"slices"

	"orgd/domain/activity"
	"orgd/domain/audit"
	"orgd/ports"
)

type memoryAudit struct{ *memory }

func (m memoryAudit) Entries(_ context.Context, q audit.Query) ([]audit.Entry, error) {
	defer m.lock()()
	found := sorted(m.trail, func(e audit.Entry) bool {
		return q.Selects(e) && (q.After == nil || compareEntries(e.Position(), *q.After) > 0)
	}, func(a, b audit.Entry) int { return compareEntries(a.Position(), b.Position()) })
	return first(found, q.Limit), nil
}

func (m memoryAudit) Changes(_ context.Context, at []audit.Position) (map[string]audit.Entry, error) {
	defer m.lock()()
	found := map[string]audit.Entry{}
	for _, e := range m.trail {
		if e.Change != nil && slices.Contains(at, e.Position()) {
			found[e.ID] = e
		}
	}
	return found, nil
}

func compareEntries(a, b audit.Position) int {
	at := activity.Position{At: a.At, ID: activity.ID(a.ID)}
	return at.Compare(activity.Position{At: b.At, ID: activity.ID(b.ID)})
}

func (m memoryAudit) After(_ context.Context, position activity.Seq, limit int) (ports.AuditPage, error) {
	defer m.lock()()
	if position < 0 || position > m.head() {
		return ports.AuditPage{}, activity.ErrTooOld
	}
	page := ports.AuditPage{Next: m.head()}
	for _, e := range m.log[position:] {
		if e.Change == nil || !slices.ContainsFunc(m.trail, func(x audit.Entry) bool { return x.ID == e.Change.ID }) {
			continue
		}
		if page.Entries = append(page.Entries, *e.Change); len(page.Entries) == limit {
			page.Next, page.More = e.Seq, true
			break
		}
	}
	return page, nil
}

func (m memoryAudit) From(_ context.Context, p audit.Position, limit int) ([]audit.Entry, error) {
	defer m.lock()()
	found := sorted(m.trail, func(e audit.Entry) bool { return compareEntries(e.Position(), p) < 0 },
		func(a, b audit.Entry) int { return compareEntries(b.Position(), a.Position()) })
	return first(found, limit), nil
}

func (m memoryAudit) OnCommit(f func([]audit.Entry)) { m.committed = f }
