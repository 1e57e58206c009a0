// Package integration runs the real program as it runs in production: several
// processes that share one MongoDB and one Redis. `make integration` starts the
// two servers in containers; ORGD_TEST_MONGO_URI and ORGD_TEST_REDIS_ADDR name
// others. Each service that a test starts has a database and keys of its own. What
// requests ask of the servers is counted on one that runs in the process of the test.
package integration

import (
	"crypto/rand"
	"encoding/base64"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"orgd/adapters/jwtauth"
	"orgd/test/process"
)

const (
	mongoVariable = "ORGD_TEST_MONGO_URI"
	redisVariable = "ORGD_TEST_REDIS_ADDR"
)

// What all services share.
var (
	mongoURI  = os.Getenv(mongoVariable)
	redisAddr = os.Getenv(redisVariable)

	binary                string // the program, built once
	signingKey, cursorKey string // files
)

func TestMain(m *testing.M) { os.Exit(process.Main(dropping{m}, prepare)) }

// prepare builds the program and makes the keys that replicas share, unless all
// tests are skipped.
func prepare(dir string) (err error) {
	if mongoURI == "" || redisAddr == "" {
		return nil
	}
	binary, err = process.Build(dir)
	signingKey, cursorKey = filepath.Join(dir, "signing.key"), filepath.Join(dir, "cursor.key")
	secret := make([]byte, 32)
	rand.Read(secret) // never fails
	return errors.Join(err, jwtauth.CreateKeyFile(signingKey),
		os.WriteFile(cursorKey, []byte(base64.StdEncoding.EncodeToString(secret)), 0o600))
}

// needServers skips a test whose servers nobody has named.
func needServers(t *testing.T) {
	t.Helper()
	for _, name := range []string{mongoVariable, redisVariable} {
		if os.Getenv(name) == "" {
			t.Skipf("SKIPPED: %s is not set; make integration sets it, and starts what it names", name)
		}
	}
}
