package httpapi

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
)

// writeCertificate writes a certificate of 127.0.0.1 and its key to files.
func writeCertificate(t *testing.T) (certFile, keyFile string, _ *x509.Certificate) {
	t.Helper()
	srv := httptest.NewTLSServer(nil)
	defer srv.Close()
	pair := srv.TLS.Certificates[0]
	key, err := x509.MarshalPKCS8PrivateKey(pair.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	certFile, keyFile = filepath.Join(t.TempDir(), "cert.pem"), filepath.Join(t.TempDir(), "key.pem")
	err = errors.Join(
		os.WriteFile(certFile, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: pair.Certificate[0]}), 0o600),
		os.WriteFile(keyFile, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key}), 0o600))
	if err != nil {
		t.Fatal(err)
	}
	return certFile, keyFile, srv.Certificate()
}

func TestRunWithTLS(t *testing.T) {
	certFile, keyFile, certificate := writeCertificate(t)
	f := newFake(t, ok, func(cfg *Config, _ *Parts) {
		cfg.Addr, cfg.TLSCert, cfg.TLSKey = "127.0.0.1:0", certFile, keyFile
	})
	addr, stop := f.run(t)
	pool := x509.NewCertPool()
	pool.AddCert(certificate)
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
	certFile, keyFile, _ := writeCertificate(t)
	if err := os.WriteFile(certFile, bytes.Repeat([]byte("x"), 10), 0o600); err != nil {
		t.Fatal(err)
	}
	f := newFake(t, ok, func(cfg *Config, _ *Parts) {
		cfg.Addr, cfg.TLSCert, cfg.TLSKey = "127.0.0.1:0", certFile, keyFile
	})
	if err := f.Run(t.Context(), func(net.Addr) {}); err == nil {
		t.Error("Run = nil, want an error")
	}
}
