package sqlitestore

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// The test binary runs itself as another process when these are set.
const (
	childRole = "ORGD_TEST_ROLE"
	childDir  = "ORGD_TEST_DIR"
)

func TestMain(m *testing.M) {
	if role := os.Getenv(childRole); role != "" {
		fmt.Fprintln(os.Stderr, childTrail(role, os.Getenv(childDir)))
		os.Exit(1)
	}
	goleak.VerifyTestMain(m)
}

// startChild starts another process that writes entries and returns it when it is ready.
func startChild(t *testing.T, role, dir string) (*exec.Cmd, *bufio.Scanner) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childRole+"="+role, childDir+"="+dir)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	if !lines.Scan() || lines.Text() != "ready" {
		t.Fatalf("child said %q, %v", lines.Text(), lines.Err())
	}
	return cmd, lines
}

// most is a bound on time: generous, or strict if ORGD_LONG=1.
func most(generous, strict time.Duration) time.Duration {
	if os.Getenv("ORGD_LONG") == "1" {
		return strict
	}
	return generous
}
