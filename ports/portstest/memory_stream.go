package portstest

import (
	"context"
	"time"

	"orgd/domain/activity"
	"orgd/domain/name"
	"orgd/ports"
)

type memoryStream struct{ *memory }

// mark says how far the log had come at a time.
type mark struct {
	at  time.Time
	seq activity.Seq
}

// enter stores an event, which makes it the last one of the log.
func (m *memory) enter(e activity.Event, department name.Key) {
	m.events[e.ID] = e
	m.log = append(m.log, activity.Logged{Event: e, Seq: m.head() + 1, Department: department})
	m.changed.Notify()
}

func (m *memory) head() activity.Seq { return activity.Seq(len(m.log)) }

// markLog notes how far the log has come and cuts off what has had its time.
func (m *memory) markLog(e ports.Expiry) {
	if e.Now.IsZero() || e.Events.IsZero() {
		return
	}
	m.marks = append(m.marks, mark{e.Now, m.head()})
	for _, x := range m.marks {
		if x.at.Before(e.Events) {
			m.begin = max(m.begin, x.seq)
		}
	}
}

func (m memoryStream) Changed() <-chan struct{} { return m.changed.Wait() }

func (m memoryStream) Head(context.Context) (activity.Seq, error) {
	defer m.lock()()
	return m.head(), nil
}

func (m memoryStream) Progress(context.Context) (read, end activity.Seq, err error) {
	defer m.lock()()
	return m.head(), m.head(), nil
}

func (m memoryStream) After(_ context.Context, position activity.Seq, limit int) (ports.LogPage, error) {
	defer m.lock()()
	if position < m.begin || position > m.head() {
		return ports.LogPage{}, activity.ErrTooOld
	}
	return m.page(position, m.head(), limit), nil
}

func (m memoryStream) Stored(_ context.Context, after, upTo activity.Seq, limit int) (ports.LogPage, error) {
	defer m.lock()()
	return m.page(after, min(upTo, m.head()), limit), nil
}

// page returns the events that are kept behind one position and up to another.
func (m *memory) page(after, upTo activity.Seq, limit int) ports.LogPage {
	page := ports.LogPage{Next: max(after, upTo)}
	for after++; after <= upTo; after++ {
		e := m.log[after-1]
		if _, kept := m.events[e.ID]; !kept && (e.Change == nil || e.Change.Change == nil) {
			continue
		}
		if page.Events = append(page.Events, e); len(page.Events) == limit {
			page.Next, page.More = e.Seq, true
			break
		}
	}
	return page
}
