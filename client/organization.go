package client

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"time"
)

// Organization is the organization as one document: what can be written of it,
// with names and never with ids. Projects are not part of it.
type Organization struct {
	// Format is the version of the form of documents, 1.
	Format  int64               `json:"format"`
	Company OrganizationCompany `json:"company"`
	// Departments and Agents are all of them, in order.
	Departments []OrganizationDepartment `json:"departments"`
	Agents      []OrganizationAgent      `json:"agents"`
}

// OrganizationCompany is the company in a document, as [Company] explains it.
type OrganizationCompany struct {
	CompanyName          string        `json:"company_name"`
	AutonomyLevel        AutonomyLevel `json:"autonomy_level"`
	BudgetMonthly        Decimal       `json:"budget_monthly"`
	Currency             string        `json:"currency"`
	CommunicationPattern string        `json:"communication_pattern"`
	Settings             Object        `json:"settings"`
}

// OrganizationDepartment is a department in a document, as [Department] explains
// it.
type OrganizationDepartment struct {
	Name           string             `json:"name"`
	Description    string             `json:"description"`
	Head           *string            `json:"head"`
	BudgetPercent  Decimal            `json:"budget_percent"`
	AutonomyLevel  *AutonomyLevel     `json:"autonomy_level"`
	Teams          []Team             `json:"teams"`
	ReportingLines []ReportingLine    `json:"reporting_lines"`
	Policies       DepartmentPolicies `json:"policies"`
	CeremonyPolicy *CeremonyPolicy    `json:"ceremony_policy"`
}

// OrganizationAgent is an agent in a document, as [Agent] explains it. Authority
// names other agents by name.
type OrganizationAgent struct {
	Name                string               `json:"name"`
	Role                string               `json:"role"`
	Department          string               `json:"department"`
	Description         string               `json:"description"`
	Level               AgentLevel           `json:"level"`
	Status              AgentStatus          `json:"status"`
	HiringDate          Date                 `json:"hiring_date"`
	AutonomyLevel       *AutonomyLevel       `json:"autonomy_level"`
	StrategicOutputMode *StrategicOutputMode `json:"strategic_output_mode"`
	Instructions        string               `json:"instructions"`
	Personality         Personality          `json:"personality"`
	Skills              Skills               `json:"skills"`
	Model               *Model               `json:"model"`
	Memory              Memory               `json:"memory"`
	Tools               Tools                `json:"tools"`
	Authority           Authority            `json:"authority"`
	Metadata            Object               `json:"metadata"`
	ModelRequirement    Object               `json:"model_requirement"`
	PersonalityPreset   *string              `json:"personality_preset"`
	Tier                *ModelTier           `json:"tier"`
	Owner               *string              `json:"owner"`
	Tags                []string             `json:"tags"`
}

// AsOf is the member as_of of the entry of an agent: when and by whom that was written before
// it was imported. The version that it makes has this time, or that of the version before if
// that is later. It needs [RoleAdmin].
type AsOf struct {
	At time.Time `json:"at"`
	By string    `json:"by"`
	// Reason counts more than [ChangeReason].
	Reason *string `json:"reason,omitempty"`
}

// OrganizationDocument is an organization as it shall be. An [Organization] in
// JSON is such a document, but it need not say everything: what is absent stays
// as it is.
type OrganizationDocument struct {
	// Text is JSON or, with YAML, YAML 1.2.
	Text []byte
	YAML bool
	// Prune deletes the departments and agents that the document does not name. It
	// needs both lists then.
	Prune bool
}

// OrganizationPlan is what a document would change.
type OrganizationPlan struct {
	// Hash stands for the document and for the state that it was compared with.
	Hash string `json:"plan_hash"`
	// Changes are all differences.
	Changes []OrganizationChange `json:"changes"`
}

// OrganizationChange is one difference between the organization and a document.
type OrganizationChange struct {
	// Path is what changes: company.currency, agents["Ada"], agents["Ada"].level, or
	// a whole list for its order.
	Path   string             `json:"path"`
	Action OrganizationAction `json:"action"`
	// Old and New are JSON: values of a field, whole entries, or the names of a list
	// in their order. Old of a creation and New of a deletion are null.
	Old json.RawMessage `json:"old"`
	New json.RawMessage `json:"new"`
}

// OrganizationApplied counts what an apply has changed.
type OrganizationApplied struct {
	// PlanHash is the hash of the plan that was carried out.
	PlanHash  string `json:"plan_hash"`
	Created   int64  `json:"created"`
	Updated   int64  `json:"updated"`
	Deleted   int64  `json:"deleted"`
	Reordered int64  `json:"reordered"`
}

// Organization reads the organization as one document. A change that is made
// meanwhile may be in it or not. It is the longest of all answers: see
// [Config.MaxAnswer]. It needs [RoleEditor].
func (c *Client) Organization(ctx context.Context, opts ...Option) (Organization, error) {
	return fetch[Organization](ctx, c, exportRequest(""), opts)
}

// OrganizationYAML is [Client.Organization] as YAML: the same bytes for the same
// organization.
func (c *Client) OrganizationYAML(ctx context.Context, opts ...Option) ([]byte, error) {
	a, err := c.do(ctx, exportRequest(yamlType+", "+jsonType+";q=0.1"), opts)
	return a.body, err
}

// OrganizationJSON is [Client.Organization] as the service has written it: the
// same bytes for the same organization.
func (c *Client) OrganizationJSON(ctx context.Context, opts ...Option) ([]byte, error) {
	return fetch[json.RawMessage](ctx, c, exportRequest(""), opts)
}

func exportRequest(accept string) request {
	return request{method: http.MethodGet, path: path("organization"), accept: accept, long: true}
}

// PlanOrganization compares the organization with a document and changes
// nothing. A document that cannot be applied is [ErrRequestValidation]
// or [ErrValidation], and the error names everything that is wrong with it. It takes
// [IdempotencyKey].
func (c *Client) PlanOrganization(ctx context.Context, doc OrganizationDocument, opts ...Option) (OrganizationPlan, error) {
	return fetch[OrganizationPlan](ctx, c, doc.request("plan"), opts)
}

// ApplyOrganization makes the organization as a document says. With the hash of
// a plan only that plan is carried out: if it would be another one by now, or
// somebody changes the same things meanwhile, the error is [ErrVersionConflict].
// Without, "", the organization is taken as it is found. An apply that was cut
// short can be done again and does the rest. It takes [IdempotencyKey] and
// [ChangeReason].
func (c *Client) ApplyOrganization(ctx context.Context, doc OrganizationDocument, planHash string, opts ...Option) (OrganizationApplied, error) {
	r := doc.request("apply")
	r.takes = []string{changeReason}
	if planHash != "" {
		r.query.Set("plan_hash", planHash)
	}
	return fetch[OrganizationApplied](ctx, c, r, opts)
}

func (doc OrganizationDocument) request(do string) request {
	r := request{
		method: http.MethodPost, path: path("organization", do), query: url.Values{}, body: doc.Text, typ: jsonType, long: true,
	}
	if doc.YAML {
		r.typ = yamlType
	}
	if doc.Prune {
		r.query.Set("prune", "true")
	}
	return r
}
