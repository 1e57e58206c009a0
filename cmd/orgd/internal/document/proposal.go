package document

import (
	"context"
	"errors"
	"fmt"

	"orgd/client"
	"orgd/cmd/orgd/internal/terminal"
)

// ErrPlanned is returned by a plan that has changes. It is not a failure and is not
// printed.
var ErrPlanned = errors.New("the plan has changes")

// ReasonFlag is the reason of a change.
type ReasonFlag struct {
	Reason string `placeholder:"TEXT" help:"Why; it is kept in the change log, and with each version of an agent that this writes."`
}

// Options returns the options of a request that changes agents.
func (f ReasonFlag) Options() (opts []client.Option) {
	if f.Reason != "" {
		opts = append(opts, client.ChangeReason(f.Reason))
	}
	return opts
}

// Proposal is a document that may be applied to a service.
type Proposal struct {
	Service  *client.Client
	Server   string // its URL, for the question
	Document client.OrganizationDocument
	Name     string // of the document in sentences, such as its file
	// Locate finds the source of a part of the document.
	Locate Locate
	Reason string // of the versions that are written, "" for none
	Brief  bool   // count the changes; show them if the answer is p
	DryRun bool   // change nothing

	authors bool // print who made what the document undoes
}

// ConfirmAndApply prints the changes that a document makes, asks, and applies
// exactly these. If yes is set, it does not ask. A dry run with changes ends with
// [ErrPlanned].
func (x Proposal) ConfirmAndApply(ctx context.Context, t *terminal.Terminal, yes bool) error {
	if err := t.CanAsk(yes || x.DryRun); err != nil {
		return err
	}
	plan, err := x.plan(ctx, t)
	if err != nil {
		return err
	}
	entries, err := viewPlan(t, plan)
	if err != nil {
		return err
	}
	if x.authors {
		x.findAuthors(ctx, t, entries)
	}
	if err := printPlan(t, entries, x.Brief); err != nil || len(entries) == 0 {
		return err
	}
	if x.DryRun {
		return ErrPlanned
	}
	var more func() error
	if x.Brief {
		more = func() error { return printPlan(t, entries, false) }
	}
	if err := t.ConfirmPlan(ctx, fmt.Sprintf("Change the organization at %s like this?", x.Server), yes, more); err != nil {
		return err
	}
	return x.apply(ctx, t, plan)
}

// plan asks the service what a document would change.
func (x Proposal) plan(ctx context.Context, t *terminal.Terminal) (plan client.OrganizationPlan, err error) {
	err = t.WaitFor("Planning", func() error {
		plan, err = x.Service.PlanOrganization(ctx, x.Document)
		return err
	})
	return plan, x.printMistakes(t, err)
}

// apply applies the document if its plan is still the same.
func (x Proposal) apply(ctx context.Context, t *terminal.Terminal, plan client.OrganizationPlan) error {
	var done client.OrganizationApplied
	err := t.WaitFor("Applying", func() (err error) {
		done, err = x.Service.ApplyOrganization(ctx, x.Document, plan.Hash, ReasonFlag{x.Reason}.Options()...)
		return err
	})
	switch {
	case errors.Is(err, client.ErrVersionConflict):
		return fmt.Errorf("somebody else has changed the organization; run the command again to see what is left to do: %w", err)
	case ctx.Err() != nil:
		return terminal.Interruption("what was done stays, and the same command does the rest")
	case err != nil:
		return x.printMistakes(t, err)
	}
	t.Say("Done: %d created, %d updated, %d deleted, %d reordered.", done.Created, done.Updated, done.Deleted, done.Reordered)
	return nil
}

// printMistakes prints the mistakes in the document that err reports, and returns
// an error that counts them. Other errors are returned as they are.
func (x Proposal) printMistakes(t *terminal.Terminal, err error) error {
	e, ok := errors.AsType[*client.Error](err)
	if !ok || e.Code != client.ErrValidation && e.Code != client.ErrRequestValidation {
		return err
	}
	if len(e.Mistakes) == 0 { // something before the service has answered
		e.Mistakes = []client.Mistake{{Text: e.Detail}}
	}
	all := make([]Mistake, len(e.Mistakes))
	for i, m := range e.Mistakes {
		near := int64(0)
		if m.Line != nil {
			near = *m.Line
		}
		all[i].Text = m.Text
		all[i].File, all[i].Line, all[i].Field = x.Locate(m.Path, int(near))
	}
	return PrintMistakes(t, x.Name, all)
}
