package ports

import (
	"context"
	"time"

	"orgd/domain/activity"
	"orgd/domain/revision"
	"orgd/domain/webhook"
)

// WebhookChange is one change of one webhook.
type WebhookChange struct {
	Change[webhook.Webhook]
	// Deliver is a delivery that is stored with the change, replacing the
	// one with its id if there is one; nil means none.
	Deliver *webhook.Delivery
}

// Effective reports whether the change changes the webhook or has a delivery.
func (c WebhookChange) Effective() bool { return c.Deliver != nil || c.Change.Effective() }

// WebhookStore keeps webhooks. Every implementation passes
// portstest.WebhookStore. Steps are atomic, as those of an AgentStore are, and
// treat idempotency records alike.
type WebhookStore interface {
	// Create stores a new webhook under an id that no webhook ever had.
	Create(ctx context.Context, s WebhookChange) error

	// Update loads a webhook and stores the step that change makes of it; a
	// step that is Deleted removes it. It returns webhook.ErrNotFound if there
	// is no such webhook. change may run more than once and touches only its
	// argument; its error is returned as it is and nothing is stored.
	Update(ctx context.Context, id webhook.ID, change func(webhook.Webhook) (WebhookChange, error)) (webhook.Webhook, error)

	// Webhook returns one webhook, or webhook.ErrNotFound.
	Webhook(ctx context.Context, id webhook.ID) (webhook.Webhook, error)

	// Webhooks returns the webhooks that q selects, in ascending order of id. It ends
	// with the first that is behind its page, see page.Fits and page.ErrLarge.
	Webhooks(ctx context.Context, q webhook.Query) ([]webhook.Webhook, error)

	// Tags returns the tags of all webhooks, in ascending order of id. It reads
	// nothing else of them.
	Tags(ctx context.Context) ([]revision.Tag, error)
}

// Outbox keeps the deliveries to webhooks, and the position in the log of events
// up to which they have been recorded. It knows nothing of webhooks: the deliveries
// of one that is deleted stay until they expire. Every implementation
// passes portstest.Outbox.
type Outbox interface {
	// Position returns the position up to which deliveries have been recorded, zero
	// before the first.
	Position(ctx context.Context) (activity.Seq, error)

	// Record moves the position from one to another and stores deliveries of
	// events; it may stay where it is. Deliveries that are stored already stay as
	// they are. It reports false if the position is not from any more; then it has
	// not moved, and some of the deliveries may have been stored all the same. If
	// it fails, or the process dies, any of the deliveries may be stored, but the
	// position moves only once all are.
	Record(ctx context.Context, from, to activity.Seq, deliveries []webhook.Delivery) (bool, error)

	// Due returns deliveries whose time has come at now: of each of the webhooks
	// at most as many as slots has for it, those that are due longest. The order
	// means nothing.
	Due(ctx context.Context, now time.Time, slots map[webhook.ID]int) ([]webhook.Delivery, error)

	// Move replaces each delivery before by after, unless its Mark shows that it has
	// changed since before was read. It returns those that
	// it stored, in the order of the moves. Moves are independent of each other.
	Move(ctx context.Context, moves []Move) ([]webhook.Delivery, error)

	// Delivery returns one delivery of a webhook, or webhook.ErrNoDelivery.
	Delivery(ctx context.Context, of webhook.ID, id webhook.DeliveryID) (webhook.Delivery, error)

	// Deliveries returns the deliveries that q selects, the newest first, ties
	// by descending id.
	Deliveries(ctx context.Context, q webhook.DeliveryQuery) ([]webhook.Delivery, error)

	// DeliveredSince reports whether a delivery of the webhook that is no test
	// was delivered at or after a time.
	DeliveredSince(ctx context.Context, of webhook.ID, since time.Time) (bool, error)

	// Backlog counts the pending deliveries of a webhook, up to limit, and returns
	// when the one that is due first is due; zero if none is pending.
	Backlog(ctx context.Context, of webhook.ID, limit int) (pending int, first time.Time, err error)
}

// Move is a change of a delivery on condition that nobody else has changed it.
type Move struct{ Before, After webhook.Delivery }

// WebhookSender sends messages to endpoints.
type WebhookSender interface {
	// Send makes one attempt, in bounded time. It ends early with
	// webhook.Timeout if ctx ends.
	Send(ctx context.Context, m webhook.Message) webhook.Result
}
