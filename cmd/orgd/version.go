package main

import (
	"fmt"
	"runtime"

	"orgd"
)

type versionCmd struct{}

// Run prints one line on standard output.
func (versionCmd) Run(p *Terminal) error {
	b := orgd.Version()
	_, err := fmt.Fprintf(p.Stdout, "orgd %s (commit %s, %s %s/%s)\n", b.Version, b.Commit, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return err
}
