// Command orgd runs the organization service and is the operator's tool for it.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	_ "golang.org/x/crypto/x509roots/fallback" // authorities, where the system has none, as in an empty container
	"golang.org/x/term"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)     // a second signal ends the process at once
	userDir, _ := os.UserConfigDir() // only profiles need it
	code := run(ctx, os.Args[1:], process{
		getenv:      os.Getenv,
		stdin:       os.Stdin,
		stdout:      os.Stdout,
		stderr:      os.Stderr,
		interactive: term.IsTerminal(int(os.Stdin.Fd())),
		terminal:    term.IsTerminal(int(os.Stderr.Fd())),
		colored:     term.IsTerminal(int(os.Stdout.Fd())) && wantsColors(os.Getenv),
		userDir:     userDir,
	})
	stop()
	os.Exit(code)
}
