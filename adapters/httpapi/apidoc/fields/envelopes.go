package fields

// Envelope is what stands around an answer: one value, a list, or a page of a list.
type Envelope struct {
	Kind string
	Form EnvelopeForm
	Doc  string
}

// EnvelopeForm is how many values an envelope holds.
type EnvelopeForm int

// The forms of envelopes.
const (
	One EnvelopeForm = iota
	OneOrNull
	List
	Page
)

// Envelopes are those of all answers.
var Envelopes = []Envelope{
	{"LivenessStatus", One, "Liveness in its envelope."},
	{"ReadinessStatus", One, "Readiness in its envelope."},
	{"Capabilities", One, "Capabilities in their envelope."},
	{"Company", One, "A company in its envelope."},
	{"OrganizationDocument", One, "An organization in its envelope."},
	{"OrganizationPlan", One, "A plan in its envelope."},
	{"OrganizationApplied", One, "What came of a document, in its envelope."},
	{"Department", One, "A department in its envelope."},
	{"DepartmentHealth", One, "The health of a department in its envelope."},
	{"DailyFigures", One, "The figures of each day in their envelope."},
	{"CeremonyPolicy", One, "A ceremony policy in its envelope."},
	{"ResolvedCeremonyPolicy", One, "A resolved ceremony policy in its envelope."},
	{"AgentConfig", One, "An agent in its envelope."},
	{"AgentIdentity", One, "An identity in its envelope."},
	{"VersionSnapshot", One, "A version in its envelope."},
	{"AgentIdentityDiff", One, "A difference in its envelope."},
	{"Label", One, "A label in its envelope."},
	{"ResolvedAgent", One, "An agent as a label names it, in its envelope."},
	{"AgentHealth", One, "The health of an agent in its envelope."},
	{"AgentPerformanceSummary", One, "The performance of an agent in its envelope."},
	{"IngestResult", One, "The result of a report in its envelope."},
	{"Project", One, "A project in its envelope."},
	{"Webhook", One, "A webhook in its envelope."},
	{"WebhookWithSecret", One, "A webhook with its secret in its envelope."},
	{"Delivery", One, "A delivery in its envelope."},
	{"IssuedToken", One, "A token in its envelope."},
	{"SignInLink", One, "A sign-in link in its envelope."},
	{"Caller", One, "The caller in its envelope."},
	{"CeremonyPolicy", OneOrNull, "A ceremony policy, or null, in its envelope."},
	{"Department", List, "Departments in their envelope."},
	{"AgentConfig", List, "Agents in their envelope."},
	{"Label", List, "Labels in their envelope."},
	{"CareerEvent", List, "A career in its envelope."},
	{"AgentConfig", Page, "A page of agents."},
	{"VersionSnapshot", Page, "A page of versions."},
	{"LabelMove", Page, "A page of the history of a label."},
	{"ResolvedAgent", Page, "A page of agents as a label names them."},
	{"ActivityEvent", Page, "A page of events."},
	{"Department", Page, "A page of departments."},
	{"DepartmentFigures", Page, "A page of the figures of departments."},
	{"AgentFigures", Page, "A page of the figures of agents."},
	{"Project", Page, "A page of projects."},
	{"Webhook", Page, "A page of webhooks."},
	{"Delivery", Page, "A page of deliveries."},
	{"ChangeEvent", Page, "A page of the change log."},
	{"AuditEntry", Page, "A page of the audit trail."},
	{"Session", Page, "A page of sessions."},
}
