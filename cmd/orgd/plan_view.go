package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"

	"orgd/client"
)

// showPlan prints a plan for people: entry by entry, what changes of each.
func (p *process) showPlan(plan client.OrganizationPlan) error {
	if len(plan.Changes) == 0 {
		p.say("Nothing to change: the organization is as the document says.")
		return nil
	}
	v := &planView{diffView: diffView{p: p}, actions: map[client.OrganizationAction]int{}}
	for _, c := range plan.Changes {
		if err := v.change(c); err != nil {
			return err
		}
	}
	if _, err := io.Copy(p.stdout, &v.out); err != nil {
		return err
	}
	p.say("Plan: %d to create, %d to update, %d to delete, %d to reorder.",
		v.actions[client.ActionCreate], v.actions[client.ActionUpdate], v.actions[client.ActionDelete], v.actions[client.ActionReorder])
	return nil
}

// planView writes the changes of a plan.
type planView struct {
	diffView
	entry   string // to which the last change belongs
	actions map[client.OrganizationAction]int
}

// signs say in one character what becomes of something.
var signs = map[client.OrganizationAction]struct{ sign, color string }{
	client.ActionCreate:  {"+", green},
	client.ActionUpdate:  {"~", yellow},
	client.ActionDelete:  {"-", red},
	client.ActionReorder: {"#", cyan},
}

func (v *planView) change(c client.OrganizationChange) error {
	entry, field := splitPath(c.Path)
	if entry != v.entry || c.Action != client.ActionUpdate {
		v.entry = entry
		v.actions[c.Action]++
		mark := signs[c.Action]
		v.line(0, v.p.color(mark.color, mark.sign)+" "+v.p.color(bold, entryTitle(entry)))
	}
	old, err := decodeValue(c.Old)
	if err != nil {
		return fmt.Errorf("the plan's %s: %w", c.Path, err)
	}
	is, err := decodeValue(c.New)
	if err != nil {
		return fmt.Errorf("the plan's %s: %w", c.Path, err)
	}
	switch c.Action {
	case client.ActionCreate:
		v.summary(is)
	case client.ActionReorder:
		v.lines(4, joined(old), joined(is))
	case client.ActionUpdate:
		v.differ(field, old, is)
	}
	return nil
}

// splitPath divides the path of a change into that of an entry and that of a
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

// entryTitle is the path of an entry in words.
func entryTitle(path string) string {
	list, name, ok := strings.Cut(path, "[")
	switch {
	case ok:
		return strings.TrimSuffix(list, "s") + " " + visible(strings.TrimSuffix(name, "]"))
	case list == "company":
		return list
	}
	return "order of " + list
}

// decodeValue reads a value and keeps its numbers as they are.
func decodeValue(text json.RawMessage) (value any, err error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	return value, d.Decode(&value)
}

// worthTelling are the fields of a new entry that say what it is there for. The
// others are mostly as they are by default.
var worthTelling = []string{"role", "department", "level", "head", "budget_percent", "description", "model.provider", "model.model_id", "tools.allowed"}

func (v *planView) summary(entry any) {
	for _, path := range worthTelling {
		value := entry
		for name := range strings.SplitSeq(path, ".") {
			object, _ := value.(map[string]any)
			value = object[name]
		}
		if text := brief(value); text != "null" && text != `""` && text != "[]" && text != "0" {
			v.line(4, path+": "+text)
		}
	}
	object, _ := entry.(map[string]any)
	if text, _ := object["instructions"].(string); text != "" {
		v.line(4, fmt.Sprintf("instructions: %d lines", len(strings.Split(strings.TrimSuffix(text, "\n"), "\n"))))
	}
}
