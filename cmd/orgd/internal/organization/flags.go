package organization

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"strings"
	"time"

	"orgd/client"
	"orgd/cmd/orgd/internal/document"
	"orgd/cmd/orgd/internal/remote"
	"orgd/cmd/orgd/internal/terminal"
)

// printFlags are those of commands that print what the service holds.
type printFlags struct {
	remote.ServerFlag
	terminal.OutputFlag
}

// listFlags are those of lists that may be cut to a number of items.
type listFlags struct {
	remote.ServerFlag
	terminal.ListFlag
}

// allFlags are those of lists that are printed in full unless there is a limit.
type allFlags struct {
	remote.ServerFlag
	terminal.AllFlag
}

// one returns the flags of the command that shows one item of the list.
func (f allFlags) one() printFlags {
	return printFlags{f.ServerFlag, terminal.OutputFlag{Output: f.Output}}
}

// printAll reads a list and prints it, with cells for each item in a row below the columns.
func printAll[T any](t *terminal.Terminal, f terminal.AllFlag, items iter.Seq2[T, error], columns []string, cells func(T) []string) error {
	all, err := remote.Collect(items, f.Reads())
	if err != nil {
		return err
	}
	return f.Print(t, all, terminal.Rows(columns, all, cells))
}

// lastFlag goes back in a list.
type lastFlag struct {
	Last string `placeholder:"TIME" help:"Only what is of the last 24h, 7d or the like."`
}

// Since returns the time from which on something is listed; zero means from the beginning.
func (f lastFlag) Since() (time.Time, error) {
	if f.Last == "" {
		return time.Time{}, nil
	}
	d, err := terminal.ParseDuration(f.Last)
	if err != nil || d <= 0 {
		return time.Time{}, terminal.Usagef("--last: must be a time such as 24h or 7d")
	}
	return time.Now().Add(-d), nil
}

// since ends a list, latest first, at a time.
func since[T any](items iter.Seq2[T, error], begin time.Time, timeOf func(T) time.Time) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for item, err := range items {
			if err == nil && timeOf(item).Before(begin) || !yield(item, err) {
				return
			}
		}
	}
}

// changeFlags are those of commands that create or change an object.
type changeFlags struct {
	remote.ServerFlag
	terminal.ResultFlag
	document.RecordFlag
	document.ReasonFlag
}

// given returns the fields of the file and those of the flags, which add adds.
func (f changeFlags) given(t *terminal.Terminal, add func(client.Object) error) (client.Object, error) {
	o, err := f.Fields(t)
	if err != nil {
		return nil, err
	}
	return o, add(o)
}

// patch returns the fields to change. It is a usage error if there are none.
func (f changeFlags) patch(t *terminal.Terminal, add func(client.Object) error) (client.Object, error) {
	o, err := f.given(t, add)
	if err == nil && len(o) == 0 {
		err = terminal.Usagef("there is nothing to change: give a flag or --file")
	}
	return o, err
}

// errNameless is the error of a new object without a name.
var errNameless = terminal.Usagef("it needs a name")

// input converts the fields of a new object to the client's type, unless reading
// them has failed with err. An unknown field is a usage error.
func input[T any](o client.Object, err error) (in T, _ error) {
	if err != nil {
		return in, err
	}
	text, err := json.Marshal(o)
	if err != nil {
		return in, err
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	d.DisallowUnknownFields()
	if err := d.Decode(&in); err != nil {
		return in, terminal.Usagef("%s", strings.TrimPrefix(err.Error(), "json: "))
	}
	return in, nil
}

// printResult prints what was done, and v if the flag asks for it, unless the
// request has failed with err.
func printResult(t *terminal.Terminal, f terminal.ResultFlag, v any, err error, format string, args ...any) error {
	if err != nil {
		return err
	}
	t.Say(format, args...)
	return f.Print(t, v)
}

// yesFlag is for commands that delete.
type yesFlag struct {
	Yes bool `help:"Do not ask."`
	document.ReasonFlag
}

// deletion is an object that is to be deleted.
type deletion struct {
	title string // for the question
	id    string // or name
	etag  string // of what was read
}

// remove reads the objects, asks, and deletes those that have not changed since.
func (f yesFlag) remove(ctx context.Context, t *terminal.Terminal, names []string, read func(name string) (deletion, error), remove func(ctx context.Context, id string, opts ...client.Option) error) error {
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
		opts := f.Options()
		if one.etag != "" {
			opts = append(opts, client.IfMatch(one.etag))
		}
		if err := remove(ctx, one.id, opts...); err != nil {
			return err
		}
		t.Say("Deleted %s.", one.title)
	}
	return nil
}
