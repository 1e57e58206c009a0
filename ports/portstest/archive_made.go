package portstest

import (
	"context"
	"fmt"
	"time"

	"orgd/domain/activity"
	"orgd/domain/agent"
	"orgd/domain/archive"
	"orgd/domain/audit"
	"orgd/domain/company"
	"orgd/domain/department"
	"orgd/domain/identity"
	"orgd/domain/jsondoc"
	"orgd/domain/name"
	"orgd/domain/performance"
	"orgd/domain/revision"
	"orgd/domain/webhook"
)

// MadeArchive is a storage of a size, of which only an archive can be made. It is the same
// each time.
type MadeArchive struct {
	Agents   int
	Versions int // of each agent
	Events   int // of each agent; each is on a day of its own, up to a month
}

const madeDepartments = 20

func madeID(kind, n int) string { return fmt.Sprintf("0190a5c4-%04x-7000-8000-%012x", kind, n) }

// Read implements [ports.ArchiveReader].
func (m MadeArchive) Read(ctx context.Context, each func(archive.Record) error) error {
	c := company.Default(epoch)
	if err := each(&archive.Company{Company: c, Costs: true}); err != nil {
		return err
	}
	for _, part := range []struct {
		n    int
		make func(i int) archive.Record
	}{
		{madeDepartments, m.department},
		{m.Agents * m.Versions, func(i int) archive.Record { return m.version(i/m.Versions, i%m.Versions+1) }},
		{m.Agents, m.agent},
		{m.Agents * m.Events, m.event},
		{m.Agents * min(m.Events, 30), func(i int) archive.Record { return m.day(i/min(m.Events, 30), i%min(m.Events, 30)) }},
		{m.Agents, func(i int) archive.Record {
			return &archive.AgentTotal{Agent: agent.ID(madeID(1, i)), Completed: int64(m.Events)}
		}},
		{m.Agents, m.entry},
		{2, m.webhook},
	} {
		for i := range part.n {
			if err := each(part.make(i)); err != nil {
				return err
			}
		}
	}
	return ctx.Err()
}

func madeDepartment(i int) name.Name { return must(name.Parse(fmt.Sprintf("Department %02d", i))) }

func (m MadeArchive) department(i int) archive.Record {
	d := must(department.New(madeID(2, i), must(department.ParseNew(doc(madeDepartment(i).Text))), 0, epoch))
	d.OrderKey = company.OrderKey(d.ID)
	return &archive.Department{Department: d}
}

// version makes version n of agent i.
func (m MadeArchive) version(i, n int) archive.Record {
	text := fmt.Sprintf("You are agent %d of the company, in your %dth version. Answer in short sentences, and say what you do not know.", i, n)
	p := must(agent.ParseNew(doc(fmt.Sprintf("Agent %05d", i), `"role":"worker"`, `"department":`+quote(madeDepartment(i%madeDepartments).Text), `"instructions":`+quote(text))))
	at := epoch.Add(time.Duration(n) * time.Hour)
	s := must(agent.Hire(agent.ID(madeID(1, i)), p, activity.Cause{At: at, By: actor}))
	v := *s.Version
	v.Number = int64(n)
	return &archive.Version{Agent: s.Agent.ID(), Version: v}
}

func (m MadeArchive) agent(i int) archive.Record {
	v := m.version(i, m.Versions).(*archive.Version)
	c := must(identity.Parse(v.Text))
	return &archive.Agent{Record: agent.Agent{
		Identity: c, Text: v.Text, Tags: []string{"made"}, Version: v.Number, Revision: v.Number,
		OrderKey: agent.OrderKey(v.Agent), CreatedAt: epoch, UpdatedAt: v.SavedAt,
		Labels: []agent.Label{{Name: "production", Version: 1, SetBy: actor, SetAt: epoch}},
	}.Record()}
}

func (m MadeArchive) event(i int) archive.Record {
	data := jsondoc.Object(fmt.Sprintf(`{"cost":0.25,"duration_seconds":12.5,"quality_score":8,"success":true,"task_id":"task-%d"}`, i))
	return &archive.Event{Department: madeDepartment(i % m.Agents % madeDepartments).Key, Event: activity.Event{
		ID: activity.ID(madeID(4, i)), Type: activity.RuntimeTypes()[i%len(activity.RuntimeTypes())], At: epoch.Add(time.Duration(i) * time.Second),
		AgentID: madeID(1, i%m.Agents), AgentName: fmt.Sprintf("Agent %05d", i%m.Agents), Data: &data,
	}}
}

func (m MadeArchive) day(i, n int) archive.Record {
	return &archive.Day{Of: archive.AgentDays, Owner: madeID(1, i), Day: performance.Day{
		Date: performance.DateOf(epoch) + performance.Date(n), TasksCompleted: 3, Quality: performance.Sample{Count: 3, Units: 22, Nanos: 500_000_000},
		Cost: performance.Sample{Count: 3, Nanos: 750_000_000},
	}}
}

func (m MadeArchive) entry(i int) archive.Record {
	id := madeID(1, i)
	return &archive.Entry{Entry: audit.Entry{
		ID: madeID(5, i), At: epoch.Add(time.Duration(i) * time.Second), Actor: actor, Action: "agent.updated", Route: "PATCH /api/v1/agents/{agent_name}",
		Resource: audit.Agent(id), From: 1, To: 2, RequestID: madeID(6, i),
		Change: &audit.Change{Action: "agent.updated", Name: fmt.Sprintf("Agent %05d", i), Department: madeDepartment(i % madeDepartments), FromVersion: 1, ToVersion: 2, Fields: []string{"instructions"}, Way: audit.Direct},
	}}
}

func (m MadeArchive) webhook(i int) archive.Record {
	p := must(must(webhook.ParseNew(value(`{"url":"https://example.com/hook"}`))).Under(webhook.Policy{}))
	secret := webhook.Secret{byte(i + 1)}
	w := must(webhook.New(webhook.ID(madeID(7, i)), p, secret, 0, revision.Time(epoch, epoch)))
	return &archive.Webhook{Webhook: w}
}
