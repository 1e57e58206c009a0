package main

import (
	"context"
	"errors"
	"fmt"
	"unicode/utf8"
)

type applyCmd struct {
	serverFlag
	documentFlags
	reasonFlag
	Yes bool `help:"Do not ask."`
}

// maxReason is how many characters a reason may have.
const maxReason = 1024

// Help implements kong.HelpProvider.
func (applyCmd) Help() string {
	return `Shows what has to change for the organization to be as a document says, asks, and has it done. What is done is what was shown: if somebody changes the organization meanwhile, nothing more is done and the exit code is 1.

Applying a document twice changes nothing the second time. An apply that was cut short is finished by the same command.

Examples:

    orgd apply -f org.yaml
    orgd apply -f org.yaml --prune --yes --reason "$(git log -1 --format=%h\ %s)"`
}

// Run changes the organization.
func (c *applyCmd) Run(ctx context.Context, p *process) error {
	if c.File == stdinFile && !c.Yes {
		return usageError{errors.New("--yes: is needed with --file -, because standard input cannot give the answer too")}
	}
	if utf8.RuneCountInString(c.Reason) > maxReason {
		return usageError{fmt.Errorf("--reason: must be at most %d characters", maxReason)}
	}
	if err := p.canAsk(c.Yes); err != nil {
		return err
	}
	x, err := c.propose(p, c.serverFlag)
	if err != nil {
		return err
	}
	x.reason = c.Reason
	return p.settle(ctx, x, c.Yes)
}
