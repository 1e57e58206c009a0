package redislimit

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"orgd/ports"
	"orgd/ports/portstest"
)

// startCluster runs three nodes that share the slots, and returns their addresses.
func startCluster(t *testing.T) []string {
	t.Helper()
	var addrs []string
	var nodes []*redis.Client
	for range 3 {
		s := startRedis(t, "--cluster-enabled", "yes", "--cluster-node-timeout", "1000", "--cluster-port", portOf(freeAddr(t)))
		addrs, nodes = append(addrs, s.addr), append(nodes, admin(t, s.addr))
	}
	for i, node := range nodes {
		do(t, node, fmt.Sprintf("CLUSTER ADDSLOTSRANGE %d %d", i*16384/3, (i+1)*16384/3-1))
		host, port, _ := net.SplitHostPort(addrs[0])
		do(t, node, fmt.Sprintf("CLUSTER MEET %s %s %d", host, port, busPort(t, nodes[0])))
	}
	for _, node := range nodes {
		eventually(t, 20*time.Second, "the cluster is ready", func() bool {
			info := do(t, node, "CLUSTER INFO").(string)
			return strings.Contains(info, "cluster_state:ok") && strings.Contains(info, "cluster_known_nodes:3")
		})
	}
	return addrs
}

// busPort is where a node listens for the other nodes.
func busPort(t *testing.T, node *redis.Client) int {
	t.Helper()
	var port int
	line := do(t, node, "CLUSTER NODES").(string) // ID HOST:PORT@BUSPORT ...
	if _, err := fmt.Sscanf(line[strings.Index(line, "@")+1:], "%d", &port); err != nil {
		t.Fatalf("the port of the cluster's bus in %q: %v", line, err)
	}
	return port
}

func eventually(t *testing.T, within time.Duration, what string, ok func() bool) {
	t.Helper()
	for start := time.Now(); !ok(); time.Sleep(20 * time.Millisecond) {
		if time.Since(start) > within {
			t.Fatalf("after %v it is not so that %s", within, what)
		}
	}
}

// On a cluster the groups of an ask lie on different nodes.
func TestCluster(t *testing.T) {
	addrs := startCluster(t)
	withCluster := func() Config {
		cfg := config(addrs[0])
		cfg.Addrs = addrs
		return cfg
	}
	portstest.Limiter(t, func(t *testing.T) ports.Limiter { return openShared(t, withCluster(), usualTiming()).Limiter })
	t.Run("user", func(t *testing.T) {
		cfg := withCluster()
		for _, addr := range addrs {
			do(t, admin(t, addr), "ACL SETUSER limiter on >secret resetchannels ~"+cfg.Prefix+":* +cluster|slots "+rights(t))
		}
		cfg.Username, cfg.Password = "limiter", "secret"
		l := openShared(t, cfg, usualTiming())
		admit(t, l.Limiter, slotOf("s", 1)).Release()
		awaitSlot(t, l.Limiter, slotOf("s", 1), time.Second)
	})
	t.Run("every node is used", func(t *testing.T) {
		cfg := withCluster()
		cfg.Addrs, cfg.Cluster = addrs[:1], true // one is enough to find the others
		l := openShared(t, cfg, usualTiming())
		for i := range 30 {
			g := admit(t, l.Limiter, bySubject(fmt.Sprint("subject ", i), 1, time.Minute))
			if g.Denied != nil {
				t.Errorf("subject %d is refused", i)
			}
		}
		for _, addr := range addrs {
			if keys := do(t, admin(t, addr), "KEYS "+cfg.Prefix+":*").([]any); len(keys) == 0 {
				t.Errorf("no key lies on %s", addr)
			}
		}
		if l.failed.Load() != nil {
			t.Errorf("a question failed: %v", l.failed.Load().err)
		}
	})
}

// With sentinels the limiter finds the master, and the next one.
func TestSentinel(t *testing.T) {
	master := startRedis(t)
	_, port, _ := net.SplitHostPort(master.addr)
	replica := startRedis(t, "--replicaof", "127.0.0.1 "+port, "--repl-diskless-sync-delay", "0")
	eventually(t, 10*time.Second, "the replica follows", func() bool {
		return strings.Contains(do(t, admin(t, replica.addr), "INFO replication").(string), "master_link_status:up")
	})
	file := filepath.Join(t.TempDir(), "sentinel.conf")
	text := "sentinel monitor main 127.0.0.1 " + port + " 1\nsentinel down-after-milliseconds main 300\nsentinel failover-timeout main 2000\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	sentinel := startSentinel(t, file)
	eventually(t, 20*time.Second, "the sentinel knows the replica", func() bool {
		c := redis.NewSentinelClient(&redis.Options{Addr: sentinel.addr})
		defer c.Close()
		replicas, err := c.Replicas(context.Background(), "main").Result()
		return err == nil && len(replicas) == 1 && replicas[0]["flags"] == "slave"
	})

	cfg := config(sentinel.addr)
	cfg.MasterName = "main"
	l := openShared(t, cfg, usualTiming())
	if g := admit(t, l.Limiter, bySubject("s", 1, time.Minute)); g.Denied != nil {
		t.Error("Admit is refused, want admitted")
	}
	if keys := do(t, admin(t, master.addr), "KEYS "+cfg.Prefix+":*s*").([]any); len(keys) == 0 {
		t.Error("no key lies on the master")
	}
	time.Sleep(200 * time.Millisecond) // for the replica to follow
	master.stop()
	await(t, l.Limiter, false, 2*time.Second)
	await(t, l.Limiter, true, 20*time.Second) // as soon as the sentinel has chosen
	if g := admit(t, l.Limiter, bySubject("s", 1, time.Minute)); g.Denied == nil {
		t.Error("Admit is admitted, want refused by what the replica knows")
	}
}

