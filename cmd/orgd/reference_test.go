package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"orgd/cmd/orgd/internal/terminal"
	"orgd/test/golden"
)

// The generated pages are what the program says of itself now.
func TestReference(t *testing.T) {
	for path, got := range map[string]string{
		"../../docs/reference/cli.md": commandsReference(t),
		settingsPage:                  settingsReference(t),
	} {
		golden.File(t, path, got)
	}
}

// commandsReference is the page about the command line: what the commands say of
// themselves.
func commandsReference(t *testing.T) string {
	t.Helper()
	parser, err := newParser(terminal.Terminal{}, func(int) {})
	if err != nil {
		t.Fatal(err)
	}
	var page strings.Builder
	page.WriteString("# Commands\n\nWhat every command says with `--help`, written by `make generate`. How they are used is in [Command line](../cli.md).\n")
	section(t, &page, parser.Model.Node)
	for _, leaf := range parser.Model.Leaves(true) {
		section(t, &page, leaf)
	}
	return page.String()
}

// section adds the help of a command to a page.
func section(t *testing.T, page *strings.Builder, command *kong.Node) {
	t.Helper()
	words := strings.Fields(command.Path())
	if command.Parent == nil {
		words = nil
	}
	fmt.Fprintf(page, "\n## %s\n\n```\n%s\n```\n", strings.Join(append([]string{"orgd"}, words...), " "),
		strings.TrimSpace(must(t, nil, append(words, "--help")...)))
}
