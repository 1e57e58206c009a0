package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"orgd/test/api"
)

// trial tries the versions of the agent that has most: it compares the first
// and the newest, takes the agent back to the first and forth again, so that the
// organization is as the history tells. A dry trial writes nothing. Each step
// says in one line what came of it.
type trial struct {
	*checker
	life *Life
	said []string
}

func (t *trial) say(format string, args ...any) {
	t.said = append(t.said, fmt.Sprintf(format, args...))
}

// run does the trial.
func (t *trial) run(ctx context.Context, dry bool) error {
	newest := len(t.life.Versions)
	if newest < 2 {
		t.say("nobody has two versions to compare")
		return nil
	}
	if err := t.diff(ctx, newest); err != nil {
		return err
	}
	if err := t.rollback(ctx, 1, dry); err != nil || dry {
		return err
	}
	return t.rollback(ctx, newest, false)
}

// fieldChange is what the trial looks at of a difference.
type fieldChange struct {
	Path string  `json:"field_path"`
	Old  *string `json:"old_value"`
	New  *string `json:"new_value"`
}

// diff compares the service's comparison with our own.
func (t *trial) diff(ctx context.Context, newest int) error {
	var d struct {
		Changes []fieldChange `json:"field_changes"`
		Summary string        `json:"summary"`
	}
	path := fmt.Sprintf("%s?from_version=1&to_version=%d", api.Path("agents", t.life.Name, "versions", "diff"), newest)
	if _, err := t.client.Get(ctx, path, &d); err != nil {
		return err
	}
	first, last := t.life.Versions[0].Definition, t.life.Versions[newest-1].Definition
	var got []string
	for _, c := range d.Changes {
		got = append(got, topic(c.Path))
		if c.Path == "instructions" && (!isText(c.Old, first.Instructions) || !isText(c.New, last.Instructions)) {
			t.problem("diff of %s: the instructions are not those of the two versions", t.life.Name)
		}
	}
	slices.Sort(got)
	got = slices.Compact(got)
	if want := first.Differences(last); !slices.Equal(got, want) {
		t.problem("diff of %s: names %v, want %v", t.life.Name, got, want)
	}
	t.say("diff of %s, version 1 to %d: %s (%s)", t.life.Name, newest, d.Summary, strings.Join(got, ", "))
	return nil
}

// topic is the field of a [Definition] that a path lies in.
func topic(path string) string {
	if path == "model" || strings.HasPrefix(path, "model.") {
		return "model"
	}
	return path
}

// isText reports whether value is the JSON text of a string.
func isText(value *string, want string) bool {
	var got string
	return value != nil && json.Unmarshal([]byte(*value), &got) == nil && got == want
}

// rollback takes the agent back to a version and looks at what became of it.
func (t *trial) rollback(ctx context.Context, target int, dry bool) error {
	var before, after agentView
	answer, err := t.client.Get(ctx, api.Path("agents", t.life.Name), &before)
	if err != nil {
		return err
	}
	path := api.Path("agents", t.life.Name, "versions", "rollback")
	if dry {
		path += "?dry_run=true"
	}
	a, err := t.client.Do(ctx, api.Request{
		Method: http.MethodPost, Path: path, IfMatch: answer.ETag(),
		Body: map[string]any{"target_version": target, "reason": "replay check"},
	})
	if err != nil {
		return err
	}
	if !a.OK() {
		t.problem("rollback of %s to version %d: %s", t.life.Name, target, a.Err())
		return nil
	}
	var became agentView
	if err := a.Data(&became); err != nil {
		return err
	}
	t.same(fmt.Sprintf("%s after the rollback to version %d", t.life.Name, target), became.Definition, t.life.Versions[target-1].Definition)
	if _, err := t.client.Get(ctx, api.Path("agents", t.life.Name), &after); err != nil {
		return err
	}
	if dry {
		t.dry(target, before, after)
		return nil
	}
	return t.restored(ctx, target, before.Version+1, after.Version)
}

// dry checks that a dry run has written nothing.
func (t *trial) dry(target int, before, after agentView) {
	if before.Version != after.Version || !before.Equal(after.Definition) {
		t.problem("%s: the dry run of a rollback has changed the agent", t.life.Name)
	}
	t.say("rollback of %s to version %d, dry run: nothing written", t.life.Name, target)
}

// restored checks the version that a rollback has written: it is the next one,
// it says where it comes from, and its content has the hash of its source.
func (t *trial) restored(ctx context.Context, target, want, got int) error {
	if got != want {
		t.problem("%s: has version %d after a rollback, want %d", t.life.Name, got, want)
	}
	var source, made versionView
	for number, v := range map[int]*versionView{target: &source, want: &made} {
		if _, err := t.client.Get(ctx, api.Path("agents", t.life.Name, "versions", fmt.Sprint(number)), v); err != nil {
			return err
		}
	}
	if made.RestoredFrom == nil || *made.RestoredFrom != target || made.Hash != source.Hash {
		t.problem("%s version %d: is not version %d restored", t.life.Name, want, target)
	}
	t.say("rollback of %s to version %d: became version %d", t.life.Name, target, want)
	return nil
}
