package organization

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"orgd/client"
	"orgd/cmd/orgd/internal/agentfiles"
	"orgd/cmd/orgd/internal/document"
	"orgd/cmd/orgd/internal/remote"
	"orgd/cmd/orgd/internal/terminal"
)

// Render writes agents as files.
type Render struct {
	remote.ServerFlag
	For        agentfiles.Format `required:"" enum:"claude-code,codex,copilot,opencode" placeholder:"PROGRAM" help:"For which program: claude-code, codex, copilot or opencode."`
	Out        string            `required:"" placeholder:"DIR" help:"The directory, such as the root of a repository. The files go where the program looks for them."`
	Label      string            `placeholder:"LABEL" help:"The versions that this label names, such as production (default the current versions)."`
	Department string            `placeholder:"NAME" help:"Only the agents of this department; files of others stay."`
	Omit       []string          `placeholder:"KEY" help:"Leave out this key of the metadata; * leaves out all. May be repeated."`
	Check      bool              `xor:"how" help:"Write nothing, and list the files that are not as the service says; the exit code is then 3."`
	Watch      bool              `short:"w" xor:"how" help:"Write again after each change, until Ctrl-C."`

	lacks string // what was said last
}

// Help implements kong.HelpProvider.
func (Render) Help() string {
	return `Writes agents as the definitions that programs for coding read: .claude/agents, .codex/agents, .github/agents or .opencode/agent in the directory. It is the inverse of "orgd import agents": importing the directory changes nothing. What the format cannot say is counted.

Files that were written like this have a comment that says so. They are replaced, and removed when their agents are gone. If another file is in the way, nothing is written.

Examples:

    orgd render --for claude-code --out .
    orgd render --for codex --label production --department Engineering --out .
    orgd render --for copilot --omit color --out ./build
    orgd render --for claude-code --out . --check
    orgd render --for opencode --out . --watch`
}

// Run writes the files.
func (c *Render) Run(ctx context.Context, t *terminal.Terminal, service *client.Client) error {
	if !c.Watch {
		return c.render(ctx, t, service)
	}
	w := changes(service, client.ChangeStreamQuery{})
	w.resync = func(client.StreamChange) bool { return false } // everything is read again anyway
	again := func() error { return retry(ctx, t, func() error { return c.render(ctx, t, service) }) }
	return w.follow(ctx, t, again, func(client.StreamChange) (bool, error) { return true, again() })
}

// render writes the files once, or says which it would write.
func (c *Render) render(ctx context.Context, t *terminal.Terminal, service *client.Client) error {
	agents, without, err := c.read(ctx, service)
	if err != nil {
		return err
	}
	files, lacks, err := c.files(agents)
	if err != nil {
		return err
	}
	if !c.Check {
		if err := os.MkdirAll(c.Out, 0o777); err != nil {
			return err
		}
	}
	root, err := os.OpenRoot(c.Out)
	if err != nil {
		return err
	}
	defer root.Close() // nothing is lost in it
	out := agentfiles.Output{Root: root, Home: agentfiles.Home(c.For), Department: c.Department}
	todo, err := out.Compare(files)
	if err != nil {
		return err
	}
	for _, change := range todo {
		if err := t.Write(change.String() + "\n"); err != nil {
			return err
		}
	}
	c.report(t, len(files), len(todo), without, lacks)
	switch {
	case !c.Check:
		return out.Apply(todo)
	case len(todo) > 0:
		return document.ErrPlanned
	}
	return nil
}

// read reads the agents, and counts those that do not have the label.
func (c *Render) read(ctx context.Context, service *client.Client) (all []client.AgentIdentity, without int, err error) {
	q := client.AgentQuery{PageQuery: remote.Pages(0), Department: c.Department, Summary: c.Label != ""}
	for a, err := range service.Agents(ctx, q) {
		if err != nil {
			return nil, 0, err
		}
		all = append(all, a.AgentIdentity)
	}
	if len(all) == 0 && c.Department != "" {
		_, err = service.Department(ctx, c.Department) // the list does not tell whether there is one
	}
	if c.Label == "" || err != nil {
		return all, 0, err
	}
	without, all = len(all), nil
	for a, err := range service.Labeled(ctx, c.Label, client.LabeledQuery{PageQuery: q.PageQuery, Department: c.Department}) {
		if err != nil {
			return nil, 0, err
		}
		a.Identity.Name, a.Identity.Department = a.Name, a.Department
		all = append(all, a.Identity)
	}
	if len(all) == 0 && without > 0 { // a mistake in the label would remove all files
		return nil, 0, fmt.Errorf("no agent has the label %q", c.Label)
	}
	return all, max(0, without-len(all)), nil
}

// files returns the texts by path, and how many of them lack which field.
func (c *Render) files(agents []client.AgentIdentity) (files map[string][]byte, lacks map[string]int, err error) {
	files, lacks = map[string][]byte{}, map[string]int{}
	for i, file := range agentfiles.Files(c.For, agents) {
		text, fields, err := agentfiles.Render(c.For, file, agents[i], c.Omit)
		if err != nil {
			return nil, nil, fmt.Errorf("agent %q: %w", agents[i].Name, err)
		}
		for _, field := range fields {
			lacks[field]++
		}
		files[file] = text
	}
	return files, lacks, nil
}

// report prints what is in the files, once while it is the same.
func (c *Render) report(t *terminal.Terminal, agents, changed, without int, lacks map[string]int) {
	var lines []string
	for _, field := range slices.Sorted(maps.Keys(lacks)) {
		lines = append(lines, fmt.Sprintf("%s (%d)", field, lacks[field]))
	}
	if text := strings.Join(lines, ", "); text != "" && text != c.lacks {
		c.lacks = text
		t.Say("Not in the files: %s", text)
	}
	line := fmt.Sprintf("Agents: %d; files to change: %d", agents, changed)
	if c.Label != "" {
		line += fmt.Sprintf("; without the label %s: %d", c.Label, without)
	}
	if changed > 0 || !c.Watch {
		t.Say("%s.", line)
	}
}

// retry does something until the service answers.
func retry(ctx context.Context, t *terminal.Terminal, do func() error) error {
	for {
		err := do()
		fromService := errors.As(err, new(*client.Error)) || errors.As(err, new(*client.Failure))
		if !fromService || refused(err) || ctx.Err() != nil {
			return err
		}
		t.Say("orgd: %s; trying again", terminal.Visible(t.Sentence(err)))
		remote.Sleep(ctx, remote.MinPause) // the next attempt sees if ctx has ended
	}
}
