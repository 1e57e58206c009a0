package document

import (
	"context"
	"unicode/utf8"

	"orgd/client"
	"orgd/cmd/orgd/internal/remote"
	"orgd/cmd/orgd/internal/terminal"
)

// documentFlags name a document.
type documentFlags struct {
	File  string `short:"f" required:"" placeholder:"FILE" help:"The document, JSON or YAML; - is standard input."`
	Prune bool   `help:"Also delete the departments and agents that the document does not name."`
}

// Plan prints what a document would change.
type Plan struct {
	remote.ServerFlag
	documentFlags
	Output string `short:"o" enum:"diff,json,yaml" default:"diff" placeholder:"FORMAT" help:"How to print: diff, json or yaml (default ${default})."`
}

// Help implements kong.HelpProvider.
func (Plan) Help() string {
	return `Shows what would have to change for the organization to be as a document says, and changes nothing. The document is what "orgd export" writes, or a part of it: what it does not mention stays as it is. "orgd schema" prints the JSON Schema of documents.

The exit code is 3 if there is something to change, 0 if not. A document that cannot be applied is 1: every mistake is listed with its line and field.

Examples:

    orgd plan -f org.yaml
    orgd plan -f org.yaml --prune
    orgd plan -f - -o json < org.json | jq '.changes[].path'`
}

// Run prints the plan on standard output.
func (c *Plan) Run(ctx context.Context, t *terminal.Terminal) error {
	x, err := c.propose(t, c.ServerFlag)
	if err != nil {
		return err
	}
	plan, err := x.plan(ctx, t)
	if err != nil {
		return err
	}
	if c.Output == "diff" {
		err = printPlan(t, plan, false)
	} else {
		err = terminal.OutputFlag{Output: c.Output}.Print(t, plan, nil)
	}
	if err == nil && len(plan.Changes) > 0 {
		err = ErrPlanned
	}
	return err
}

// Apply applies a document.
type Apply struct {
	remote.ServerFlag
	documentFlags
	ReasonFlag
	Yes bool `help:"Do not ask."`
}

// MaxReason bounds a reason, in characters.
const MaxReason = 1024

// Help implements kong.HelpProvider.
func (Apply) Help() string {
	return `Shows what has to change for the organization to be as a document says, asks, and has it done. What is done is what was shown: if somebody changes the organization meanwhile, nothing more is done and the exit code is 1.

Applying a document twice changes nothing the second time. An apply that was cut short is finished by the same command.

Examples:

    orgd apply -f org.yaml
    orgd apply -f org.yaml --prune --yes --reason "$(git log -1 --format=%h\ %s)"`
}

// Run changes the organization.
func (c *Apply) Run(ctx context.Context, t *terminal.Terminal) error {
	if c.File == terminal.StdFile && !c.Yes {
		return terminal.Usagef("--yes: is needed with --file -, because standard input cannot give the answer too")
	}
	if utf8.RuneCountInString(c.Reason) > MaxReason {
		return terminal.Usagef("--reason: must be at most %d characters", MaxReason)
	}
	if err := t.CanAsk(c.Yes); err != nil {
		return err
	}
	x, err := c.propose(t, c.ServerFlag)
	if err != nil {
		return err
	}
	x.Reason = c.Reason
	return x.ConfirmAndApply(ctx, t, c.Yes)
}

// propose reads the document for a service.
func (f documentFlags) propose(t *terminal.Terminal, server remote.ServerFlag) (Proposal, error) {
	service, to, err := server.Open(t)
	if err != nil {
		return Proposal{}, err
	}
	d, err := Read(t, f.File)
	return Proposal{
		Service: service, Server: to.Server, Name: d.Name, Locate: d.locate(),
		Document: client.OrganizationDocument{Text: d.Text, YAML: d.yaml, Prune: f.Prune},
	}, err
}
