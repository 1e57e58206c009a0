package simulate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"orgd/client"
	"orgd/cmd/orgd/internal/remote"
	"orgd/cmd/orgd/internal/scenario"
)

// play makes what is missing: the organization, its history, and what comes after.
func (s *simulation) play(ctx context.Context) error {
	before := s.org.Before(s.mark.Owned)
	for i, stage := range before {
		if err := s.once(ctx, i, stage); err != nil {
			return err
		}
	}
	after := len(before) + 1
	if err := s.history(ctx, s.mark.Stages > after); err != nil {
		return err
	}
	s.mark.Stages = max(s.mark.Stages, after)
	if err := s.save(ctx); err != nil {
		return err
	}
	return s.once(ctx, after, s.org.After())
}

// once performs a stage unless that was done, and saves that it was.
func (s *simulation) once(ctx context.Context, number int, stage scenario.Stage) error {
	if s.mark.Stages > number {
		return nil
	}
	if err := s.perform(ctx, stage); err != nil {
		return err
	}
	s.mark.Stages, s.mark.Waves = number+1, 0
	return s.save(ctx)
}

// perform sends the requests of a stage, wave by wave. Complete waves are saved:
// sending them again would undo later ones.
func (s *simulation) perform(ctx context.Context, stage scenario.Stage) error {
	if stage.Len() == 0 {
		return nil
	}
	began := time.Now()
	s.progress.Begin(stage.Name, stage.Len())
	for i, wave := range stage.Waves {
		if i < s.mark.Waves {
			s.progress.Add(len(wave))
			continue
		}
		if err := each(ctx, wave, s.request); err != nil {
			return err
		}
		if s.mark.Waves = i + 1; s.mark.Waves == len(stage.Waves) {
			break // the stage is saved as a whole
		}
		if err := s.save(ctx); err != nil {
			return err
		}
	}
	s.progress.End("%d requests in %s", stage.Len(), time.Since(began).Round(time.Millisecond))
	return nil
}

// request sends one request of a stage.
func (s *simulation) request(ctx context.Context, r scenario.Request) error {
	id := s.id(r.Project)
	if id != "" && r.Method == http.MethodPost {
		s.progress.Add(1) // projects may share a name, so the service would make another
		return nil
	}
	path := strings.Replace(r.Path, scenario.ProjectID, url.PathEscape(id), 1)
	var opts []client.Option
	if r.Reason != "" {
		opts = append(opts, client.ChangeReason(r.Reason))
	}
	a, err := s.send(ctx, r.Method, path, r.Body, opts...)
	if err != nil && !s.isDone(r, err) {
		return err
	}
	if err == nil && r.Project != "" {
		var p named
		if err := json.Unmarshal(a, &p); err != nil {
			return fmt.Errorf("read a project: %w", err)
		}
		s.ids.Store(p.Name, p.ID)
	}
	s.progress.Add(1)
	return nil
}

// isDone reports whether a request was refused because it was done before: by
// itself, if the answer was lost, or by a run that was cut short.
func (s *simulation) isDone(r scenario.Request, err error) bool {
	switch r.Method {
	case http.MethodDelete:
		return errors.Is(err, client.ErrNotFound)
	case http.MethodPost:
		return s.resumed && errors.Is(err, client.ErrDuplicate)
	default:
		return s.resumed && errors.Is(err, client.ErrConflict) // it has gone further
	}
}

// history reports what the agents did up to now, day by day. The service
// recognizes by its id what was reported before. left says that the agents who leave have
// left.
func (s *simulation) history(ctx context.Context, left bool) error {
	if s.mark.Days == 0 {
		return nil
	}
	const day = 24 * time.Hour
	now := time.Now().UTC()
	first := s.org.First()
	if s.mark.Reported != "" {
		reported, err := time.Parse(time.RFC3339, s.mark.Reported)
		if err != nil {
			return fmt.Errorf("company.settings.simulation.reported: %w", err)
		}
		first = reported.Truncate(day).Add(-day) // tasks of the day before may have ended since
	}
	s.progress.Begin("history", int(now.Sub(first)/day)+1)
	for d := first; !d.After(now); d = d.Add(day) {
		events := slices.DeleteFunc(s.org.Day(d, left), func(e scenario.Event) bool { return e.At.After(now) })
		if err := s.report(ctx, events); err != nil {
			return err
		}
		s.progress.Add(1)
	}
	s.mark.Reported = now.Format(time.RFC3339)
	s.progress.End("%d events from %s on in %s, and %d that were known", s.accepted.Load(), first.Format(time.DateOnly),
		time.Since(now).Round(time.Millisecond), s.duplicates.Load())
	return nil
}

// report sends events.
func (s *simulation) report(ctx context.Context, events []scenario.Event) error {
	return each(ctx, slices.Collect(slices.Chunk(events, reportSize)), s.reportPart)
}

// reportPart sends as many events as one request may hold. It leaves out those
// of agents that were deleted or renamed.
func (s *simulation) reportPart(ctx context.Context, part []scenario.Event) error {
	body, err := json.Marshal(map[string]any{"events": part})
	if err != nil {
		return err
	}
	a, err := s.send(ctx, http.MethodPost, reportPath, body)
	if errors.Is(err, client.ErrValidation) {
		there, failed := s.agents(ctx)
		if failed != nil {
			return failed
		}
		left := slices.DeleteFunc(slices.Clone(part), func(e scenario.Event) bool { return len(common(there, []string{e.Agent})) == 0 })
		switch len(left) {
		case 0:
			return nil
		case len(part):
			return err
		}
		return s.reportPart(ctx, left)
	}
	if err != nil {
		return err
	}
	var counted struct{ Accepted, Duplicates int64 }
	if err := json.Unmarshal(a, &counted); err != nil {
		return fmt.Errorf("read what was reported: %w", err)
	}
	s.accepted.Add(counted.Accepted)
	s.duplicates.Add(counted.Duplicates)
	return nil
}

// live reports new events until ctx ends.
func (s *simulation) live(ctx context.Context, rate float64) error {
	const tick = time.Second
	began := time.Now()
	agents := s.org.Live(began)
	s.accepted.Store(0)
	s.progress.Begin("live", 0)
	from, owed := began, 0.0
	for remote.Sleep(ctx, tick) {
		now := time.Now()
		// What a slow service could not take is not made up for.
		owed += rate * min(now.Sub(from), 2*tick).Seconds()
		events := agents.Next(int(owed), from, now)
		if err := s.report(ctx, events); err != nil && ctx.Err() == nil {
			return err
		}
		owed -= float64(int(owed))
		from = now
		s.progress.Add(len(events))
	}
	s.progress.End("%d events in %s", s.accepted.Load(), time.Since(began).Round(time.Second))
	return nil
}

// printSights prints what there is to see.
func (s *simulation) printSights() {
	s.say("\nLook at, below %s/api/v1", strings.TrimRight(s.server, "/"))
	for _, sight := range s.org.Sights() {
		s.say("  %-60s %s", sight.Path, sight.Why)
	}
	if !s.resumed {
		s.say("\nRun it again to add the days that have passed since, with --rate to go on live.")
	}
}
