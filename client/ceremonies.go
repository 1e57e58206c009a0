package client

import (
	"context"
	"net/http"
)

// Resolved is a value in force and where it comes from.
type Resolved[T any] struct {
	Value  T              `json:"value"`
	Origin CeremonyOrigin `json:"origin"`
}

// ResolvedCeremonyPolicy is the ceremony policy in force.
type ResolvedCeremonyPolicy struct {
	Strategy            Resolved[CeremonyStrategy]   `json:"strategy"`
	StrategyConfig      Resolved[Object]             `json:"strategy_config"`
	VelocityCalculator  Resolved[VelocityCalculator] `json:"velocity_calculator"`
	AutoTransition      Resolved[bool]               `json:"auto_transition"`
	TransitionThreshold Resolved[Decimal]            `json:"transition_threshold"`
	// Other has the keys that are not among these, with values as in [Object].
	Other map[string]Resolved[any] `json:"-"`
}

// UnmarshalJSON implements json.Unmarshaler.
func (p *ResolvedCeremonyPolicy) UnmarshalJSON(text []byte) error {
	type known ResolvedCeremonyPolicy
	return openObject(text, (*known)(p), &p.Other)
}

// CeremonyPolicy reads the department's own policy, nil if it has none. What is
// in force is told by [Client.ResolvedCeremonyPolicy]. It takes [IfNoneMatch].
func (c *Client) CeremonyPolicy(ctx context.Context, department string, opts ...Option) (*CeremonyPolicy, error) {
	r := request{method: http.MethodGet, path: ceremonyPath(department), takes: []string{ifNoneMatch}}
	a, err := c.do(ctx, r, opts)
	if err != nil {
		return nil, err
	}
	var own struct {
		Policy *CeremonyPolicy `json:"data"`
	}
	if err := a.decode(&own, r); err != nil || own.Policy == nil {
		return nil, err
	}
	own.Policy.ETag = a.header.Get("ETag")
	return own.Policy, nil
}

// SetCeremonyPolicy replaces the department's whole policy. [IfMatch] takes the
// tag of the department; IfNoneMatch("*") sets the policy only if there is none.
func (c *Client) SetCeremonyPolicy(ctx context.Context, department string, policy CeremonyPolicy, opts ...Option) (CeremonyPolicy, error) {
	if err := c.checkDepartment(ctx, department); err != nil {
		return CeremonyPolicy{}, err
	}
	return fetch[CeremonyPolicy](ctx, c, request{
		method: http.MethodPut, path: ceremonyPath(department), body: policy, takes: []string{ifMatch, ifNoneMatch, changeReason},
	}, opts)
}

// DeleteCeremonyPolicy makes the department inherit again. Doing it twice is no
// error. [IfMatch] takes the tag of the department.
func (c *Client) DeleteCeremonyPolicy(ctx context.Context, department string, opts ...Option) error {
	if err := c.checkDepartment(ctx, department); err != nil {
		return err
	}
	_, err := c.do(ctx, request{method: http.MethodDelete, path: ceremonyPath(department), takes: []string{ifMatch, changeReason}}, opts)
	return err
}

// ResolvedCeremonyPolicy reads the policy in force, with where each of its values
// comes from.
func (c *Client) ResolvedCeremonyPolicy(ctx context.Context, department string, opts ...Option) (ResolvedCeremonyPolicy, error) {
	return get[ResolvedCeremonyPolicy](ctx, c, ceremonyPath(department)+path("resolved"), opts)
}

func ceremonyPath(department string) string {
	return path("departments", department, "ceremony-policy")
}
