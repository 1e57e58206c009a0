package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"orgd"
)

// isLoopback reports whether a server can only be on this machine.
func isLoopback(server string) bool {
	u, err := url.Parse(server)
	if err != nil {
		return false
	}
	return u.Hostname() == "localhost" || net.ParseIP(u.Hostname()).IsLoopback()
}

// foundToken looks for the token that "orgd serve" or "orgd demo" has left in its
// directory below this one. The error says why there is none.
func (p *process) foundToken() (token, file string, err error) {
	dirs := []string{orgd.Default().DataDir(), "demo"}
	if dir := p.getenv("ORGD_DATA_DIR"); dir != "" {
		dirs = []string{dir}
	}
	for _, dir := range dirs {
		file = filepath.Join(dir, "admin.token")
		if token, err = readOwn(file); !errors.Is(err, fs.ErrNotExist) {
			return token, file, err
		}
	}
	return "", "", fmt.Errorf("there is no %s here", filepath.Join(dirs[0], "admin.token"))
}

// readOwn reads a file that only this user can read: somebody else's might be
// there to be taken for it.
func readOwn(path string) (string, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if errors.Is(err, syscall.ELOOP) {
		return "", fmt.Errorf("%s is a link", path)
	} else if err != nil {
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
