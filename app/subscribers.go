package app

import (
	"context"
	"errors"
	"maps"
	"sync"

	"orgd/domain/revision"
	"orgd/domain/webhook"
	"orgd/ports"
)

// subscribers are the webhooks of a store as a dispatcher keeps them in memory.
type subscribers struct {
	store ports.WebhookStore
	mu    sync.Mutex
	known map[revision.Tag]*webhook.Subscriber // all webhooks, when they were read last
}

// enabled returns the webhooks that are enabled, in ascending order of id. It reads those
// that have changed since they were read last.
func (k *subscribers) enabled(ctx context.Context) (hooks []*webhook.Subscriber, err error) {
	tags, err := k.store.Tags(ctx)
	if err != nil {
		return nil, err
	}
	k.mu.Lock() // one turn reads for all
	defer k.mu.Unlock()
	current := make(map[revision.Tag]bool, len(tags))
	for _, tag := range tags {
		s := k.known[tag]
		if s == nil {
			w, err := k.store.Webhook(ctx, webhook.ID(tag.ID))
			if errors.Is(err, webhook.ErrNotFound) {
				continue // it was deleted in between
			}
			if err != nil {
				return nil, err
			}
			s = w.Subscriber()
			k.known[s.Tag()] = s
		}
		current[s.Tag()] = true
		if s.Enabled() {
			hooks = append(hooks, s)
		}
	}
	maps.DeleteFunc(k.known, func(t revision.Tag, _ *webhook.Subscriber) bool { return !current[t] })
	return hooks, nil
}
