package process

import (
	"fmt"
	"os"

	"go.uber.org/goleak"
)

// Main runs the tests of a package that need what takes a while to make, such
// as the program: prepare makes it once in a directory that is removed when the
// tests have ended. A goroutine that is left then is a failure. It returns the
// exit code, for TestMain.
func Main(m interface{ Run() int }, prepare func(dir string) error) int {
	dir, err := os.MkdirTemp("", "orgd-test-")
	if err == nil {
		defer os.RemoveAll(dir) // what it leaves is temporary
		err = prepare(dir)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	code := m.Run()
	if err := goleak.Find(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return max(code, 1)
	}
	return code
}
