package portstest

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"orgd/domain/activity"
	"orgd/domain/agent"
	"orgd/domain/archive"
	"orgd/domain/audit"
	"orgd/domain/label"
	"orgd/domain/money"
	"orgd/domain/name"
	"orgd/domain/performance"
	"orgd/domain/session"
	"orgd/domain/webhook"
	"orgd/ports"
)

// Archive checks that what from has comes to to. It is called with two storages of the same
// kind, and of different kinds.
func Archive(t *testing.T, from, to func(t *testing.T) Stores) {
	for what, check := range map[string]func(source, target *world){
		"SameAnswers":      archiveSameAnswers,
		"NotEmpty":         archiveNotEmpty,
		"AnotherArchive":   archiveAnother,
		"LoadedTwice":      archiveLoadedTwice,
		"Positions":        archivePositions,
		"Incarnation":      archiveIncarnation,
		"FailedRead":       archiveFailedRead,
		"LeavesPurgedOut":  archivePurged,
		"GoesOnAfterwards": archiveGoesOn,
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			made := new(atomic.Int64)
			check(&world{tester: t, Stores: from(t), made: made}, &world{tester: t, Stores: to(t), made: made})
		})
	}
}

const archiveID = "0190a5c4-0000-7000-8000-0000000000aa"

// lines reads everything as an archive has it.
func (w *world) lines() (all []string) {
	w.Helper()
	w.wantNil("Read", w.Archive.Read(w.Context(), func(r archive.Record) error {
		all = append(all, string(archive.Append(nil, r)))
		return nil
	}))
	return all
}

// batches are records as Load gets them: of one part each, and few. Their secrets are beside
// them.
func (w *world) batches() (all [][]archive.Record) {
	w.Helper()
	secrets := map[webhook.ID]webhook.Secrets{}
	w.wantNil("Read", w.Archive.Read(w.Context(), func(r archive.Record) error {
		kept, err := archive.Parse(r.Part(), archive.Append(nil, r))
		if h, ok := r.(*archive.Webhook); ok && err == nil {
			secrets[h.ID] = h.Secrets
			kept.(*archive.Webhook).Secrets = h.Secrets
		}
		if n := len(all); n > 0 && all[n-1][0].Part() == r.Part() && len(all[n-1]) < 40 {
			all[n-1] = append(all[n-1], kept)
		} else {
			all = append(all, []archive.Record{kept})
		}
		return err
	}))
	return all
}

// loadFrom loads the first batches of a source, behind those that are loaded, and returns how
// many records are loaded then.
func (w *world) loadFrom(batches [][]archive.Record) (loaded int64) {
	w.Helper()
	begun, err := w.Archive.Begin(w.Context(), archiveID)
	w.wantNil("Begin", err)
	for _, b := range batches {
		if loaded >= begun {
			w.wantNil("Load", w.Archive.Load(w.Context(), b, loaded))
		}
		loaded += int64(len(b))
	}
	return loaded
}

func (w *world) restoreFrom(source *world) {
	w.Helper()
	w.loadFrom(source.batches())
	w.wantNil("End", w.Archive.End(w.Context()))
}

