package organization

import (
	"context"
	"fmt"
	"iter"
	"time"

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
	Limit    *uint  `placeholder:"N" help:"Show at most so many; 0 shows all (default 50, with --watch all)."`
	Watch    bool   `short:"w" help:"Show what is changed from now on, in the order of the commits, until Ctrl-C. A service that is away is asked again, and nothing is missed."`
	Since    string `placeholder:"POSITION" help:"With --watch: begin behind this position, which -o json and yaml show with every entry, or with the oldest entry: beginning. None is left out; some may come again."`
}

// Run prints the entries on standard output.
func (c *Audit) Run(ctx context.Context, t *terminal.Terminal, service *client.Client) error {
	if c.Web {
		return c.Browse(t, "audit")
	}
	if c.Since != "" && !c.Watch {
		return terminal.Usagef("--since: goes with --watch only")
	}
	if c.Last != "" && c.Watch {
		return terminal.Usagef("--last: does not go with --watch, which begins now or with --since")
	}
	begin, err := c.lastFlag.Since()
	if err != nil {
		return err
	}
	resource := c.Resource
	if c.Agent != "" {
		id, err := agentID(ctx, service, c.Agent)
		if err != nil {
			return err
		}
		resource = "agents/" + id
	}
	if c.Watch {
		return c.follow(service, resource).print(ctx, t, c.ListFlag, c.Limit)
	}
	limit := listed(c.Limit)
	q := client.AuditQuery{PageQuery: remote.Pages(limit), Actor: c.Actor, Resource: resource, Since: begin, WithoutReports: !c.Reports}
	all, err := remote.Collect(service.Audit(ctx, q), limit)
	if err != nil {
		return err
	}
	return c.Print(t, all, terminal.Rows(entryColumns, all, entryCells))
}

var entryColumns = []string{"TIME", "ACTOR", "ACTION", "RESOURCE", "REVISION"}

func entryCells(e client.AuditEntry) []string {
	action, resource := e.Route, e.Resource // as far as older releases wrote it
	if e.Action != nil {
		action = string(*e.Action)
	}
	if e.Change != nil {
		resource = e.Change.Resource.Type + " " + e.Change.Resource.Name
	}
	return []string{terminal.Time(e.Timestamp), e.Actor, action, resource, fromTo("", e.RevisionFrom, e.RevisionTo)}
}

// watchedEntry is an audit entry and where it stands in the trail.
type watchedEntry struct {
	Position string `json:"position"`
	client.AuditEntry
}

// beginning is the position before the oldest entry.
const beginning = "beginning"

// follow is the trail as it grows.
func (c *Audit) follow(service *client.Client, resource string) watched[client.FollowedEntry] {
	q := client.AuditFollow{Actor: c.Actor, Resource: resource, WithoutReports: !c.Reports}
	switch c.Since {
	case "":
		q.Since = time.Now()
	case beginning:
	default:
		q.After = c.Since
	}
	return watched[client.FollowedEntry]{
		list: "orgd get audit",
		open: func(ctx context.Context, opened func()) iter.Seq2[client.FollowedEntry, error] {
			q.Opened = opened
			return service.FollowAudit(ctx, q)
		},
		resync:  func(client.FollowedEntry) bool { return false },
		columns: entryColumns,
		widths:  []int{timeWidth, 10, len(client.ActionCompanyDepartmentsReordered), 20},
		cells:   func(e client.FollowedEntry) []string { return entryCells(e.AuditEntry) },
		item:    func(e client.FollowedEntry) any { return watchedEntry{e.Position, e.AuditEntry} },
	}
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
