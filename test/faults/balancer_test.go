package faults

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"orgd/test/api"
)

const (
	// haproxyVariable names the program that balances the load.
	haproxyVariable = "ORGD_TEST_HAPROXY"
	// deployedConfig is the configuration that operators are given.
	deployedConfig = "../../deployments/compose/haproxy.cfg"
	// balancerWait is how long the balancer may take to notice a replica.
	balancerWait = 30 * time.Second
	balancerPoll = 20 * time.Millisecond
)

// haproxy returns the program, or skips the test if there is none.
func haproxy(t *testing.T) string {
	t.Helper()
	program := os.Getenv(haproxyVariable)
	if program == "" {
		t.Skipf("SKIPPED: %s does not name an HAProxy, so replicas behind a load balancer were NOT tried", haproxyVariable)
	}
	return program
}

// balancer is an HAProxy in front of replicas, configured as it is deployed.
type balancer struct {
	t      *testing.T
	url    string
	token  string
	socket string // where it takes commands
}

// balance starts a balancer in front of the replicas, until the test ends. It
// returns when all of them are given requests.
func (c *cluster) balance(program string) *balancer {
	c.t.Helper()
	return balance(c.t, program, c.token, c.urls()...)
}

func (c *cluster) urls() []string {
	urls := make([]string, len(c.replicas))
	for i, p := range c.replicas {
		urls[i] = p.URL
	}
	return urls
}

// balance is the same for any replicas.
func balance(t *testing.T, program, token string, urls ...string) *balancer {
	t.Helper()
	return balanceAt(t, listen(t), program, token, urls...)
}

// listen listens where a balancer is to be.
func listen(t *testing.T) net.Listener {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return listener
}

// balanceAt is the same where a listener is.
func balanceAt(t *testing.T, listener net.Listener, program, token string, urls ...string) *balancer {
	t.Helper()
	dir := t.TempDir()
	b := &balancer{t: t, url: "http://" + listener.Addr().String(), token: token, socket: filepath.Join(dir, "haproxy.sock")}
	config := filepath.Join(dir, "haproxy.cfg")
	if err := os.WriteFile(config, b.config(urls), 0o600); err != nil {
		t.Fatal(err)
	}
	b.run(program, config, listener.(*net.TCPListener))
	if err := listener.Close(); err != nil { // the balancer has its own
		t.Fatal(err)
	}
	b.awaitUp()
	return b
}

// run runs the program, which serves on the listener, until the test ends.
func (b *balancer) run(program, config string, listener *net.TCPListener) {
	b.t.Helper()
	inherited, err := listener.File()
	if err != nil {
		b.t.Fatal(err)
	}
	defer inherited.Close() // as far as this process is concerned
	var log bytes.Buffer
	cmd := exec.Command(program, "-db", "-f", config)
	cmd.ExtraFiles = []*os.File{inherited}
	cmd.Stdout, cmd.Stderr = &log, &log
	if err := cmd.Start(); err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		if b.t.Failed() {
			b.t.Logf("log of the balancer:\n%s", log.Bytes())
		}
	})
}

// config is the deployed configuration, for these replicas on this machine.
func (b *balancer) config(urls []string) []byte {
	b.t.Helper()
	text, err := os.ReadFile(deployedConfig)
	if err != nil {
		b.t.Fatal(err)
	}
	servers := ""
	for i, url := range urls {
		servers += fmt.Sprintf("    server %s %s\n", replicaName(i), strings.TrimPrefix(url, "http://"))
	}
	for _, change := range []struct{ line, by string }{
		{`global\n`, "global\n    stats socket " + b.socket + " level admin\n"},
		{`    bind :8080\n`, "    bind fd@3\n"},
		{`(    server orgd-\d+ orgd-\d+:8080\n)+`, servers},
	} {
		pattern := regexp.MustCompile(`(?m)^` + change.line)
		if !pattern.Match(text) {
			b.t.Fatalf("%s has no line like %q", deployedConfig, change.line)
		}
		text = pattern.ReplaceAll(text, []byte(change.by))
	}
	return text
}

func replicaName(i int) string { return fmt.Sprint("replica-", i) }