// populate stores some of everything that an archive has, and returns what was reported.
func (w *world) populate() (agents []agent.Agent, reports []ports.Report) {
	w.Helper()
	w.createDepartment("Sales", `"budget_percent":12.5`)
	w.createDepartment("marketing", `"policies":{"protected_labels":["production"]}`)
	w.createDepartment("Empty")
	for _, title := range []string{"Ann", "bob", "Čeněk", "Dan"} {
		agents = append(agents, w.hire(title, "Sales", `"instructions":"<&>\u2028 \"quoted\""`))
	}
	ann, bob := agents[0], agents[1]
	w.update(ann.ID(), w.changing(`{"level":"lead","tags":["b","a"],"owner":"ops","tier":"large"}`, nil))
	w.update(bob.ID(), w.changing(`{"department":"marketing","status":"on_leave"}`, nil))
	reason := "as it was"
	w.update(ann.ID(), w.rollingBack(w.versions(ann.ID())[len(w.versions(ann.ID()))-1], &reason))
	for _, label := range []string{"prod", "prod-a", "prod.b"} {
		w.wantNil("Label", w.place(ann.ID(), label, 1))
		w.wantNil("Label", w.place(ann.ID(), label, 2))
	}
	w.wantNil("Label", w.unplace(ann.ID(), "prod.b"))
	w.fire(agents[3].ID())
	back := w.hire("Eve", "Sales")
	w.fire(back.ID())
	for i := range 90 {
		at := w.now().AddDate(0, 0, -i%5)
		reports = append(reports, w.reporting(agents[i%3].ID(), at, func(r *ports.Report) {
			r.Measures = activity.Measures{Finished: true, Success: i%4 > 0, Quality: new(activity.Score(7_500_000_000)), Cost: new(money.Amount(990_000_000))}
		}))
	}
	w.report(reports...)
	w.start("Launch", `"lead":"`+string(ann.ID())+`"`)
	w.hook(`"departments":["Sales"]`)
	w.rewire(w.hook().ID, w.rotating(nil))
	w.wantNil("Update", func() error {
		_, err := w.Company.Update(w.Context(), w.directing(`{"company_name":"Acme","communication_pattern":"short"}`, nil))
		return err
	}())
	_, err := w.Departments.Reorder(w.Context(), key("Sales"), w.reordering(func(m []agent.Member) []agent.Member {
		slices.Reverse(m)
		return m
	}, nil))
	w.wantNil("Reorder", err)
	at := w.now()
	w.wantNil("Revoke", w.Sessions.Revoke(w.Context(),
		session.Revocation{ID: "s1", By: "ann", At: at, Until: at.Add(time.Hour)}, w.trailOf(nil)(audit.Session("s1"), 0, 0)))
	return agents, reports
}

func archiveSameAnswers(source, target *world) {
	agents, reports := source.populate()
	target.restoreFrom(source)
	target.want("the lines of the archive", target.lines(), source.lines())
	gone := []agent.ID{agents[3].ID()}
	target.want("everything", target.everythingKept(gone...), source.everythingKept(gone...))
	for _, l := range []string{label.Latest, "prod", "prod-a"} {
		target.want("the agents with the label "+l, target.labeled(agent.LabelQuery{Label: l}), source.labeled(agent.LabelQuery{Label: l}))
	}
	for _, a := range agents[:3] {
		target.wantAgentDays(a.ID(), 0, reports)
	}
	target.want("deleted agents", target.deletedAgents(), source.deletedAgents())
	for _, h := range source.webhooks(10) {
		target.want("the secrets of a webhook", target.webhook(h.ID).Secrets, h.Secrets)
	}
	counts := func(w *world) any {
		n, err := w.Agents.Counts(w.Context(), []name.Key{key("Sales"), key("marketing"), key("Empty")})
		w.wantNil("Counts", err)
		return n
	}
	target.want("Counts", counts(target), counts(source))
	revoked := func(w *world) any {
		all, err := w.Sessions.Revoked(w.Context(), time.Time{}, epoch)
		w.wantNil("Revoked", err)
		return all
	}
	target.want("Revoked", revoked(target), revoked(source))
	figures := func(w *world) any {
		all, err := w.Measures.AgentFigures(w.Context(), idsOf(agents), performance.Week, performance.DateOf(epoch))
		w.wantNil("AgentFigures", err)
		return all
	}
	target.want("AgentFigures", figures(target), figures(source))
}

// everythingKept is the whole storage but for positions in its log.
func (w *world) everythingKept(gone ...agent.ID) state {
	s := w.everything(gone...)
	for i := range s.Webhooks {
		s.Webhooks[i].Since = 0
	}
	return s
}

// archiveIncarnation has numbers count anew: changes do not, a restore does.
func archiveIncarnation(source, target *world) {
	incarnation := func(w *world) string {
		w.Helper()
		w.wantNil("Ping", w.Storage.Ping(w.Context()))
		return w.Storage.Incarnation()
	}
	before, empty := incarnation(source), incarnation(target)
	source.populate()
	source.want("Incarnation after changes", incarnation(source), before)
	target.restoreFrom(source)
	if now := incarnation(target); now == before || now == empty {
		target.Errorf("Incarnation after a restore = %q, want neither %q of the source nor %q of the empty storage", now, before, empty)
	}
}

