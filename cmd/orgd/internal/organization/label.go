package organization

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"orgd/client"
	"orgd/cmd/orgd/internal/document"
	"orgd/cmd/orgd/internal/remote"
	"orgd/cmd/orgd/internal/terminal"
)

// Label is everything about the labels of agents.
type Label struct {
	Set     labelSetCmd     `cmd:"" help:"Have a label name a version of an agent."`
	Get     labelGetCmd     `cmd:"" aliases:"show,describe" help:"Show a label of an agent."`
	List    labelListCmd    `cmd:"" aliases:"ls" help:"List the labels of an agent."`
	History labelHistoryCmd `cmd:"" help:"List what a label of an agent has named."`
	Remove  labelRemoveCmd  `cmd:"" aliases:"rm,delete,unset" help:"Remove a label of an agent."`
}

// labelArg names a label of an agent.
type labelArg struct {
	agentArg
	Label string `arg:"" help:"The label, such as production."`
}

type labelSetCmd struct {
	remote.ServerFlag
	terminal.ResultFlag
	document.ReasonFlag
	labelArg
	Version versionArg `arg:"" help:"The version, as \"orgd agent versions\" lists them, or a label that names it, such as staging or latest."`
	Fixed   bool       `help:"Have it name this version for ever: it is never moved or removed again."`
}

// versionArg is the number of a version of an agent, or a label that names it.
type versionArg string

// number returns the number of the version, 0 if none was given.
func (v versionArg) number(ctx context.Context, service *client.Client, agent string) (int64, error) {
	if v == "" {
		return 0, nil
	}
	if n, err := strconv.ParseInt(string(v), 10, 64); err == nil {
		return n, nil
	}
	l, err := labelArg{agentArg{agent}, string(v)}.read(ctx, service)
	return l.Version, err
}

func (c *labelSetCmd) Run(ctx context.Context, t *terminal.Terminal, service *client.Client) error {
	version, err := c.Version.number(ctx, service, c.Agent)
	if err != nil {
		return err
	}
	in := client.LabelInput{Version: version, Reason: c.Reason}
	if c.Fixed {
		in.Fixed = &c.Fixed
	}
	l, err := service.SetLabel(ctx, c.Agent, c.Label, in)
	return printResult(t, c.ResultFlag, l, err, "Label %s of agent %s names version %d.", c.Label, c.Agent, l.Version)
}

type labelGetCmd struct {
	printFlags
	labelArg
}

func (c *labelGetCmd) Run(ctx context.Context, t *terminal.Terminal, service *client.Client) error {
	l, err := c.read(ctx, service)
	if err != nil {
		return err
	}
	return c.Print(t, l, func(table *terminal.Table) {
		table.Field("Label", l.Name)
		table.Field("Version", strconv.FormatInt(l.Version, 10))
		table.Field("Kind", kind(l))
		table.Field("Set", fmt.Sprintf("%s by %s", terminal.Time(l.SetAt), l.SetBy))
		table.Field("Reason", terminal.Word(l.Reason))
	})
}

// read reads the label. If the agent does not have it, the error names those that it has.
func (c labelArg) read(ctx context.Context, service *client.Client) (client.Label, error) {
	all, err := service.Labels(ctx, c.Agent)
	if err != nil {
		return client.Label{}, err
	}
	var names []string
	for _, l := range all {
		if l.Name == c.Label {
			return l, nil
		}
		names = append(names, l.Name)
	}
	return client.Label{}, fmt.Errorf("agent %s has no label %q, but %s", c.Agent, c.Label, strings.Join(names, ", "))
}

type labelListCmd struct {
	listFlags
	agentArg
}

func (c *labelListCmd) Run(ctx context.Context, t *terminal.Terminal, service *client.Client) error {
	all, err := service.Labels(ctx, c.Agent)
	if err != nil {
		return err
	}
	columns := []string{"LABEL", "VERSION", "KIND", "SET", "BY", "REASON"}
	return c.Print(t, all, terminal.Rows(columns, all, func(l client.Label) []string {
		return []string{l.Name, strconv.FormatInt(l.Version, 10), kind(l), terminal.Time(l.SetAt), l.SetBy, terminal.Word(l.Reason)}
	}))
}

type labelHistoryCmd struct {
	allFlags
	labelArg
}

func (c *labelHistoryCmd) Run(ctx context.Context, t *terminal.Terminal, service *client.Client) error {
	columns := []string{"TIME", "VERSION", "FROM", "BY", "WAY", "REASON"}
	return printAll(t, c.AllFlag, service.LabelHistory(ctx, c.Agent, c.Label, remote.Pages(c.Reads())), columns, func(m client.LabelMove) []string {
		return []string{terminal.Time(m.At), versionOrNone(m.Version), versionOrNone(m.FromVersion), m.By, string(m.Way), terminal.Word(m.Reason)}
	})
}

// versionOrNone returns what a label names.
func versionOrNone(n *int64) string {
	if n == nil {
		return "none"
	}
	return strconv.FormatInt(*n, 10)
}

type labelRemoveCmd struct {
	remote.ServerFlag
	yesFlag
	labelArg
}

func (c *labelRemoveCmd) Run(ctx context.Context, t *terminal.Terminal, service *client.Client) error {
	return c.remove(ctx, t, []string{c.Label}, func(string) (deletion, error) {
		a, err := service.Agent(ctx, c.Agent) // before the label: its tag is that of the label, too
		if err != nil {
			return deletion{}, err
		}
		l, err := c.read(ctx, service)
		return deletion{fmt.Sprintf("label %s of agent %s (version %d)", l.Name, a.Name, l.Version), l.Name, a.ETag}, err
	}, func(ctx context.Context, label string, opts ...client.Option) error {
		return service.RemoveLabel(ctx, c.Agent, label, opts...)
	})
}

// Resolve prints what a label names.
type Resolve struct {
	remote.ServerFlag
	agentArg
	Label  string `required:"" placeholder:"LABEL" help:"The label, such as production; latest is that of the newest version."`
	Output string `short:"o" enum:"table,prompt,json,yaml" default:"table" placeholder:"FORMAT" help:"How to print: table, prompt (nothing but the instructions), json or yaml (default ${default})."`
}

// Run prints it on standard output.
func (c *Resolve) Run(ctx context.Context, t *terminal.Terminal, service *client.Client) error {
	a, err := service.Resolve(ctx, c.Agent, c.Label)
	if errors.Is(err, client.ErrRecordNotFound) {
		return fmt.Errorf("%w; see orgd label list %s", err, terminal.ShellWord(c.Agent))
	}
	if err != nil {
		return err
	}
	if c.Output == "prompt" {
		return t.Write(a.Identity.Instructions)
	}
	return terminal.OutputFlag{Output: c.Output}.Print(t, a, func(table *terminal.Table) {
		now := a.Identity
		now.Name, now.Department, now.Status = a.Name, a.Department, a.Status
		identityFields(table, now, nil)
		table.Field("Label", a.Label)
		table.Field("Version", strconv.FormatInt(a.Version, 10))
		table.Text(now.Instructions)
	})
}
