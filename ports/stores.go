package ports

// Stores are the ports of one storage, all of which see what each has stored.
type Stores struct {
	Agents      AgentStore
	Identities  IdentityLog
	Departments DepartmentStore
	Company     CompanyStore
	Projects    ProjectStore
	Activities  ActivityLog
	Stream      EventStream
	Measures    Measures
	Audit       AuditLog
	Idempotency IdempotencyStore
	Sessions    SessionStore
	Webhooks    WebhookStore
	Outbox      Outbox
	Storage     Storage
}
