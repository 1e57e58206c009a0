package pages

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"orgd/test/process"
)

var binary string

func TestMain(m *testing.M) {
	nextPort.Store(10000 + int32(os.Getpid()*7%20000))
	os.Exit(process.Main(m, func(dir string) (err error) {
		binary, err = process.Build(dir)
		return err
	}))
}

// pages are those whose commands are run, with how many scripts each has and how
// many of them are skipped, so that none is left out unnoticed.
var pages = []struct {
	name         string
	run, skipped int
}{
	{"README.md", 3, 1},
	{"docs/README.md", 9, 0},
	{"docs/archive.md", 3, 1},
	{"docs/concepts.md", 2, 0},
	{"docs/demo.md", 4, 0},
	{"docs/install.md", 4, 5},
	{"docs/mcp.md", 4, 0},
	{"docs/quickstart.md", 8, 0},
	{"docs/release.md", 8, 0},
	{"docs/render.md", 5, 1},
	{"docs/runtime.md", 4, 1},
	{"docs/troubleshooting.md", 6, 0},
	{"docs/webhooks.md", 2, 0},
}

// given are the files that the reader of a page has already.
var given = map[string]map[string]string{
	"docs/README.md": {
		"agents/engineering/reviewer.md": "---\nname: reviewer\ndescription: Reviews changes\ntools: Read, Grep\n---\nReview the change.\n",
		"agents/support/answerer.md":     "---\nname: answerer\ndescription: Answers customers\nmodel: haiku\n---\nAnswer in two sentences.\n",
	},
}

// Every command of these pages does what the page says.
func TestCommandsOfPages(t *testing.T) {
	for _, p := range pages {
		t.Run(strings.ReplaceAll(p.name, "/", "-"), func(t *testing.T) {
			t.Parallel()
			all := blocks(t, p.name)
			run, skipped := 0, 0
			for _, b := range all {
				switch {
				case strings.HasPrefix(b.mark, "skip: "):
					skipped++
				case b.language == "sh":
					run++
				}
			}
			if run != p.run || skipped != p.skipped {
				t.Errorf("%s has %d scripts to run and %d to skip, want %d and %d", p.name, run, skipped, p.run, p.skipped)
			}
			needTools(t, p.name, all)
			s := newShell(t, all)
			for name, text := range given[p.name] {
				s.put(name, text)
			}
			s.run(script(t, p.name, all, s.notes))
			s.compare(p.name, all)
		})
	}
}

// put writes a file into the directory of the shell.
func (s *shell) put(name, text string) {
	s.Helper()
	path := filepath.Join(s.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		s.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		s.Fatal(err)
	}
}

// tools are the programs that pages may use and a machine may lack.
var tools = []string{"jq", "python3", "node", "openssl", "make", "zstd"}

// needTools skips a page whose commands need a program that is not there.
func needTools(t *testing.T, page string, all []block) {
	t.Helper()
	for _, tool := range tools {
		uses := regexp.MustCompile(`(?m)(^|[|(;] *)` + tool + `\b`)
		for _, b := range all {
			if b.language != "sh" || b.mark != "" || !uses.MatchString(b.text) {
				continue
			}
			if _, err := exec.LookPath(tool); err != nil {
				t.Skipf("SKIPPED: there is no %s, so THE COMMANDS OF %s WERE NOT TRIED", tool, strings.ToUpper(page))
			}
		}
	}
}

// shell is where one page is tried: an empty directory, two free ports, and a
// home without profiles.
type shell struct {
	*testing.T
	dir   string // where the commands run
	notes string // what they printed, and what failed
	env   []string
	ports [2]string // in the place of those that pages name
}

// written are the ports that pages name.
var written = [2]string{"8080", "9000"}