// startSentinel runs a sentinel with the configuration.
func startSentinel(t *testing.T, file string) *server {
	t.Helper()
	s := startRedis(t) // for its free port
	s.stop()
	s.args = []string{s.args[0], file, "--sentinel", "--bind", "127.0.0.1", "--port", portOf(s.addr)}
	s.run(t)
	if !s.answers(t) {
		t.Fatal("the sentinel does not start")
	}
	return s
}

func portOf(addr string) string { _, port, _ := net.SplitHostPort(addr); return port }

// TLS, a user of its own and the rights that the documents ask for are enough.
func TestTLSAndUser(t *testing.T) {
	dir := t.TempDir()
	writeCertificates(t, dir)
	tlsAddr := freeAddr(t)
	s := startRedis(t, "--tls-port", portOf(tlsAddr), "--tls-cert-file", filepath.Join(dir, "own.pem"), "--tls-key-file", filepath.Join(dir, "own.key"),
		"--tls-ca-cert-file", filepath.Join(dir, "ca.pem"), "--tls-auth-clients", "yes")
	cfg := config("rediss://" + tlsAddr + "/3")
	do(t, admin(t, s.addr), "ACL SETUSER limiter on >secret resetchannels ~"+cfg.Prefix+":* +select "+rights(t))
	cfg.CAFile, cfg.CertFile, cfg.KeyFile = filepath.Join(dir, "ca.pem"), filepath.Join(dir, "own.pem"), filepath.Join(dir, "own.key")
	cfg.Username, cfg.Password = "limiter", "secret"

	t.Run("accepted", func(t *testing.T) {
		l := openShared(t, cfg, quickTiming())
		ask := slotOf("s", 1)
		ask.SubjectWindows = bySubject("s", 5, time.Minute).SubjectWindows
		g := admit(t, l.Limiter, ask)
		if other := admit(t, l.Limiter, ask); other.Denied == nil {
			t.Error("a second request runs")
		}
		time.Sleep(2 * quickTiming().lease)
		if other := admit(t, l.Limiter, ask); other.Denied == nil {
			t.Error("a second request runs after a renewal")
		}
		g.Release()
		awaitSlot(t, l.Limiter, ask, time.Second)
		if l.failed.Load() != nil {
			t.Errorf("a question failed: %v", l.failed.Load().err)
		}
	})
	for label, change := range map[string]func(*Config){
		"wrong password":          func(c *Config) { c.Password = "nobody" },
		"server of somebody else": func(c *Config) { c.CAFile = "" },
		"no certificate":          func(c *Config) { c.CertFile, c.KeyFile = "", "" },
		"no TLS":                  func(c *Config) { c.Addrs = []string{tlsAddr}; c.CAFile, c.CertFile, c.KeyFile = "", "", "" },
	} {
		t.Run(label, func(t *testing.T) {
			cfg := cfg
			change(&cfg)
			l := openLimiter(t, cfg, usualTiming())
			if l.Shared() {
				t.Error("Shared() = true, want false")
			}
			if g := admit(t, l.Limiter, bySubject("s", 1, time.Minute)); g.Denied != nil {
				t.Error("Admit is refused, want the local limiter's yes")
			}
			err := l.failed.Load().err.Error()
			if strings.Contains(err, "secret") || strings.Contains(err, "nobody") {
				t.Errorf("the error %q shows the password", err)
			}
			if label == "wrong password" && !strings.Contains(err, "WRONGPASS") {
				t.Errorf("the error %q does not say that the password is wrong", err)
			}
		})
	}
}

// writeCertificates makes an authority and a certificate of it for 127.0.0.1.
func writeCertificates(t *testing.T, dir string) {
	t.Helper()
	newKey := func() *ecdsa.PrivateKey {
		k, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		return k
	}
	write := func(name, kind string, der []byte, err error) {
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	caKey, key := newKey(), newKey()
	ca := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test authority"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, ca, ca, &caKey.PublicKey, caKey)
	write("ca.pem", "CERTIFICATE", der, err)
	own := &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: "test"}, NotBefore: ca.NotBefore, NotAfter: ca.NotAfter,
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, KeyUsage: x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	der, err = x509.CreateCertificate(rand.Reader, own, ca, &key.PublicKey, caKey)
	write("own.pem", "CERTIFICATE", der, err)
	der, err = x509.MarshalECPrivateKey(key)
	write("own.key", "EC PRIVATE KEY", der, err)
}

// rights are those that the documents ask for.
func rights(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../../docs/limits.md")
	if err != nil {
		t.Fatal(err)
	}
	_, after, found := strings.Cut(string(text), "~orgd:* ")
	line, _, _ := strings.Cut(after, "\n")
	if !found || !strings.HasPrefix(line, "+") {
		t.Fatal("docs/limits.md does not say which rights the user needs")
	}
	return line
}
