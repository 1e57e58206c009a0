package document

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"orgd/adapters/httpapi/apidoc"
	"orgd/client"
	"orgd/cmd/orgd/internal/remote"
	"orgd/cmd/orgd/internal/terminal"
)

// Export prints or writes the organization as a document.
type Export struct {
	remote.ServerFlag
	Output string `short:"o" enum:"auto,json,yaml" default:"auto" placeholder:"FORMAT" help:"json, yaml, or auto: json for a file called *.json, else yaml."`
	File   string `arg:"" optional:"" help:"Where to write; standard output without it, or for -."`
}

// Help implements kong.HelpProvider.
func (Export) Help() string {
	return `Writes the organization as one document: the company, its departments and its agents in order, every field that can be written, and names instead of ids. The same organization is always the same bytes, so the document is at home in Git. "orgd plan" and "orgd apply" read it. Projects, activity and history are not in it: "orgd backup" keeps everything.

Examples:

    orgd export org.yaml
    orgd export -o json | jq '.agents | length'`
}

// Run writes the document.
func (c *Export) Run(ctx context.Context, t *terminal.Terminal, service *client.Client) error {
	var text []byte
	err := t.WaitFor("Exporting", func() (err error) {
		text, err = c.document(ctx, service)
		return err
	})
	if err != nil {
		return err
	}
	if c.File == "" || c.File == terminal.StdFile {
		_, err = t.Stdout.Write(text)
		return err
	}
	return os.WriteFile(c.File, text, 0o644)
}

func (c *Export) document(ctx context.Context, service *client.Client) ([]byte, error) {
	if c.Output == "yaml" || c.Output == "auto" && !strings.EqualFold(filepath.Ext(c.File), ".json") {
		return service.OrganizationYAML(ctx)
	}
	line, err := service.OrganizationJSON(ctx)
	if err != nil {
		return nil, err
	}
	var text bytes.Buffer
	if err := json.Indent(&text, line, "", "  "); err != nil {
		return nil, fmt.Errorf("read the document: %w", err)
	}
	text.WriteByte('\n')
	return terminal.EscapeJSON(text.Bytes()), nil
}

// Schema prints the JSON Schema of documents.
type Schema struct{}

// Run prints the schema on standard output.
func (Schema) Run(t *terminal.Terminal) error {
	_, err := t.Stdout.Write(apidoc.OrganizationSchema())
	return err
}
