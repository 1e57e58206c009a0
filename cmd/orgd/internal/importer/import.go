// Package importer has the command that imports agents from Markdown files, and from
// their Git history.
package importer

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"

	"orgd/client"
	"orgd/cmd/orgd/internal/agentfiles"
	"orgd/cmd/orgd/internal/document"
	"orgd/cmd/orgd/internal/remote"
	"orgd/cmd/orgd/internal/terminal"
	"orgd/domain/name"
)

// Agents imports agents from Markdown files.
type Agents struct {
	remote.ServerFlag
	document.ReasonFlag
	Dir        string `arg:"" name:"dir" help:"The directory with the files."`
	Department string `placeholder:"NAME" help:"The department of all agents (default the folder of each file)."`
	Provider   string `default:"unspecified" placeholder:"NAME" help:"The provider of the models, which files name by a word (default ${default})."`
	History    bool   `help:"Also import what the agents were before, from the Git history of the directory."`
	Yes        bool   `help:"Do not ask."`
}

// defaultReason is that of what is changed, unless another is given or a commit has one.
const defaultReason = "imported from files by orgd import agents"

// Help implements kong.HelpProvider.
func (Agents) Help() string {
	return `Reads agents from the Markdown files of a directory and the folders in it, shows what would change, asks, and has it done. Front matter in YAML says "name", "description", "model" and "tools"; the text below is the instructions, and the folder is the department. Departments that are missing are created. Nothing is deleted, and what such files have no field for stays as it is.

If anything is wrong in any file, every mistake is listed with its file, line and field, and nothing is changed.

With --history the commits of the Git repository are replayed one after the other, so that everything an agent has been becomes a version of it. The reason of each change has date, author and commit, so --reason does not go with it. Whoever has left is hired and deleted again. A second run goes on where the first has ended.

Examples:

    orgd import agents ./agents
    orgd import agents --department Engineering --provider anthropic --yes ./agents
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
	tree, err := agentfiles.Read(os.DirFS(c.Dir), c.Department)
	if err != nil {
		return c.printMistakes(t, err)
	}
	if err := c.printNotices(t, tree); err != nil {
		return err
	}
	x, err := c.propose(ctx, service, tree.Agents)
	if err != nil {
		return err
	}
	x.Server = to.Server
	return x.ConfirmAndApply(ctx, t, c.Yes)
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
	mistake(t.CanAsk(c.Yes))
	service, to, err := c.Open(t)
	mistake(err)
	return service, to, terminal.Usage(errors.Join(mistakes...))
}

// printNotices prints which files were left out or read line by line. It fails if
// there are no agents.
func (c *Agents) printNotices(t *terminal.Terminal, tree agentfiles.Tree) error {
	var skipped, lenient []string
	for _, skip := range tree.Skipped {
		skipped = append(skipped, skip.Error())
	}
	for _, a := range tree.Agents {
		if a.Lenient {
			lenient = append(lenient, a.Path)
		}
	}
	printFiles(t, "Left out", skipped)
	printFiles(t, "Not YAML, read line by line", lenient)
	if len(tree.Agents) == 0 {
		return fmt.Errorf("%s: no file defines an agent", c.Dir)
	}
	return nil
}

// printFiles prints the first of files, and how many more there are.
func printFiles(t *terminal.Terminal, what string, files []string) {
	const most = 20
	for _, file := range files[:min(len(files), most)] {
		t.Say("%s: %s", what, terminal.Visible(file))
	}
	if more := len(files) - most; more > 0 {
		t.Say("%s: %d more", what, more)
	}
}

// printMistakes prints the mistakes in files that err reports. Other errors are
// returned as they are.
func (c *Agents) printMistakes(t *terminal.Terminal, err error) error {
	wrong, ok := errors.AsType[agentfiles.Mistakes](err)
	if !ok {
		return err
	}
	var all []document.Mistake
	for _, m := range wrong {
		all = append(all, document.Mistake{File: c.file(m.Path), Line: m.Line, Field: m.Field, Text: m.Text})
	}
	return document.PrintMistakes(t, c.Dir, all)
}

// file is the path of a file as the caller may open it.
func (c *Agents) file(path string) string {
	return filepath.Join(c.Dir, filepath.FromSlash(path))
}

// propose makes a document of the agents of files.
func (c *Agents) propose(ctx context.Context, service *client.Client, agents []agentfiles.Agent) (document.Proposal, error) {
	departments, err := missingDepartments(ctx, service, agents)
	if err != nil {
		return document.Proposal{}, err
	}
	agents, err = inOrder(ctx, service, agents)
	if err != nil {
		return document.Proposal{}, err
	}
	entries := make([]any, len(agents))
	for i, a := range agents {
		entries[i] = identityOf(a, c.Provider)
	}
	founded := make([]any, len(departments))
	for i, a := range departments {
		founded[i] = map[string]string{"name": a.Department}
	}
	text, err := json.Marshal(map[string]any{"format": 1, "departments": founded, "agents": entries})
	return document.Proposal{
		Service: service, Document: client.OrganizationDocument{Text: text}, Name: c.Dir,
		Locate: c.locate(departments, agents), Reason: cmp.Or(c.Reason, defaultReason),
	}, err
}

// identityOf returns the agent of a file with the fields of the service, as a merge
// patch or as an entry of a document.
func identityOf(a agentfiles.Agent, provider string) client.Object {
	return client.Object{
		"name": a.Name, "role": a.Name, "department": a.Department, "description": a.Description,
		"model": modelOf(a, provider), "tools": client.Object{"allowed": a.Tools}, "instructions": a.Instructions,
	}
}

// modelOf returns the model of an agent, nil for none.
func modelOf(a agentfiles.Agent, provider string) any {
	if a.Model == "" {
		return nil
	}
	return client.Object{"provider": provider, "model_id": a.Model}
}

// missingDepartments returns the first agent of each department that the service
// does not have.
func missingDepartments(ctx context.Context, service *client.Client, agents []agentfiles.Agent) ([]agentfiles.Agent, error) {
	known, err := departmentKeys(ctx, service)
	if err != nil {
		return nil, err
	}
	var missing []agentfiles.Agent
	for _, a := range agents {
		if key := agentfiles.Key(a.Department); !known[key] {
			known[key] = true
			missing = append(missing, a)
		}
	}
	return missing, nil
}

func departmentKeys(ctx context.Context, service *client.Client) (map[name.Key]bool, error) {
	keys := map[name.Key]bool{}
	for d, err := range service.Departments(ctx, client.PageQuery{Limit: 200}) {
		if err != nil {
			return nil, err
		}
		keys[agentfiles.Key(d.Name)] = true
	}
	return keys, nil
}

// inOrder returns the agents in the order of the service, new ones last: a document
// has an order, and files have none.
func inOrder(ctx context.Context, service *client.Client, agents []agentfiles.Agent) ([]agentfiles.Agent, error) {
	position := map[name.Key]int{}
	for a, err := range service.Agents(ctx, client.AgentQuery{Summary: true, PageQuery: client.PageQuery{Limit: 200}}) {
		if err != nil {
			return nil, err
		}
		position[agentfiles.Key(a.Name)] = len(position) + 1
	}
	of := func(a agentfiles.Agent) int { return cmp.Or(position[agentfiles.Key(a.Name)], len(position)+1) }
	sorted := slices.Clone(agents)
	sort.SliceStable(sorted, func(i, j int) bool { return of(sorted[i]) < of(sorted[j]) })
	return sorted, nil
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
