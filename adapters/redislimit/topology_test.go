package redislimit

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"orgd/ports"
	"orgd/ports/portstest"
	"orgd/test/process"
	"orgd/test/redisserver"
)

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
	addrs := redisserver.StartCluster(t)
	withCluster := func() Config {
		cfg := config(addrs[0])
		cfg.Addrs = addrs
		return cfg
	}
	portstest.Limiter(t, func(t *testing.T) ports.Limiter { return openShared(t, withCluster(), patientTiming()).Limiter })
	t.Run("user", func(t *testing.T) {
		cfg := withCluster()
		for _, addr := range addrs {
			redisserver.Do(t, redisserver.Admin(t, addr), "ACL SETUSER limiter on >secret resetchannels ~"+cfg.Prefix+":* +cluster|slots "+redisserver.Rights(t))
		}
		cfg.Username, cfg.Password = "limiter", "secret"
		l := openShared(t, cfg, patientTiming())
		admit(t, l.Limiter, slotOf("s", 1)).Release()
		awaitSlot(t, l.Limiter, slotOf("s", 1), soon)
	})
	t.Run("every node is used", func(t *testing.T) {
		cfg := withCluster()
		cfg.Addrs, cfg.Cluster = addrs[:1], true // one is enough to find the others
		l := openShared(t, cfg, patientTiming())
		for i := range 30 {
			g := admit(t, l.Limiter, bySubject(fmt.Sprint("subject ", i), 1, time.Minute))
			if g.Denied != nil {
				t.Errorf("subject %d is refused", i)
			}
		}
		for _, addr := range addrs {
			if keys := redisserver.Do(t, redisserver.Admin(t, addr), "KEYS "+cfg.Prefix+":*").([]any); len(keys) == 0 {
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
	t.Parallel()
	master := redisserver.Start(t)
	_, port, _ := net.SplitHostPort(master.Addr)
	replica := redisserver.Start(t, "--replicaof", "127.0.0.1 "+port, "--repl-diskless-sync-delay", "0")
	eventually(t, generous, "the replica follows", func() bool {
		return strings.Contains(redisserver.Do(t, redisserver.Admin(t, replica.Addr), "INFO replication").(string), "master_link_status:up")
	})
	file := filepath.Join(t.TempDir(), "sentinel.conf")
	text := "sentinel monitor main 127.0.0.1 " + port + " 1\nsentinel down-after-milliseconds main 3000\nsentinel failover-timeout main 2000\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	sentinel := redisserver.StartSentinel(t, file)
	eventually(t, generous, "the sentinel knows the replica", func() bool {
		c := redis.NewSentinelClient(&redis.Options{Addr: sentinel.Addr})
		defer c.Close()
		replicas, err := c.Replicas(context.Background(), "main").Result()
		return err == nil && len(replicas) == 1 && replicas[0]["flags"] == "slave"
	})

	cfg := config(sentinel.Addr)
	cfg.MasterName = "main"
	l := openShared(t, cfg, patientTiming())
	if g := admit(t, l.Limiter, bySubject("s", 1, time.Minute)); g.Denied != nil {
		t.Error("Admit is refused, want admitted")
	}
	for label, s := range map[string]*redisserver.Server{"the master": master, "its replica": replica} {
		eventually(t, generous, label+" knows the request", func() bool {
			return len(redisserver.Do(t, redisserver.Admin(t, s.Addr), "KEYS "+cfg.Prefix+":*s*").([]any)) > 0
		})
	}
	master.Stop()
	await(t, l.Limiter, false, generous)
	await(t, l.Limiter, true, 2*generous) // as soon as the sentinel has chosen
	if g := admit(t, l.Limiter, bySubject("s", 1, time.Minute)); g.Denied == nil {
		t.Error("Admit is admitted, want refused by what the replica knows")
	}
}

// TLS, a user of its own and the rights that the documents ask for are enough.
func TestTLSAndUser(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	writeCertificates(t, dir)
	tlsAddr := process.FreeAddr(t)
	s := redisserver.Start(t, "--tls-port", redisserver.Port(tlsAddr), "--tls-cert-file", filepath.Join(dir, "own.pem"), "--tls-key-file", filepath.Join(dir, "own.key"),
		"--tls-ca-cert-file", filepath.Join(dir, "ca.pem"), "--tls-auth-clients", "yes")
	cfg := config("rediss://" + tlsAddr + "/3")
	redisserver.Do(t, redisserver.Admin(t, s.Addr), "ACL SETUSER limiter on >secret resetchannels ~"+cfg.Prefix+":* +select "+redisserver.Rights(t))
	cfg.CAFile, cfg.CertFile, cfg.KeyFile = filepath.Join(dir, "ca.pem"), filepath.Join(dir, "own.pem"), filepath.Join(dir, "own.key")
	cfg.Username, cfg.Password = "limiter", "secret"

	t.Run("accepted", func(t *testing.T) {
		if err := check(cfg, patientTiming()); err != nil {
			t.Errorf("Check = %v", err)
		}
		l := openShared(t, cfg, quickTiming())
		ask := slotOf("s", 1)
		ask.SubjectWindows = bySubject("s", 5, time.Minute).SubjectWindows
		g := admit(t, l.Limiter, ask)
		if other := admit(t, l.Limiter, ask); other.Denied == nil {
			t.Error("a second request runs")
		}
		time.Sleep(3 * quickTiming().lease / 2)
		if other := admit(t, l.Limiter, ask); other.Denied == nil {
			t.Error("a second request runs after a renewal")
		}
		g.Release()
		awaitSlot(t, l.Limiter, ask, soon)
		if l.failed.Load() != nil {
			t.Errorf("a question failed: %v", l.failed.Load().err)
		}
	})
	for label, tc := range map[string]struct {
		change func(*Config)
		check  string
	}{
		"wrong password":          {func(c *Config) { c.Password = "nobody" }, "--redis-password, --redis-username: Redis refuses the login"},
		"no password":             {func(c *Config) { c.Username, c.Password = "", ""; c.Addrs[0] = "rediss://" + tlsAddr }, ""},
		"server of somebody else": {func(c *Config) { c.CAFile = "" }, "--redis-tls-ca, --redis-tls-cert, --redis-addr: no TLS with Redis: "},
		"no certificate":          {func(c *Config) { c.CertFile, c.KeyFile = "", "" }, "--redis-"}, // the alert may be lost in the reset
		"no right":                {func(c *Config) { c.Prefix = "other" }, "--redis-username: Redis lacks a right for this user: "},
		"no TLS": {func(c *Config) { c.Addrs = []string{tlsAddr}; c.CAFile, c.CertFile, c.KeyFile = "", "", "" },
			"--redis-addr: cannot be used now: "},
	} {
		t.Run(label, func(t *testing.T) {
			cfg := cfg
			cfg.Addrs = slices.Clone(cfg.Addrs)
			tc.change(&cfg)
			wantCheck(t, cfg, tc.check)
			if tc.check == "" {
				return
			}
			l := openLimiter(t, cfg, patientTiming())
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

// wantCheck checks that Check says this, on one line, and no secret.
func wantCheck(t *testing.T, cfg Config, want string) {
	t.Helper()
	err := check(cfg, patientTiming())
	if err == nil {
		if want != "" {
			t.Errorf("Check = nil, want %q", want)
		}
		return
	}
	text := err.Error()
	if want == "" || !strings.HasPrefix(text, want) || strings.ContainsAny(text, "\n") || strings.Contains(text, "secret") || strings.Contains(text, "nobody") {
		t.Errorf("Check = %q, want one line that begins with %q and shows no secret", text, want)
	}
	if lost := strings.Contains(text, ErrLost.Error()); lost != errors.Is(err, ErrLost) {
		t.Errorf("Check = %v, want ErrLost: %t", err, lost)
	}
}

// What may be better later is told apart from what never will.
func TestCheck(t *testing.T) {
	full, locked := redisserver.Start(t), redisserver.Start(t)
	redisserver.Do(t, redisserver.Admin(t, full.Addr), "CONFIG SET maxmemory 1")
	redisserver.Do(t, redisserver.Admin(t, locked.Addr), "CONFIG SET requirepass secret")
	for label, tc := range map[string]struct {
		addr string
		want string
	}{
		"works":          {redisserver.Shared(t), ""},
		"refused":        {process.FreeAddr(t), "--redis-addr: cannot be used now: dial tcp 127.0.0.1:"},
		"no such host":   {"redis.invalid", "--redis-addr: there is no host redis.invalid"},
		"full":           {full.Addr, "--redis-addr: cannot be used now: OOM"},
		"asks for login": {locked.Addr, "--redis-password, --redis-username: Redis refuses the login"},
	} {
		t.Run(label, func(t *testing.T) { wantCheck(t, config(tc.addr), tc.want) })
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
