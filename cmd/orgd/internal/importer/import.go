// Package importer has the command that imports agents from Markdown files, and from
// their Git history.
package importer

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"orgd/client"
	"orgd/cmd/orgd/internal/agentfiles"
	"orgd/cmd/orgd/internal/agenthistory"
	"orgd/cmd/orgd/internal/document"
	"orgd/cmd/orgd/internal/remote"
	"orgd/cmd/orgd/internal/terminal"
	"orgd/domain/name"
)

// Agents imports agents from files.
type Agents struct {
	remote.ServerFlag
	document.ReasonFlag
	Dir            string   `arg:"" name:"dir" help:"The directory with the files."`
	Include        []string `sep:"none" placeholder:"GLOB" help:"Take only the files that this matches, whatever they are, such as 'docs/**/*.md'. May be repeated."`
	Exclude        []string `sep:"none" placeholder:"GLOB" help:"Leave out the files that this matches. May be repeated."`
	Department     string   `placeholder:"NAME" help:"The department of all agents (default the folder of each file); with --department-from, of those that have none."`
	DepartmentFrom string   `placeholder:"WHAT" help:"Where the department stands: folder is the nearest, top the first below the directory, and any other word a key of the front matter."`
	Provider       string   `default:"unspecified" placeholder:"NAME" help:"The provider of the models, which files name by a word (default ${default})."`
	History        bool     `help:"Also import what the agents were before, from the Git history of the directory."`
	SkipBad        bool     `help:"Leave out the files with mistakes, and import the others."`
	DryRun         bool     `help:"Show what would change, and change nothing; the exit code is then 3."`
	Plan           bool     `help:"Show every change, not only how many there are."`
	Yes            bool     `help:"Do not ask."`
}

// defaultReason is that of what is changed, unless another is given or a commit has one.
const defaultReason = "imported from files by orgd import agents"

// Help implements kong.HelpProvider.
func (Agents) Help() string {
	return `Reads agents from the files of a directory and the folders in it, says what it has found, asks, and changes the organization. It knows the definitions of Claude Code and its plugins, Codex (TOML), Copilot, Cursor and OpenCode, and Markdown with front matter in general. The text below the front matter is the instructions, and the folder is the department. Departments that are missing are created. Nothing is deleted.

A key of the front matter that has a field of the service sets it. Every other key goes to the metadata of the agent as it is.

If anything is wrong in any file, every mistake is listed with its file, line and field, and of very many the first, and nothing is changed; -v lists all. With --skip-bad these files are left out. What is left out is counted by reason; -v names every file. Left out is what others wrote: what Git ignores, other repositories in the directory, node_modules, vendor, dist and the like.

With --history everything that an agent has been in the commits of the Git repository becomes a version of it, with the time and the author of the commit; that needs role admin. The reason of each change has the commit, so --reason does not go with it. Whoever has left is hired and deleted again. A second run goes on where the first has ended.

Examples:

    orgd import agents --dry-run --plan -v ./agents
    orgd import agents ./agents
    orgd import agents --skip-bad --exclude 'drafts/**' --yes ./agents
    orgd import agents --department-from category --department Other ./agents
    orgd import agents --include 'rules/*.mdc' --department Engineering --provider anthropic --yes .
    orgd import agents --reason "the catalogue of spring" ./agents
    orgd import agents --history ./catalogue/categories`
}

// Run changes the organization.
func (c *Agents) Run(ctx context.Context, t *terminal.Terminal) error {
	service, to, err := c.prepare(t)
	if err != nil {
		return err
	}
	if c.History {
		return c.replay(ctx, t, to)
	}
	scope := c.scope()
	if scope.Ignored, err = agenthistory.Ignored(ctx, c.Dir); err != nil {
		t.Say("Which files Git ignores is not known, so they are taken: %s", terminal.Visible(err.Error()))
	}
	tree, err := scope.Read(os.DirFS(c.Dir))
	if err != nil {
		return err
	}
	has, err := look(ctx, service)
	if err != nil {
		return err
	}
	if with, err := c.withHistory(ctx, t, has.knows(tree.Agents)); with {
		return c.replay(ctx, t, to)
	} else if err != nil {
		return err
	}
	_, renamed := tree.GiveNames(has.inPlace)
	tree.Refuse(func(a agentfiles.Agent) []agentfiles.Mistake { return a.Check("metadata", has.metadata(a)) })
	if err := c.report(t, tree, renamed); err != nil {
		return err
	}
	x, err := c.propose(service, has, tree.Agents)
	if err != nil {
		return err
	}
	x.Server = to.Server
	return x.ConfirmAndApply(ctx, t, c.Yes)
}

