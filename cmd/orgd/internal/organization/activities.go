package organization

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"orgd/client"
	"orgd/cmd/orgd/internal/remote"
	"orgd/cmd/orgd/internal/terminal"
)

// activitiesCmd lists events, or follows them.
type activitiesCmd struct {
	listFlags
	remote.WebFlag
	lastFlag
	Type       client.EventType `enum:",hired,onboarded,fired,offboarded,status_changed,promoted,demoted,task_started,task_completed,cost_incurred,tool_used,delegation_sent,delegation_received" default:"" placeholder:"TYPE" help:"Only these, such as promoted or task_completed."`
	Agent      string           `placeholder:"AGENT" help:"Only those of this agent, by name or id."`
	LastNHours string           `name:"last-n-hours" enum:",24,48,168" default:"" placeholder:"N" help:"Only those of the last 24, 48 or 168 hours; --last takes any time."`
	Limit      *uint            `placeholder:"N" help:"Show at most so many; 0 shows all (default 50, with --watch all)."`
	Watch      bool             `short:"w" help:"Show what happens from now on, until Ctrl-C. A connection that is lost is made again, and nothing is missed."`
	After      string           `placeholder:"POSITION" help:"With --watch: begin behind this position, which -o json and yaml show with every event."`
}

// defaultEvents is how many events are listed: their number has no bound.
const defaultEvents = 50

func (c *activitiesCmd) Run(ctx context.Context, t *terminal.Terminal, service *client.Client) error {
	if c.Web {
		return c.Browse(t, "activity")
	}
	if c.After != "" && !c.Watch {
		return terminal.Usagef("--after: goes with --watch only")
	}
	if c.Last != "" && (c.Watch || c.LastNHours != "") {
		return terminal.Usagef("--last: does not go with --watch, which begins now, nor with --last-n-hours")
	}
	begin, err := c.Since()
	if err != nil {
		return err
	}
	hours, _ := strconv.Atoi(c.LastNHours) // one of a few numbers, or ""
	window := client.ActivityWindow(hours)
	if c.Watch {
		q := client.StreamQuery{Type: c.Type, Agent: c.Agent, Window: window, After: c.After}
		return events(service, q).print(ctx, t, c.ListFlag, c.Limit)
	}
	limit := listed(c.Limit)
	q := client.ActivityQuery{PageQuery: remote.Pages(limit), Type: c.Type, Agent: c.Agent, Window: window}
	all, err := remote.Collect(since(service.Activities(ctx, q), begin, func(e client.ActivityEvent) time.Time { return e.Timestamp }), limit)
	if err != nil {
		return err
	}
	return c.Print(t, all, terminal.Rows(eventColumns, all, eventCells))
}

// listed is how many events or changes are listed, where 0 is no limit.
func listed(limit *uint) uint {
	if limit == nil {
		return defaultEvents
	}
	return *limit
}

var eventColumns = []string{"TIME", "TYPE", "AGENT", "DESCRIPTION"}

func eventCells(e client.ActivityEvent) []string {
	about := e.Description
	if about == "" {
		var data []string
		for _, name := range slices.Sorted(maps.Keys(e.Data)) {
			data = append(data, fmt.Sprintf("%s=%v", name, e.Data[name]))
		}
		about = strings.Join(data, " ")
	}
	return []string{terminal.Time(e.Timestamp), string(e.EventType), e.AgentName, about}
}

// watchedEvent is an event and where it stands in the stream.
type watchedEvent struct {
	Position string `json:"position"`
	client.ActivityEvent
}

// events is the stream of events that q selects.
func events(service *client.Client, q client.StreamQuery) watched[client.StreamEvent] {
	return watched[client.StreamEvent]{
		list: "orgd get activities",
		open: func(ctx context.Context, opened func()) iter.Seq2[client.StreamEvent, error] {
			q.Opened = opened
			return service.StreamActivities(ctx, q)
		},
		resync:  func(e client.StreamEvent) bool { return e.Resync },
		columns: eventColumns,
		widths:  []int{timeWidth, len(client.EventDelegationReceived), 20},
		cells:   func(e client.StreamEvent) []string { return eventCells(e.ActivityEvent) },
		item:    func(e client.StreamEvent) any { return watchedEvent{e.Position, e.ActivityEvent} },
	}
}
