// Command orgd runs the organization service and is the operator's tool for it.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"

	_ "golang.org/x/crypto/x509roots/fallback" // authorities, where the system has none, as in an empty container
	"golang.org/x/term"

	"orgd/cmd/orgd/internal/remote"
	"orgd/cmd/orgd/internal/terminal"
)

func main() {
	ctx, stop := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM)
	go func() {
		s := <-signals
		signal.Stop(signals) // a second one ends the process at once
		stop(stopped{s.(syscall.Signal)})
	}()
	userDir, _ := os.UserConfigDir() // only profiles need it
	code := run(ctx, os.Args[1:], terminal.Terminal{
		Getenv:           os.Getenv,
		Stdin:            os.Stdin,
		Stdout:           os.Stdout,
		Stderr:           os.Stderr,
		Interactive:      term.IsTerminal(int(os.Stdin.Fd())),
		StdoutIsTerminal: term.IsTerminal(int(os.Stdout.Fd())),
		StderrIsTerminal: term.IsTerminal(int(os.Stderr.Fd())),
		Colored:          term.IsTerminal(int(os.Stdout.Fd())) && terminal.WantsColors(os.Getenv),
		UserDir:          userDir,
		ConnectTimeout:   remote.ConnectTimeout,
	})
	if code != exitOK && strings.HasPrefix(strings.Join(os.Args[1:], " "), "token create") {
		removeEmpty(os.Stdout)
	}
	os.Exit(code)
}

// removeEmpty removes the file that a shell has made for a token, if nothing was written into it: who
// reads an empty one has a token that is wrong. Where the system does not tell its name, it stays.
func removeEmpty(output *os.File) {
	name, err := os.Readlink(fmt.Sprintf("/proc/self/fd/%d", output.Fd()))
	if err != nil {
		return
	}
	made, err := output.Stat()
	named, missing := os.Lstat(name)
	if err == nil && missing == nil && named.Mode().IsRegular() && named.Size() == 0 && os.SameFile(made, named) {
		_ = os.Remove(name) // the command has failed for another reason, and says that
	}
}
