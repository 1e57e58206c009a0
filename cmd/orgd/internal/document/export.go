package document

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"go.yaml.in/yaml/v3"

	"orgd/adapters/httpapi/apidoc"
	"orgd/adapters/keyfile"
	"orgd/client"
	"orgd/cmd/orgd/internal/remote"
	"orgd/cmd/orgd/internal/terminal"
	"orgd/domain/organization"
)

// Export prints or writes the organization as a document.
type Export struct {
	remote.ServerFlag
	Output string `short:"o" enum:"auto,json,yaml" default:"auto" placeholder:"FORMAT" help:"json, yaml, or auto: json for a file called *.json, else yaml."`
	Sparse bool   `help:"Leave out fields that have their defaults."`
	File   string `arg:"" optional:"" help:"Where to write; standard output without it, or for -. A directory, or a name that ends in /, gets one file for each department."`
}

// Help implements kong.HelpProvider.
func (Export) Help() string {
	return `Writes the organization as one document: the company, its departments and its agents in order, every field that can be written, and names instead of ids. The same organization is always the same bytes, so the document is at home in Git. "orgd plan" and "orgd apply" read it. Projects, activity and history are not in it: "orgd backup" keeps everything.

A directory gets company.yaml, with the company and the order of departments, and departments/NAME.yaml for each department and its agents. Written again, only files of departments that have changed change, those of departments that are gone are removed, and comments in them are lost. A file that orgd has not written is never touched: then nothing is written. The order of agents of different departments among each other is not in it.

With --sparse a field that has its default is left out. The price: a plan does not see when somebody sets it elsewhere, because what a document does not mention stays as it is.

Examples:

    orgd export org.yaml
    orgd export --sparse organization/
    orgd export -o json | jq '.agents | length'`
}

// Run writes the document.
func (c *Export) Run(ctx context.Context, t *terminal.Terminal, service *client.Client) error {
	if isDirectory(c.File) && c.Output == "json" {
		return terminal.Usagef("--output: a directory is written as YAML")
	}
	var text []byte
	err := t.WaitFor("Exporting", func() (err error) {
		text, err = c.document(ctx, service)
		return err
	})
	if err != nil {
		return err
	}
	switch {
	case c.File == "" || c.File == terminal.StdFile:
		_, err = t.Stdout.Write(text)
		return err
	case isDirectory(c.File):
		var style func(*yaml.Node)
		if c.Sparse {
			style = inline
		}
		return exportDirectory(c.File, text, style)
	}
	return keyfile.ReplaceOpen(c.File, text)
}

func isDirectory(file string) bool {
	info, err := os.Stat(file)
	return err == nil && info.IsDir() || strings.HasSuffix(file, "/")
}

// document returns the text of a file; for a directory JSON.
func (c *Export) document(ctx context.Context, service *client.Client) ([]byte, error) {
	isYAML := c.Output == "yaml" || c.Output == "auto" && !strings.EqualFold(filepath.Ext(c.File), ".json")
	line, err := service.OrganizationJSON(ctx)
	if err == nil && c.Sparse {
		line, err = organization.Sparse(line)
	}
	if err != nil || isDirectory(c.File) {
		return line, err
	}
	switch {
	case isYAML && c.Sparse:
		return terminal.ToYAML(line, inline)
	case isYAML:
		return blockYAML(line)
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