func newShell(t *testing.T, all []block) *shell {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s := &shell{T: t, dir: filepath.Join(top, "orgd"), notes: filepath.Join(top, "notes"), ports: freePorts(t)}
	bin, home := filepath.Join(top, "bin"), filepath.Join(top, "home")
	for _, dir := range []string{s.dir, s.notes, bin, home} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(binary, filepath.Join(bin, "orgd")); err != nil {
		t.Fatal(err)
	}
	for i := range all {
		all[i].text = s.replace(all[i].text, written, s.ports)
		// A demo takes its address from no variable.
		all[i].text = strings.Replace(all[i].text, "orgd demo", "orgd demo --addr 127.0.0.1:"+s.ports[0], 1)
		if all[i].language == "sh" && all[i].mark == "" && regexp.MustCompile(`\./cmd/orgd|make `).MatchString(all[i].text) ||
			all[i].mark == "background" && strings.Contains(all[i].text, "./cmd/orgd") {
			checkout(t, s.dir)
		}
	}
	s.env = []string{
		"PATH=" + bin + ":" + os.Getenv("PATH"), "HOME=" + home, "PWD=" + s.dir, "TZ=UTC", "LC_ALL=C.UTF-8", "NO_COLOR=1",
		"ORGD_ADDR=127.0.0.1:" + s.ports[0], "ORGD_SERVER=http://127.0.0.1:" + s.ports[0],
		"GOPROXY=off", "GOTOOLCHAIN=local", "GOFLAGS=" + os.Getenv("GOFLAGS"), "CGO_ENABLED=0",
	}
	for _, name := range []string{"GOCACHE", "GOMODCACHE", "GOPATH"} {
		value, err := process.Output(exec.Command("go", "env", name))
		if err != nil {
			t.Fatal(err)
		}
		s.env = append(s.env, name+"="+value)
	}
	return s
}

// nextPort is what freePorts tries next, so that no port is given out twice.
var nextPort atomic.Int32

// freePorts are two that nobody listens on, below those that the system gives to
// connections, so that none takes them meanwhile.
func freePorts(t *testing.T) (ports [2]string) {
	t.Helper()
	for n := 0; n < 2; {
		port := nextPort.Add(1)
		l, err := net.Listen("tcp", fmt.Sprint("127.0.0.1:", port))
		if err != nil {
			continue
		}
		defer l.Close() // not before there are both
		ports[n] = fmt.Sprint(port)
		n++
	}
	return ports
}

// replace puts ports in the place of others.
func (s *shell) replace(text string, from, to [2]string) string {
	for i := range from {
		text = regexp.MustCompile(`\b`+from[i]+`\b`).ReplaceAllString(text, to[i])
	}
	return text
}

// checkout copies what the program is built of, as a clone of the repository has
// it, unless that was done.
func checkout(t *testing.T, dir string) {
	t.Helper()
	if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
		return
	}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		name, _ := filepath.Rel(root, path) // below root
		switch {
		case err != nil:
			return err
		case name == ".":
			return nil
		case strings.HasPrefix(name, ".") || name == "test" || name == "docs" || name == "dist" || name == "bin" || name == "data" || name == "demo" || d.Name() == "testdata":
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		case d.IsDir():
			return os.Mkdir(filepath.Join(dir, name), 0o700)
		case !d.Type().IsRegular():
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(dir, name), text, 0o600)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// run runs a script and returns when it, and all that it has started, is gone.
func (s *shell) run(script string) {
	s.Helper()
	ctx := s.Context()
	// A script has all the time that the test has, less what it takes to report.
	if deadline, ok := s.Deadline(); ok {
		var cancel func()
		ctx, cancel = context.WithDeadline(ctx, deadline.Add(-20*time.Second))
		defer cancel()
	}
	cmd := exec.Command("bash", "-c", script)
	cmd.Dir, cmd.Env = s.dir, s.env
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	r, w, err := os.Pipe() // which every process of the page holds
	if err != nil {
		s.Fatal(err)
	}
	defer r.Close()
	cmd.ExtraFiles = []*os.File{w}
	if err := cmd.Start(); err != nil {
		s.Fatal(err)
	}
	w.Close()
	defer context.AfterFunc(ctx, func() { syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) })()
	waited := cmd.Wait()
	if _, err := r.Read(make([]byte, 1)); err == nil {
		s.Error("somebody wrote into the pipe that tells when all processes are gone")
	}
	if waited != nil || ctx.Err() != nil || out.Len() > 0 {
		s.Errorf("bash: %v, %v\n%s", waited, ctx.Err(), out.Bytes())
	}
}

