package main

import (
	"archive/zip"
	"errors"
	"os"
)

// zipDirectory writes the files of a directory, with their times and modes, in the order of
// their names.
func zipDirectory(file, dir string) error {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	z := zip.NewWriter(f)
	return errors.Join(z.AddFS(os.DirFS(dir)), z.Close(), f.Close())
}

// unzip writes the files of an archive into a directory.
func unzip(file, dir string) error {
	z, err := zip.OpenReader(file)
	if err != nil {
		return err
	}
	return errors.Join(os.CopyFS(dir, z), z.Close())
}
