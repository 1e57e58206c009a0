package httpapi

import (
	"net/http"

	"orgd/adapters/httpapi/internal/protocol"
	"orgd/adapters/httpapi/internal/request"
	"orgd/app"
	"orgd/domain/idempotency"
	"orgd/domain/jsondoc"
	"orgd/domain/webhook"
)

// webhooks are the handlers of webhooks and their deliveries.
type webhooks struct{ svc *app.Webhooks }

// list serves GET /webhooks.
func (h webhooks) list(r *request.Request) error {
	p, err := r.Query().Paging(request.DefaultLimit, 1)
	if err != nil {
		return err
	}
	in := webhook.Query{Limit: p.Limit + 1}
	if p.At != nil {
		in.After = webhook.ID(p.At[0])
	}
	rows, err := h.svc.List(r.Ctx(), in)
	if err != nil {
		return err
	}
	return request.SendPage(r, p, rows, writeWebhook, func(w webhook.Webhook) protocol.Position { return protocol.Position{string(w.ID)} })
}

// create serves POST /webhooks.
func (h webhooks) create(r *request.Request) error {
	p, call, err := readNew(r, webhook.ParseNew)
	if err != nil {
		return err
	}
	made, err := h.svc.Register(r.Ctx(), call, p)
	if err != nil {
		return err
	}
	return sendSecret(r, made, http.StatusCreated)
}

// get serves GET /webhooks/{id}.
func (h webhooks) get(r *request.Request) error {
	w, err := find(r, webhookID, h.svc.Webhook)
	if err != nil {
		return err
	}
	return r.Send(webhookReply(w))
}

// update serves PATCH /webhooks/{id}.
func (h webhooks) update(r *request.Request) error {
	id, p, call, err := readChange(r, webhookID, webhook.ParsePatch)
	if err != nil {
		return err
	}
	next, err := h.svc.Change(r.Ctx(), call, id, p)
	if err != nil {
		return err
	}
	return r.Send(webhookReply(next))
}

// remove serves DELETE /webhooks/{id}.
func (h webhooks) remove(r *request.Request) error {
	return removeTarget(r, webhookID, h.svc.Delete)
}

// rotate serves POST /webhooks/{id}/rotate-secret.
func (h webhooks) rotate(r *request.Request) error {
	id, call, err := readTarget(r, webhookID)
	if err != nil {
		return err
	}
	w, err := h.svc.Rotate(r.Ctx(), call, id)
	if err != nil {
		return err
	}
	return sendSecret(r, w, http.StatusOK)
}

// test serves POST /webhooks/{id}/test.
func (h webhooks) test(r *request.Request) error {
	id, call, err := readTarget(r, webhookID)
	if err != nil {
		return err
	}
	reply := func(d webhook.Delivery) idempotency.Reply { return deliveryReply(d, http.StatusCreated) }
	d, err := h.svc.Test(r.Ctx(), call, id, reply)
	if err != nil {
		return err
	}
	return r.Send(reply(d))
}

// deliveries serves GET /webhooks/{id}/deliveries.
func (h webhooks) deliveries(r *request.Request) error {
	id, err := webhookID(r)
	if err != nil {
		return err
	}
	p, err := r.Query().Paging(request.DefaultLimit, 2)
	if err != nil {
		return err
	}
	in := webhook.DeliveryQuery{Webhook: id, Limit: p.Limit + 1}
	if p.At != nil {
		at, err := protocol.ParseTime(p.At[0])
		if err != nil {
			return err
		}
		in.After = &webhook.Position{At: at, ID: webhook.DeliveryID(p.At[1])}
	}
	rows, err := h.svc.Deliveries(r.Ctx(), in)
	if err != nil {
		return err
	}
	return request.SendSmallPage(r, p, rows, writeDelivery, func(d webhook.Delivery) protocol.Position {
		return protocol.Position{protocol.FormatTime(d.CreatedAt), string(d.ID)}
	})
}

// redeliver serves POST /webhooks/{id}/deliveries/{delivery_id}/redeliver.
func (h webhooks) redeliver(r *request.Request) error {
	id, call, err := readTarget(r, webhookID)
	if err != nil {
		return err
	}
	text, err := r.BoundedParam("delivery_id")
	if err != nil {
		return err
	}
	delivery, err := webhook.ParseDeliveryID(text)
	if err != nil {
		return err
	}
	reply := func(d webhook.Delivery) idempotency.Reply { return deliveryReply(d, http.StatusOK) }
	d, err := h.svc.Redeliver(r.Ctx(), call, id, delivery, reply)
	if err != nil {
		return err
	}
	return r.Send(reply(d))
}

// webhookID reads the webhook in the path.
func webhookID(r *request.Request) (webhook.ID, error) {
	text, err := r.BoundedParam("id")
	if err != nil {
		return "", err
	}
	return webhook.ParseID(text)
}

// webhookReply is the reply with one webhook.
func webhookReply(w webhook.Webhook) idempotency.Reply {
	return idempotency.Reply{
		Status: http.StatusOK,
		Body:   request.Envelope(512, func(out *jsondoc.Writer) { writeWebhook(out, w) }),
		ETag:   protocol.ETag(w.Tag(), ""),
	}
}

func writeWebhook(out *jsondoc.Writer, w webhook.Webhook) {
	out.Open()
	w.Write(out)
	out.Close()
}

// sendSecret answers with one webhook and its secret. The secret is never sent again.
func sendSecret(r *request.Request, w webhook.Webhook, status int) error {
	r.Writer.Header().Set("Cache-Control", "no-store")
	reply := idempotency.Reply{
		Status: status, ETag: protocol.ETag(w.Tag(), ""),
		Body: request.Envelope(640, request.Object(func(out *jsondoc.Writer) {
			w.Write(out)
			out.Field("secret").Text(w.Secrets.Current.Reveal())
		})),
	}
	if status == http.StatusCreated {
		reply.Location = request.Prefix + "/webhooks/" + string(w.ID)
	}
	return r.Send(reply)
}

// deliveryReply is the reply with one delivery.
func deliveryReply(d webhook.Delivery, status int) idempotency.Reply {
	r := idempotency.Reply{Status: status, Body: request.Envelope(384, func(w *jsondoc.Writer) { writeDelivery(w, d) })}
	if status == http.StatusCreated {
		r.Location = request.Prefix + "/webhooks/" + string(d.Webhook) + "/deliveries"
	}
	return r
}

func writeDelivery(w *jsondoc.Writer, d webhook.Delivery) {
	w.Open()
	d.Write(w)
	w.Close()
}
