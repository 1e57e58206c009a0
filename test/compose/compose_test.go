// Package compose brings up the set-up in deployments/compose, as its README
// does, and uses it through its proxy. `make compose-test` runs it with images
// that are named by the variables of that README.
package compose

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"orgd/test/api"
	"orgd/test/owned"
	"orgd/test/process"
)

// composeVariable says that the tests may start containers.
const composeVariable = "ORGD_TEST_COMPOSE"

// project is a set-up that is up.
type project struct {
	*testing.T
	command []string // Compose, and which project
	env     []string
}

func needDocker(t *testing.T) {
	t.Helper()
	if os.Getenv(composeVariable) == "" {
		t.Skipf("SKIPPED: %s is not set; make compose-test sets it", composeVariable)
	}
	if err := owned.RemoveLeft(); err != nil {
		t.Log(err)
	}
}

// up brings a set-up up and takes it down when the test ends.
func up(t *testing.T) project {
	t.Helper()
	needDocker(t)
	p := project{t, compose(t), append(os.Environ(),
		"ORGD_PUBLISH=127.0.0.1:0", // any free port
		"ORGD_SUBNET="+freeSubnet(t), "ORGD_TEST_LABEL="+owned.Value())}
	t.Cleanup(func() {
		if t.Failed() {
			logs, err := p.try("logs", "--no-color", "--tail", "30")
			t.Logf("%s%v", logs, err)
		}
		p.run("down", "--volumes", "--timeout", "40")
	})
	p.run("up", "--detach")
	return p
}

// freeSubnet returns one that has no address of this machine, such as those that
// other networks of Docker have.
func freeSubnet(t *testing.T) string {
	t.Helper()
	all, err := net.InterfaceAddrs()
	if err != nil {
		t.Fatal(err)
	}
	for n := os.Getpid(); ; n++ { // two processes at once begin with different ones
		// 198.18.0.0/15 is for tests (RFC 2544).
		subnet := netip.PrefixFrom(netip.AddrFrom4([4]byte{198, byte(18 + n/256%2), byte(n), 0}), 24)
		taken := func(a net.Addr) bool {
			other, err := netip.ParsePrefix(a.String())
			return err == nil && other.Overlaps(subnet)
		}
		if !slices.ContainsFunc(all, taken) {
			return subnet.String()
		}
	}
}

// compose is how this machine spells it.
func compose(t *testing.T) []string {
	t.Helper()
	file := filepath.Join("..", "..", "deployments", "compose", "compose.yaml")
	args := []string{"--project-name", fmt.Sprintf("orgd-ci-%d", os.Getpid()), "--file", file, "--file", "labels.yaml"}
	if exec.Command("docker", "compose", "version").Run() == nil {
		return append([]string{"docker", "compose"}, args...)
	}
	return append([]string{"docker-compose"}, args...)
}

func (p project) try(args ...string) (string, error) {
	args = append(p.command[1:len(p.command):len(p.command)], args...)
	cmd := exec.Command(p.command[0], args...)
	cmd.Env = p.env
	out, err := process.Output(cmd)
	if err != nil {
		return "", fmt.Errorf("%s: %w", strings.Join(args, " "), err)
	}
	return out, nil
}

func (p project) run(args ...string) string {
	p.Helper()
	out, err := p.try(args...)
	if err != nil {
		p.Fatal(err)
	}
	return out
}

// throughProxy runs a command of the program that asks the proxy.
func (p project) throughProxy(token string, args ...string) (string, error) {
	begin := []string{"exec", "-T", "-e", "ORGD_SERVER=http://proxy:8080", "-e", "ORGD_TOKEN=" + token, "orgd-1", "/orgd"}
	return p.try(append(begin, args...)...)
}