// clients returns one client that keeps its connections, and one that opens one
// for each request.
func (b *balancer) clients() []*api.Client {
	both := []*api.Client{api.New(b.url, b.token, trafficConns), api.New(b.url, b.token, 0)}
	b.t.Cleanup(both[0].Close)
	return both
}

// command gives the balancer a command and returns what it says.
func (b *balancer) command(text string) (string, error) {
	conn, err := net.Dial("unix", b.socket)
	if err != nil {
		return "", err
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, text+"\n"); err != nil {
		return "", err
	}
	answer, err := io.ReadAll(conn)
	return string(answer), err
}

// lead says where a replica is, now that it was started again, as the name
// server of the deployed balancer would.
func (b *balancer) lead(i int, url string) {
	b.t.Helper()
	host, port, err := net.SplitHostPort(strings.TrimPrefix(url, "http://"))
	if err != nil {
		b.t.Fatal(err)
	}
	answer, err := b.command(fmt.Sprintf("set server replicas/%s addr %s port %s", replicaName(i), host, port))
	if err != nil || !strings.Contains(answer, "change") { // or that there was no need to
		b.t.Fatalf("set server = %q, %v", answer, err)
	}
}

// replicas returns what the balancer knows of each replica, by the names that
// HAProxy gives its figures.
func (b *balancer) replicas() (all []map[string]string, err error) {
	text, err := b.command("show stat")
	if err != nil {
		return nil, err
	}
	rows, err := csv.NewReader(strings.NewReader(strings.TrimPrefix(text, "# "))).ReadAll()
	if err != nil {
		return nil, err
	}
	for _, row := range rows[1:] {
		figures := map[string]string{}
		for i, name := range rows[0] {
			figures[name] = row[i]
		}
		if figures["pxname"] == "replicas" && figures["svname"] != "BACKEND" {
			all = append(all, figures)
		}
	}
	return all, nil
}

// awaitUp waits until all replicas are given requests.
func (b *balancer) awaitUp() {
	b.t.Helper()
	for begin := time.Now(); ; time.Sleep(balancerPoll) {
		all, err := b.replicas()
		down := func(r map[string]string) bool { return r["status"] != "UP" }
		switch {
		case err == nil && len(all) > 0 && !slices.ContainsFunc(all, down):
			return
		case time.Since(begin) > balancerWait:
			b.t.Fatalf("the balancer does not give requests to all replicas after %s: %v, %v", balancerWait, all, err)
		}
	}
}

// wantSmooth wants that the balancer has never had to ask twice: no replica that
// it chose was gone, or broke off. Each has had requests. What is wrong is
// reported by fail.
func (b *balancer) wantSmooth(fail func(format string, args ...any)) {
	b.t.Helper()
	all, err := b.replicas()
	if err != nil {
		b.t.Fatal(err)
	}
	for _, r := range all {
		for what, figure := range map[string]string{
			"connections that failed": "econ", "answers that broke off": "eresp", "transfers that broke off": "srv_abrt",
			"requests tried again": "wretr", "requests given to another replica": "wredis", "answers 5xx": "hrsp_5xx",
		} {
			if r[figure] != "0" {
				fail("the balancer counts for %s %s %s, want none", r["svname"], r[figure], what)
			}
		}
		if r["stot"] == "0" {
			b.t.Errorf("%s was not given any request", r["svname"])
		}
	}
}

// TestBalancerWaitsForReadiness has replicas that take as long to say that they
// are ready as they may, a second: their storage is slow. They are given requests
// all the same, since none of them is better off.
func TestBalancerWaitsForReadiness(t *testing.T) {
	const lasts = 4 * time.Second
	program := haproxy(t)
	slow := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/api/v1/readyz" {
			time.Sleep(time.Second)
		}
	}))
	t.Cleanup(slow.Close)
	b := balance(t, program, "", slow.URL)
	c := b.clients()[1]
	for begin := time.Now(); time.Since(begin) < lasts; time.Sleep(balancerPoll) {
		if a, err := c.Do(t.Context(), api.Request{Method: http.MethodGet, Path: "/capabilities"}); err != nil || !a.OK() {
			t.Fatalf("GET /capabilities after %s = %v, %v, want 200", time.Since(begin), a.Err(), err)
		}
	}
}
