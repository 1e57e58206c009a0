package remote

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"orgd"
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

// MarkServed writes into a data directory where it is served, until the file is
// closed.
func MarkServed(dir, url string) (*os.File, error) {
	f, err := os.OpenFile(filepath.Join(dir, ServedFile), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err = errors.Join(unix.Flock(int(f.Fd()), unix.LOCK_EX), f.Truncate(0)); err == nil {
		_, err = f.WriteString(url)
	}
	return f, err
}

// ServedAt returns the URL where a data directory is served, "" if it is not.
func ServedAt(dir string) string {
	f, err := os.Open(filepath.Join(dir, ServedFile))
	if err != nil {
		return ""
	}
	defer f.Close()
	if err := unix.Flock(int(f.Fd()), unix.LOCK_SH|unix.LOCK_NB); !errors.Is(err, unix.EWOULDBLOCK) {
		return ""
	}
	url, err := io.ReadAll(io.LimitReader(f, terminal.MaxSecret))
	if err != nil {
		return ""
	}
	return string(url)
}

// sameListener reports whether two URLs of this machine have one port: only one
// process listens there.
func sameListener(a, b string) bool {
	x, err := url.Parse(a)
	y, wrong := url.Parse(b)
	return err == nil && wrong == nil && x.Scheme == y.Scheme && x.Port() == y.Port()
}

// findToken returns the token that "orgd serve" or "orgd demo" has written to its
// data directory, if the directory is the one that is served at a URL of this
// machine. The error says why there is none.
func findToken(getenv func(string) string, server string) (token, file string, err error) {
	for _, dir := range dataDirs(getenv) {
		if sameListener(ServedAt(dir), server) {
			file = filepath.Join(dir, orgd.AdminTokenName)
			token, err = readOwn(file)
			return token, file, err
		}
	}
	return "", "", fmt.Errorf("the service there does not use the directory %s", strings.Join(dataDirs(getenv), " or "))
}

// dataDirs are the directories that "orgd serve" and "orgd demo" use here.
func dataDirs(getenv func(string) string) []string {
	if dir := getenv("ORGD_DATA_DIR"); dir != "" {
		return []string{dir}
	}
	return []string{orgd.Default().DataDir(), DemoDir}
}

// servedHere returns the first of these directories that is served, and the URL;
// "" if none is.
func servedHere(getenv func(string) string) (dir, url string) {
	for _, dir := range dataDirs(getenv) {
		if url := ServedAt(dir); url != "" {
			return dir, url
		}
	}
	return "", ""
}

// readOwn reads a file that only this user can read. Another user may have put a
// file there to be mistaken for it.
func readOwn(path string) (string, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	switch {
	case errors.Is(err, syscall.ELOOP):
		return "", fmt.Errorf("%s is a link", path)
	case errors.Is(err, fs.ErrNotExist):
		return "", fmt.Errorf("there is no %s", path)
	case err != nil:
		return "", err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return "", err
	}
	switch owner, ok := info.Sys().(*syscall.Stat_t); {
	case !info.Mode().IsRegular():
		return "", fmt.Errorf("%s is not a file", path)
	case !ok || int(owner.Uid) != os.Getuid():
		return "", fmt.Errorf("%s belongs to another user", path)
	case info.Mode().Perm()&0o077 != 0:
		return "", fmt.Errorf("others may use %s (chmod 600 %s)", path, path)
	}
	text, err := io.ReadAll(io.LimitReader(f, terminal.MaxSecret))
	token := strings.TrimSpace(string(text))
	if token == "" && err == nil {
		err = fmt.Errorf("%s is empty", path)
	}
	return token, err
}
