package importer

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"orgd/cmd/orgd/internal/agentfiles"
	"orgd/cmd/orgd/internal/document"
	"orgd/cmd/orgd/internal/terminal"
	"orgd/domain/name"
)

// report prints what the files hold. It fails if there are no agents or, without
// --skip-bad, if any file is bad.
func (c *Agents) report(t *terminal.Terminal, tree agentfiles.Tree, renamed []string) error {
	bad, mistakes := map[string]bool{}, []document.Mistake{}
	for _, m := range tree.Bad {
		bad[m.Path] = true
		mistakes = append(mistakes, document.Mistake{File: c.file(m.Path), Line: m.Line, Field: m.Field, Text: m.Text})
	}
	if len(mistakes) > 0 && !c.SkipBad {
		return document.PrintMistakes(t, c.Dir, mistakes)
	}
	document.SayMistakes(t, "Bad, left out: ", mistakes)
	departments, metadata, reasons := map[name.Key]bool{}, map[string]int{}, map[string]int{}
	var skipped, lenient, notes []string
	for _, skip := range tree.Skipped {
		reasons[skip.Why]++
		skipped = append(skipped, skip.Error())
	}
	for _, a := range tree.Agents {
		departments[agentfiles.Key(a.Department)] = true
		for key := range a.Metadata {
			metadata[key]++
		}
		for _, note := range a.Notes {
			notes = append(notes, note.String())
		}
		if a.Lenient {
			lenient = append(lenient, a.Path)
		}
	}
	if c.Verbose {
		t.SayList("Left out", skipped)
	} else {
		t.SayList("Left out", counts(reasons))
	}
	t.SayList("Another name, because several files have one", renamed)
	t.SayList("Not YAML, read line by line", lenient)
	t.SayList("Not kept as it is written", notes)
	if len(metadata) > 0 {
		t.Say("Kept in the metadata: %s", t.Few(counts(metadata)))
	}
	t.Say("Files: %d; agents: %d; departments: %d; left out: %d; bad: %d.",
		len(tree.Agents)+len(tree.Skipped)+len(bad), len(tree.Agents), len(departments), len(skipped), len(bad))
	if len(tree.Agents) == 0 {
		return fmt.Errorf("%s: no file defines an agent", c.Dir)
	}
	return nil
}

// counts returns what is counted with its counts, the most frequent first.
func counts(of map[string]int) (lines []string) {
	for _, word := range slices.SortedFunc(maps.Keys(of), func(a, b string) int { return cmp.Or(of[b]-of[a], strings.Compare(a, b)) }) {
		lines = append(lines, fmt.Sprintf("%s (%d)", word, of[word]))
	}
	return lines
}
