package organization

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"orgd/client"
	"orgd/cmd/orgd/internal/document"
	"orgd/cmd/orgd/internal/remote"
	"orgd/cmd/orgd/internal/terminal"
)

type ceremoniesShowCmd struct {
	printFlags
	departmentArg
	Own bool `help:"Show the department's own policy, as \"set\" takes it; null if there is none."`
}

func (c *ceremoniesShowCmd) Run(ctx context.Context, t *terminal.Terminal, service *client.Client) error {
	if c.Own {
		own, err := service.CeremonyPolicy(ctx, c.Department)
		if err != nil {
			return err
		}
		return c.Print(t, own, func(table *terminal.Table) { table.Line(terminal.JSON(own)) })
	}
	policy, err := service.ResolvedCeremonyPolicy(ctx, c.Department)
	if err != nil {
		return err
	}
	values := resolved(policy)
	return c.Print(t, values, func(table *terminal.Table) {
		table.Header("NAME", "VALUE", "FROM")
		for _, name := range slices.Sorted(maps.Keys(values)) {
			table.Row(name, terminal.JSON(values[name].Value), string(values[name].Origin))
		}
	})
}

// resolved are all values of a policy by name.
func resolved(p client.ResolvedCeremonyPolicy) map[string]client.Resolved[any] {
	values := map[string]client.Resolved[any]{
		"strategy":             {Value: p.Strategy.Value, Origin: p.Strategy.Origin},
		"strategy_config":      {Value: p.StrategyConfig.Value, Origin: p.StrategyConfig.Origin},
		"velocity_calculator":  {Value: p.VelocityCalculator.Value, Origin: p.VelocityCalculator.Origin},
		"auto_transition":      {Value: p.AutoTransition.Value, Origin: p.AutoTransition.Origin},
		"transition_threshold": {Value: p.TransitionThreshold.Value, Origin: p.TransitionThreshold.Origin},
	}
	maps.Copy(values, p.Other)
	return values
}

type ceremoniesSetCmd struct {
	remote.ServerFlag
	terminal.ResultFlag
	document.ReasonFlag
	departmentArg
	File string `short:"f" required:"" placeholder:"FILE" help:"The policy, YAML or JSON; - is standard input."`
}

func (c *ceremoniesSetCmd) Run(ctx context.Context, t *terminal.Terminal, service *client.Client) error {
	in, err := input[client.CeremonyPolicy](document.RecordFlag{File: c.File}.Fields(t))
	if err != nil {
		return err
	}
	policy, err := service.SetCeremonyPolicy(ctx, c.Department, in, c.Options()...)
	return printResult(t, c.ResultFlag, policy, err, "Department %s has a ceremony policy of its own.", c.Department)
}

type ceremoniesUnsetCmd struct {
	remote.ServerFlag
	yesFlag
	departmentArg
}

func (c *ceremoniesUnsetCmd) Run(ctx context.Context, t *terminal.Terminal, service *client.Client) error {
	return c.remove(ctx, t, []string{c.Department}, func(name string) (deletion, error) {
		d, err := service.Department(ctx, name)
		return deletion{fmt.Sprintf("the ceremony policy of department %s", d.Name), d.Name, d.ETag}, err
	}, service.DeleteCeremonyPolicy)
}
