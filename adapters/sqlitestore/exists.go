package sqlitestore

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Exists reports whether a data directory holds a database.
func Exists(dir string) (bool, error) {
	_, err := os.Stat(filepath.Join(dir, databaseName))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}
