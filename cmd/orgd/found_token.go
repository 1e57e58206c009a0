package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"orgd/domain/loopback"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"orgd"
)

// isLoopback reports whether a server can only be on this machine.
func isLoopback(server string) bool {
	u, err := url.Parse(server)
	return err == nil && loopback.IsHost(u.Hostname())
}

// servedFile, in a data directory, holds the URL where a process serves it. That
// process holds a lock on the file until it ends, however it ends.
const servedFile = "orgd.url"

// markServed says in a data directory where it is served, until the file is closed.
func markServed(dir, url string) (*os.File, error) {
	f, err := os.OpenFile(filepath.Join(dir, servedFile), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err = errors.Join(unix.Flock(int(f.Fd()), unix.LOCK_EX), f.Truncate(0)); err == nil {
		_, err = f.WriteString(url)
	}
	return f, err
}

// servedAt returns the URL where a directory is served, "" if it is not.
func servedAt(dir string) string {
	f, err := os.Open(filepath.Join(dir, servedFile))
	if err != nil {
		return ""
	}
	defer f.Close()
	if err := unix.Flock(int(f.Fd()), unix.LOCK_SH|unix.LOCK_NB); !errors.Is(err, unix.EWOULDBLOCK) {
		return ""
	}
	url, err := io.ReadAll(io.LimitReader(f, maxSecret))
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

// foundToken looks for the token that "orgd serve" or "orgd demo" has left in its
// directory below this one, if it is that which serves at a URL of this machine.
// The error says why there is none.
func (p *process) foundToken(server string) (token, file string, err error) {
	for _, dir := range p.dataDirs() {
		if sameListener(servedAt(dir), server) {
			file = filepath.Join(dir, orgd.AdminTokenName)
			token, err = readOwn(file)
			return token, file, err
		}
	}
	return "", "", fmt.Errorf("the service there does not use the directory %s", strings.Join(p.dataDirs(), " or "))
}

// dataDirs are the directories that "orgd serve" and "orgd demo" use here.
func (p *process) dataDirs() []string {
	if dir := p.getenv("ORGD_DATA_DIR"); dir != "" {
		return []string{dir}
	}
	return []string{orgd.Default().DataDir(), demoDir}
}

// servedHere returns the first of these directories that is served, and where; ""
// if none is.
func (p *process) servedHere() (dir, url string) {
	for _, dir := range p.dataDirs() {
		if url := servedAt(dir); url != "" {
			return dir, url
		}
	}
	return "", ""
}

// readOwn reads a file that only this user can read: somebody else's might be
// there to be taken for it.
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
	text, err := io.ReadAll(io.LimitReader(f, maxSecret))
	token := strings.TrimSpace(string(text))
	if token == "" && err == nil {
		err = fmt.Errorf("%s is empty", path)
	}
	return token, err
}
