package jwtauth

import (
	"cmp"
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"go.uber.org/zap"
	"golang.org/x/oauth2"

	"orgd/domain/session"
	"orgd/ports"
)

// CallbackPath is where the issuer sends browsers back to, below the public URL.
const CallbackPath = "/api/v1/auth/oidc/callback"

// redeemTimeout bounds the exchange of a code.
const redeemTimeout = 8 * time.Second

// Provider signs people in with the issuer that has a client id: by the authorization code
// flow with PKCE (RFC 6749, RFC 7636, OpenID Connect Core 1.0).
type Provider struct {
	auth   *Auth
	remote *remote // nil: there is none
	rules  *jwt.Validator
	public string // where browsers reach this service
	client *http.Client
	log    *zap.Logger
}

var _ ports.IdentityProvider = (*Provider)(nil)

// NewProvider returns what signs people in with an issuer of auth. publicURL is where
// browsers reach this service.
func NewProvider(auth *Auth, publicURL string, log *zap.Logger) *Provider {
	p := &Provider{auth: auth, public: strings.TrimRight(publicURL, "/"), client: newClient(), log: log}
	for _, r := range auth.remotes {
		if r.config.ClientID != "" {
			p.remote, p.rules = r, r.rulesFor([]string{r.config.ClientID}, auth.now)
		}
	}
	return p
}

// Name implements [ports.IdentityProvider]: it is the host of the issuer.
func (p *Provider) Name() string {
	if p.remote == nil {
		return ""
	}
	u, err := url.Parse(p.remote.config.Issuer)
	if err != nil {
		return p.remote.config.Issuer
	}
	return u.Hostname()
}

// AuthURL implements [ports.IdentityProvider].
func (p *Provider) AuthURL(a session.Attempt) (string, error) {
	c, _, err := p.config()
	if err != nil {
		return "", err
	}
	return c.AuthCodeURL(a.State(), oauth2.SetAuthURLParam("nonce", a.Nonce()), oauth2.S256ChallengeOption(a.Verifier())), nil
}

// config returns how this service is a client of the issuer, which it has asked what it is.
func (p *Provider) config() (oauth2.Config, *found, error) {
	if p.remote == nil {
		return oauth2.Config{}, nil, session.ErrNoProvider
	}
	f := p.remote.found.Load()
	if wrong := p.remote.wrong.Load(); f == nil && wrong != nil {
		return oauth2.Config{}, nil, session.ErrProvider.With("%s is not the issuer that is configured: %s: an operator has to look at --oidc-issuer", p.Name(), *wrong)
	}
	if f == nil {
		return oauth2.Config{}, nil, session.ErrProvider.With("%s has not answered yet: try again in a minute", p.Name())
	}
	return p.remote.config.client(*f, p.public), f, nil
}

// client is how this service is a client of the issuer, without its secret.
func (o OIDC) client(f found, publicURL string) oauth2.Config {
	return oauth2.Config{
		ClientID: o.ClientID, RedirectURL: strings.TrimRight(publicURL, "/") + CallbackPath,
		Scopes:   o.Scopes,
		Endpoint: oauth2.Endpoint{AuthURL: f.AuthURL, TokenURL: f.TokenURL, AuthStyle: f.style(o.ClientSecretFile == "")},
	}
}

// style is how a client authenticates. One without a secret only says who it is.
func (f found) style(public bool) oauth2.AuthStyle {
	if public || len(f.TokenAuth) > 0 && !slices.Contains(f.TokenAuth, "client_secret_basic") && slices.Contains(f.TokenAuth, "client_secret_post") {
		return oauth2.AuthStyleInParams
	}
	return oauth2.AuthStyleInHeader
}

// Redeem implements [ports.IdentityProvider].
func (p *Provider) Redeem(ctx context.Context, a session.Attempt, answer ports.SignInAnswer) (session.Session, string, error) {
	c, f, err := p.config()
	if err == nil {
		err = p.check(a, answer, f)
	}
	if err != nil {
		return session.Session{}, "", err
	}
	ctx, cancel := context.WithTimeout(context.WithValue(ctx, oauth2.HTTPClient, p.client), redeemTimeout)
	defer cancel()
	if file := p.remote.config.ClientSecretFile; file != "" {
		if c.ClientSecret, err = readClientSecret(file); err != nil {
			return session.Session{}, "", err
		}
	}
	token, err := c.Exchange(ctx, answer.Code, oauth2.VerifierOption(a.Verifier()))
	if err != nil {
		return session.Session{}, "", p.codeRefused(err)
	}
	text, _ := token.Extra("id_token").(string)
	return p.verify(ctx, text, a.Nonce())
}

// check refuses answers that are not of this attempt, or not of this issuer.
func (p *Provider) check(a session.Attempt, answer ports.SignInAnswer, f *found) error {
	if err := a.Check(answer.State); err != nil {
		return err
	}
	if answer.Issuer != p.remote.config.Issuer && (answer.Issuer != "" || f.NamesItself) {
		return session.ErrProviderRefused.With("the answer is not of %s, which this sign-in began with", p.Name())
	}
	if answer.Code == "" {
		return session.ErrProviderRefused.With("%s has refused this sign-in: %q", p.Name(), cmp.Or(answer.Err, "no code"))
	}
	return nil
}

