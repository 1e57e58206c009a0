package document

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"orgd/client"
	"orgd/cmd/orgd/internal/terminal"
)

// printPlan prints the changes of a plan by entry and counts them, or counts them only.
func printPlan(t *terminal.Terminal, plan client.OrganizationPlan, brief bool) error {
	if len(plan.Changes) == 0 {
		t.Say("Nothing to change: the organization is as the document says.")
		return nil
	}
	v := &planView{Diff: Diff{t: t}, actions: map[client.OrganizationAction]int{}}
	for _, c := range plan.Changes {
		if err := v.change(c); err != nil {
			return err
		}
	}
	if !brief {
		if err := v.Print(); err != nil {
			return err
		}
	}
	t.Say("Plan: %d to create, %d to update, %d to delete, %d to reorder.",
		v.actions[client.ActionCreate], v.actions[client.ActionUpdate], v.actions[client.ActionDelete], v.actions[client.ActionReorder])
	return nil
}

// planView collects the changes of a plan.
type planView struct {
	Diff
	entry   string // of the last change
	actions map[client.OrganizationAction]int
}

// Heading returns the line above a change: its sign and the title of what changes.
func Heading(t *terminal.Terminal, action client.OrganizationAction, title string) string {
	mark := signs[action]
	return t.Color(mark.color, mark.sign) + " " + t.Color(terminal.Bold, title)
}

var signs = map[client.OrganizationAction]struct{ sign, color string }{
	client.ActionCreate:  {"+", terminal.Green},
	client.ActionUpdate:  {"~", terminal.Yellow},
	client.ActionDelete:  {"-", terminal.Red},
	client.ActionReorder: {"#", terminal.Cyan},
}

func (v *planView) change(c client.OrganizationChange) error {
	entry, field := splitPath(c.Path)
	if entry != v.entry || c.Action != client.ActionUpdate {
		v.entry = entry
		v.actions[c.Action]++
		v.Line(0, Heading(v.t, c.Action, entryTitle(entry)))
	}
	old, errOld := decode(c.Old)
	is, errNew := decode(c.New)
	if err := cmp.Or(errOld, errNew); err != nil {
		return fmt.Errorf("the plan's %s: %w", c.Path, err)
	}
	switch c.Action {
	case client.ActionCreate:
		v.summary(is)
	case client.ActionReorder:
		v.lines(4, joined(old), joined(is))
	case client.ActionUpdate:
		v.value(terminal.Visible(field), old, is)
	}
	return nil
}

// splitPath splits the path of a change into that of an entry and that of a
// field in it, such as agents["Ada"] and level.
func splitPath(path string) (entry, field string) {
	end := strings.IndexAny(path, ".[")
	if end < 0 {
		return path, ""
	}
	if path[end] == '[' {
		quoted, err := strconv.QuotedPrefix(path[end+1:])
		if err != nil {
			return path, ""
		}
		end += 1 + len(quoted) + 1
	}
	return path[:min(end, len(path))], strings.TrimPrefix(path[min(end, len(path)):], ".")
}

// entryTitle returns the path of an entry in words.
func entryTitle(path string) string {
	list, name, ok := strings.Cut(path, "[")
	switch {
	case ok:
		return terminal.Visible(strings.TrimSuffix(list, "s") + " " + strings.TrimSuffix(name, "]"))
	case list == "company":
		return list
	}
	return "order of " + terminal.Visible(list)
}

// summaryFields are the fields that are printed of a new entry. The others mostly
// have their defaults.
var summaryFields = []string{"role", "department", "level", "head", "budget_percent", "description", "model.provider", "model.model_id", "tools.allowed", "tools.denied"}

func (v *planView) summary(entry any) {
	for _, path := range summaryFields {
		value := entry
		for name := range strings.SplitSeq(path, ".") {
			object, _ := value.(map[string]any)
			value = object[name]
		}
		if text := brief(value); text != "null" && text != `""` && text != "[]" && text != "0" {
			v.Line(4, path+": "+text)
		}
	}
	object, _ := entry.(map[string]any)
	if text, _ := object["instructions"].(string); text != "" {
		v.Line(4, fmt.Sprintf("instructions: %d lines", len(strings.Split(strings.TrimSuffix(text, "\n"), "\n"))))
	}
}
