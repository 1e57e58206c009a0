package document

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"orgd/client"
	"orgd/cmd/orgd/internal/terminal"
	"orgd/domain/organization"
)

// planned is what a plan changes in an entry, or an order.
type planned struct {
	action client.OrganizationAction
	path   string   // of the entry
	fields []string // that change, empty for all
	lines  string   // its fields for people, indented
	author string   // who made the change that this would undo, "" if that is not known
}

// planView collects the changes of a plan by entry.
type planView struct {
	Diff
	entries []planned
}

// viewPlan returns the changes of a plan by entry.
func viewPlan(t *terminal.Terminal, plan client.OrganizationPlan) ([]planned, error) {
	v := &planView{Diff: Diff{t: t}}
	for _, c := range plan.Changes {
		if err := v.change(c); err != nil {
			return nil, err
		}
	}
	return v.entries, nil
}

// printPlan prints the changes by entry and counts them, or counts them only.
func printPlan(t *terminal.Terminal, entries []planned, brief bool) error {
	if len(entries) == 0 {
		t.Say("Nothing to change: the organization is as the document says.")
		return nil
	}
	v := Diff{t: t}
	for _, e := range entries {
		v.Line(0, Heading(t, e.action, entryTitle(e.path)))
		v.out.WriteString(e.lines)
		if e.author != "" {
			v.Line(4, t.Color(terminal.Faint, e.author))
		}
	}
	if !brief {
		if err := v.Print(); err != nil {
			return err
		}
	}
	t.Say("Plan: %s.", planCounts(entries))
	return nil
}

func planCounts(entries []planned) string {
	n := map[client.OrganizationAction]int{}
	for _, e := range entries {
		n[e.action]++
	}
	return fmt.Sprintf("%d to create, %d to update, %d to delete, %d to reorder",
		n[client.ActionCreate], n[client.ActionUpdate], n[client.ActionDelete], n[client.ActionReorder])
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
	path, field := splitPath(c.Path)
	if n := len(v.entries); n == 0 || path != v.entries[n-1].path || c.Action != client.ActionUpdate {
		v.entries = append(v.entries, planned{action: c.Action, path: path})
	}
	e := &v.entries[len(v.entries)-1]
	var err error
	if c.Action == client.ActionCreate {
		err = v.create(path, c.New)
	} else {
		err = v.difference(c, field)
	}
	if err != nil {
		return fmt.Errorf("the plan's %s: %w", c.Path, err)
	}
	if c.Action == client.ActionUpdate {
		e.fields = append(e.fields, field)
	}
	e.lines += v.out.String()
	v.out.Reset()
	return nil
}

// difference prints what differs in an order, or in a field.
func (v *planView) difference(c client.OrganizationChange, field string) error {
	old, errOld := decode(c.Old)
	is, errNew := decode(c.New)
	switch c.Action {
	case client.ActionReorder:
		v.lines(4, joined(old), joined(is))
	case client.ActionUpdate:
		v.value(terminal.Visible(field), old, is)
	}
	return cmp.Or(errOld, errNew)
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

// create prints what a new entry says beyond the defaults.
func (v *planView) create(path string, entry json.RawMessage) error {
	list, _, _ := strings.Cut(path, "[")
	text, err := organization.Sparse(slices.Concat([]byte(`{"`+list+`":[`), entry, []byte("]}")))
	if err != nil {
		return err
	}
	var doc map[string]json.RawMessage
	if err := json.Unmarshal(text, &doc); err != nil {
		return err
	}
	entries, err := decode(doc[list])
	if err != nil {
		return err
	}
	said := entries.([]any)[0].(map[string]any) // as it was given
	delete(said, "name")
	delete(said, "hiring_date") // mostly today
	v.summary("", said)
	return nil
}

// summary prints the fields of an object. Of a text of several lines it counts these.
func (v *planView) summary(path string, object map[string]any) {
	for _, name := range slices.Sorted(maps.Keys(object)) {
		field := strings.TrimPrefix(path+"."+terminal.Visible(name), ".")
		inner, isObject := object[name].(map[string]any)
		text, _ := object[name].(string)
		switch lines := strings.Count(strings.TrimSuffix(text, "\n"), "\n") + 1; {
		case isObject && len(inner) > 0:
			v.summary(field, inner)
		case lines > 1:
			v.Line(4, fmt.Sprintf("%s: %d lines", field, lines))
		default:
			v.Line(4, field+": "+brief(object[name]))
		}
	}
}
