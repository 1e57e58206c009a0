package remote

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"orgd"
	"orgd/adapters/filelock"
	"orgd/cmd/orgd/internal/terminal"
	"orgd/domain/loopback"
)

// DemoDir is the directory of "orgd demo" by default.
const DemoDir = "demo"

// IsLoopback reports whether the URL of a server can only mean this machine.
func IsLoopback(server string) bool {
	u, err := url.Parse(server)
	return err == nil && loopback.IsHost(u.Hostname())
}

// ServedFile is the file in a data directory with the URL where a process serves
// it. The process holds a lock on the file until it ends.
const ServedFile = "orgd.url"

// Mark is a [ServedFile] of this process.
type Mark struct{ file *os.File }

// Close ends it, if there is one.
func (m *Mark) Close() error {
	if m == nil {
		return nil
	}
	return filelock.Close(m.file)
}

// MarkServed writes into a data directory where it is served, until the mark is
// closed. Others cannot read the file, or they could lock it later.
func MarkServed(dir, url string) (*Mark, error) {
	f, err := os.OpenFile(filepath.Join(dir, ServedFile), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err = errors.Join(f.Chmod(0o600), filelock.Lock(f), f.Truncate(0)); err == nil {
		_, err = f.WriteString(url)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return &Mark{f}, nil
}

// ServedAt returns the URL where a data directory is served, "" if it is not.
func ServedAt(dir string) string {
	d, err := openDirectory(dir)
	if err != nil {
		return ""
	}
	defer d.Close()
	f, err := openIn(d, ServedFile)
	if err != nil {
		return ""
	}
	defer f.Close()
	return lockedText(f)
}

// lockedText returns what a file says that another process holds, else "".
func lockedText(f *os.File) string {
	if err := filelock.TryShare(f); !errors.Is(err, filelock.ErrHeld) {
		return ""
	}
	text, err := io.ReadAll(io.LimitReader(f, terminal.MaxSecret))
	if err != nil {
		return ""
	}
	return string(text)
}

// served is what a process has written into the data directory that it serves.
type served struct {
	dir, url string
	token    string
	file     string // of the token
	missing  error  // why there is no token
}

// readServed reads a data directory, nil if none is served there. It fails if
// somebody else may have written where, or if that is another machine. The token is
// that of the same directory, also if another takes its place meanwhile.
func readServed(dir string) (*served, error) {
	d, err := openDirectory(dir)
	if err != nil {
		return nil, nil
	}
	defer d.Close()
	f, err := openIn(d, ServedFile)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
		return nil, nil
	}
	if err != nil {
		return nil, unused(err)
	}
	defer f.Close()
	at := lockedText(f)
	if at == "" {
		return nil, nil
	}
	if err := cmp.Or(checkOwn(f, othersWrite), checkOwn(d, othersWrite), checkAbove(d)); err != nil {
		return nil, unused(err)
	}
	if u, err := url.Parse(at); err != nil || u.User != nil || !IsLoopback(at) {
		return nil, unused(fmt.Errorf("%s names %q, which is not a loopback address", f.Name(), at))
	}
	s := &served{dir: dir, url: at, file: filepath.Join(dir, orgd.AdminTokenName)}
	s.token, s.missing = readToken(d)
	return s, nil
}

// unused is the error of a data directory that does not count.
func unused(why error) error { return fmt.Errorf("%w, so it was not used", why) }

// readToken reads the token of a data directory.
func readToken(dir *os.File) (string, error) {
	f, err := openIn(dir, orgd.AdminTokenName)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", fmt.Errorf("there is no %s", filepath.Join(dir.Name(), orgd.AdminTokenName))
	case err != nil:
		return "", err
	}
	defer f.Close()
	if err := checkOwn(f, othersUse); err != nil {
		return "", err
	}
	text, err := io.ReadAll(io.LimitReader(f, terminal.MaxSecret))
	token := strings.TrimSpace(string(text))
	if token == "" && err == nil {
		err = fmt.Errorf("%s is empty", f.Name())
	}
	return token, err
}

// sameListener reports whether two URLs of this machine have one port: only one
// process listens there.
func sameListener(a, b string) bool {
	x, err := url.Parse(a)
	y, wrong := url.Parse(b)
	return err == nil && wrong == nil && x.Scheme == y.Scheme && x.Port() == y.Port()
}

// dataDirs are the directories that "orgd serve" and "orgd demo" use here.
func dataDirs(getenv func(string) string) []string {
	if dir := getenv("ORGD_DATA_DIR"); dir != "" {
		return []string{dir}
	}
	return []string{orgd.Default().DataDir(), DemoDir}
}

// servedHere returns the first of these directories that is served, nil if none is.
// It fails if it is one that does not count.
func servedHere(getenv func(string) string) (*served, error) {
	for _, dir := range dataDirs(getenv) {
		if s, err := readServed(dir); s != nil || err != nil {
			return s, err
		}
	}
	return nil, nil
}

// servedBy returns the directory that is served at a URL of this machine. The error
// says why there is none.
func servedBy(getenv func(string) string, server string) (*served, error) {
	var wrong error
	for _, dir := range dataDirs(getenv) {
		s, err := readServed(dir)
		if s != nil && sameListener(s.url, server) {
			return s, nil
		}
		wrong = errors.Join(wrong, err)
	}
	if wrong == nil {
		wrong = fmt.Errorf("the service there does not use the directory %s", strings.Join(dataDirs(getenv), " or "))
	}
	return nil, wrong
}
