package remote

import (
	"net/url"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"orgd/cmd/orgd/internal/terminal"
)

// OpenBrowser opens an address in the user's browser. It reports whether there is one that
// may have done so.
func OpenBrowser(getenv func(string) string, address string) bool {
	for _, command := range browsers(getenv, runtime.GOOS) {
		words := strings.Fields(command)
		if len(words) == 0 {
			continue
		}
		if !strings.Contains(command, "%s") {
			words = append(words, "%s")
		}
		for i := range words {
			words[i] = strings.ReplaceAll(words[i], "%s", address)
		}
		cmd := exec.Command(words[0], words[1:]...)
		cmd.SysProcAttr = apart
		if cmd.Start() == nil {
			return cmd.Process.Release() == nil
		}
	}
	return false
}

// WebFlag asks for a page of the console instead of text.
type WebFlag struct {
	Web bool `help:"Open the page of the console that shows this; without a terminal, print its address."`
}

// Browse opens a page of the console, or prints its address.
func (f ServerFlag) Browse(t *terminal.Terminal, page ...string) error {
	_, to, err := f.Open(t)
	if err != nil {
		return err
	}
	for i := range page {
		page[i] = url.PathEscape(page[i])
	}
	address := strings.TrimRight(to.Server, "/") + "/console#/" + strings.Join(page, "/")
	if t.StdoutIsTerminal && OpenBrowser(t.Getenv, address) {
		t.Say("The browser opens %s", address)
		return nil
	}
	return t.Write(address + "\n")
}

// browsers are the commands that may open an address on this system, the best first: none
// where the user sits before another machine.
func browsers(getenv func(string) string, system string) []string {
	if chosen := getenv("BROWSER"); chosen != "" {
		return filepath.SplitList(chosen)
	}
	switch {
	case getenv("SSH_CONNECTION") != "":
		return nil
	case system == "darwin":
		return []string{"open"}
	case system == "windows":
		return []string{"rundll32 url.dll,FileProtocolHandler"}
	case getenv("DISPLAY") != "" || getenv("WAYLAND_DISPLAY") != "":
		return []string{"xdg-open"}
	}
	return nil
}
