package demo

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"orgd"
	"orgd/adapters/filelock"
	"orgd/adapters/keyfile"
	"orgd/adapters/sqlitestore"
	"orgd/cmd/orgd/internal/remote"
)

// markFile marks the directory of a demo.
const markFile = "orgd.demo"

// mark says how far a demo has come.
type mark struct {
	Complete bool      `json:"complete"`
	Made     time.Time `json:"made,omitzero"`     // the day on which the story was played
	Reported time.Time `json:"reported,omitzero"` // up to when the agents have told what they did
}

func (m mark) save(dir string) error {
	text, err := json.Marshal(m)
	if err == nil {
		err = keyfile.Replace(filepath.Join(dir, markFile), append(text, '\n'))
	}
	return err
}

// takeDirectory makes the directory, or empties one whose demo was not completed, and
// returns its mark. It fails if the directory holds something else.
func takeDirectory(dir string) (m mark, err error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		err = os.MkdirAll(dir, 0o700)
	}
	if err != nil {
		return m, err
	}
	path := filepath.Join(dir, markFile)
	text, err := os.ReadFile(path)
	switch {
	case err == nil && json.Unmarshal(text, &m) == nil && m.Complete:
		return m, nil
	case err == nil:
		return mark{}, explain(dir, empty(dir))
	case len(entries) > 0:
		return m, fmt.Errorf("%s holds something else than a demo; name another directory with --dir", dir)
	}
	return m, os.WriteFile(path, nil, 0o600)
}

// empty removes what a service has made in a directory that no process uses.
func empty(dir string) error {
	lock, err := os.OpenFile(filepath.Join(dir, sqlitestore.LockName), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	defer filelock.Close(lock)
	if err := filelock.TryLock(lock); err != nil {
		return sqlitestore.ErrInUse
	}
	for _, pattern := range []string{"orgd.db*", "*.key", orgd.AdminTokenName, remote.ServedFile} {
		files, err := filepath.Glob(filepath.Join(dir, pattern)) // fails for a wrong pattern only
		for _, f := range files {
			err = errors.Join(err, os.Remove(f))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// explain returns in one sentence why the directory cannot be used. The errors of
// the service do not have the reasons of the operating system.
func explain(dir string, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, sqlitestore.ErrInUse):
		return fmt.Errorf("%s is in use by %s", dir, cmp.Or(remote.ServedAt(dir), "another process"))
	}
	file := filepath.Join(dir, "space")
	full := os.WriteFile(file, make([]byte, 1<<20), 0o600)
	gone := os.Remove(file) // also what was written in part
	if failed, ok := errors.AsType[*fs.PathError](cmp.Or(full, gone)); ok {
		return fmt.Errorf("%s cannot be written to: %w; the same command goes on when it can", dir, failed.Err)
	}
	return err
}
