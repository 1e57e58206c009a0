package document

import (
	"go.yaml.in/yaml/v3"

	"orgd/client"
	"orgd/cmd/orgd/internal/terminal"
)

// RecordFlag names a file with fields of an object that is created or changed.
type RecordFlag struct {
	File string `short:"f" placeholder:"FILE" help:"Take fields from a file, YAML or JSON, under the names of the interface; - is standard input. Flags stand above it."`
}

// Fields reads the file. It returns no fields if none is given.
func (f RecordFlag) Fields(t *terminal.Terminal) (client.Object, error) {
	if f.File == "" {
		return client.Object{}, nil
	}
	doc, err := Read(t, f.File)
	if err != nil {
		return nil, err
	}
	root, text, mistakes := doc.parse()
	if len(mistakes) > 0 {
		return nil, terminal.Usagef("%s", mistakes[0])
	}
	if root.Kind != yaml.MappingNode {
		return nil, terminal.Usagef("%s: must be an object with fields", doc.Name)
	}
	value, err := decode(text)
	if err != nil {
		return nil, err
	}
	return value.(map[string]any), nil // a mapping
}
