package document

import (
	"context"
	"encoding/json"
	"os"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"orgd/adapters/keyfile"
	"orgd/client"
	"orgd/cmd/orgd/internal/terminal"
)

// Draft is an object that somebody edits as YAML in a file. Only its author can read it.
type Draft struct {
	File string
	text string // as the editor has left it, without comments above
}

// NewDraft writes the fields of an object into a new file, without some of them.
func NewDraft(name string, object any, without ...string) (*Draft, error) {
	text, err := json.Marshal(object)
	if err != nil {
		return nil, err
	}
	n, err := terminal.ParseJSON(text)
	if err != nil {
		return nil, err
	}
	var kept []*yaml.Node
	for field := range slices.Chunk(n.Content, 2) {
		if !slices.Contains(without, field[0].Value) {
			kept = append(kept, field...)
		}
	}
	n.Content = kept
	if text, err = terminal.YAML(n); err != nil {
		return nil, err
	}
	f, err := os.CreateTemp("", "orgd-"+name+"-*.yaml")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	_, err = f.Write(text)
	return &Draft{f.Name(), string(text)}, err
}

// Fields returns the fields of the draft. It is a usage error if it is no object.
func (d *Draft) Fields(t *terminal.Terminal) (client.Object, error) {
	return RecordFlag{File: d.File}.Fields(t)
}

// Edit opens the draft in the user's editor, below a comment. It reports whether something
// was changed.
func (d *Draft) Edit(ctx context.Context, t *terminal.Terminal, comment string) (bool, error) {
	var above strings.Builder
	for line := range strings.Lines(comment) {
		above.WriteString("# " + strings.TrimRight(line, "\n") + "\n")
	}
	if err := keyfile.Replace(d.File, []byte(above.String()+d.text)); err != nil {
		return false, err
	}
	if err := t.Edit(ctx, d.File); err != nil {
		return false, err
	}
	text, err := os.ReadFile(d.File)
	before := d.text
	d.text = strings.TrimPrefix(string(text), above.String())
	return d.text != before, err
}

// PrintChange prints how an object changes, below its title.
func PrintChange(t *terminal.Terminal, title string, old, is client.Object) error {
	v := NewDiff(t)
	v.Line(0, Heading(t, client.ActionUpdate, terminal.Visible(title)))
	v.members("", old, is)
	return v.Print()
}

// MergePatch returns the merge patch that makes one object the other.
func MergePatch(old, is map[string]any) client.Object {
	patch := client.Object{}
	for name := range old {
		if _, ok := is[name]; !ok {
			patch[name] = nil
		}
	}
	for name, now := range is {
		was, had := old[name]
		before, ok1 := was.(map[string]any)
		after, ok2 := now.(map[string]any)
		if ok1 && ok2 {
			if inner := MergePatch(before, after); len(inner) > 0 {
				patch[name] = map[string]any(inner)
			}
		} else if !had || terminal.JSON(was) != terminal.JSON(now) {
			patch[name] = now
		}
	}
	return patch
}
