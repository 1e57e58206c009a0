package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"orgd/cmd/orgd/internal/terminal"
	"orgd/test/golden"
)

// The page of settings, and what every command says with --help.
func TestReference(t *testing.T) {
	for path, got := range map[string]string{
		"testdata/help.txt": helpOfAll(t),
		settingsPage:        settingsReference(t),
	} {
		golden.File(t, path, got)
	}
}

// helpOfAll is what every command says with --help.
func helpOfAll(t *testing.T) string {
	t.Helper()
	parser, err := newParser(terminal.Terminal{}, func(int) {})
	if err != nil {
		t.Fatal(err)
	}
	var page strings.Builder
	section(t, &page, parser.Model.Node)
	for _, leaf := range parser.Model.Leaves(true) {
		section(t, &page, leaf)
	}
	return page.String()
}

// section adds the help of a command to a page.
func section(t *testing.T, page *strings.Builder, command *kong.Node) {
	t.Helper()
	words := strings.Fields(strings.TrimPrefix(pathOf(command), "orgd "))
	if command.Parent == nil {
		words = nil
	}
	fmt.Fprintf(page, "$ %s --help\n%s\n\n", strings.Join(append([]string{"orgd"}, words...), " "),
		strings.TrimSpace(must(t, nil, append(words, "--help")...)))
}
