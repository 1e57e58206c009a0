package jwtauth

import (
	"cmp"
	"context"
	"crypto"
	"crypto/ed25519"
	"crypto/rand"
	"fmt"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"orgd/domain/access"
	"orgd/domain/session"
	"orgd/ports"
)

// maxToken bounds a token, in bytes: what fits into a request header.
const maxToken = 8 << 10

// backdate is how long before its issue a token is valid, so that a replica
// whose clock is behind accepts it at once.
const backdate = 30 * time.Second

// Issuer signs and knows the tokens of this service.
type Issuer struct {
	name, audience string
	signer         ed25519.PrivateKey
	signerID       string
	keys           map[string]ed25519.PublicKey // by kid
}

var _ ports.TokenIssuer = (*Issuer)(nil)

// LoadIssuer reads the keys that c names. The first key of the file signs, all
// of them verify.
func LoadIssuer(c Config) (*Issuer, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	private, err := readKeyFile(c.KeyFile)
	if err != nil {
		return nil, err
	}
	keys := make(map[string]ed25519.PublicKey, len(private))
	for _, key := range private {
		public := key.Public().(ed25519.PublicKey)
		keys[keyID(public)] = public
	}
	return &Issuer{
		name: c.Issuer, audience: c.Audience,
		signer: private[0], signerID: keyID(private[0].Public().(ed25519.PublicKey)), keys: keys,
	}, nil
}

// Issuer is the iss of the service's own tokens.
func (i *Issuer) Issuer() string { return i.name }

// Issue returns a token of s.
func (i *Issuer) Issue(s session.Session) (string, error) {
	departments := make([]string, len(s.Departments))
	for n, d := range s.Departments {
		departments[n] = d.Text
	}
	claims := jwt.MapClaims{
		"iss": i.name, "aud": i.audience, "sub": s.Subject, "jti": rand.Text(), "sid": s.ID,
		"iat": s.IssuedAt.Unix(), "nbf": s.IssuedAt.Add(-backdate).Unix(), "exp": s.ExpiresAt.Unix(),
		"role": string(s.Role), "departments": departments,
	}
	if s.Label != "" {
		claims["label"] = s.Label
	}
	if s.Agent != "" && s.Agent != s.Subject {
		claims["agent"] = s.Agent // the issuer whose token the session was made from names agents otherwise
	}
	if s.Kind == session.BySignIn {
		claims["kind"], claims["from"], claims["ends"] = string(s.Kind), s.From, s.EndsBy.Unix()
		if len(s.From) > 0 {
			claims["root"] = s.From[0] // for replicas of release 0.9.0, which know the first only
		}
	}
	t := jwt.NewWithClaims(jwt.SigningMethodEdDSA, claims)
	t.Header["kid"] = i.signerID
	token, err := t.SignedString(i.signer)
	if err != nil {
		return "", fmt.Errorf("jwtauth: sign a token: %w", err)
	}
	if len(token) > maxToken {
		return "", session.ErrTooLarge.With("departments: make a token of %d bytes, which may have at most %d", len(token), maxToken)
	}
	return token, nil
}

// key finds the key of an own token; see [source].
func (i *Issuer) key(_ context.Context, kid, alg string) (crypto.PublicKey, error) {
	key, ok := i.keys[kid]
	if !ok || alg != jwt.SigningMethodEdDSA.Alg() {
		return nil, errUnknownKey
	}
	return key, nil
}

// rules returns what own tokens must satisfy. There is no leeway: the clocks
// are our own, and a short token should end when it says.
func (i *Issuer) rules(now func() time.Time) *jwt.Validator {
	return jwt.NewValidator(
		jwt.WithIssuer(i.name), jwt.WithAudience(i.audience),
		jwt.WithExpirationRequired(), jwt.WithNotBeforeRequired(), jwt.WithTimeFunc(now),
	)
}

// session reads the claims of an own token. They are what Issue wrote, so
// anything else is a token that another program made with our key.
func (i *Issuer) session(claims jwt.MapClaims, _ time.Time) (session.Session, error) {
	s := session.Session{Issuer: i.name, Kind: session.ByToken, Departments: namesOf(claims["departments"])}
	var err error
	if s.ID, err = session.ParseID(textOf(claims["sid"])); err != nil {
		return session.Session{}, refuse("the token has no session id")
	}
	if textOf(claims["kind"]) == string(session.BySignIn) {
		s.Kind, s.From = session.BySignIn, textsOf(claims["from"])
		if s.From == nil {
			s.From = textsOf(claims["root"]) // by that release
		}
		ends, _ := claims["ends"].(float64)
		s.EndsBy = time.Unix(int64(ends), 0).UTC()
	}
	if s.Subject, err = s.Kind.ParseSubject(textOf(claims["sub"])); err != nil {
		return session.Session{}, refuse("the token has no subject")
	}
	if s.Role, err = access.ParseRole(textOf(claims["role"])); err != nil {
		return session.Session{}, errNoRole
	}
	if s.Role == access.Agent {
		s.Agent = cmp.Or(textOf(claims["agent"]), s.Subject)
	}
	if label, labeled := claims["label"]; labeled {
		if s.Label, err = session.ParseLabel(textOf(label)); err != nil {
			return session.Session{}, refuse("the token has a label that nobody can have given it")
		}
	}
	s.IssuedAt, s.ExpiresAt, err = timesOf(claims)
	return s, err
}

// epoch never changes: own keys are read once.
func (i *Issuer) epoch() uint64 { return 0 }
