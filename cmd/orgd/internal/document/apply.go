package document

import (
	"context"
	"unicode/utf8"

	"orgd/cmd/orgd/internal/remote"
	"orgd/cmd/orgd/internal/terminal"
)

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
	if c.File == stdinFile && !c.Yes {
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
