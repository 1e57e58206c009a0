package organization

import (
	"context"
	"slices"
	"strings"

	"orgd/client"
	"orgd/cmd/orgd/internal/document"
	"orgd/cmd/orgd/internal/remote"
	"orgd/cmd/orgd/internal/terminal"
	"orgd/domain/name"
)

// first puts the names that were given before all others, which keep their
// order.
func first(given, all []string) ([]string, error) {
	var order []string
	rest := slices.Clone(all)
	for _, text := range given {
		i := slices.IndexFunc(rest, func(other string) bool { return name.KeyOf(text) == name.KeyOf(other) })
		if i < 0 {
			return nil, terminal.Usagef("%q is not among them, or stands here twice: %s", text, strings.Join(all, ", "))
		}
		order = append(order, rest[i])
		rest = slices.Delete(rest, i, i+1)
	}
	return append(order, rest...), nil
}

type departmentReorderCmd struct {
	remote.ServerFlag
	terminal.ResultFlag
	document.ReasonFlag
	Departments []string `arg:"" name:"department" help:"The departments that come first, in order."`
}

func (c *departmentReorderCmd) Run(ctx context.Context, t *terminal.Terminal, service *client.Client) error {
	company, err := service.Company(ctx)
	if err != nil {
		return err
	}
	var all []string
	for _, d := range company.Departments {
		all = append(all, d.Name)
	}
	order, err := first(c.Departments, all)
	if err != nil {
		return err
	}
	done, err := service.ReorderDepartments(ctx, order, append(c.Options(), client.IfMatch(company.ETag))...)
	return printResult(t, c.ResultFlag, done.Items, err, "The departments begin with %s.", strings.Join(order[:len(c.Departments)], ", "))
}

type departmentReorderAgentsCmd struct {
	remote.ServerFlag
	terminal.ResultFlag
	document.ReasonFlag
	departmentArg
	Agents []string `arg:"" name:"agent" help:"The agents that come first, in order."`
}

func (c *departmentReorderAgentsCmd) Run(ctx context.Context, t *terminal.Terminal, service *client.Client) error {
	d, err := service.Department(ctx, c.Department)
	if err != nil {
		return err
	}
	var all []string
	for a, err := range service.Agents(ctx, client.AgentQuery{PageQuery: remote.Pages(0), Department: d.Name, Summary: true}) {
		if err != nil {
			return err
		}
		all = append(all, a.Name)
	}
	order, err := first(c.Agents, all)
	if err != nil {
		return err
	}
	done, err := service.ReorderAgents(ctx, d.Name, order, append(c.Options(), client.IfMatch(d.ETag))...)
	return printResult(t, c.ResultFlag, done.Items, err, "%s begins with %s.", d.Name, strings.Join(order[:len(c.Agents)], ", "))
}
