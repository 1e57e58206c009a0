package jwtauth

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/rsa"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/MicahParks/jwkset"
	"github.com/golang-jwt/jwt/v5"
)

const (
	maxKeys    = 100  // of one issuer
	minRSABits = 2048 // RFC 7518, section 3.3
)

// algorithms are the accepted values of alg: asymmetric ones only.
var algorithms = []string{"EdDSA", "ES256", "ES384", "ES512", "RS256", "RS384", "RS512", "PS256", "PS384", "PS512"}

// publishedKey is one key of an external issuer that may verify tokens.
type publishedKey struct {
	kid, alg string // as published, "" if not
	public   crypto.PublicKey
}

// fits reports whether the key may verify a token of this algorithm. What the
// token claims about itself never widens what its key is for.
func (k publishedKey) fits(alg string) bool {
	if k.alg != "" && k.alg != alg {
		return false
	}
	switch key := k.public.(type) {
	case ed25519.PublicKey:
		return alg == jwt.SigningMethodEdDSA.Alg()
	case *rsa.PublicKey:
		return strings.HasPrefix(alg, "RS") || strings.HasPrefix(alg, "PS")
	case *ecdsa.PublicKey:
		method, ok := jwt.GetSigningMethod(alg).(*jwt.SigningMethodECDSA)
		return ok && method.CurveBits == key.Curve.Params().BitSize
	}
	return false
}

func (k publishedKey) equal(other publishedKey) bool {
	type equaler interface{ Equal(crypto.PublicKey) bool }
	public, ok := k.public.(equaler)
	return ok && k.kid == other.kid && k.alg == other.alg && public.Equal(other.public)
}

// keySet is what an issuer publishes.
type keySet []publishedKey

// find returns the key for a token. Without a kid the token is accepted only if
// there is no choice.
func (s keySet) find(kid, alg string) (crypto.PublicKey, bool) {
	var found []crypto.PublicKey
	for _, k := range s {
		if k.fits(alg) && (kid == "" || kid == k.kid) {
			found = append(found, k.public)
		}
	}
	if len(found) == 0 || kid == "" && len(found) > 1 {
		return nil, false
	}
	return found[0], true
}

// drops reports whether a key of s is missing in next.
func (s keySet) drops(next keySet) bool {
	return slices.ContainsFunc(s, func(k publishedKey) bool { return !slices.ContainsFunc(next, k.equal) })
}

// parseKeySet reads a JWK set. Keys that cannot verify a token, or not safely,
// are left out: issuers publish keys for other purposes too. A set that is left
// empty is a set: the issuer has withdrawn everything.
func parseKeySet(text []byte) (keySet, error) {
	var doc struct {
		Keys *[]json.RawMessage `json:"keys"`
	}
	if err := json.Unmarshal(text, &doc); err != nil {
		return nil, fmt.Errorf("the key set is not JSON: %w", err)
	}
	if doc.Keys == nil {
		return nil, errors.New("the key set has no member keys")
	}
	if len(*doc.Keys) > maxKeys {
		return nil, fmt.Errorf("the key set has %d keys, more than %d", len(*doc.Keys), maxKeys)
	}
	set := keySet{}
	for _, raw := range *doc.Keys {
		if key, ok := parsePublished(raw); ok {
			set = append(set, key)
		}
	}
	return set, nil
}

// parsePublished reads one key, or reports false if it is not for us.
func parsePublished(raw json.RawMessage) (publishedKey, bool) {
	var m jwkset.JWKMarshal
	if err := json.Unmarshal(raw, &m); err != nil || !forVerifying(m) {
		return publishedKey{}, false
	}
	// Only the bare key counts; certificates beside it are neither needed nor
	// followed.
	bare := jwkset.JWKMarshal{KTY: m.KTY, CRV: m.CRV, X: m.X, Y: m.Y, N: m.N, E: m.E}
	jwk, err := jwkset.NewJWKFromMarshal(bare, jwkset.JWKMarshalOptions{}, jwkset.JWKValidateOptions{})
	if err != nil || !strong(jwk.Key()) {
		return publishedKey{}, false
	}
	return publishedKey{kid: m.KID, alg: string(m.ALG), public: jwk.Key()}, true
}

// forVerifying reports whether the issuer says nothing against verifying
// signatures with the key.
func forVerifying(m jwkset.JWKMarshal) bool {
	use := m.USE == "" || m.USE == jwkset.UseSig
	ops := len(m.KEYOPS) == 0 || slices.Contains(m.KEYOPS, jwkset.KeyOpsVerify)
	return use && ops
}

// strong reports whether a key is of a kind that is accepted, and long enough.
func strong(key any) bool {
	switch key := key.(type) {
	case ed25519.PublicKey:
		return true
	case *rsa.PublicKey:
		return key.N.BitLen() >= minRSABits && key.E >= 3 && key.E%2 == 1
	case *ecdsa.PublicKey:
		_, err := key.ECDH() // refuses points that are not on the curve
		return err == nil
	}
	return false
}
