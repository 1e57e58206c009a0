package fields

var webhooks = []Noun{{
	Name: "Webhook",
	Schemas: map[Form]Schema{
		Whole:  {"Webhook", "An address that events are sent to."},
		Secret: {"WebhookWithSecret", "A webhook with the key that its messages are signed with."},
		Create: {"CreateWebhookRequest", "A new webhook."},
		Change: {"UpdateWebhookRequest", "A merge patch of a webhook."},
	},
	Fields: []Field{
		{Name: "id", Kind: "UUID", Forms: Answers},
		{Name: "url", Kind: "WebhookURL", Must: Create},
		{Name: "event_types", Kind: "WebhookEventTypes"},
		{Name: "departments", Kind: "WebhookDepartments"},
		{Name: "enabled", Kind: "WebhookEnabled", Default: "true"},
		{Name: "disabled_reason", Kind: "WebhookDisabledReason", Forms: Answers},
		{Name: "revision", Kind: "Revision", Forms: Answers},
		{Name: "created_at", Kind: "Timestamp", Forms: Answers},
		{Name: "updated_at", Kind: "Timestamp", Forms: Answers},
		{Name: "secret", Kind: "{type: string, pattern: '^whsec_[A-Za-z0-9+/]{43}=$'}", Forms: Secret,
			Doc: "The key that messages are signed with. It is shown once."},
	},
}}
