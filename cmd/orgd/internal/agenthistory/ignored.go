package agenthistory

import (
	"context"
	"os"
	"path/filepath"
	"strings"
)

// Ignored lists the files and folders below a directory that Git ignores, the folders with a
// slash at the end. There are none if the directory is not under Git, or is ignored itself:
// whoever names it means it.
func Ignored(ctx context.Context, dir string) (places []string, err error) {
	if under, err := isUnderGit(dir); !under || err != nil {
		return nil, err
	}
	c := checkout{dir}
	where, err := c.output(ctx, nil, "rev-parse", "--show-toplevel", "--show-prefix")
	if err != nil {
		return nil, err
	}
	top, prefix, _ := strings.Cut(strings.TrimSuffix(string(where), "\n"), "\n")
	c.dir = filepath.FromSlash(top) // below an ignored folder, Git fails
	out, err := c.output(ctx, nil, "ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory")
	if err != nil {
		return nil, err
	}
	for place := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		if place == "" {
			continue
		}
		if strings.HasPrefix(prefix, place) {
			return nil, nil
		}
		if below, ok := strings.CutPrefix(place, prefix); ok {
			places = append(places, below)
		}
	}
	return places, nil
}

// isUnderGit reports whether a directory or one around it has a .git.
func isUnderGit(dir string) (bool, error) {
	dir, err := filepath.Abs(dir)
	if err == nil {
		dir, err = filepath.EvalSymlinks(dir)
	}
	if err != nil {
		return false, err
	}
	for ; ; dir = filepath.Dir(dir) {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return true, nil
		}
		if dir == filepath.Dir(dir) {
			return false, nil
		}
	}
}
