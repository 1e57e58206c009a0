package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"orgd/cmd/orgd/internal/terminal"
)

// Every command line of the documentation is in the grammar.
func TestDocumentedCommands(t *testing.T) {
	pages, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, page := range append(pages, "../../README.md", "../../deployments/README.md", "../../deployments/helm/orgd/README.md") {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range documented(string(text)) {
			n++
			parser, err := newParser(terminal.Terminal{Stdout: &output{}, Stderr: &output{}}, func(int) {})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := parser.Parse(line); err != nil {
				t.Errorf("%s: orgd %s: %v", page, quoted(line), err)
			}
		}
	}
	if n < 70 {
		t.Errorf("the documentation has %d command lines, want more to be found", n)
	}
}

var (
	shellBlock = regexp.MustCompile("(?s)```sh\n(.*?)```")
	// shellWord is a word, or what stands between commands.
	shellWord = regexp.MustCompile(`(?:"[^"]*"|'[^']*'|\$\([^)]*\)|[^\s"'|;&()<>#$]|\$[^(\s]|[^\s|;&()<>]#)+|[|;&()<>]+|\$\(|#[^\n]*|\n`)
)

// documented are the words behind orgd in all shell blocks of a page.
func documented(page string) (lines [][]string) {
	for _, block := range shellBlock.FindAllStringSubmatch(page, -1) {
		script := strings.ReplaceAll(block[1], "\\\n", " ")
		for _, inner := range regexp.MustCompile(`\$\(([^()]*)\)`).FindAllStringSubmatch(script, -1) {
			lines = append(lines, commandsOf(inner[1])...)
		}
		lines = append(lines, commandsOf(script)...)
	}
	return lines
}

// commandsOf finds the command lines of orgd in a script.
func commandsOf(script string) (lines [][]string) {
	var line, before []string // the words behind orgd, and those before it
	in, redirected := false, false
	end := func() {
		if in && len(line) > 0 {
			lines = append(lines, line)
		}
		line, before, in, redirected = nil, nil, false, false
	}
	for _, word := range shellWord.FindAllString(script, -1) {
		switch {
		case word == "<" || word == ">" || word == ">>":
			redirected = true
			if n := len(line); n > 0 && word == ">" && line[n-1] == "2" { // as in 2>errors
				line = line[:n-1]
			}
		case word == "\n" || word[0] == '#' || strings.Trim(word, "|;&()<>") == "":
			end()
		case redirected:
			redirected = false
		case in:
			line = append(line, strings.NewReplacer(`"`, "", "'", "").Replace(word))
		default:
			in = begins(before, word)
			before = append(before, word)
		}
	}
	end()
	return lines
}

// begins reports whether a word is the program, and not an argument of another.
func begins(before []string, word string) bool {
	if word == "./cmd/orgd" {
		return slices.Equal(before, []string{"go", "run"})
	}
	setting := func(w string) bool { return strings.Contains(w, "=") }
	return (word == "orgd" || word == "./orgd") && !slices.ContainsFunc(before, func(w string) bool { return !setting(w) })
}
