package archive

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/pbkdf2"
	"crypto/sha256"
	"encoding/base64"
	"fmt"

	"orgd/domain/webhook"
)

// Sealed says how the secrets of an archive are encrypted: by AES-256-GCM, with a key that
// PBKDF2 derives from a passphrase by HMAC-SHA-256.
type Sealed struct {
	Salt  string // in base64
	Check string // a known text, sealed: a wrong passphrase is found at once
}

const (
	rounds    = 600_000
	checkName = "passphrase"
)

// Sealer encrypts and decrypts the secrets of an archive.
type Sealer struct {
	aead cipher.AEAD
	salt string
}

// NewSealer returns the sealer of a passphrase and a salt, which nobody has to keep secret.
func NewSealer(passphrase string, salt []byte) (*Sealer, error) {
	key, err := pbkdf2.Key(sha256.New, passphrase, salt, rounds, 32)
	if err != nil {
		return nil, fmt.Errorf("archive: derive a key: %w", err)
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, fmt.Errorf("archive: derive a key: %w", err)
	}
	aead, err := cipher.NewGCM(block)
	return &Sealer{aead, base64.StdEncoding.EncodeToString(salt)}, err
}

// OpenSealer returns the sealer of an archive, or [ErrPassphrase].
func (s Sealed) OpenSealer(passphrase string) (*Sealer, error) {
	salt, err := base64.StdEncoding.DecodeString(s.Salt)
	if err != nil {
		return nil, Damaged("header", "salt: %v", err)
	}
	sealer, err := NewSealer(passphrase, salt)
	if err != nil {
		return nil, err
	}
	if _, ok := sealer.open(s.Check, checkName); !ok {
		return nil, ErrPassphrase.With("the passphrase is not the one that the archive was made with")
	}
	return sealer, nil
}

// Sealed says how s encrypts. A nonce must never be used twice.
func (s *Sealer) Sealed(nonce []byte) *Sealed {
	return &Sealed{s.salt, s.seal([]byte(checkName), checkName, nonce)}
}

// Seal returns the secrets of a webhook, encrypted.
func (s *Sealer) Seal(w webhook.Webhook, nonce []byte) string {
	return s.seal(w.Secrets.Stored(), string(w.ID), nonce)
}

// Open returns the secrets of a webhook.
func (s *Sealer) Open(id webhook.ID, sealed string) (webhook.Secrets, error) {
	text, ok := s.open(sealed, string(id))
	if !ok {
		return webhook.Secrets{}, Damaged(Webhooks, "the secrets of webhook %s cannot be decrypted", id)
	}
	return webhook.ParseSecrets(text)
}

// seal encrypts a text that is good for one name only.
func (s *Sealer) seal(text []byte, name string, nonce []byte) string {
	nonce = nonce[:s.aead.NonceSize()]
	return base64.StdEncoding.EncodeToString(s.aead.Seal(nonce[:len(nonce):len(nonce)], nonce, text, []byte(name)))
}

func (s *Sealer) open(sealed, name string) (text []byte, ok bool) {
	raw, err := base64.StdEncoding.DecodeString(sealed)
	n := s.aead.NonceSize()
	if err != nil || len(raw) < n {
		return nil, false
	}
	text, err = s.aead.Open(nil, raw[:n], raw[n:], []byte(name))
	return text, err == nil
}
