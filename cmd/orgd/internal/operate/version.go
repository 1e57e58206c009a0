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
	commit := "commit " + b.Commit
	if b.Committed != "" {
		commit += ", " + b.Committed
	}
	_, err := fmt.Fprintf(t.Stdout, "orgd %s (%s, %s %s/%s)\n", b.Version, commit, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return err
}
