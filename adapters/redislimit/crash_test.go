package redislimit

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"testing"
	"time"

	"go.uber.org/zap"

	"orgd/adapters/memlimit"
	"orgd/test/redisserver"
)

// The test binary runs itself as another replica when these are set.
const (
	childRole   = "ORGD_TEST_ROLE"
	childAddr   = "ORGD_TEST_CHILD_REDIS"
	childPrefix = "ORGD_TEST_CHILD_PREFIX"
)

// child takes the slots of the test, says so, and waits to be killed.
func child(role string) int {
	cfg := Default()
	cfg.Addrs, cfg.Prefix, cfg.Timeout = []string{os.Getenv(childAddr)}, os.Getenv(childPrefix), generous
	l, stop, err := open(cfg, quickTiming(), memlimit.New(memlimit.Uptime()), nil, zap.NewNop())
	if err != nil {
		fmt.Fprintln(os.Stderr, role, err)
		return 1
	}
	defer stop()
	for range crashCap {
		if g, err := l.Admit(context.Background(), slotOf("s", crashCap)); err != nil || g.Denied != nil {
			fmt.Fprintln(os.Stderr, role, "is refused", err)
			return 1
		}
	}
	fmt.Println("holds")
	_, _ = io.Copy(io.Discard, os.Stdin)
	return 0
}

const crashCap = 3

// The slots of a replica that is killed are free when their leases end, and not
// before.
func TestSlotsOfAKilledReplica(t *testing.T) {
	t.Parallel()
	cfg := config(redisserver.Shared(t))
	l := openShared(t, cfg, quickTiming())
	kill := startChild(t, cfg)

	ask := slotOf("s", crashCap)
	for end := time.Now().Add(3 * quickTiming().lease / 2); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		if g := admit(t, l.Limiter, ask); g.Denied == nil {
			t.Fatal("a slot is free while its holder lives")
		}
	}
	kill()
	killed := time.Now()
	for range crashCap {
		awaitSlot(t, l.Limiter, ask, soon)
	}
	t.Logf("all slots were free %v after the kill, with a lease of %v", time.Since(killed).Round(time.Millisecond), quickTiming().lease)
	if g := admit(t, l.Limiter, ask); g.Denied == nil {
		t.Error("more slots are free than there are")
	}
}

// startChild starts a replica that holds all slots and returns what kills it.
func startChild(t *testing.T, cfg Config) (kill func()) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childRole+"=hold", childAddr+"="+cfg.Addrs[0], childPrefix+"="+cfg.Prefix)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	killed := false
	kill = func() {
		if !killed {
			killed = true
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
			_ = in.Close()
		}
	}
	t.Cleanup(kill)
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "holds\n" {
		t.Fatalf("the other replica says %q, %v", line, err)
	}
	return kill
}
