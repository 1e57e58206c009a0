package httpapi

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"
)

// writePair writes a certificate of 127.0.0.1 with this serial number and its
// key, as they were at a time.
func writePair(t *testing.T, certFile, keyFile string, serial int64, at time.Time) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(serial), Subject: pkix.Name{CommonName: "orgd"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	write(t, certFile, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), at)
	write(t, keyFile, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret}), at)
}

func write(t *testing.T, file string, text []byte, at time.Time) {
	t.Helper()
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(file, at, at); err != nil {
		t.Fatal(err)
	}
}

func newCertificate(t *testing.T) (*certificate, *observer.ObservedLogs) {
	dir := t.TempDir()
	core, logs := observer.New(zapcore.WarnLevel)
	c := &certificate{
		certFile: filepath.Join(dir, "cert.pem"), keyFile: filepath.Join(dir, "key.pem"),
		expires: func(time.Time) {}, log: zap.New(core),
	}
	writePair(t, c.certFile, c.keyFile, 1, time.Now().Add(-time.Minute))
	if err := c.load(); err != nil {
		t.Fatalf("load = %v", err)
	}
	return c, logs
}

// serial is the serial number of the certificate that a handshake gets.
func (c *certificate) serial(t *testing.T) int64 {
	t.Helper()
	pair, err := c.current(nil)
	if err != nil {
		t.Fatalf("current = %v", err)
	}
	return pair.Leaf.SerialNumber.Int64()
}

func TestCertificateReload(t *testing.T) {
	c, logs := newCertificate(t)
	var told []time.Time
	c.expires = func(at time.Time) { told = append(told, at) }
	writePair(t, c.certFile, c.keyFile, 2, time.Now())
	if got := c.serial(t); got != 1 {
		t.Errorf("serial right after a check = %d, want 1", got)
	}
	c.checked = time.Time{}
	if got := c.serial(t); got != 2 {
		t.Errorf("serial after a change = %d, want 2", got)
	}
	if len(told) != 1 || !told[0].Equal(c.loaded.Leaf.NotAfter) {
		t.Errorf("the metrics are told of %v, want once when the new certificate expires, %v", told, c.loaded.Leaf.NotAfter)
	}
	if logs.Len() != 0 {
		t.Errorf("warnings = %v, want none", logs.All())
	}
}

// Half a renewal, or none at all, leaves the old certificate in use, and the
// next look tries again.
func TestCertificateThatCannotBeRead(t *testing.T) {
	c, logs := newCertificate(t)
	for what, spoil := range map[string]func() error{
		"gone":     func() error { return os.Remove(c.keyFile) },
		"no key":   func() error { return os.WriteFile(c.keyFile, []byte("nonsense"), 0o600) },
		"half way": func() error { writePair(t, c.certFile, filepath.Join(t.TempDir(), "k"), 9, time.Now()); return nil },
	} {
		if err := spoil(); err != nil {
			t.Fatal(err)
		}
		c.checked = time.Time{}
		if got := c.serial(t); got != 1 {
			t.Errorf("%s: serial = %d, want 1", what, got)
		}
	}
	if logs.Len() != 3 {
		t.Errorf("%d warnings, want 3: %v", logs.Len(), logs.All())
	}
	writePair(t, c.certFile, c.keyFile, 3, time.Now().Add(time.Minute))
	c.checked = time.Time{}
	if got := c.serial(t); got != 3 {
		t.Errorf("serial = %d, want 3", got)
	}
}

func TestRunWithTLS(t *testing.T) {
	c, _ := newCertificate(t)
	f := newFake(t, ok, func(cfg *Config, _ *Parts) {
		cfg.Addr, cfg.TLSCert, cfg.TLSKey = "127.0.0.1:0", c.certFile, c.keyFile
	})
	addr, stop := f.run(t)
	pool := x509.NewCertPool()
	pool.AddCert(c.loaded.Leaf)
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}, ForceAttemptHTTP2: true}
	defer transport.CloseIdleConnections()
	resp := call(t, &http.Client{Transport: transport}, "GET", "https://"+addr+"/api/v1/healthz", "")
	if resp.StatusCode != 200 || resp.ProtoMajor != 1 || resp.TLS.Version < tls.VersionTLS12 {
		t.Errorf("healthz = %d over %s, TLS %x", resp.StatusCode, resp.Proto, resp.TLS.Version)
	}
	if err := stop(); err != nil {
		t.Errorf("Run = %v", err)
	}
}

func TestRunWithBadCertificate(t *testing.T) {
	c, _ := newCertificate(t)
	write(t, c.certFile, bytes.Repeat([]byte("x"), 10), time.Now())
	f := newFake(t, ok, func(cfg *Config, _ *Parts) {
		cfg.Addr, cfg.TLSCert, cfg.TLSKey = "127.0.0.1:0", c.certFile, c.keyFile
	})
	if err := f.Run(t.Context(), func(net.Addr) {}); err == nil {
		t.Error("Run = nil, want an error")
	}
}