// codeRefused says what came of a code that was not accepted. What the issuer wrote is for
// the log.
func (p *Provider) codeRefused(err error) error {
	var refused *oauth2.RetrieveError
	switch {
	case !errors.As(err, &refused):
		return session.ErrProvider.With("%s does not answer: try again in a minute", p.Name()).Because(err)
	case refused.ErrorCode == "invalid_grant":
		p.log.Info("the issuer did not accept a code", zap.String("issuer", p.remote.config.Issuer), zap.String("description", refused.ErrorDescription))
		return session.ErrProviderRefused.With("%s does not accept this sign-in any more: sign in again", p.Name())
	}
	return session.ErrProvider.With("%s does not accept this service as its client (%s): an operator has to look at client id, secret and redirect address", p.Name(), cmp.Or(refused.ErrorCode, refused.Response.Status)).Because(err)
}

// verify returns the session of an ID token (OpenID Connect Core 1.0, section 3.1.3.7).
func (p *Provider) verify(ctx context.Context, token, nonce string) (session.Session, string, error) {
	claims, err := p.claims(ctx, token)
	if err != nil {
		return session.Session{}, "", p.refused(reasonOf(err))
	}
	if azp, given := claims["azp"]; given && azp != p.remote.config.ClientID {
		return session.Session{}, "", p.refused(refuse("the token was made for another client"))
	}
	if subtle.ConstantTimeCompare([]byte(textOf(claims["nonce"])), []byte(nonce)) != 1 {
		return session.Session{}, "", session.ErrAttempt
	}
	s, err := p.remote.session(claims, p.auth.now())
	if errors.Is(err, errNoRole) {
		return session.Session{}, "", p.noRole(claims)
	}
	if err != nil {
		return session.Session{}, "", p.refused(err)
	}
	return s, cmp.Or(textOf(claims["email"]), textOf(claims["preferred_username"]), textOf(claims["name"])), nil
}

// claims returns those of a token of the issuer for this client.
func (p *Provider) claims(ctx context.Context, token string) (jwt.MapClaims, error) {
	switch {
	case token == "":
		return nil, refuse("it has no ID token: an operator has to look whether the scopes include openid")
	case len(token) > maxToken:
		return nil, refuse(fmt.Sprintf("the ID token has %d bytes, and may have at most %d: an operator has to let the provider put fewer groups into it", len(token), maxToken))
	case strings.TrimLeft(token, tokenCharacters) != "":
		return nil, jwt.ErrTokenMalformed
	}
	claims, err := p.auth.parse(ctx, token, func(iss string) (source, bool) { return p.remote, iss == p.remote.config.Issuer })
	if err == nil {
		err = p.rules.Validate(claims)
	}
	return claims, err
}

// refused says which rule an ID token does not satisfy. Keys that cannot be read are no
// fault of the token.
func (p *Provider) refused(err error) error {
	if errors.Is(err, session.ErrIssuerUnavailable) {
		return session.ErrProvider.With("the keys of %s cannot be read: try again in a minute", p.Name()).Because(err)
	}
	return session.ErrProviderRefused.With("the answer of %s is not accepted: %s", p.Name(), err)
}

// noRole says which claim was missing, or what it says instead of a role.
func (p *Provider) noRole(claims jwt.MapClaims) error {
	o := p.remote.config
	words := textsOf(lookup(claims, o.RoleClaim))
	if len(words) == 0 {
		return session.ErrNoRole.With("this account has no role here: its ID token has no claim %q with one. It has the claims %s", o.RoleClaim, strings.Join(slices.Sorted(maps.Keys(claims)), ", "))
	}
	known := "the roles of orgd"
	if len(o.Roles) > 0 {
		known = strings.Join(slices.Sorted(maps.Keys(o.Roles)), ", ")
	}
	return session.ErrNoRole.With("this account has no role here: the claim %q of its ID token says %q, and a role have %s only", o.RoleClaim, words, known)
}

// SignOutURL implements [ports.IdentityProvider] by OpenID Connect RP-Initiated Logout 1.0.
func (p *Provider) SignOutURL(s session.Session) string {
	c, f, err := p.config()
	if err != nil || f.EndURL == "" || s.Kind != session.BySignIn || !s.IsOf(p.remote.config.Issuer) {
		return ""
	}
	u, err := url.Parse(f.EndURL)
	if err != nil {
		return "" // which found.check has refused
	}
	q := u.Query()
	q.Set("client_id", c.ClientID)
	q.Set("post_logout_redirect_uri", p.public+"/console")
	u.RawQuery = q.Encode()
	return u.String()
}

func readClientSecret(file string) (string, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return "", fmt.Errorf("jwtauth: read the secret of the client: %w", err)
	}
	return strings.TrimRight(string(text), "\r\n"), nil
}
