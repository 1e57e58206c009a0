package main

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"orgd/test/api"
	"orgd/test/history"
)

// maxWaits bounds how often one request is tried again because of a limit.
const maxWaits = 100

// player plays a history through the interface.
type player struct {
	client      *api.Client
	departments map[string]bool
	current     map[string]seen // by name, who is employed
	// IDs has the id of every hire, in order. So it fits what Lives returns.
	ids   []string
	took  map[string][]time.Duration // by operation
	waits int                        // for limits
}

// seen is what the service said last of an agent.
type seen struct{ id, etag string }

func newPlayer(c *api.Client) *player {
	return &player{
		client: c, departments: map[string]bool{}, current: map[string]seen{}, took: map[string][]time.Duration{},
	}
}

// play sends every entry in order. It stops at the first that is refused.
func (p *player) play(ctx context.Context, entries []history.Entry) error {
	for _, e := range entries {
		if err := p.entry(ctx, e); err != nil {
			return fmt.Errorf("entry %d (%s %s): %w", e.Seq, e.Op, e.Name, err)
		}
	}
	return nil
}

func (p *player) entry(ctx context.Context, e history.Entry) error {
	if e.Department != nil {
		if err := p.department(ctx, *e.Department); err != nil {
			return err
		}
	}
	switch e.Op {
	case history.Hire:
		return p.hire(ctx, e)
	case history.Update:
		return p.update(ctx, e)
	default:
		return p.fire(ctx, e)
	}
}

// department creates a department when it is first needed.
func (p *player) department(ctx context.Context, name string) error {
	if p.departments[name] {
		return nil
	}
	p.departments[name] = true
	_, err := p.ask(ctx, "department", http.StatusCreated, api.Request{
		Method: http.MethodPost, Path: api.Path("departments"), Body: map[string]string{"name": name},
	})
	return err
}

func (p *player) hire(ctx context.Context, e history.Entry) error {
	body := struct {
		Name string `json:"name"`
		Definition
	}{e.Name, Definition{}.After(e)}
	a, err := p.ask(ctx, history.Hire, http.StatusCreated, api.Request{
		Method: http.MethodPost, Path: api.Path("agents"), Body: body, ChangeReason: e.Reason(),
	})
	if err != nil {
		return err
	}
	var hired struct {
		ID string `json:"id"`
	}
	if err := a.Data(&hired); err != nil {
		return err
	}
	p.ids = append(p.ids, hired.ID)
	p.current[e.Name] = seen{id: hired.ID, etag: a.ETag()}
	return nil
}

func (p *player) update(ctx context.Context, e history.Entry) error {
	s := p.current[e.Name]
	a, err := p.ask(ctx, history.Update, http.StatusOK, api.Request{
		Method: http.MethodPatch, Path: api.Path("agents", e.Name), Body: patch(e),
		IfMatch: s.etag, ChangeReason: e.Reason(),
	})
	s.etag = a.ETag()
	p.current[e.Name] = s
	return err
}

func (p *player) fire(ctx context.Context, e history.Entry) error {
	_, err := p.ask(ctx, history.Fire, http.StatusNoContent, api.Request{
		Method: http.MethodDelete, Path: api.Path("agents", e.Name), IfMatch: p.current[e.Name].etag,
	})
	delete(p.current, e.Name)
	return err
}

// ask sends a request and wants one status. A limit is waited for.
func (p *player) ask(ctx context.Context, op string, want int, r api.Request) (api.Answer, error) {
	for range maxWaits {
		begin := time.Now()
		a, err := p.client.Do(ctx, r)
		if err != nil {
			return a, err
		}
		if a.Status != http.StatusTooManyRequests {
			p.took[op] = append(p.took[op], time.Since(begin))
			return a, wanted(a, want)
		}
		p.waits++
		select {
		case <-time.After(max(time.Second, a.RetryAfter())):
		case <-ctx.Done():
			return a, ctx.Err()
		}
	}
	return api.Answer{}, fmt.Errorf("refused by a limit %d times in a row", maxWaits)
}

func wanted(a api.Answer, status int) error {
	if a.Status != status {
		return fmt.Errorf("want %d: %w", status, a.Err())
	}
	return nil
}
