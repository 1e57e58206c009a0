package document

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"orgd/client"
	"orgd/cmd/orgd/internal/terminal"
)

// maxLookUps is for how many entries of a plan the change log is read.
const maxLookUps = 50

// findAuthors sets who has changed last what would be undone. A plan is the same without:
// what keeps the change log from being read is only said.
func (x Proposal) findAuthors(ctx context.Context, t *terminal.Terminal, entries []planned) {
	lookUps := 0
	for i, e := range entries {
		if e.action != client.ActionUpdate && e.action != client.ActionDelete {
			continue
		}
		if lookUps++; lookUps > maxLookUps {
			t.Say("Who has changed the others is not looked up after the first %d.", maxLookUps)
			return
		}
		last, err := x.lastChange(ctx, e)
		if err != nil {
			t.Say("Who has changed this cannot be said: %s", t.Sentence(err))
			return
		}
		entries[i].author = last
	}
}

// lastChange returns who has changed last what an entry of a plan would undo, "" if the
// latest changes of the entry do not say it.
func (x Proposal) lastChange(ctx context.Context, e planned) (string, error) {
	const latest = 50
	list, quoted, _ := strings.Cut(e.path, "[")
	name, _ := strconv.Unquote(strings.TrimSuffix(quoted, "]")) // "" for the company
	q := client.ChangeQuery{PageQuery: client.PageQuery{Limit: latest}}
	switch list {
	case "agents":
		q.Agent = name
	case "departments":
		q.Department, q.Action = name, "department"
	default:
		q.Action = "company"
	}
	n := 0
	for c, err := range x.Service.Changes(ctx, q) {
		if n++; err != nil || n > latest {
			return "", err
		}
		if e.action == client.ActionDelete || overlap(e.fields, c.ChangedFields) {
			text := "changed by " + terminal.Visible(c.Actor) + " " + terminal.Ago(time.Since(c.Timestamp))
			if c.Reason != nil {
				text += ": " + terminal.Visible(*c.Reason)
			}
			return text, nil
		}
	}
	return "", nil
}

// overlap reports whether a field is in both lists, or a part of one in the other.
func overlap(fields, others []string) bool {
	return slices.ContainsFunc(fields, func(a string) bool {
		return slices.ContainsFunc(others, func(b string) bool {
			return strings.HasPrefix(a+".", b+".") || strings.HasPrefix(b+".", a+".")
		})
	})
}
