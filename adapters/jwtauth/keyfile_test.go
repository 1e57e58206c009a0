package jwtauth_test

import (
	"crypto/elliptic"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"orgd/adapters/jwtauth"
)

func load(path string) (*jwtauth.Issuer, error) {
	cfg := jwtauth.Default()
	cfg.KeyFile = path
	return jwtauth.LoadIssuer(cfg)
}

func TestCreateKeyFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "signing.pem")
	if err := jwtauth.CreateKeyFile(path); err != nil {
		t.Fatalf("CreateKeyFile = %v", err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("Stat = %v, %v, want mode 0600", info.Mode(), err)
	}
	auth, own := open(t, newClock(), path)
	wantAccepted(t, auth, "own token", issue(t, own, ownSession(t, time.Hour)))

	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := jwtauth.CreateKeyFile(path); !errors.Is(err, fs.ErrExist) {
		t.Errorf("CreateKeyFile again = %v, want ErrExist", err)
	}
	if after, err := os.ReadFile(path); err != nil || string(after) != string(before) {
		t.Errorf("the file has changed (%v)", err)
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) != 1 {
		t.Errorf("ReadDir = %v, %v, want only the key file", files, err)
	}
}

func TestCreateKeyFileOnceAmongMany(t *testing.T) {
	path := filepath.Join(t.TempDir(), "signing.pem")
	var created atomic.Int32
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if err := jwtauth.CreateKeyFile(path); err == nil {
				created.Add(1)
			} else if !errors.Is(err, fs.ErrExist) {
				t.Errorf("CreateKeyFile = %v, want ErrExist", err)
			}
		})
	}
	all.Wait()
	if n := created.Load(); n != 1 {
		t.Errorf("%d of 8 created the file, want one", n)
	}
}

func TestCreateKeyFileWithoutDirectory(t *testing.T) {
	if err := jwtauth.CreateKeyFile(filepath.Join(t.TempDir(), "none", "signing.pem")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("CreateKeyFile = %v, want ErrNotExist", err)
	}
}

func TestLoadIssuerRefuses(t *testing.T) {
	good, err := os.ReadFile(keyFile(t, edKey(t)))
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(ecKey(t, elliptic.P256()))
	if err != nil {
		t.Fatal(err)
	}
	ec := string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}))
	for what, tt := range map[string]struct{ text, want string }{
		"empty":            {"", "holds no key"},
		"no PEM":           {"secret-canary", "not PEM"},
		"text after a key": {string(good) + "secret-canary", "not PEM"},
		"public key":       {"-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n", "not a PRIVATE KEY"},
		"not PKCS#8":       {"-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n", "not a PKCS#8 key"},
		"another kind":     {string(good) + ec, "block 2: is not an Ed25519 key"},
		"too long":         {strings.Repeat("\n", 70_000), "longer than"},
	} {
		path := filepath.Join(t.TempDir(), "signing.pem")
		if err := os.WriteFile(path, []byte(tt.text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := load(path)
		if err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "canary") {
			t.Errorf("%s: LoadIssuer = %v, want %q and nothing of the file", what, err, tt.want)
		}
	}
	if _, err := load(filepath.Join(t.TempDir(), "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("LoadIssuer(no file) = %v, want ErrNotExist", err)
	}
}