// compare compares what the blocks printed with what the page says.
func (s *shell) compare(page string, all []block) {
	s.Helper()
	for i, b := range all {
		if b.language != "sh" || strings.HasPrefix(b.mark, "skip: ") {
			continue
		}
		printed, err := os.ReadFile(filepath.Join(s.notes, fmt.Sprintf("%d.out", i)))
		if err != nil {
			s.Errorf("%s:%d: was not run: %v", page, b.line, err)
			continue
		}
		failed, err := os.ReadFile(filepath.Join(s.notes, fmt.Sprintf("%d.failed", i)))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			s.Fatal(err)
		}
		if (len(failed) > 0) != (b.mark == "fails") {
			s.Errorf("%s:%d: these commands failed, while the page says %q:\n%s\nand this was printed:\n%s", page, b.line, b.mark, failed, printed)
		}
		if b.output == nil {
			continue
		}
		got, want := s.plain(string(printed)), s.plain(*b.output)
		if !matches(want, got) {
			s.Errorf("%s:%d: what is printed is not what the page says (-page +program):\n%s", page, b.line, cmp.Diff(want, got))
		}
	}
}

// varying is what differs from run to run.
var varying = []struct {
	pattern *regexp.Regexp
	plain   string
}{
	{regexp.MustCompile(`\beyJ[\w-]+\.[\w-]+\.[\w-]+`), "TOKEN"},
	{regexp.MustCompile(`\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b`), "ID"},
	{regexp.MustCompile(`\bproj-[0-9a-f]{12}\b`), "PROJECT"},
	{regexp.MustCompile(`\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z`), "TIME"},
	{regexp.MustCompile(`\b\d{4}-\d\d-\d\d\b`), "DAY"},
	{regexp.MustCompile(`\b\d\d:\d\d:\d\d(\.\d+)?\b`), "TIME"},
	{regexp.MustCompile(`\b\d+(\.\d+)?(ms|µs|s)\b`), "DURATION"},
	{regexp.MustCompile(`^orgd \S+ \(commit \S+, `), "orgd VERSION ("},
	{regexp.MustCompile(`\bprocess \d+\b`), "process PID"},
	{regexp.MustCompile(`\bgo1\.\d+(\.\d+)?\b`), "GO"},
	{regexp.MustCompile(`\b(linux|darwin)/(amd64|arm64)\b`), "SYSTEM"},
	{regexp.MustCompile(`"[0-9a-zA-Z_-]+(\.[0-9a-zA-Z_-]+)+"`), `"TAG"`},
	{regexp.MustCompile(`[ \t]+`), " "},
}

// plain are the lines of what a command prints, without what differs from run to
// run and with the ports of the pages.
func (s *shell) plain(text string) (lines []string) {
	text = s.replace(text, s.ports, written)
	text = strings.ReplaceAll(text, s.dir, "/home/ann/orgd")
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		// The tests say by the environment where the service is; the pages need not.
		if line == "" || strings.HasPrefix(line, "ORGD_SERVER is set and stands above") {
			continue
		}
		for _, v := range varying {
			line = v.pattern.ReplaceAllString(line, v.plain)
		}
		lines = append(lines, line)
	}
	return lines
}

// matches reports whether lines are those that a page shows, in which "…" stands
// for any number of lines, and at the end of a line for its rest.
func matches(want, got []string) bool {
	switch {
	case len(want) == 0:
		return len(got) == 0
	case want[0] == "…":
		for i := range len(got) + 1 {
			if matches(want[1:], got[i:]) {
				return true
			}
		}
		return false
	case len(got) == 0:
		return false
	}
	begin, open := strings.CutSuffix(want[0], "…")
	return (want[0] == got[0] || open && strings.HasPrefix(got[0], begin)) && matches(want[1:], got[1:])
}
