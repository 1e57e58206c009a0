package agenthistory

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"

	"orgd/cmd/orgd/internal/agentfiles"
)

// checkout is a directory under Git. What it is asked depends neither on the
// settings of the user nor on those of the repository.
type checkout struct{ dir string }

// elsewhere are the variables that name another repository, as in a hook.
var elsewhere = []string{
	"GIT_DIR", "GIT_COMMON_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES",
	"GIT_NAMESPACE", "GIT_PREFIX", "GIT_SHALLOW_FILE", "GIT_GRAFT_FILE",
}

// command is a Git command in the directory.
func (c checkout) command(ctx context.Context, args ...string) *exec.Cmd {
	// Nothing is fetched, and no program of the repository is started.
	fixed := []string{"--no-pager", "--no-replace-objects", "--literal-pathspecs", "-c", "protocol.allow=never", "-c", "core.fsmonitor=false"}
	cmd := exec.CommandContext(ctx, "git", append(fixed, args...)...)
	cmd.Dir = c.dir
	for _, v := range os.Environ() {
		if name, _, _ := strings.Cut(v, "="); !slices.Contains(elsewhere, name) {
			cmd.Env = append(cmd.Env, v)
		}
	}
	cmd.Env = append(cmd.Env, "LC_ALL=C", "GIT_TERMINAL_PROMPT=0", "GIT_OPTIONAL_LOCKS=0")
	return cmd
}

// output runs a command and returns what it prints.
func (c checkout) output(ctx context.Context, stdin io.Reader, args ...string) ([]byte, error) {
	cmd := c.command(ctx, args...)
	var problems bytes.Buffer
	cmd.Stdin, cmd.Stderr = stdin, &problems
	out, err := cmd.Output()
	return out, gitError(args[0], err, problems.String())
}

// gitError tells what Git says, which is more than its exit code.
func gitError(command string, err error, problems string) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, exec.ErrNotFound):
		return errors.New("the program git is not installed")
	}
	if line, _, _ := strings.Cut(strings.TrimSpace(problems), "\n"); line != "" {
		return fmt.Errorf("git %s: %s", command, line)
	}
	return fmt.Errorf("git %s: %w", command, err)
}

// Commits returns how many commits have changed a directory; 0 if it is not under Git.
func Commits(ctx context.Context, dir string) int {
	out, err := checkout{dir}.output(ctx, nil, "rev-list", "--count", "HEAD", "--", ".")
	if err != nil {
		return 0
	}
	n, _ := strconv.Atoi(strings.TrimSpace(string(out))) // of Git
	return n
}

// commits lists all that lead to the one that is checked out, parents first.
func (c checkout) commits(ctx context.Context) ([]Commit, error) {
	out, err := c.output(ctx, nil, "log", "-z", "--date-order", "--reverse", "--no-patch", "--no-show-signature", "--encoding=UTF-8",
		"--format=%H%x00%aI%x00%aN%x00%aE%x00%s", "HEAD", "--")
	if err != nil {
		return nil, err
	}
	words := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	if len(words)%5 != 0 {
		return nil, errors.New("git log: its answer is not understood")
	}
	all := make([]Commit, len(words)/5)
	for i := range all {
		date, err := time.Parse(time.RFC3339, words[5*i+1])
		if err != nil {
			return nil, fmt.Errorf("git log: the date of %s: %w", words[5*i], err)
		}
		all[i] = Commit{ID: words[5*i], Date: date, Author: words[5*i+2], Email: words[5*i+3], Subject: words[5*i+4]}
	}
	return all, nil
}

// change is what a commit has made of a file.
type change struct {
	path string
	mode fs.FileMode
	blob string // "" if the file is gone
}

