package organization

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"orgd/client"
	"orgd/cmd/orgd/internal/remote"
	"orgd/cmd/orgd/internal/terminal"
)

// Webhook is everything about webhooks.
type Webhook struct {
	List         webhooksCmd      `cmd:"" aliases:"ls" help:"List webhooks."`
	Show         webhookShowCmd   `cmd:"" aliases:"get,describe,view" help:"Show a webhook."`
	Create       webhookCreateCmd `cmd:"" aliases:"new,add" help:"Make a webhook. Its secret is printed this once."`
	Update       webhookUpdateCmd `cmd:"" help:"Change a webhook."`
	Delete       webhookDeleteCmd `cmd:"" aliases:"rm,remove" help:"Delete webhooks, with their deliveries."`
	Test         webhookTestCmd   `cmd:"" help:"Send an event that is made up."`
	RotateSecret webhookRotateCmd `cmd:"" help:"Make another secret. The one before is valid for 24 hours."`
	Deliveries   deliveriesCmd    `cmd:"" help:"List what was sent to a webhook, latest first."`
	Redeliver    redeliverCmd     `cmd:"" help:"Send a delivery again."`
}

// webhookArg names a webhook.
type webhookArg struct {
	Webhook string `arg:"" help:"Id of the webhook."`
}

type webhooksCmd struct {
	allFlags
	remote.WebFlag
}

func (c *webhooksCmd) Run(ctx context.Context, t *terminal.Terminal, service *client.Client) error {
	if c.Web {
		return c.Browse(t, "settings")
	}
	columns := []string{"ID", "URL", "STATE", "EVENTS", "DEPARTMENTS", "UPDATED"}
	return printAll(t, c.AllFlag, service.Webhooks(ctx, remote.Pages(c.Reads())), columns, func(w client.Webhook) []string {
		return []string{w.ID, w.URL, webhookState(w), eventTypes(w), strings.Join(w.Departments, ", "), terminal.Time(w.UpdatedAt)}
	})
}

func webhookState(w client.Webhook) string {
	if w.Enabled {
		return "enabled"
	}
	return strings.TrimSuffix("disabled, "+terminal.Word(w.DisabledReason), ", ")
}

func eventTypes(w client.Webhook) string {
	var all []string
	for _, e := range w.EventTypes {
		all = append(all, string(e))
	}
	return strings.Join(all, ", ")
}

type webhookShowCmd struct {
	printFlags
	webhookArg
}

func (c *webhookShowCmd) Run(ctx context.Context, t *terminal.Terminal, service *client.Client) error {
	w, err := service.Webhook(ctx, c.Webhook)
	if err != nil {
		return err
	}
	return c.Print(t, w, func(table *terminal.Table) {
		table.Field("Id", w.ID)
		table.Field("URL", w.URL)
		table.Field("State", webhookState(w))
		table.Field("Events", eventTypes(w))
		table.Field("Departments", strings.Join(w.Departments, ", "))
		table.Field("Revision", strconv.FormatInt(w.Revision, 10))
		table.Field("Created", terminal.Time(w.CreatedAt))
		table.Field("Updated", terminal.Time(w.UpdatedAt))
	})
}

// webhookFields are the fields of a webhook.
type webhookFields struct {
	Events      []string `group:"Fields" placeholder:"EVENT" help:"Only these types of events and actions of the change log, separated by commas."`
	Departments []string `group:"Fields" placeholder:"NAME" help:"Only events of agents in these departments."`
	Enabled     *bool    `group:"Fields" negatable:"" help:"Whether it is sent anything."`
}

func (f webhookFields) into(o client.Object) {
	if len(f.Events) > 0 {
		set(o, "event_types", f.Events)
	}
	if len(f.Departments) > 0 {
		set(o, "departments", f.Departments)
	}
	put(o, "enabled", f.Enabled)
}

type webhookCreateCmd struct {
	changeFlags
	webhookFields
	URL string `arg:"" optional:"" help:"Where events are sent, unless the file has it."`
}

func (c *webhookCreateCmd) Run(ctx context.Context, t *terminal.Terminal, service *client.Client) error {
	in, err := input[client.WebhookInput](c.given(t, func(o client.Object) error {
		putWord(o, "url", c.URL)
		c.into(o)
		return nil
	}))
	if err == nil && in.URL == "" {
		err = terminal.Usagef("a webhook needs a URL")
	}
	if err != nil {
		return err
	}
	w, err := service.CreateWebhook(ctx, in)
	return printSecret(t, c.ResultFlag, w, err, "Created")
}

