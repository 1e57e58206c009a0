package document

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"orgd/adapters/telemetry"
	"orgd/client"
	"orgd/cmd/orgd/internal/remote"
	"orgd/cmd/orgd/internal/terminal"
	"orgd/domain/name"
)

// documentFlags name a document.
type documentFlags struct {
	File  []string `short:"f" required:"" sep:"none" placeholder:"FILE" help:"The document, JSON or YAML; - is standard input, and a directory stands for all *.yaml, *.yml and *.json in it and below. Several are one document."`
	Prune bool     `help:"Also delete the departments and agents that the document does not name."`
}

// Plan prints what a document would change.
type Plan struct {
	remote.ServerFlag
	documentFlags
	Output      string `short:"o" enum:"diff,markdown,json,yaml" default:"diff" placeholder:"FORMAT" help:"How to print: diff, markdown, json or yaml (default ${default})."`
	PushMetrics string `placeholder:"URL" help:"Put orgd_plan_changes and orgd_plan_last_run_timestamp_seconds to a Pushgateway of Prometheus; then the exit code is 0 with changes."`
}

// Help implements kong.HelpProvider.
func (Plan) Help() string {
	return `Shows what would have to change for the organization to be as a document says, and changes nothing. The document is what "orgd export" writes, or a part of it: what it does not mention stays as it is. "orgd schema" prints the JSON Schema of documents.

The exit code is 3 if there is something to change, 0 if not. A document that cannot be applied is 1: every mistake is listed with its line and field, and of very many the first; -v lists all.

Below what a plan would undo stands who has changed it last, when and why, as far as the change log tells. -o markdown is for a comment on a pull request, below 60,000 characters.

--push-metrics is for a job that looks for drift: it sends the number of entries that differ to URL/metrics/job/orgd_plan, or to the URL itself if that has /metrics/job/.

Examples:

    orgd plan -f org.yaml
    orgd plan -f organization/ -o markdown
    orgd plan -f org.yaml --prune
    orgd plan -f - -o json < org.json | jq '.changes[].path'`
}

// Run prints the plan on standard output.
func (c *Plan) Run(ctx context.Context, t *terminal.Terminal) error {
	x, err := c.propose(ctx, t, c.ServerFlag)
	if err != nil {
		return err
	}
	plan, err := x.plan(ctx, t)
	if err != nil {
		return err
	}
	plain := *t
	plain.Colored = t.Colored && c.Output == "diff"
	entries, err := viewPlan(&plain, plan)
	if err != nil {
		return err
	}
	switch c.Output {
	case "diff":
		x.findAuthors(ctx, t, entries)
		err = printPlan(t, entries, false)
	case "markdown":
		x.findAuthors(ctx, t, entries)
		err = t.Write(markdown(entries))
	default:
		err = terminal.OutputFlag{Output: c.Output}.Print(t, plan, nil)
	}
	switch {
	case err != nil || len(entries) == 0 && c.PushMetrics == "":
		return err
	case c.PushMetrics == "":
		return ErrPlanned
	}
	return telemetry.PushPlan(ctx, c.PushMetrics, len(entries), time.Now())
}

// Apply applies a document.
type Apply struct {
	remote.ServerFlag
	documentFlags
	ReasonFlag
	Yes bool `help:"Do not ask."`
}

// MaxReason bounds a reason, in characters.
const MaxReason = 1024

// Help implements kong.HelpProvider.
func (Apply) Help() string {
	return `Shows what has to change for the organization to be as a document says, asks, and has it done. What is done is what was shown: if somebody changes the organization meanwhile, nothing more is done and the exit code is 1.

Applying a document twice changes nothing the second time. An apply that was cut short is finished by the same command.

Examples:

    orgd apply -f org.yaml
    orgd apply -f org.yaml --prune --yes --reason "$(git log -1 --format=%h\ %s)"`
}

// Run changes the organization.
func (c *Apply) Run(ctx context.Context, t *terminal.Terminal) error {
	if slices.Contains(c.File, terminal.StdFile) && !c.Yes {
		return terminal.Usagef("--yes: is needed with --file -, because standard input cannot give the answer too")
	}
	if utf8.RuneCountInString(c.Reason) > MaxReason {
		return terminal.Usagef("--reason: must be at most %d characters", MaxReason)
	}
	if err := t.CanAsk(c.Yes); err != nil {
		return err
	}
	x, err := c.propose(ctx, t, c.ServerFlag)
	if err != nil {
		return err
	}
	x.Reason = c.Reason
	return x.ConfirmAndApply(ctx, t, c.Yes)
}

// propose reads the document for a service.
func (f documentFlags) propose(ctx context.Context, t *terminal.Terminal, server remote.ServerFlag) (Proposal, error) {
	service, to, err := server.Open(t)
	if err != nil {
		return Proposal{}, err
	}
	all, err := f.read(t)
	if err != nil {
		return Proposal{}, err
	}
	x := Proposal{Service: service, Server: to.Server, Name: strings.Join(f.File, ", "), Document: client.OrganizationDocument{Prune: f.Prune}, authors: true}
	if len(all) == 1 {
		text, mistakes := all[0].json()
		if len(mistakes) > 0 {
			return x, PrintMistakes(t, all[0].Name, mistakes)
		}
		x.Name, x.Locate, x.Document.Text = all[0].Name, all[0].locate(), text
		return x, nil
	}
	together := join(all)
	if len(together.mistakes) > 0 {
		return x, PrintMistakes(t, x.Name, together.mistakes)
	}
	var current []name.Key
	for a, err := range service.Agents(ctx, client.AgentQuery{Summary: true, PageQuery: client.PageQuery{Limit: 200}}) {
		if err != nil {
			return x, err
		}
		n, _ := name.Parse(a.Name) // it is one
		current = append(current, n.Key)
	}
	together.arrange(current)
	x.Document.Text, x.Locate = together.text(), together.locate
	return x, nil
}

// read reads the files.
func (f documentFlags) read(t *terminal.Terminal) (all []File, err error) {
	if i := slices.Index(f.File, terminal.StdFile); i >= 0 && slices.Contains(f.File[i+1:], terminal.StdFile) {
		return nil, terminal.Usagef("--file: - can be given once: there is one standard input")
	}
	visited := map[string]bool{}
	for _, arg := range f.File {
		files, err := documentsIn(arg, visited)
		if err == nil && len(files) == 0 {
			err = fmt.Errorf("%s: has no documents: no *.yaml, *.yml or *.json", arg)
		}
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			d, err := Read(t, file)
			if err != nil {
				return nil, err
			}
			all = append(all, d)
		}
	}
	return all, nil
}