// changes returns what each commit has changed below the directory, compared
// with each of its parents.
func (c checkout) changes(ctx context.Context, commits []Commit) (map[string][]change, error) {
	var ids strings.Builder
	for _, commit := range commits {
		ids.WriteString(commit.ID + "\n")
	}
	out, err := c.output(ctx, strings.NewReader(ids.String()),
		"diff-tree", "--stdin", "-m", "--root", "-r", "-z", "--raw", "--no-renames", "--no-abbrev", "--relative")
	if err != nil {
		return nil, err
	}
	all := map[string][]change{}
	id := ""
	for words := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00"); len(words) > 0; words = words[1:] {
		record, ok := strings.CutPrefix(words[0], ":")
		if !ok {
			id = words[0]
			continue
		}
		part := strings.Fields(record) // mode before, mode, blob before, blob, what happened
		if len(part) != 5 || len(words) == 1 {
			return nil, errors.New("git diff-tree: its answer is not understood")
		}
		words = words[1:]
		one := change{path: words[0], mode: modeOf(part[1]), blob: part[3]}
		if strings.Trim(one.blob, "0") == "" {
			one.blob = ""
		}
		all[id] = append(all[id], one)
	}
	return all, nil
}

// files lists what the commit that is checked out has below the directory.
func (c checkout) files(ctx context.Context) ([]change, error) {
	out, err := c.output(ctx, nil, "ls-tree", "-r", "-z", "HEAD")
	if err != nil {
		return nil, err
	}
	var all []change
	for line := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		record, path, ok := strings.Cut(line, "\t")
		part := strings.Fields(record) // mode, type, blob
		if line == "" {
			continue
		}
		if !ok || len(part) != 3 {
			return nil, errors.New("git ls-tree: its answer is not understood")
		}
		all = append(all, change{path: path, mode: modeOf(part[0]), blob: part[2]})
	}
	return all, nil
}

// modeOf reads a mode as Git writes it.
func modeOf(octal string) fs.FileMode {
	switch octal {
	case "100644", "100755", "100664":
		return 0
	case "120000":
		return fs.ModeSymlink
	}
	return fs.ModeIrregular
}

// blobs reads the contents of files.
type blobs struct {
	cmd      *exec.Cmd
	ask      io.WriteCloser
	answers  *bufio.Reader
	problems bytes.Buffer
}

// blobs starts to read contents. The caller closes it.
func (c checkout) blobs(ctx context.Context) (*blobs, error) {
	b := &blobs{cmd: c.command(ctx, "cat-file", "--batch")}
	b.cmd.Stderr = &b.problems
	var err error
	if b.ask, err = b.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := b.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	b.answers = bufio.NewReader(out)
	return b, gitError("cat-file", b.cmd.Start(), "")
}

// errMissing is a content that the repository does not have, as in a partial
// clone.
var errMissing = errors.New("the repository does not have its content")

// read returns a content, or of a large one as much as shows that it is too
// large.
func (b *blobs) read(id string) (text []byte, size int64, err error) {
	if _, err := io.WriteString(b.ask, id+"\n"); err != nil {
		return nil, 0, b.failed(err)
	}
	head, err := b.answers.ReadString('\n')
	if err != nil {
		return nil, 0, b.failed(err)
	}
	word := strings.Fields(head) // id, type, size; or id, missing
	if len(word) != 3 {
		return nil, 0, errMissing
	}
	size, err = strconv.ParseInt(word[2], 10, 64)
	if err != nil {
		return nil, 0, b.failed(err)
	}
	text, err = io.ReadAll(io.LimitReader(b.answers, min(size, agentfiles.MaxSize+1)))
	if err == nil {
		_, err = io.CopyN(io.Discard, b.answers, size-int64(len(text))+1) // and a line feed
	}
	if err != nil {
		return nil, 0, b.failed(err)
	}
	return text, size, nil
}

func (b *blobs) failed(err error) error { return gitError("cat-file", err, "") }

// close ends the reading.
func (b *blobs) close() error {
	err := b.ask.Close()
	if waited := b.cmd.Wait(); waited != nil {
		err = waited
	}
	return gitError("cat-file", err, b.problems.String())
}
