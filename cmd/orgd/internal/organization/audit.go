package organization

import (
	"context"
	"fmt"

	"orgd/client"
	"orgd/cmd/orgd/internal/remote"
	"orgd/cmd/orgd/internal/terminal"
)

// Audit lists audit entries.
type Audit struct {
	listFlags
	remote.WebFlag
	lastFlag
	Actor    string `placeholder:"NAME" help:"Only the changes of this subject."`
	Agent    string `placeholder:"AGENT" xor:"what" help:"Only the changes of this agent, by name or id; of one that was deleted by its id."`
	Resource string `placeholder:"RESOURCE" xor:"what" help:"Only the changes of this, such as company, departments/Design or agents/ID."`
	Reports  bool   `help:"Also show when events were reported, and by whom."`
	Limit    uint   `default:"50" placeholder:"N" help:"Show at most so many; 0 shows all (default 50)."`
}

// Run prints the entries on standard output.
func (c *Audit) Run(ctx context.Context, t *terminal.Terminal, service *client.Client) error {
	if c.Web {
		return c.Browse(t, "audit")
	}
	since, err := c.Since()
	if err != nil {
		return err
	}
	q := client.AuditQuery{PageQuery: remote.Pages(c.Limit), Actor: c.Actor, Resource: c.Resource, Since: since, WithoutReports: !c.Reports}
	if c.Agent != "" {
		id, err := agentID(ctx, service, c.Agent)
		if err != nil {
			return err
		}
		q.Resource = "agents/" + id
	}
	all, err := remote.Collect(service.Audit(ctx, q), c.Limit)
	if err != nil {
		return err
	}
	return c.Print(t, all, func(table *terminal.Table) {
		table.Header("TIME", "ACTOR", "ACTION", "RESOURCE", "REVISION")
		for _, e := range all {
			action, resource := e.Route, e.Resource // as far as older releases wrote it
			if e.Action != nil {
				action = string(*e.Action)
			}
			if e.Change != nil {
				resource = e.Change.Resource.Type + " " + e.Change.Resource.Name
			}
			table.Row(terminal.Time(e.Timestamp), e.Actor, action, resource, fromTo("", e.RevisionFrom, e.RevisionTo))
		}
	})
}

// agentID returns the id of an agent. It works for the ids of agents that were deleted,
// too.
func agentID(ctx context.Context, service *client.Client, agent string) (string, error) {
	page, err := service.VersionPage(ctx, agent, client.PageQuery{Limit: 1})
	if err != nil {
		return "", err
	}
	if len(page.Items) == 0 {
		return "", fmt.Errorf("agent %s has no versions", agent)
	}
	return page.Items[0].Identity.ID, nil
}

// fromTo shows from which number to which a change went.
func fromTo(unit string, from, to *int64) string {
	switch {
	case from != nil && to != nil:
		return fmt.Sprintf("%[1]s%[2]d to %[1]s%[3]d", unit, *from, *to)
	case to != nil:
		return "new"
	case from != nil:
		return "deleted"
	}
	return ""
}
