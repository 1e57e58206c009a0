package operate

import (
	"fmt"
	"runtime"

	"orgd"
	"orgd/cmd/orgd/internal/terminal"
)

// Version prints the version of the program.
type Version struct{}

// Run prints one line on standard output.
func (Version) Run(t *terminal.Terminal) error {
	b := orgd.Version()
	_, err := fmt.Fprintf(t.Stdout, "orgd %s (commit %s, %s %s/%s)\n", b.Version, b.Commit, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return err
}
