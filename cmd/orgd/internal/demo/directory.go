package demo

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"orgd"
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
func (c *Demo) takeDirectory() (m mark, err error) {
	entries, err := os.ReadDir(c.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		err = os.MkdirAll(c.Dir, 0o700)
	}
	if err != nil {
		return m, err
	}
	path := filepath.Join(c.Dir, markFile)
	text, err := os.ReadFile(path)
	switch {
	case err == nil && json.Unmarshal(text, &m) == nil && m.Complete:
		return m, nil
	case err == nil:
		return mark{}, c.explain(empty(c.Dir))
	case len(entries) > 0:
		return m, fmt.Errorf("%s holds something else than a demo; name another directory with --dir", c.Dir)
	}
	return m, os.WriteFile(path, nil, 0o600)
}

// empty removes what a service has made in a directory that no process uses.
func empty(dir string) error {
	lock, err := os.OpenFile(filepath.Join(dir, sqlitestore.LockName), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	defer lock.Close()
	if err := unix.Flock(int(lock.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
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
