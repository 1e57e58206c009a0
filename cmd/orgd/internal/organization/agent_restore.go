package organization

import (
	"context"
	"fmt"
	"strings"

	"orgd/client"
	"orgd/cmd/orgd/internal/document"
	"orgd/cmd/orgd/internal/remote"
	"orgd/cmd/orgd/internal/terminal"
	"orgd/domain/name"
)

type agentRestoreCmd struct {
	remote.ServerFlag
	terminal.ResultFlag
	document.ReasonFlag
	Name       string `placeholder:"NAME" help:"Another name than its last one."`
	Department string `placeholder:"NAME" help:"Another department than the one that it was in."`
	Agent      string `arg:"" help:"Id of the agent, or its last name: then it is the one of this name that was deleted last."`
}

func (c *agentRestoreCmd) Run(ctx context.Context, t *terminal.Terminal, service *client.Client) error {
	d, err := deletedAgent(ctx, service, c.Agent)
	if err != nil {
		return err
	}
	a, err := service.RestoreAgent(ctx, d.ID, client.RestoreInput{Name: c.Name, Department: c.Department}, c.Options()...)
	return printResult(t, c.ResultFlag, a, err, "Restored agent %s, %s in %s.", a.Name, a.Role, a.Department)
}

// deletedAgent returns the deleted agent of an id, or the last one of a name.
func deletedAgent(ctx context.Context, service *client.Client, agent string) (client.DeletedAgent, error) {
	for d, err := range service.DeletedAgents(ctx, client.PageQuery{}) {
		if err != nil || strings.EqualFold(d.ID, agent) || name.KeyOf(d.Name) == name.KeyOf(agent) {
			return d, err
		}
	}
	return client.DeletedAgent{}, fmt.Errorf("no agent %q was deleted", agent)
}

// deleted prints the agents that were deleted.
func (c *agentsCmd) deleted(ctx context.Context, t *terminal.Terminal, service *client.Client) error {
	if c.Watch || c.Department != "" || c.Status != "" || c.Level != "" || c.Owner != "" || len(c.Tag) > 0 || c.NamePrefix != "" {
		return terminal.Usagef("--deleted goes with --limit alone")
	}
	columns := []string{"NAME", "DEPARTMENT", "DELETED", "BY", "ID"}
	return printAll(t, c.AllFlag, service.DeletedAgents(ctx, remote.Pages(c.Reads())), columns, func(d client.DeletedAgent) []string {
		return []string{d.Name, d.Department, terminal.Time(d.DeletedAt), d.DeletedBy, d.ID}
	})
}
