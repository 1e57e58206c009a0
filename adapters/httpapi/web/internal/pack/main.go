// Command pack compresses the files of the pages into the directory packed. It
// is run by "make generate", in the directory of the package web.
package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/swaggest/swgui/v5/static"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "pack:", err)
		os.Exit(1)
	}
}

// sites are the directories with files of our own.
var sites = []string{"docs", "console"}

// swagger are the files of Swagger UI that the reference needs. The module has
// them packed.
var swagger = []string{"swagger-ui-bundle.js.gz", "swagger-ui.css.gz"}

// editor is CodeMirror as one file, for the console.
const editor = "codemirror.js"

func run() error {
	if err := os.RemoveAll("packed"); err != nil {
		return err
	}
	for _, site := range sites {
		if err := pack(site); err != nil {
			return err
		}
	}
	content, err := os.ReadFile(filepath.Join("codemirror", editor))
	if err != nil {
		return err
	}
	if err := write("console", editor, content); err != nil {
		return err
	}
	for _, name := range swagger {
		content, err := static.FS.ReadFile(name)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join("packed", "docs", name), content, 0o644); err != nil {
			return err
		}
	}
	return nil
}

func pack(site string) error {
	files, err := fs.Glob(os.DirFS(site), "*")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join("packed", site), 0o755); err != nil {
		return err
	}
	for _, name := range files {
		content, err := os.ReadFile(filepath.Join(site, name))
		if err != nil {
			return err
		}
		if err := write(site, name, content); err != nil {
			return err
		}
	}
	return nil
}

// write packs a file of a site.
func write(site, name string, content []byte) error {
	var out bytes.Buffer
	w, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return err
	}
	if _, err := w.Write(content); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join("packed", site, name+".gz"), out.Bytes(), 0o644)
}
