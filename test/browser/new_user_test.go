package browser

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/creack/pty"

	"orgd/test/process"
)

// signInLink is what orgd demo prints on a terminal.
var signInLink = regexp.MustCompile(`(http://[^/\s]+)/console#code=[\w-]+`)

// demo runs orgd demo on a terminal, in a directory, and returns the sign-in link
// that it prints, and where it serves.
func demo(t *testing.T, dir string) (link, url string) {
	t.Helper()
	cmd := exec.Command(binary, "demo", "--addr", "127.0.0.1:0", "--days", "5")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "HOME="+dir, "XDG_CONFIG_HOME="+dir)
	terminal, err := pty.Start(cmd)
	if err != nil {
		t.Fatal(err)
	}
	printed := make(chan []string, 1)
	read := make(chan string, 1)
	go func() {
		var text strings.Builder
		for lines := bufio.NewScanner(terminal); lines.Scan(); {
			text.WriteString(lines.Text() + "\n")
			if m := signInLink.FindStringSubmatch(lines.Text()); m != nil && len(printed) == 0 {
				printed <- m
			}
		}
		read <- text.String()
	}()
	t.Cleanup(func() {
		if _, err := io.WriteString(terminal, "\x03"); err != nil { // Ctrl-C
			t.Error(err)
		}
		if err := cmd.Wait(); err != nil {
			t.Errorf("orgd demo ends with %v, want success", err)
		}
		terminal.Close()
	})
	select {
	case m := <-printed:
		return m[0], m[1]
	case text := <-read:
		t.Fatalf("orgd demo ends, having printed no link:\n%s", text)
	case <-time.After(patience):
		t.Fatal("orgd demo prints no link")
	}
	return "", ""
}

// A new user needs eight steps, and no token, from an empty directory to a prompt that is
// changed: a command, the link that it prints, five clicks and another command.
func TestNewUser(t *testing.T) {
	t.Parallel()
	needBrowser(t)
	dir := t.TempDir()
	link, url := demo(t, dir)

	b := open(t, 1440, 900)
	b.do("open the link", chromedp.Navigate(link))
	b.await("the first page is there", "document.body.dataset.ready !== undefined")
	b.awaitText("Demo")
	b.shot("new-user")
	b.press("Hire an agent")
	b.fill("Name", "Ada")
	b.fill("Role", "Reviewer")
	b.fill("Instructions", "Review kindly.")
	b.press("Hire")
	b.await("Ada's page is there", `document.title.startsWith("Ada") && !document.querySelector("main[aria-busy]")`)
	b.press("Edit")
	b.awaitEditor()
	b.fill("Instructions", "Review strictly.")
	b.save("strictness")
	b.awaitText("Saved. This is version 2")

	cmd := exec.Command(binary, "agent", "diff", "Ada")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "HOME="+dir, "XDG_CONFIG_HOME="+dir, "ORGD_SERVER="+url)
	diff, err := process.Output(cmd)
	if err != nil || !strings.Contains(diff, `instructions: "Review kindly." -> "Review strictly."`) {
		t.Errorf("orgd agent diff Ada says, with %v:\n%s", err, diff)
	}
}