// printSecret prints what was done, and the secret on standard output.
func printSecret(t *terminal.Terminal, f terminal.ResultFlag, w client.WebhookWithSecret, err error, done string) error {
	err = printResult(t, f, w, err, "%s webhook %s. Its secret is not shown again:", done, w.ID)
	if err == nil && f.Output == "" {
		_, err = fmt.Fprintln(t.Stdout, w.Secret)
	}
	return err
}

type webhookUpdateCmd struct {
	changeFlags
	webhookFields
	webhookArg
	URL *string `group:"Fields" placeholder:"URL" help:"Another address."`
}

func (c *webhookUpdateCmd) Run(ctx context.Context, t *terminal.Terminal, service *client.Client) error {
	patch, err := c.patch(t, func(o client.Object) error {
		put(o, "url", c.URL)
		c.into(o)
		return nil
	})
	if err != nil {
		return err
	}
	w, err := service.PatchWebhook(ctx, c.Webhook, patch)
	return printResult(t, c.ResultFlag, w, err, "Webhook %s is %s (revision %d).", w.ID, webhookState(w), w.Revision)
}

type webhookDeleteCmd struct {
	remote.ServerFlag
	yesFlag
	Webhooks []string `arg:"" name:"webhook" help:"Ids of the webhooks."`
}

func (c *webhookDeleteCmd) Run(ctx context.Context, t *terminal.Terminal, service *client.Client) error {
	return c.remove(ctx, t, c.Webhooks, func(id string) (deletion, error) {
		w, err := service.Webhook(ctx, id)
		return deletion{fmt.Sprintf("webhook %s (%s)", w.ID, w.URL), w.ID, w.ETag}, err
	}, func(ctx context.Context, id string, opts ...client.Option) error {
		return service.DeleteWebhook(ctx, id, opts...)
	})
}

// webhookAct are the flags of what is done with a webhook.
type webhookAct struct {
	remote.ServerFlag
	terminal.ResultFlag
	webhookArg
}

type webhookTestCmd struct{ webhookAct }

func (c *webhookTestCmd) Run(ctx context.Context, t *terminal.Terminal, service *client.Client) error {
	d, err := service.TestWebhook(ctx, c.Webhook)
	return printResult(t, c.ResultFlag, d, err, "Delivery %s is on its way; orgd webhook deliveries %s shows what comes of it.", d.ID, c.Webhook)
}

type webhookRotateCmd struct{ webhookAct }

func (c *webhookRotateCmd) Run(ctx context.Context, t *terminal.Terminal, service *client.Client) error {
	w, err := service.RotateWebhookSecret(ctx, c.Webhook)
	return printSecret(t, c.ResultFlag, w, err, "Changed")
}

type redeliverCmd struct {
	webhookAct
	Delivery string `arg:"" help:"Id of the delivery."`
}

func (c *redeliverCmd) Run(ctx context.Context, t *terminal.Terminal, service *client.Client) error {
	d, err := service.Redeliver(ctx, c.Webhook, c.Delivery)
	return printResult(t, c.ResultFlag, d, err, "Delivery %s is %s.", d.ID, d.Status)
}

type deliveriesCmd struct {
	allFlags
	webhookArg
}

func (c *deliveriesCmd) Run(ctx context.Context, t *terminal.Terminal, service *client.Client) error {
	columns := []string{"CREATED", "ID", "EVENT", "STATUS", "ATTEMPT", "ANSWER", "NEXT"}
	return printAll(t, c.AllFlag, service.Deliveries(ctx, c.Webhook, remote.Pages(c.Reads())), columns, func(d client.Delivery) []string {
		answer := terminal.Word(d.Error)
		if d.ResponseCode != nil {
			answer = strconv.FormatInt(*d.ResponseCode, 10)
		}
		return []string{terminal.Time(d.CreatedAt), d.ID, d.EventID, string(d.Status), strconv.FormatInt(d.Attempt, 10), answer, terminal.TimeOrNone(d.NextAttemptAt)}
	})
}
