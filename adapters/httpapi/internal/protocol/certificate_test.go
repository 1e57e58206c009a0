package protocol

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"
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

// newCertificate returns a loaded certificate, and the errors of loading it again.
func newCertificate(t *testing.T) (c *Certificate, failed *[]error) {
	dir := t.TempDir()
	failed = new([]error)
	c = &Certificate{
		CertFile: filepath.Join(dir, "cert.pem"), KeyFile: filepath.Join(dir, "key.pem"),
		Expires: func(time.Time) {}, Failed: func(err error) { *failed = append(*failed, err) },
	}
	writePair(t, c.CertFile, c.KeyFile, 1, time.Now().Add(-time.Minute))
	if err := c.Load(); err != nil {
		t.Fatalf("Load = %v", err)
	}
	return c, failed
}

// serial is the serial number of the certificate that a handshake gets.
func (c *Certificate) serial(t *testing.T) int64 {
	t.Helper()
	pair, err := c.Current(nil)
	if err != nil {
		t.Fatalf("Current = %v", err)
	}
	return pair.Leaf.SerialNumber.Int64()
}

func TestCertificateReload(t *testing.T) {
	c, failed := newCertificate(t)
	var expires []time.Time
	c.Expires = func(at time.Time) { expires = append(expires, at) }
	writePair(t, c.CertFile, c.KeyFile, 2, time.Now())
	if got := c.serial(t); got != 1 {
		t.Errorf("serial right after a check = %d, want 1", got)
	}
	c.checked = time.Time{}
	if got := c.serial(t); got != 2 {
		t.Errorf("serial after a change = %d, want 2", got)
	}
	if len(expires) != 1 || !expires[0].Equal(c.loaded.Leaf.NotAfter) {
		t.Errorf("Expires was called with %v, want once with the end of the new certificate, %v", expires, c.loaded.Leaf.NotAfter)
	}
	if len(*failed) != 0 {
		t.Errorf("failures = %v, want none", *failed)
	}
}

// Half a renewal, or none at all, leaves the old certificate in use, and the
// next check tries again.
func TestCertificateThatCannotBeRead(t *testing.T) {
	c, failed := newCertificate(t)
	for what, spoil := range map[string]func() error{
		"gone":     func() error { return os.Remove(c.KeyFile) },
		"no key":   func() error { return os.WriteFile(c.KeyFile, []byte("nonsense"), 0o600) },
		"half way": func() error { writePair(t, c.CertFile, filepath.Join(t.TempDir(), "k"), 9, time.Now()); return nil },
	} {
		if err := spoil(); err != nil {
			t.Fatal(err)
		}
		c.checked = time.Time{}
		if got := c.serial(t); got != 1 {
			t.Errorf("%s: serial = %d, want 1", what, got)
		}
	}
	if len(*failed) != 3 {
		t.Errorf("%d failures, want 3: %v", len(*failed), *failed)
	}
	writePair(t, c.CertFile, c.KeyFile, 3, time.Now().Add(time.Minute))
	c.checked = time.Time{}
	if got := c.serial(t); got != 3 {
		t.Errorf("serial = %d, want 3", got)
	}
}
