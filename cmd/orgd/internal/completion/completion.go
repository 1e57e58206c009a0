package completion

import (
	"context"
	"embed"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"orgd/client"
	"orgd/cmd/orgd/internal/remote"
	"orgd/cmd/orgd/internal/terminal"
)

//go:embed orgd.bash orgd.zsh orgd.fish
var scripts embed.FS

// Command prints the script for a shell.
type Command struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"bash, zsh or fish."`
}

// Help implements kong.HelpProvider.
func (Command) Help() string {
	return `Prints what a shell has to run so that the tab key completes commands, flags and the names of agents, their labels, departments, projects and profiles.

Examples:

    source <(orgd completion bash)                                      # in ~/.bashrc
    orgd completion zsh > "${fpath[1]}/_orgd"                           # once
    orgd completion fish > ~/.config/fish/completions/orgd.fish         # once`
}

// Run prints the script on standard output.
func (c *Command) Run(t *terminal.Terminal) error {
	script, err := scripts.ReadFile("orgd." + c.Shell)
	if err == nil {
		_, err = t.Stdout.Write(script)
	}
	return err
}

// Complete is what the scripts call.
type Complete struct {
	Shell string   `arg:"" enum:"bash,zsh,fish"`
	Words []string `arg:"" optional:"" passthrough:""`
}

// maxLookup bounds how long the tab key waits for the service.
const maxLookup = 2 * time.Second

// Run prints what may come next, one candidate a line with its meaning after a tab.
// That the service does not answer is not reported.
func (c *Complete) Run(ctx context.Context, k *kong.Kong, t *terminal.Terminal) error {
	words, seen := c.Words, 0
	if len(words) > 0 && words[0] == "--" {
		words = words[1:]
	}
	if c.Shell == "bash" {
		words, seen = joinWords(words)
	}
	next, err := at(k, words)
	if err != nil {
		return err
	}
	if next.Wanted != "" {
		ctx, cancel := context.WithTimeout(ctx, maxLookup)
		defer cancel()
		next.Typed = strings.ReplaceAll(next.Typed, `\`, "") // that escapes spaces
		next.Candidates = append(next.Candidates, lookUp(ctx, t, next)...)
	}
	for _, candidate := range next.Candidates {
		if terminal.Visible(candidate.Word) != candidate.Word {
			continue // a shell would show it as it is
		}
		fmt.Fprintf(t.Stdout, "%s\t%s\n", candidate.Word[min(seen, len(candidate.Word)):], terminal.Visible(candidate.Help))
	}
	return nil
}

// lookUp returns the names that may come next.
func lookUp(ctx context.Context, t *terminal.Terminal, next nextWord) (all []candidate) {
	add := func(name, help string) bool {
		const most = 100
		if len(name) >= len(next.Typed) && strings.EqualFold(name[:len(next.Typed)], next.Typed) {
			all = append(all, candidate{Word: next.Before + name, Help: help})
		}
		return len(all) < most
	}
	if next.Wanted == "profile" {
		store, err := remote.Profiles(t.UserDir)
		if err != nil {
			return nil
		}
		saved, err := store.All()
		if err != nil {
			return nil
		}
		for _, name := range slices.Sorted(maps.Keys(saved)) {
			add(name, saved[name].Server)
		}
		return all
	}
	service, err := remote.ServerFlag{ProfileFlag: remote.ProfileFlag{Server: next.Given["server"], Profile: next.Given["profile"]}, Token: next.Given["token"]}.ProvideClient(t)
	if err != nil {
		return nil
	}
	switch next.Wanted {
	case "agent":
		offer(service.Agents(ctx, client.AgentQuery{PageQuery: remote.Pages(0), NamePrefix: next.Typed, Summary: true}),
			func(a client.Agent) bool { return add(a.Name, a.Role) })
	case "label":
		all, err := service.Labels(ctx, strings.ReplaceAll(next.Given["agent"], `\`, ""))
		if err != nil {
			return nil
		}
		for _, l := range all {
			add(l.Name, fmt.Sprintf("version %d", l.Version))
		}
	case "department":
		offer(service.Departments(ctx, remote.Pages(0)), func(d client.Department) bool { return add(d.Name, d.Description) })
	case "webhook":
		offer(service.Webhooks(ctx, remote.Pages(0)), func(w client.Webhook) bool { return add(w.ID, w.URL) })
	case "project":
		offer(service.Projects(ctx, client.ProjectQuery{PageQuery: remote.Pages(0)}), func(v client.Project) bool { return add(v.ID, v.Name) })
	}
	return all
}

// offer adds items until it has enough or there are no more.
func offer[T any](items iter.Seq2[T, error], add func(T) bool) {
	for item, err := range items {
		if err != nil || !add(item) {
			return
		}
	}
}

// joinWords joins the words that bash has split at "=" and ":". The second result is
// the length of the part of the last word that bash keeps.
func joinWords(words []string) (whole []string, seen int) {
	const breaks = "=:"
	glue := false
	for _, w := range words {
		apart := len(w) == 1 && strings.Contains(breaks, w)
		if len(whole) > 0 && (glue || apart) {
			whole[len(whole)-1] += w
		} else {
			whole = append(whole, w)
		}
		glue = apart
	}
	if len(whole) > 0 {
		seen = strings.LastIndexAny(whole[len(whole)-1], breaks) + 1
	}
	return whole, seen
}
