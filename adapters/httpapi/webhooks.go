package httpapi

import (
	"net/http"

	"orgd/adapters/httpapi/internal/protocol"
	"orgd/app"
	"orgd/domain/jsondoc"
	"orgd/domain/receipt"
	"orgd/domain/webhook"
)

// webhooks are the handlers of webhooks and their deliveries.
type webhooks struct{ svc *app.Webhooks }

// list serves GET /webhooks.
func (h webhooks) list(x *exchange) error {
	p, err := x.query().paging(x, defaultLimit, 1)
	if err != nil {
		return err
	}
	in := webhook.Query{Limit: p.limit + 1}
	if p.at != nil {
		in.After = webhook.ID(p.at[0])
	}
	rows, err := h.svc.List(x.ctx(), in)
	if err != nil {
		return err
	}
	return page(x, p, rows, writeWebhook, func(w webhook.Webhook) protocol.Position { return protocol.Position{string(w.ID)} })
}

// create serves POST /webhooks.
func (h webhooks) create(x *exchange) error {
	doc, err := x.document(false)
	if err != nil {
		return err
	}
	p, err := webhook.ParseNew(doc)
	if err != nil {
		return err
	}
	made, err := h.svc.Register(x.ctx(), x.call(), p)
	if err != nil {
		return err
	}
	return reveal(x, made, http.StatusCreated)
}

// get serves GET /webhooks/{id}.
func (h webhooks) get(x *exchange) error {
	id, err := webhookID(x)
	if err != nil {
		return err
	}
	w, err := h.svc.Webhook(x.ctx(), id)
	if err != nil {
		return err
	}
	return x.show(webhookReply(w))
}

// update serves PATCH /webhooks/{id}.
func (h webhooks) update(x *exchange) error {
	id, err := webhookID(x)
	if err != nil {
		return err
	}
	doc, err := x.document(true)
	if err != nil {
		return err
	}
	p, err := webhook.ParsePatch(doc)
	if err != nil {
		return err
	}
	call, err := x.conditionalCall()
	if err != nil {
		return err
	}
	next, err := h.svc.Change(x.ctx(), call, id, p)
	if err != nil {
		return err
	}
	return x.send(webhookReply(next))
}

// remove serves DELETE /webhooks/{id}.
func (h webhooks) remove(x *exchange) error {
	id, call, err := webhookCall(x)
	if err != nil {
		return err
	}
	if err := h.svc.Delete(x.ctx(), call, id); err != nil {
		return err
	}
	return x.noContent()
}

// rotate serves POST /webhooks/{id}/rotate-secret.
func (h webhooks) rotate(x *exchange) error {
	id, call, err := webhookCall(x)
	if err != nil {
		return err
	}
	w, err := h.svc.Rotate(x.ctx(), call, id)
	if err != nil {
		return err
	}
	return reveal(x, w, http.StatusOK)
}

// test serves POST /webhooks/{id}/test.
func (h webhooks) test(x *exchange) error {
	id, call, err := webhookCall(x)
	if err != nil {
		return err
	}
	reply := func(d webhook.Delivery) receipt.Reply { return deliveryReply(d, http.StatusCreated) }
	d, err := h.svc.Test(x.ctx(), call, id, reply)
	if err != nil {
		return err
	}
	return x.send(reply(d))
}

// deliveries serves GET /webhooks/{id}/deliveries.
func (h webhooks) deliveries(x *exchange) error {
	id, err := webhookID(x)
	if err != nil {
		return err
	}
	p, err := x.query().paging(x, defaultLimit, 2)
	if err != nil {
		return err
	}
	in := webhook.DeliveryQuery{Webhook: id, Limit: p.limit + 1}
	if p.at != nil {
		at, err := protocol.ParseTime(p.at[0])
		if err != nil {
			return err
		}
		in.After = &webhook.Position{At: at, ID: webhook.DeliveryID(p.at[1])}
	}
	rows, err := h.svc.Deliveries(x.ctx(), in)
	if err != nil {
		return err
	}
	return smallPage(x, p, rows, writeDelivery, func(d webhook.Delivery) protocol.Position {
		return protocol.Position{protocol.FormatTime(d.CreatedAt), string(d.ID)}
	})
}

// redeliver serves POST /webhooks/{id}/deliveries/{delivery_id}/redeliver.
func (h webhooks) redeliver(x *exchange) error {
	id, call, err := webhookCall(x)
	if err != nil {
		return err
	}
	text := x.param("delivery_id")
	if err := checkPathText("delivery_id", text); err != nil {
		return err
	}
	delivery, err := webhook.ParseDeliveryID(text)
	if err != nil {
		return err
	}
	reply := func(d webhook.Delivery) receipt.Reply { return deliveryReply(d, http.StatusOK) }
	d, err := h.svc.Redeliver(x.ctx(), call, id, delivery, reply)
	if err != nil {
		return err
	}
	return x.send(reply(d))
}

// webhookID reads the webhook in the path.
func webhookID(x *exchange) (webhook.ID, error) {
	text := x.param("id")
	if err := checkPathText("id", text); err != nil {
		return "", err
	}
	return webhook.ParseID(text)
}

// webhookCall reads the webhook in the path and the condition of a change that
// has no body.
func webhookCall(x *exchange) (webhook.ID, app.Call, error) {
	id, err := webhookID(x)
	if err != nil {
		return "", app.Call{}, err
	}
	call, err := x.conditionalCall()
	return id, call, err
}

// webhookReply shows one webhook.
func webhookReply(w webhook.Webhook) receipt.Reply {
	return receipt.Reply{
		Status: http.StatusOK,
		Body:   envelope(512, func(out *jsondoc.Writer) { writeWebhook(out, w) }),
		ETag:   protocol.ETag(w.Tag(), ""),
	}
}

func writeWebhook(out *jsondoc.Writer, w webhook.Webhook) {
	out.Open()
	w.Write(out)
	out.Close()
}

// reveal shows one webhook with its secret, which is shown once.
func reveal(x *exchange, w webhook.Webhook, status int) error {
	x.Writer.Header().Set("Cache-Control", "no-store")
	r := receipt.Reply{
		Status: status, ETag: protocol.ETag(w.Tag(), ""),
		Body: envelope(640, object(func(out *jsondoc.Writer) {
			w.Write(out)
			out.Field("secret").Text(w.Secrets.Current.Reveal())
		})),
	}
	if status == http.StatusCreated {
		r.Location = prefix + "/webhooks/" + string(w.ID)
	}
	return x.send(r)
}

// deliveryReply shows one delivery.
func deliveryReply(d webhook.Delivery, status int) receipt.Reply {
	r := receipt.Reply{Status: status, Body: envelope(384, func(w *jsondoc.Writer) { writeDelivery(w, d) })}
	if status == http.StatusCreated {
		r.Location = prefix + "/webhooks/" + string(d.Webhook) + "/deliveries"
	}
	return r
}

func writeDelivery(w *jsondoc.Writer, d webhook.Delivery) {
	w.Open()
	d.Write(w)
	w.Close()
}
