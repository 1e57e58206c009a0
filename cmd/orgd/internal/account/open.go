package account

import (
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"golang.org/x/sys/unix"
)

// openBrowser opens an address in the user's browser. It reports whether there is one that
// may have done so.
func openBrowser(getenv func(string) string, address string) bool {
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
		cmd.SysProcAttr = &unix.SysProcAttr{Setpgid: true} // Ctrl-C is for orgd alone
		if cmd.Start() == nil {
			return cmd.Process.Release() == nil
		}
	}
	return false
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
	case getenv("DISPLAY") != "" || getenv("WAYLAND_DISPLAY") != "":
		return []string{"xdg-open"}
	}
	return nil
}
