package client

import (
	"context"
	"iter"
)

// Webhooks lists webhooks by id, which is by the time of creation. Like all that
// is about webhooks, it needs [RoleAdmin]. An error is the last thing that comes.
func (c *Client) Webhooks(ctx context.Context, q PageQuery) iter.Seq2[Webhook, error] {
	return walk[Webhook](ctx, c, path("webhooks"), q.values())
}

// WebhookPage reads one page of [Client.Webhooks].
func (c *Client) WebhookPage(ctx context.Context, q PageQuery, opts ...Option) (Page[Webhook], error) {
	return getPage[Webhook](ctx, c, path("webhooks"), q.values(), opts)
}

// Webhook reads a webhook. It takes [IfNoneMatch].
func (c *Client) Webhook(ctx context.Context, id string, opts ...Option) (Webhook, error) {
	return get[Webhook](ctx, c, path("webhooks", id), opts, ifNoneMatch)
}

// CreateWebhook creates a webhook, which gets the events from now on. If the
// answer is lost on the way, the error is an uncertain [ErrConflict]: the secret
// cannot be shown again. It takes [IdempotencyKey].
func (c *Client) CreateWebhook(ctx context.Context, in WebhookInput, opts ...Option) (WebhookWithSecret, error) {
	return post[WebhookWithSecret](ctx, c, path("webhooks"), in, opts)
}

// PatchWebhook sends a merge patch, as [Client.PatchAgent] does. It takes
// [IfMatch].
func (c *Client) PatchWebhook(ctx context.Context, id string, patch Object, opts ...Option) (Webhook, error) {
	return mergePatch[Webhook](ctx, c, path("webhooks", id), patch, opts)
}

// DeleteWebhook deletes a webhook, with its deliveries. It takes [IfMatch].
func (c *Client) DeleteWebhook(ctx context.Context, id string, opts ...Option) error {
	return c.remove(ctx, path("webhooks", id), opts)
}

// RotateWebhookSecret gives a webhook another secret. The one before stays valid
// for 24 hours. A lost answer is what it is for [Client.CreateWebhook]. It takes
// [IfMatch] and [IdempotencyKey].
func (c *Client) RotateWebhookSecret(ctx context.Context, id string, opts ...Option) (WebhookWithSecret, error) {
	return post[WebhookWithSecret](ctx, c, path("webhooks", id, "rotate-secret"), nil, opts, ifMatch)
}

// TestWebhook sends a made-up event, once and whatever the filters are. What came
// of it is in [Client.Deliveries]. It takes [IfMatch] and [IdempotencyKey].
func (c *Client) TestWebhook(ctx context.Context, id string, opts ...Option) (Delivery, error) {
	return post[Delivery](ctx, c, path("webhooks", id, "test"), nil, opts, ifMatch)
}

// Deliveries lists the deliveries to a webhook, newest first. An error is the last
// thing that comes.
func (c *Client) Deliveries(ctx context.Context, webhook string, q PageQuery) iter.Seq2[Delivery, error] {
	return walk[Delivery](ctx, c, path("webhooks", webhook, "deliveries"), q.values())
}

// DeliveryPage reads one page of [Client.Deliveries].
func (c *Client) DeliveryPage(ctx context.Context, webhook string, q PageQuery, opts ...Option) (Page[Delivery], error) {
	return getPage[Delivery](ctx, c, path("webhooks", webhook, "deliveries"), q.values(), opts)
}

// Redeliver begins a delivery anew, whatever came of it before. It takes
// [IfMatch] and [IdempotencyKey].
func (c *Client) Redeliver(ctx context.Context, webhook, delivery string, opts ...Option) (Delivery, error) {
	return post[Delivery](ctx, c, path("webhooks", webhook, "deliveries", delivery, "redeliver"), nil, opts, ifMatch)
}
