package jwtauth

import (
	"bytes"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"os"

	"orgd/adapters/keyfile"
)

const (
	pemType    = "PRIVATE KEY" // PKCS#8
	maxKeyFile = 64 << 10      // bytes
)

// CreateKeyFile writes a new key to a file that only its owner may read. It
// returns an error that is fs.ErrExist if there is a file already: a key in use
// is never replaced. The file appears complete or not at all.
//
// To change keys put the new block before the old ones, in the files of all
// replicas, after it was everywhere as the second block: the first key signs,
// all of them verify. Remove a key when the last token that it signed expired.
func CreateKeyFile(path string) error {
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return fmt.Errorf("jwtauth: make a key: %w", err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return fmt.Errorf("jwtauth: encode a key: %w", err)
	}
	text := pem.EncodeToMemory(&pem.Block{Type: pemType, Bytes: der})
	if err := keyfile.Create(path, text); err != nil {
		return fmt.Errorf("jwtauth: write key file: %w", err)
	}
	return nil
}

// readKeyFile returns the keys of a file in its order, at least one.
func readKeyFile(path string) ([]ed25519.PrivateKey, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("jwtauth: read key file: %w", err)
	}
	text, err := io.ReadAll(io.LimitReader(f, maxKeyFile+1))
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, fmt.Errorf("jwtauth: read key file: %w", err)
	}
	if len(text) > maxKeyFile {
		return nil, fmt.Errorf("jwtauth: key file %s is longer than %d bytes", path, maxKeyFile)
	}
	keys, err := parseKeys(text)
	if err != nil {
		return nil, fmt.Errorf("jwtauth: key file %s: %w", path, err)
	}
	return keys, nil
}

func parseKeys(text []byte) ([]ed25519.PrivateKey, error) {
	var keys []ed25519.PrivateKey
	for len(bytes.TrimSpace(text)) > 0 {
		var block *pem.Block
		if block, text = pem.Decode(text); block == nil {
			return nil, fmt.Errorf("what follows block %d is not PEM", len(keys))
		}
		key, err := parseKey(block)
		if err != nil {
			return nil, fmt.Errorf("block %d: %w", len(keys)+1, err)
		}
		keys = append(keys, key)
	}
	if len(keys) == 0 {
		return nil, errors.New("holds no key")
	}
	return keys, nil
}

// parseKey reads one block. Its errors never repeat what the block holds.
func parseKey(block *pem.Block) (ed25519.PrivateKey, error) {
	if block.Type != pemType {
		return nil, fmt.Errorf("is not a %s", pemType)
	}
	key, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return nil, errors.New("is not a PKCS#8 key")
	}
	if key, ok := key.(ed25519.PrivateKey); ok {
		return key, nil
	}
	return nil, errors.New("is not an Ed25519 key")
}

// keyID is the key's RFC 7638 thumbprint, so a key has the same kid on every
// replica and after every restart.
func keyID(key ed25519.PublicKey) string {
	x := base64.RawURLEncoding.EncodeToString(key)
	sum := sha256.Sum256([]byte(`{"crv":"Ed25519","kty":"OKP","x":"` + x + `"}`))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}
