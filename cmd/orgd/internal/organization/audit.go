package organization

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"orgd/client"
	"orgd/cmd/orgd/internal/remote"
	"orgd/cmd/orgd/internal/terminal"
)

// auditCmd lists audit entries.
type auditCmd struct {
	printFlags
	Actor    string `placeholder:"NAME" help:"Only the changes of this subject."`
	Agent    string `placeholder:"AGENT" xor:"what" help:"Only the changes of this agent, by name or id; of one that was deleted by its id."`
	Resource string `placeholder:"RESOURCE" xor:"what" help:"Only the changes of this, such as company, departments/Design or agents/ID."`
	Last     string `placeholder:"TIME" help:"Only the changes of the last 24h, 7d or the like."`
	Limit    uint   `default:"50" placeholder:"N" help:"Show at most so many; 0 shows all (default 50)."`
}

// Help implements kong.HelpProvider.
func (auditCmd) Help() string {
	return `Lists who changed what, latest first. Needs role admin. -o json and yaml also show the id of each request, which is in the log.

Examples:

    orgd get audit --last 24h
    orgd get audit --agent Ada
    orgd get audit --actor ann --limit 0 -o json | jq -r '.[].resource' | sort | uniq -c`
}

// Run prints the entries on standard output.
func (c *auditCmd) Run(ctx context.Context, t *terminal.Terminal, service *client.Client) error {
	q := client.AuditQuery{PageQuery: remote.Pages(c.Limit), Actor: c.Actor, Resource: c.Resource}
	if c.Last != "" {
		d, err := terminal.ParseDuration(c.Last)
		if err != nil || d <= 0 {
			return terminal.Usagef("--last: must be a time such as 24h or 7d")
		}
		q.Since = time.Now().Add(-d)
	}
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
		table.Header("TIME", "ACTOR", "CHANGE", "RESOURCE", "REVISION")
		for _, e := range all {
			table.Row(terminal.Time(e.Timestamp), e.Actor, e.Route, e.Resource, revisions(e))
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

// revisions shows from which revision to which a change went.
func revisions(e client.AuditEntry) string {
	switch {
	case e.RevisionFrom != nil && e.RevisionTo != nil:
		return strconv.FormatInt(*e.RevisionFrom, 10) + " to " + strconv.FormatInt(*e.RevisionTo, 10)
	case e.RevisionTo != nil:
		return "new"
	case e.RevisionFrom != nil:
		return "deleted"
	}
	return ""
}
