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
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "pack:", err)
		os.Exit(1)
	}
}

// sites are the directories with files of our own.
var sites = []string{"docs", "console"}

// further are files of other directories that belong to a site, by their names in it.
var further = map[string]string{
	"console/codemirror.js": "codemirror/codemirror.js",
	"docs/colours.css":      "console/colours.css",
	"docs/element.js":       "console/element.js",
}

func run() error {
	if err := os.RemoveAll("packed"); err != nil {
		return err
	}
	for _, site := range sites {
		if err := pack(site); err != nil {
			return err
		}
	}
	for name, path := range further {
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if err := write(name, content); err != nil {
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
		if err := write(filepath.Join(site, name), content); err != nil {
			return err
		}
	}
	return nil
}

// write packs a file, named by its site and its name there.
func write(name string, content []byte) error {
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
	return os.WriteFile(filepath.Join("packed", name+".gz"), out.Bytes(), 0o644)
}
