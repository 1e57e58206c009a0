package main

import (
	"context"
	"errors"
)

// errPlanned says that a plan has changes. It is no failure and needs no words.
var errPlanned = errors.New("the plan has changes")

// documentFlags name a document and say how it is meant.
type documentFlags struct {
	File  string `short:"f" required:"" placeholder:"FILE" help:"The document, JSON or YAML; - is standard input."`
	Prune bool   `help:"Also delete the departments and agents that the document does not name."`
}

type planCmd struct {
	serverFlag
	documentFlags
	Output string `short:"o" enum:"diff,json,yaml" default:"diff" placeholder:"FORMAT" help:"How to print: diff, json or yaml (default ${default})."`
}

// Help implements kong.HelpProvider.
func (planCmd) Help() string {
	return `Shows what would have to change for the organization to be as a document says, and changes nothing. The document is what "orgd export" writes, or a part of it: what it does not mention stays as it is. "orgd schema" prints the JSON Schema of documents.

The exit code is 3 if there is something to change, 0 if not. A document that cannot be applied is 1: every mistake is listed with its line and field.

Examples:

    orgd plan -f org.yaml
    orgd plan -f org.yaml --prune
    orgd plan -f - -o json < org.json | jq '.changes[].path'`
}

// Run prints the plan on standard output.
func (c *planCmd) Run(ctx context.Context, p *process) error {
	x, err := c.propose(p, c.serverFlag)
	if err != nil {
		return err
	}
	plan, err := p.plan(ctx, x)
	if err != nil {
		return err
	}
	if c.Output == "diff" {
		err = p.showPlan(plan)
	} else {
		err = outputFlag{c.Output}.print(p, plan, nil)
	}
	if err == nil && len(plan.Changes) > 0 {
		err = errPlanned
	}
	return err
}

// propose reads the document for a service.
func (f documentFlags) propose(p *process, server serverFlag) (proposal, error) {
	service, to, err := server.open(p)
	if err != nil {
		return proposal{}, err
	}
	d, err := p.readDocument(f.File)
	return d.proposal(service, to, f.Prune), err
}
