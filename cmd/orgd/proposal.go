package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"orgd/client"
)

// proposal is a document that a service may be changed by.
type proposal struct {
	service *client.Client
	server  string // where it is, for the question
	doc     client.OrganizationDocument
	name    string // of the document in sentences, such as its file
	// places tells where in its source something of the document stands.
	places places
	reason string // of the versions that are written, "" for none
}

// errDeclined is the answer no.
var errDeclined = errors.New("nothing was changed")

// settle shows what a document would change and, after somebody has said yes,
// has exactly that done. With assent nobody is asked.
func (p *process) settle(ctx context.Context, x proposal, assent bool) error {
	if err := p.canAsk(assent); err != nil {
		return err
	}
	plan, err := p.plan(ctx, x)
	if err != nil {
		return err
	}
	if err := p.showPlan(plan); err != nil || len(plan.Changes) == 0 {
		return err
	}
	if err := p.confirm(ctx, fmt.Sprintf("Change the organization at %s like this?", x.server), assent); err != nil {
		return err
	}
	return p.apply(ctx, x, plan)
}

// canAsk reports the mistake of not saying yes where nobody can be asked. A
// command calls it before it begins.
func (p *process) canAsk(assent bool) error {
	if !assent && !p.interactive {
		return usageError{errors.New("--yes: is needed where nobody can be asked, because standard input is not a terminal")}
	}
	return nil
}

// confirm asks a question and returns nil for yes, which assent has said
// beforehand.
func (p *process) confirm(ctx context.Context, question string, assent bool) error {
	if assent {
		return nil
	}
	if err := p.canAsk(assent); err != nil {
		return err
	}
	answer, err := p.ask(ctx, question+" [y/N] ")
	if err != nil {
		return err
	}
	switch strings.ToLower(strings.TrimSpace(answer)) {
	case "y", "yes":
		return nil
	}
	return errDeclined
}

// plan asks the service what a document would change.
func (p *process) plan(ctx context.Context, x proposal) (plan client.OrganizationPlan, err error) {
	err = p.waitFor("Planning", func() error {
		plan, err = x.service.PlanOrganization(ctx, x.doc)
		return err
	})
	return plan, p.mistakes(x, err)
}

// apply has the service carry out a plan, and no other.
func (p *process) apply(ctx context.Context, x proposal, plan client.OrganizationPlan) error {
	var opts []client.Option
	if x.reason != "" {
		opts = append(opts, client.ChangeReason(x.reason))
	}
	var done client.OrganizationApplied
	err := p.waitFor("Applying", func() (err error) {
		done, err = x.service.ApplyOrganization(ctx, x.doc, plan.Hash, opts...)
		return err
	})
	switch {
	case errors.Is(err, client.ErrVersionConflict):
		return fmt.Errorf("somebody else has changed the organization; run the command again to see what is left to do: %w", err)
	case ctx.Err() != nil:
		return interruption{"what was done stays, and the same command does the rest"}
	case err != nil:
		return p.mistakes(x, err)
	}
	p.say("Done: %d created, %d updated, %d deleted, %d reordered.", done.Created, done.Updated, done.Deleted, done.Reordered)
	return nil
}
