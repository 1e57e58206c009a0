package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"orgd/client"
)

// activitiesCmd lists events, or follows them.
type activitiesCmd struct {
	serverFlag
	outputFlag
	Type       client.EventType `enum:",hired,onboarded,fired,offboarded,status_changed,promoted,demoted,task_started,task_completed,cost_incurred,tool_used,delegation_sent,delegation_received" default:"" placeholder:"TYPE" help:"Only these, such as promoted or task_completed."`
	Agent      string           `placeholder:"AGENT" help:"Only those of this agent, by name or id."`
	LastNHours string           `name:"last-n-hours" enum:",24,48,168" default:"" placeholder:"N" help:"Only those of the last 24, 48 or 168 hours."`
	Limit      *uint            `placeholder:"N" help:"Show at most so many; 0 shows all (default 50, with --watch all)."`
	Watch      bool             `short:"w" help:"Show what happens from now on, until Ctrl-C. A connection that is lost is made again, and nothing is missed."`
	After      string           `placeholder:"POSITION" help:"With --watch: begin behind this position, which -o json and yaml show with every event."`
}

// Help implements kong.HelpProvider.
func (activitiesCmd) Help() string {
	return `Lists what happened to agents and what they did, latest first, or follows it with --watch. With --watch, -o json prints one event a line.

Examples:

    orgd get activities --agent Ada --last-n-hours 24
    orgd get activities --type promoted --limit 0 -o json | jq -r '.[].agent_name'
    orgd get activities --watch
    orgd get activities --watch --type task_completed -o json | jq -c .data`
}

// defaultEvents is how many events are listed: their number has no bound.
const defaultEvents = 50

// Run prints the events on standard output.
func (c *activitiesCmd) Run(ctx context.Context, p *process) error {
	if c.After != "" && !c.Watch {
		return usageError{errors.New("--after: goes with --watch only")}
	}
	service, err := c.connect(p)
	if err != nil {
		return err
	}
	var hours client.ActivityWindow
	if c.LastNHours != "" {
		fmt.Sscan(c.LastNHours, &hours) // one of a few numbers
	}
	if c.Watch {
		q := client.StreamQuery{Type: c.Type, Agent: c.Agent, Window: hours, After: c.After}
		return c.watch(ctx, p, service, q)
	}
	limit := or(c.Limit, defaultEvents)
	q := client.ActivityQuery{PageQuery: pages(limit), Type: c.Type, Agent: c.Agent, Window: hours}
	all, err := collect(service.Activities(ctx, q), limit)
	if err != nil {
		return err
	}
	return c.print(p, all, func(t *table) {
		t.header(eventColumns...)
		for _, e := range all {
			t.row(eventCells(e)...)
		}
	})
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
	return []string{when(e.Timestamp), string(e.EventType), e.AgentName, about}
}

// watchedEvent is an event and where it stands in the stream.
type watchedEvent struct {
	Position string `json:"position"`
	client.ActivityEvent
}

// watch prints events as they happen.
func (c *activitiesCmd) watch(ctx context.Context, p *process, service *client.Client, q client.StreamQuery) error {
	t := p.table()
	t.widths = []int{len("2006-01-02T15:04:05Z"), len(client.EventDelegationReceived), 20}
	left := or(c.Limit, 0)
	return follow(ctx, p, service, q, func() error {
		if c.Output == "table" {
			t.header(eventColumns...)
		}
		return t.flush()
	}, func(e client.StreamEvent) (bool, error) {
		left-- // from 0 it goes on for ever
		if c.Output != "table" {
			return left != 0, c.printOne(p, watchedEvent{e.Position, e.ActivityEvent})
		}
		t.row(eventCells(e.ActivityEvent)...)
		return left != 0, t.flush()
	})
}
