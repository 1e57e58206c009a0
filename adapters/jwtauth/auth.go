package jwtauth

import (
	"context"
	"crypto"
	"crypto/sha256"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"go.uber.org/zap"

	"orgd/domain/fault"
	"orgd/domain/session"
	"orgd/ports"
)

// trusted is a source with its rules.
type trusted struct {
	source
	validator *jwt.Validator
}

// Auth verifies tokens. It remembers the accepted ones.
type Auth struct {
	sources map[string]trusted // by iss
	remotes []*remote
	parser  *jwt.Parser
	cache   *cache
	now     func() time.Time
}

var _ ports.Authenticator = (*Auth)(nil)

// Open returns an Auth that accepts the tokens of own and of the external
// issuers in c, whose keys it fetches in the background from now on until stop
// is called. It starts although an issuer cannot be reached.
func Open(c Config, own *Issuer, clock ports.Clock, log *zap.Logger) (auth *Auth, stop func(), err error) {
	if err := c.Validate(); err != nil {
		return nil, nil, err
	}
	a := newAuth(c, own, clock.Now)
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	for _, o := range c.OIDC {
		r := newRemote(o, httpGetter(), clock.Now, log.With(zap.String("issuer", o.Issuer)))
		if len(o.Audience) > 0 { // or any would do
			a.sources[o.Issuer] = trusted{r, r.rulesFor(o.Audience, clock.Now)}
		}
		a.remotes = append(a.remotes, r)
		running.Go(func() { r.run(ctx) })
	}
	return a, func() { cancel(); running.Wait() }, nil
}

func newAuth(c Config, own *Issuer, now func() time.Time) *Auth {
	return &Auth{
		sources: map[string]trusted{own.name: {own, own.rules(now)}},
		// The rules are the source's, so they are applied after parsing. Strict
		// decoding leaves each token one spelling.
		parser: jwt.NewParser(jwt.WithValidMethods(algorithms), jwt.WithStrictDecoding(), jwt.WithoutClaimsValidation()),
		cache:  newCache(c.CacheSize),
		now:    now,
	}
}

// External reports whether the keys of at least one external issuer are at hand.
func (a *Auth) External() bool {
	return slices.ContainsFunc(a.remotes, (*remote).loaded)
}

// Issuers reports whether there are external issuers, and whether each answered
// when it was last asked for its keys.
func (a *Auth) Issuers() (external, answer bool) {
	silent := slices.ContainsFunc(a.remotes, func(r *remote) bool { return r.failing.Load() || !r.loaded() })
	return len(a.remotes) > 0, !silent
}

// Authenticate returns the session of a token.
func (a *Auth) Authenticate(ctx context.Context, token string) (session.Session, error) {
	if len(token) > maxToken {
		return session.Session{}, refuse("the token is too long")
	}
	var short [1 << 10]byte // has most tokens without an allocation
	id := tokenID(sha256.Sum256(append(short[:0], token...)))
	if s, ok := a.cache.get(id, a.now()); ok {
		return s, nil
	}
	v, err := a.verify(ctx, token)
	if err != nil {
		return session.Session{}, reasonOf(err)
	}
	a.cache.put(id, v)
	return v.session, nil
}

// verify judges a token from scratch.
func (a *Auth) verify(ctx context.Context, token string) (verdict, error) {
	if strings.TrimLeft(token, tokenCharacters) != "" {
		return verdict{}, jwt.ErrTokenMalformed
	}
	var from trusted
	var epoch uint64
	claims, err := a.parse(ctx, token, func(iss string) (source, bool) {
		var ok bool
		if from, ok = a.sources[iss]; ok {
			epoch = from.epoch() // before the key, so that losing it meanwhile shows
		}
		return from.source, ok
	})
	if err != nil {
		return verdict{}, err
	}
	if err := from.validator.Validate(claims); err != nil {
		return verdict{}, err
	}
	s, err := from.session(claims, a.now())
	return verdict{s, from.source, epoch}, err
}

// parse returns the claims of a token that a trusted issuer has signed. Nothing else of it is
// checked.
func (a *Auth) parse(ctx context.Context, token string, trust func(iss string) (source, bool)) (jwt.MapClaims, error) {
	claims := jwt.MapClaims{}
	_, err := a.parser.ParseWithClaims(token, claims, func(t *jwt.Token) (any, error) {
		from, ok := trust(textOf(claims["iss"]))
		if !ok {
			return nil, refuse("the token's issuer is not trusted")
		}
		return keyOf(ctx, from, t)
	})
	return claims, err
}

// keyOf looks up the key of a token. Keys come from the source alone: a token
// that brings its own, or that must be understood in a way we do not know, is
// refused.
func keyOf(ctx context.Context, from source, t *jwt.Token) (crypto.PublicKey, error) {
	for _, header := range []string{"jwk", "jku", "x5u", "x5c", "crit"} {
		if _, ok := t.Header[header]; ok {
			return nil, refuse("the token has a header that is not accepted")
		}
	}
	kid, given := t.Header["kid"]
	if _, ok := kid.(string); given && !ok {
		return nil, errUnknownKey
	}
	return from.key(ctx, textOf(kid), t.Method.Alg())
}

// tokenCharacters are all that a token has. The base64 decoder skips line breaks, which
// would give one token many spellings.
const tokenCharacters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_."

// reasonOf says to the client why a token was not accepted, and no more: what a
// token holds never enters an error.
func reasonOf(err error) error {
	var f *fault.Error
	switch {
	case errors.As(err, &f):
		return f
	case errors.Is(err, jwt.ErrTokenMalformed):
		return refuse("the token is malformed")
	case errors.Is(err, jwt.ErrTokenSignatureInvalid), errors.Is(err, jwt.ErrTokenUnverifiable):
		return refuse("the token's signature is not valid")
	case errors.Is(err, jwt.ErrTokenExpired):
		return refuse("the token has expired")
	case errors.Is(err, jwt.ErrTokenNotValidYet), errors.Is(err, jwt.ErrTokenUsedBeforeIssued):
		return refuse("the token is not valid yet")
	case errors.Is(err, jwt.ErrTokenInvalidAudience):
		return refuse("the token is not meant for this service")
	case errors.Is(err, jwt.ErrTokenRequiredClaimMissing):
		return refuse("the token lacks a required claim")
	}
	return refuse("the token is not valid")
}
