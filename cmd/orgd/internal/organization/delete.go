package organization

import (
	"context"
	"fmt"
	"strings"

	"orgd/client"
	"orgd/cmd/orgd/internal/terminal"
)

// yesFlag is for commands that delete.
type yesFlag struct {
	Yes bool `help:"Do not ask."`
}

// deletion is an object that is to be deleted.
type deletion struct {
	title string // for the question
	id    string // or name
	etag  string // of what was read
}

// remove reads the objects, asks, and deletes those that have not changed since.
func (f yesFlag) remove(ctx context.Context, t *terminal.Terminal, names []string, read func(name string) (deletion, error), remove func(id string, unchanged client.Option) error) error {
	if err := t.CanAsk(f.Yes); err != nil {
		return err
	}
	var all []deletion
	var titles []string
	for _, name := range names {
		one, err := read(name)
		if err != nil {
			return err
		}
		all = append(all, one)
		titles = append(titles, one.title)
	}
	if err := t.Confirm(ctx, fmt.Sprintf("Delete %s?", strings.Join(titles, ", ")), f.Yes); err != nil {
		return err
	}
	for _, one := range all {
		if err := remove(one.id, client.IfMatch(one.etag)); err != nil {
			return err
		}
		t.Say("Deleted %s.", one.title)
	}
	return nil
}
