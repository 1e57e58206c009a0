package orgd

import (
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"orgd/adapters/httpapi"
	"orgd/adapters/jwtauth"
	"orgd/adapters/keyfile"
	"orgd/adapters/sqlitestore"
)

// keyFiles are where the keys of the service lie.
type keyFiles struct{ signing, cursor string }

// embeddedKeys makes the keys of a data directory that has none. It asks for
// the open database because whoever has that is alone in the directory.
func embeddedKeys(cfg Config, _ *sqlitestore.DB) (keyFiles, error) {
	k := keyFiles{
		signing: cfg.keyFile(cfg.Auth.KeyFile, signingKeyName),
		cursor:  cfg.keyFile(cfg.CursorKeyFile, cursorKeyName),
	}
	if cfg.Auth.KeyFile == "" {
		if err := ifMissing(jwtauth.CreateKeyFile(k.signing)); err != nil {
			return k, err
		}
	}
	if cfg.CursorKeyFile == "" {
		if err := ifMissing(createCursorKey(k.cursor)); err != nil {
			return k, err
		}
	}
	return k, nil
}

// CreateKeys makes the key files that cfg names and that do not exist yet, and
// returns those.
func CreateKeys(cfg Config) (made []string, err error) {
	for _, k := range []struct {
		path   string
		create func(string) error
	}{
		{cfg.Auth.KeyFile, jwtauth.CreateKeyFile},
		{cfg.CursorKeyFile, createCursorKey},
	} {
		if k.path == "" {
			continue
		}
		switch err := k.create(k.path); {
		case err == nil:
			made = append(made, k.path)
		case ifMissing(err) != nil:
			return made, err
		}
	}
	return made, nil
}

// sharedKeys are the keys that all replicas have been given.
func sharedKeys(cfg Config) keyFiles {
	return keyFiles{signing: cfg.Auth.KeyFile, cursor: cfg.CursorKeyFile}
}

// ifMissing drops the error of creating what exists.
func ifMissing(err error) error {
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	return err
}

// createCursorKey writes a new key for cursors: base64 on one line. It returns
// an error that is fs.ErrExist if there is a file already.
func createCursorKey(path string) error {
	key := make([]byte, httpapi.MinCursorKey)
	rand.Read(key) // never fails
	if err := keyfile.Create(path, []byte(base64.StdEncoding.EncodeToString(key)+"\n")); err != nil {
		return fmt.Errorf("write the cursor key: %w", err)
	}
	return nil
}

// WriteSecret writes a file that only its owner may read, and that appears
// complete or not at all, also in the place of an older one.
func WriteSecret(path, text string) error {
	return keyfile.Replace(path, []byte(strings.TrimSuffix(text, "\n")+"\n"))
}

// readCursorKey reads a key for cursors. Its errors never repeat the content.
func readCursorKey(k keyFiles) (httpapi.CursorKey, error) {
	content, err := os.ReadFile(k.cursor)
	if err != nil {
		return nil, fmt.Errorf("read the cursor key: %w", err)
	}
	key, err := base64.StdEncoding.DecodeString(strings.TrimSpace(string(content)))
	if err != nil || len(key) < httpapi.MinCursorKey {
		return nil, fmt.Errorf("cursor key file %s must hold at least %d bytes in base64, as made by: openssl rand -base64 %d",
			k.cursor, httpapi.MinCursorKey, httpapi.MinCursorKey)
	}
	return key, nil
}

// loadIssuer reads the signing keys.
func loadIssuer(cfg Config, k keyFiles) (*jwtauth.Issuer, error) {
	c := cfg.Auth
	c.KeyFile = k.signing
	return jwtauth.LoadIssuer(c)
}

// isNew reports whether the data directory has not been served yet, or has lost
// its key: nobody has a token for it.
func isNew(cfg Config) (bool, error) {
	served, err := sqlitestore.Exists(cfg.SQLite.Dir)
	if err != nil || !served {
		return true, err
	}
	_, err = os.Stat(cfg.keyFile(cfg.Auth.KeyFile, signingKeyName))
	if errors.Is(err, fs.ErrNotExist) {
		return true, nil
	}
	return false, err
}