// What one replica is told the other knows, and nobody notices that one of them
// is stopped and started again.
func TestCompose(t *testing.T) {
	p := up(t)
	token := p.run("exec", "-T", "orgd-1", "/orgd", "token", "create", "--role", "admin", "--subject", "me")
	var me string
	var err error
	for end := time.Now().Add(3 * time.Minute); time.Now().Before(end); time.Sleep(200 * time.Millisecond) {
		if me, err = p.throughProxy(token, "whoami"); err == nil {
			break
		}
	}
	if err != nil || !strings.Contains(me, "admin") {
		t.Fatalf("orgd whoami = %q, %v, want role admin", me, err)
	}
	for _, replica := range []string{"orgd-1", "orgd-2"} {
		p.run("exec", "-T", replica, "/orgd", "healthcheck")
	}
	if out, err := p.throughProxy(token, "department", "create", "Ops"); err != nil {
		t.Fatalf("orgd department create = %q, %v", out, err)
	}
	b := p.keepBusy(token)
	p.run("stop", "--timeout", "40", "orgd-2")
	if out, err := p.throughProxy(token, "get", "departments"); err != nil || !strings.Contains(out, "Ops") {
		t.Errorf("orgd get departments = %q, %v, want Ops, from the replica that is left", out, err)
	}
	started := time.Now()
	p.run("start", "orgd-2")
	b.awaitYounger(started)
	b.end()
	p.migrateAgain(token)
}

// migrateAgain does what the next start does, with a replica set that has been
// initiated.
func (p project) migrateAgain(token string) {
	p.Helper()
	p.run("restart", "mongodb")
	p.run("run", "--rm", "--no-deps", "-T", "migrate")
	if out, err := p.throughProxy(token, "get", "departments"); err != nil || !strings.Contains(out, "Ops") {
		p.Errorf("orgd get departments = %q, %v, want Ops, after MongoDB was restarted", out, err)
	}
}

// busy are clients that ask the proxy all the time.
type busy struct {
	project
	kept, fresh *api.Client
	end         func() // stops them, and wants that each request was answered
}

const (
	// clients ask the proxy at once, each clientEvery.
	clients     = 4
	clientEvery = 40 * time.Millisecond
	// returnTime is how long a replica may take, on a busy machine, until it is
	// given requests again.
	returnTime = 3 * time.Minute
)

// keepBusy starts clients on connections of both kinds, which read and make
// things.
func (p project) keepBusy(token string) *busy {
	p.Helper()
	url := "http://" + p.run("port", "proxy", "8080")
	b := &busy{project: p, kept: api.New(url, token, clients), fresh: api.New(url, token, 0)}
	stop := make(chan struct{})
	var asked atomic.Int64
	var working sync.WaitGroup
	for i := range clients {
		working.Go(func() {
			for n := 0; ; n++ {
				b.ask(i, n)
				asked.Add(1)
				select {
				case <-stop:
					return
				case <-time.After(clientEvery):
				}
			}
		})
	}
	b.end = sync.OnceFunc(func() {
		close(stop)
		working.Wait()
		b.kept.Close()
		p.Logf("%d requests while a replica was stopped and started again", asked.Load())
	})
	p.Cleanup(b.end)
	return b
}

// ask makes the n-th request of a client.
func (b *busy) ask(client, n int) {
	c := []*api.Client{b.kept, b.fresh}[client%2]
	r := api.Request{Method: http.MethodGet, Path: "/agents"}
	if n%20 == 0 { // the limits are on
		r = api.Request{Method: http.MethodPost, Path: "/projects", Body: map[string]any{"name": fmt.Sprintf("project %d of %d", n, client)}}
	}
	a, err := c.Do(context.WithoutCancel(b.Context()), r)
	if err == nil && !a.OK() {
		err = a.Err()
	}
	if err != nil {
		b.Errorf("request %d of client %d: %s %s: %v", n, client, r.Method, r.Path, err)
	}
}

// awaitYounger waits until the proxy gives requests to a replica that was started
// after a time.
func (b *busy) awaitYounger(started time.Time) {
	b.Helper()
	for time.Since(started) < returnTime {
		var ready struct {
			Uptime int64 `json:"uptime_seconds"`
		}
		if _, err := b.fresh.Get(b.Context(), "/readyz", &ready); err != nil {
			b.Errorf("readiness through the proxy: %v", err)
			return
		}
		if time.Duration(ready.Uptime)*time.Second < time.Since(started) {
			return
		}
		time.Sleep(clientEvery)
	}
	b.Errorf("the proxy gives no requests to the replica that was started %s ago", returnTime)
}