// withHistory asks, before the agents come, whether the history of the directory shall come
// along: later, nothing can be put before what is there.
func (c *Agents) withHistory(ctx context.Context, t *terminal.Terminal, known bool) (bool, error) {
	if known {
		return false, nil
	}
	commits := agenthistory.Commits(ctx, c.Dir)
	switch {
	case commits < 2:
		return false, nil
	case c.Yes || c.DryRun:
		t.Say("The directory has %d commits in Git: --history imports also what the agents were before. It cannot be added later.", commits)
		return false, nil
	}
	t.Stdin = bufio.NewReader(t.Stdin) // for the answer to the next question
	err := t.Confirm(ctx, fmt.Sprintf("The directory has %d commits in Git. Import also what the agents were before? It cannot be added later.", commits), false)
	if errors.Is(err, terminal.ErrDeclined) {
		return false, nil
	}
	return err == nil, err
}

// scope returns which files are read.
func (c *Agents) scope() agentfiles.Scope {
	base, err := filepath.Abs(c.Dir)
	if err != nil {
		base = c.Dir // without a working directory
	}
	return agentfiles.Scope{
		Base: filepath.Base(base), Include: c.Include, Exclude: c.Exclude, Department: c.Department, DepartmentFrom: c.DepartmentFrom,
	}
}

// prepare reports every mistake on the command line.
func (c *Agents) prepare(t *terminal.Terminal) (*client.Client, remote.Connection, error) {
	var mistakes []error
	mistake := func(err error) { mistakes = append(mistakes, err) }
	if c.Department != "" {
		if _, err := name.Parse(c.Department); err != nil {
			mistake(fmt.Errorf("--department: %w", err))
		}
	}
	for _, pattern := range slices.Concat(c.Include, c.Exclude) {
		if !doublestar.ValidatePattern(pattern) {
			mistake(fmt.Errorf("--include, --exclude: %q is no pattern of files", pattern))
		}
	}
	for _, m := range agentfiles.Rule("model", map[string]string{"provider": c.Provider, "model_id": "any"}) {
		mistake(fmt.Errorf("--provider: %s", m.Text))
	}
	if info, err := os.Stat(c.Dir); err != nil {
		mistake(err)
	} else if !info.IsDir() {
		mistake(fmt.Errorf("%s: is not a directory", c.Dir))
	}
	if c.History && c.Reason != "" {
		mistake(errors.New("--reason: does not go with --history, which takes the reasons from the commits"))
	}
	mistake(t.CanAsk(c.Yes || c.DryRun))
	service, to, err := c.Open(t)
	mistake(err)
	return service, to, terminal.Usage(errors.Join(mistakes...))
}

// file is the path of a file as the caller may open it.
func (c *Agents) file(path string) string {
	return filepath.Join(c.Dir, filepath.FromSlash(path))
}

// propose makes a document of the agents of files.
func (c *Agents) propose(service *client.Client, has organization, agents []agentfiles.Agent) (document.Proposal, error) {
	departments, agents := has.missing(agents), has.inOrder(agents)
	entries := make([]any, len(agents))
	for i, a := range agents {
		fields := a.Fields(c.Provider)
		fields["metadata"] = has.metadata(a)
		entries[i] = fields
	}
	founded := make([]any, len(departments))
	for i, a := range departments {
		founded[i] = map[string]string{"name": a.Department}
	}
	text, err := json.Marshal(map[string]any{"format": 1, "departments": founded, "agents": entries})
	return document.Proposal{
		Service: service, Document: client.OrganizationDocument{Text: text}, Name: c.Dir,
		Locate: c.locate(departments, agents), Reason: cmp.Or(c.Reason, defaultReason), Brief: !c.Plan, DryRun: c.DryRun,
	}, err
}

// locate returns a function that finds the file of an entry of the document.
func (c *Agents) locate(departments, agents []agentfiles.Agent) document.Locate {
	return func(path string, _ int) (file string, line int, field string) {
		listName, _, rest := document.FirstStep(path)
		_, i, field := document.FirstStep(rest)
		list := agents
		if listName == "departments" {
			list, field = departments, "department"
		}
		if i < 0 || i >= len(list) {
			return c.Dir, 0, path
		}
		name, _, _ := strings.Cut(field, ".")
		if name == "role" {
			name = "name"
		}
		return c.file(list[i].Path), list[i].Line(name), field
	}
}
