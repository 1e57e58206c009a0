package signin

import (
	"bytes"
	"context"
	"fmt"
	"html"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"orgd/test/identity"
)

// terminal is somebody at a command line.
type terminal struct {
	*testing.T
	home string
}

func (c terminal) command(args ...string) *exec.Cmd {
	cmd := exec.CommandContext(c.Context(), binary, args...)
	cmd.Env = []string{"HOME=" + c.home, "BROWSER=true"}
	return cmd
}

// can runs a command that has to succeed.
func (c terminal) can(args ...string) string {
	c.Helper()
	out, err := c.command(args...).CombinedOutput()
	if err != nil {
		c.Fatalf("orgd %s = %v:\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// shown is what a command has said so far.
type shown struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Write implements io.Writer.
func (s *shown) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(p)
}

func (s *shown) find(form *regexp.Regexp) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return form.FindStringSubmatch(s.text.String())
}

// login begins to log in, waits until the program has said something in this form, and returns
// what is in its parentheses. end returns its exit code and all that it has said.
func (c terminal) login(form *regexp.Regexp, args ...string) (said string, end func() string) {
	c.Helper()
	var out shown
	cmd := c.command(append([]string{"login"}, args...)...)
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		c.Fatal(err)
	}
	c.Cleanup(func() { _ = cmd.Wait() }) // which the end of its context makes it do
	ctx, cancel := context.WithTimeout(c.Context(), time.Minute)
	defer cancel()
	for out.find(form) == nil {
		if ctx.Err() != nil {
			c.Fatalf("orgd login says nothing like %s:\n%s", form, &out.text)
		}
		time.Sleep(5 * time.Millisecond)
	}
	return out.find(form)[1], func() string {
		c.Helper()
		_ = cmd.Wait() // the exit code says it
		return fmt.Sprintf("%d: %s", cmd.ProcessState.ExitCode(), &out.text)
	}
}

// The command line opens the browser, which brings the sign-in back to it.
func TestCommandLine(t *testing.T) {
	t.Parallel()
	s := start(t)
	c, p := terminal{t, t.TempDir()}, identity.NewPerson(t, s.public)
	query, end := c.login(regexp.MustCompile(`/auth/oidc/start(\?\S+)`), "--web", "--server", s.public)
	page := p.Begin(query)("dora")
	back := regexp.MustCompile(`href="(http://127\.0\.0\.1:[^"]+)"`).FindStringSubmatch(page.Text)
	if page.StatusCode != 200 || back == nil || !strings.Contains(page.Text, "dora@example.com") {
		t.Fatalf("the browser is shown %d %s, want the way back", page.StatusCode, page.Text)
	}
	if done := p.Open(html.UnescapeString(back[1])); done.StatusCode != 200 || !strings.Contains(done.Text, "dora@example.com, role department_admin") {
		t.Errorf("the browser is shown %d %s, want who is signed in", done.StatusCode, done.Text)
	}
	if out := end(); !strings.HasPrefix(out, "0: ") || !strings.Contains(out, "as dora@example.com, role department_admin") {
		t.Errorf("orgd login says %s", out)
	}
	if who := c.can("whoami"); !strings.Contains(who, "dora@example.com") || !strings.Contains(who, "Design") || !strings.Contains(who, s.provider.URL+"|dora") {
		t.Errorf("orgd whoami:\n%s", who)
	}
	c.can("logout")
}
