package organization

import (
	"cmp"
	"context"
	"fmt"

	"orgd/client"
	"orgd/cmd/orgd/internal/document"
	"orgd/cmd/orgd/internal/remote"
	"orgd/cmd/orgd/internal/terminal"
)

type agentDiffCmd struct {
	printFlags
	agentArg
	From versionArg `arg:"" optional:"" help:"The earlier version, or a label that names it (default the one before)."`
	To   versionArg `arg:"" optional:"" help:"The later version, or a label that names it (default the current one)."`
}

func (c *agentDiffCmd) Run(ctx context.Context, t *terminal.Terminal, service *client.Client) error {
	from, err := c.From.number(ctx, service, c.Agent)
	if err != nil {
		return err
	}
	to, err := c.To.number(ctx, service, c.Agent)
	if err != nil {
		return err
	}
	switch {
	case to != 0 && from == to:
		return fmt.Errorf("%s and %s are both version %d, and there is nothing to compare", c.From, c.To, to)
	case to != 0 && from > to:
		return terminal.Usagef("version %d must be earlier than version %d", from, to)
	case from < 0, to < 0:
		return terminal.Usagef("versions are counted from 1")
	}
	if from, to, err = c.versions(ctx, service, from, to); err != nil {
		return err
	}
	diff, err := service.VersionDiff(ctx, c.Agent, from, to)
	if err != nil {
		return err
	}
	if c.Output == "table" {
		return printDiff(t, diff, false)
	}
	return c.Print(t, diff, nil)
}

// versions returns the two versions to compare of those that were given, 0 for none.
func (c *agentDiffCmd) versions(ctx context.Context, service *client.Client, from, to int64) (int64, int64, error) {
	if to != 0 {
		return from, to, nil
	}
	current, err := currentVersion(ctx, service, c.Agent)
	from = cmp.Or(from, current-1)
	switch {
	case err != nil:
		return 0, 0, err
	case from > current:
		return 0, 0, fmt.Errorf("agent %s has no version %d: it has %s", c.Agent, from, counted(current, "version"))
	case from == current, from < 1:
		return 0, 0, fmt.Errorf("version %d is the current one, and there is nothing to compare it with", current)
	}
	return from, current, nil
}

// counted returns a number of things in words.
func counted(n int64, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return fmt.Sprintf("%d %s", n, thing)
}

// currentVersion works for agents that were deleted, too.
func currentVersion(ctx context.Context, service *client.Client, agent string) (int64, error) {
	page, err := service.VersionPage(ctx, agent, client.PageQuery{Limit: 1})
	if err != nil || len(page.Items) == 0 {
		return 0, err
	}
	return page.Items[0].Number, nil
}

// printDiff prints what a change does, or with back what undoing it does.
func printDiff(t *terminal.Terminal, diff client.VersionDiff, back bool) error {
	v := document.NewDiff(t)
	title := fmt.Sprintf("version %d -> %d: %s", diff.FromVersion, diff.ToVersion, diff.Summary)
	if back {
		title = fmt.Sprintf("version %d -> as version %d: %s", diff.ToVersion, diff.FromVersion, diff.Summary)
	}
	v.Line(0, t.Color(terminal.Bold, terminal.Visible(title)))
	for _, c := range diff.Changes {
		old, is := c.OldValue, c.NewValue
		if back {
			old, is = is, old
		}
		if err := v.Field(c.Path, old, is); err != nil {
			return err
		}
	}
	return v.Print()
}

type agentRollbackCmd struct {
	remote.ServerFlag
	terminal.ResultFlag
	agentArg
	Target versionArg `arg:"" name:"version" help:"The version to bring back, or a label that names it."`
	DryRun bool       `help:"Make every check and show what would change, but change nothing."`
	document.ReasonFlag
}

func (c *agentRollbackCmd) Run(ctx context.Context, t *terminal.Terminal, service *client.Client) error {
	before, err := currentVersion(ctx, service, c.Agent)
	if err != nil {
		return err
	}
	target, err := c.Target.number(ctx, service, c.Agent)
	if err != nil {
		return err
	}
	in := client.RollbackInput{TargetVersion: target, Reason: c.Reason}
	if c.DryRun {
		return c.preview(ctx, t, service, in, before)
	}
	a, err := service.RollbackAgent(ctx, c.Agent, in)
	if err != nil {
		return err
	}
	after, err := currentVersion(ctx, service, a.ID)
	if err != nil {
		return err
	}
	if after == before {
		t.Say("Agent %s is as version %d has it already.", a.Name, target)
	} else {
		t.Say("Agent %s is as in version %d again, by version %d.", a.Name, target, after)
	}
	return c.Print(t, a)
}

// preview prints what the agent would become.
func (c *agentRollbackCmd) preview(ctx context.Context, t *terminal.Terminal, service *client.Client, in client.RollbackInput, current int64) error {
	a, err := service.PreviewRollback(ctx, c.Agent, in)
	if err != nil {
		return err
	}
	if c.Output != "" {
		return c.Print(t, a)
	}
	diff := client.VersionDiff{FromVersion: in.TargetVersion, ToVersion: current, Summary: "no changes"}
	if in.TargetVersion < current {
		if diff, err = service.VersionDiff(ctx, c.Agent, in.TargetVersion, current); err != nil {
			return err
		}
	}
	return printDiff(t, diff, true)
}
