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
	From int64 `arg:"" optional:"" help:"The earlier version (default the one before)."`
	To   int64 `arg:"" optional:"" help:"The later version (default the current one)."`
}

func (c *agentDiffCmd) Run(ctx context.Context, t *terminal.Terminal, service *client.Client) error {
	switch {
	case c.To != 0 && c.From >= c.To:
		return terminal.Usagef("the first version must be the earlier one")
	case c.From < 0, c.To < 0:
		return terminal.Usagef("versions are counted from 1")
	}
	from, to, err := c.versions(ctx, service)
	if err != nil {
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

// versions returns the two versions to compare.
func (c *agentDiffCmd) versions(ctx context.Context, service *client.Client) (from, to int64, err error) {
	if c.To != 0 {
		return c.From, c.To, nil
	}
	current, err := currentVersion(ctx, service, c.Agent)
	from = cmp.Or(c.From, current-1)
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
	Target int64 `arg:"" name:"version" help:"The version to bring back."`
	DryRun bool  `help:"Make every check and show what would change, but change nothing."`
	document.ReasonFlag
}

func (c *agentRollbackCmd) Run(ctx context.Context, t *terminal.Terminal, service *client.Client) error {
	before, err := currentVersion(ctx, service, c.Agent)
	if err != nil {
		return err
	}
	in := client.RollbackInput{TargetVersion: c.Target, Reason: c.Reason}
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
		t.Say("Agent %s is as version %d has it already.", a.Name, c.Target)
	} else {
		t.Say("Agent %s is as in version %d again, by version %d.", a.Name, c.Target, after)
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
	diff := client.VersionDiff{FromVersion: c.Target, ToVersion: current, Summary: "no changes"}
	if c.Target < current {
		if diff, err = service.VersionDiff(ctx, c.Agent, c.Target, current); err != nil {
			return err
		}
	}
	return printDiff(t, diff, true)
}
