package organization

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"time"

	"orgd/client"
	"orgd/cmd/orgd/internal/remote"
	"orgd/cmd/orgd/internal/terminal"
)

// changesCmd lists the change log, or follows it.
type changesCmd struct {
	listFlags
	remote.WebFlag
	lastFlag
	Agent      string              `placeholder:"AGENT" help:"Only those of this agent, by name or id; of one that was deleted by its id."`
	Department string              `placeholder:"NAME" help:"Only those of this department and of agents in it."`
	Action     client.ChangeAction `placeholder:"ACTION" help:"Only these, such as agent.updated, or agent for all of agents."`
	Actor      string              `placeholder:"NAME" help:"Only those of this subject."`
	Limit      *uint               `placeholder:"N" help:"Show at most so many; 0 shows all (default 50, with --watch all)."`
	Watch      bool                `short:"w" help:"Show what is changed from now on, until Ctrl-C. A connection that is lost is made again, and nothing is missed."`
	After      string              `placeholder:"POSITION" help:"With --watch: begin behind this position, which -o json and yaml show with every change."`
}

func (c *changesCmd) Run(ctx context.Context, t *terminal.Terminal, service *client.Client) error {
	if c.Web {
		return c.Browse(t, "changes")
	}
	if c.After != "" && !c.Watch {
		return terminal.Usagef("--after: goes with --watch only")
	}
	if c.Last != "" && c.Watch {
		return terminal.Usagef("--last: does not go with --watch, which begins now")
	}
	begin, err := c.Since()
	if err != nil {
		return err
	}
	filter := client.ChangeFilter{Action: c.Action, Agent: c.Agent, Department: c.Department, Actor: c.Actor}
	if c.Watch {
		return changes(service, client.ChangeStreamQuery{ChangeFilter: filter, After: c.After}).print(ctx, t, c.ListFlag, c.Limit)
	}
	all, err := c.list(ctx, service, filter, begin)
	if err != nil {
		return err
	}
	return c.Print(t, all, terminal.Rows(changeColumns, all, changeCells))
}

// list reads the changes since some time, within the limit.
func (c *changesCmd) list(ctx context.Context, service *client.Client, filter client.ChangeFilter, begin time.Time) ([]client.ChangeEvent, error) {
	limit := listed(c.Limit)
	all := service.Changes(ctx, client.ChangeQuery{PageQuery: remote.Pages(limit), ChangeFilter: filter})
	return remote.Collect(since(all, begin, func(e client.ChangeEvent) time.Time { return e.Timestamp }), limit)
}

var changeColumns = []string{"TIME", "ACTOR", "ACTION", "NAME", "VERSION", "CHANGED", "REASON"}

func changeCells(e client.ChangeEvent) []string {
	name, reason := e.Resource.Name, ""
	if e.Reason != nil {
		reason = *e.Reason
	}
	version, changed := "", firstFields(e.ChangedFields)
	if e.FromVersion != nil && e.ToVersion != nil {
		version = fromTo("v", e.FromVersion, e.ToVersion)
	}
	if e.Label != nil {
		version, changed = labeled(e), *e.Label
	}
	if e.Way != client.WayDirect {
		changed += " (" + string(e.Way) + ")"
	}
	return []string{terminal.Time(e.Timestamp), e.Actor, string(e.Action), name, version, strings.TrimSpace(changed), reason}
}

// labeled returns which version the label of a change has named and names now.
func labeled(e client.ChangeEvent) string {
	switch {
	case e.FromVersion == nil && e.ToVersion != nil:
		return fmt.Sprintf("v%d", *e.ToVersion)
	case e.FromVersion != nil && e.ToVersion == nil:
		return fmt.Sprintf("v%d to none", *e.FromVersion)
	}
	return fromTo("v", e.FromVersion, e.ToVersion)
}

// firstFields names the first fields that were changed, and says how many more there are.
func firstFields(fields []string) string {
	const most = 3
	if len(fields) <= most {
		return strings.Join(fields, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(fields[:most-1], ", "), len(fields)-most+1)
}

// watchedChange is a change and where it stands in the stream.
type watchedChange struct {
	Position string `json:"position"`
	client.ChangeEvent
}

// changes is the stream of changes that q selects.
func changes(service *client.Client, q client.ChangeStreamQuery) watched[client.StreamChange] {
	return watched[client.StreamChange]{
		list: "orgd get changes",
		open: func(ctx context.Context, opened func()) iter.Seq2[client.StreamChange, error] {
			q.Opened = opened
			return service.StreamChanges(ctx, q)
		},
		resync:  func(e client.StreamChange) bool { return e.Resync },
		columns: changeColumns,
		widths:  []int{timeWidth, 10, len(client.ActionCompanyDepartmentsReordered), 20, len("v10 to v11"), 30},
		cells:   func(e client.StreamChange) []string { return changeCells(e.ChangeEvent) },
		item:    func(e client.StreamChange) any { return watchedChange{e.Position, e.ChangeEvent} },
	}
}
