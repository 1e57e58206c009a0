package faults

import (
	"context"
	"fmt"
	"net/http"
	"testing"

	"orgd/test/api"
	"orgd/test/seed"
)

// keeper is a client that makes projects under keys and keeps the answers.
type keeper struct {
	id, made int
	answers  map[string]api.Answer
	pending  *api.Request
}

func (k *keeper) request(n int) api.Request {
	r := api.Request{Method: http.MethodPost, Path: "/projects", Key: fmt.Sprintf("keeper-%d-%d", k.id, n)}
	r.Body = map[string]any{"name": r.Key}
	return r
}

// run makes projects until the service dies.
func (k *keeper) run(ctx context.Context, c *api.Client) error {
	for {
		r := k.request(k.made)
		k.made++
		a, err := c.Do(ctx, r)
		if err != nil {
			k.pending = &r
			return fmt.Errorf("%w: %w", errNoAnswer, err)
		}
		if a.Status != http.StatusCreated || a.Replayed() {
			return fmt.Errorf("%s: answer %d, replayed %v, want a first 201", r.Key, a.Status, a.Replayed())
		}
		k.answers[r.Key] = a
	}
}

// repeat asks again for what was under way and for what was answered in this
// life of the service.
func (k *keeper) repeat(ctx context.Context, c *api.Client, from int) error {
	if k.pending != nil {
		a, err := retry(ctx, c, *k.pending)
		if err != nil {
			return err
		}
		if a.Status != http.StatusCreated {
			return a.Err()
		}
		k.answers[k.pending.Key] = a
		k.pending = nil
	}
	for n := from; n < k.made; n++ {
		r := k.request(n)
		a, err := retry(ctx, c, r)
		if err != nil {
			return err
		}
		if err := sameReply(k.answers[r.Key], a); err != nil {
			return fmt.Errorf("%s: %w", r.Key, err)
		}
	}
	return nil
}

// TestKeysSurviveKill kills the service while it makes things under keys. All
// keys still answer the same afterwards, and what was cut short happens once.
func TestKeysSurviveKill(t *testing.T) {
	kills := size(3, 50)
	rng := seed.Rand(t)
	s := serve(t)
	crew := make([]*keeper, workers)
	for i := range crew {
		crew[i] = &keeper{id: i, answers: map[string]api.Answer{}}
	}
	for range kills {
		from := make([]int, len(crew))
		for i, k := range crew {
			from[i] = k.made
		}
		s.killUnder(loadTime(rng), len(crew), func(ctx context.Context, c *api.Client, i int) error {
			return crew[i].run(ctx, c)
		})
		s.start()
		c := s.client(1)
		for i, k := range crew {
			if err := k.repeat(t.Context(), c, from[i]); err != nil {
				t.Fatalf("keeper %d: %v", i, err)
			}
		}
	}
	n := made(t, s.client(1))
	total := 0
	for _, k := range crew {
		total += len(k.answers)
		for key := range k.answers {
			if n[key] != 1 {
				t.Errorf("%s: made %d times, want once", key, n[key])
			}
		}
	}
	if len(n) != total {
		t.Errorf("there are %d projects, want %d", len(n), total)
	}
	t.Logf("%d kills, %d keys", kills, total)
}