func archiveNotEmpty(source, target *world) {
	target.createDepartment("Sales")
	_, err := target.Archive.Begin(target.Context(), archiveID)
	target.wantErr("Begin", err, ports.ErrNotEmpty)
	_, err = source.Archive.Begin(source.Context(), archiveID)
	source.wantErr("Begin on an empty storage", err, nil)
	source.wantErr("End of an archive without anything", source.Archive.End(source.Context()), nil)
}

func archiveAnother(source, target *world) {
	source.populate()
	n := target.loadFrom(source.batches()[:3])
	_, err := target.Archive.Begin(target.Context(), target.id())
	target.wantErr("Begin of another archive", err, ports.ErrRestoring)
	loaded, err := target.Archive.Begin(target.Context(), archiveID)
	target.wantErr("Begin again", err, nil)
	target.want("what is loaded", loaded, n)
	target.restoreFrom(source)
	target.want("the lines of the archive", target.lines(), source.lines())
	_, err = target.Archive.Begin(target.Context(), archiveID)
	target.wantErr("Begin after the end", err, ports.ErrNotEmpty)
}

func archiveLoadedTwice(source, target *world) {
	source.populate()
	_, err := target.Archive.Begin(target.Context(), archiveID)
	target.wantNil("Begin", err)
	loaded := int64(0)
	for _, b := range source.batches() {
		target.wantNil("Load", target.Archive.Load(target.Context(), b, loaded))
		target.wantNil("Load again", target.Archive.Load(target.Context(), b, loaded))
		loaded += int64(len(b))
	}
	target.wantNil("End", target.Archive.End(target.Context()))
	target.want("the lines of the archive", target.lines(), source.lines())
}

// archivePositions makes sure that readers of the log notice that it is another one, and that
// nothing is sent anew.
func archivePositions(source, target *world) {
	source.populate()
	before, err := source.Stream.Head(source.Context())
	source.wantNil("Head", err)
	target.restoreFrom(source)
	_, err = target.Stream.After(target.Context(), before, 10)
	target.wantErr("After a position of another log", err, activity.ErrTooOld)
	at, err := target.Outbox.Position(target.Context())
	target.wantNil("Position", err)
	head, err := target.Stream.Head(target.Context())
	target.wantNil("Head", err)
	page, err := target.Stream.Stored(target.Context(), at, head, 10)
	target.wantErr("Stored", err, nil)
	target.want("events that the outbox has before it", page.Events, nil)
	for _, h := range target.webhooks(10) {
		if h.Since < at {
			target.Errorf("a webhook wants events since %d, and the outbox is at %d", h.Since, at)
		}
	}
}

func archiveFailedRead(source, target *world) {
	source.populate()
	broken := errors.New("the disk is full")
	n := 0
	err := source.Archive.Read(source.Context(), func(archive.Record) error {
		if n++; n == 7 {
			return broken
		}
		return nil
	})
	source.wantErr("Read", err, broken)
	source.want("how many records were read", n, 7)
	ended, cancel := context.WithCancel(target.Context())
	cancel()
	target.wantErr("Read with a context that has ended", target.Archive.Read(ended, func(archive.Record) error { return nil }), ports.ErrUnavailable)
}

func archivePurged(source, target *world) {
	agents, _ := source.populate()
	gone := agents[3].ID()
	source.wantNil("Purge", source.Agents.Purge(source.Context(), gone, source.purging()))
	target.restoreFrom(source)
	target.want("the lines of the archive", target.lines(), source.lines())
	target.want("the versions of a purged agent", target.versions(gone), nil)
}

// archiveGoesOn makes changes where an archive was restored.
func archiveGoesOn(source, target *world) {
	agents, _ := source.populate()
	target.restoreFrom(source)
	from, err := target.Stream.Head(target.Context())
	target.wantNil("Head", err)
	target.change(agents[0].ID(), `{"role":"writer"}`)
	target.hire("Fay", "Empty")
	if _, err := target.restore(agents[3].ID(), agent.Restoring{}); err != nil {
		target.Errorf("Restore of a deleted agent = %v", err)
	}
	target.follow(from, 3, 100)
	_, err = target.Agents.Create(target.Context(), agents[1].Department(), target.hiringAs(agent.ID(target.id()), "Ann", nil))
	target.wantErr("Create with a name that is taken", err, agent.ErrExists)
}
