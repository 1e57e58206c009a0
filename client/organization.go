package client

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
)

// OrganizationDocument is an organization as it shall be. An [Organization] in
// JSON is such a document, but it need not say everything: what is absent stays
// as it is.
type OrganizationDocument struct {
	Text []byte // JSON
	// Prune deletes the departments and agents that the document does not name. It
	// needs both lists then.
	Prune bool
}

// Organization reads the organization as one document. A change that is made
// meanwhile may be in it or not. It is the longest of all answers: see
// [Config.MaxAnswer]. It needs [RoleEditor].
func (c *Client) Organization(ctx context.Context, opts ...Option) (Organization, error) {
	return fetch[Organization](ctx, c, exportRequest, opts)
}

// OrganizationJSON is [Client.Organization] as the service has written it: the
// same bytes for the same organization.
func (c *Client) OrganizationJSON(ctx context.Context, opts ...Option) ([]byte, error) {
	return fetch[json.RawMessage](ctx, c, exportRequest, opts)
}

var exportRequest = request{method: http.MethodGet, path: path("organization"), long: true}

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
	if doc.Prune {
		r.query.Set("prune", "true")
	}
	return r
}
