// Package jwtauth issues and verifies bearer tokens: signed JSON Web Tokens of
// this service itself and of trusted OpenID Connect issuers.
package jwtauth

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"orgd/adapters/settings"
	"orgd/domain/access"
	"orgd/domain/fault"
	"orgd/domain/loopback"
	"orgd/domain/session"
)

const (
	maxLeeway    = time.Minute
	maxCacheSize = 1_000_000
	maxIssuer    = 256 // characters
)

// Config says whose tokens are accepted. Start from [Default]. The help in the tags
// describes the fields.
type Config struct {
	// KeyFile holds the service's own keys, see [CreateKeyFile].
	KeyFile string `name:"signing-key-file" placeholder:"FILE" help:"Keys that sign and verify tokens (Ed25519, PEM): the first signs, all verify. Replicas share the file. Otherwise the key lies in the data directory."`
	// Issuer and Audience are the iss and aud of own tokens. Replicas share them.
	Issuer   string `name:"token-issuer" placeholder:"NAME" help:"Issuer of own tokens."`
	Audience string `name:"token-audience" placeholder:"NAME" help:"Audience of own tokens."`
	// CacheSize 0 verifies every token every time.
	CacheSize int `name:"token-cache-size" placeholder:"N" help:"How many verified tokens are remembered, 0 to 1000000."`
	// OIDC are the external issuers that are trusted beside the own one.
	OIDC []OIDC
}

// OIDC is one trusted external issuer. Start from [DefaultOIDC].
type OIDC struct {
	// Issuer is the issuer's URL, exactly as its tokens spell it in iss.
	Issuer string `name:"issuer" placeholder:"URL" help:"Accept tokens of this issuer too."`
	// Audience lists the values of aud that mean this service; one is enough.
	// Without any no token of the issuer is accepted by the API: people can sign in
	// with it, if it has a ClientID, and else it would be of no use.
	Audience []string `name:"audience" placeholder:"NAME" help:"Audiences that mean this service; required with --oidc-issuer. With --oidc-client-id it may be left out: then people sign in, and the API accepts no tokens of the issuer."`
	JWKSURI  string   `name:"jwks-uri" placeholder:"URL" help:"Where the issuer's keys are, if its discovery document shall not say."`
	// RoleClaim, DepartmentsClaim and AgentClaim name the claims that hold the
	// roles, the departments of a department admin, and the agent id of an
	// agent. A claim "a.b" is the member b of the claim a unless there is a
	// claim of that very name. Each is a text or a list of texts.
	RoleClaim        string `name:"role-claim" placeholder:"NAME" help:"Claim with the roles; a.b is the member b of a."`
	DepartmentsClaim string `name:"departments-claim" placeholder:"NAME" help:"Claim with the departments of a department_admin or reporter."`
	AgentClaim       string `name:"agent-claim" placeholder:"NAME" help:"Claim with the id of an agent."`
	// Roles maps the issuer's words to roles. Empty means that the issuer uses
	// the names of the roles. Of several roles the most powerful counts.
	Roles  map[string]string `name:"role-map" placeholder:"WORD=ROLE" help:"The issuer's words for roles. Without any they are the roles' own names."`
	Leeway time.Duration     `name:"leeway" placeholder:"TIME" help:"How far the issuer's clock may be off, 0s to 1m."`
	// ClientID names this service as a client of the issuer: people sign in there. Its ID
	// tokens have it as their audience.
	ClientID string `name:"client-id" placeholder:"NAME" help:"Sign people in with this issuer, as the client with this id. Needs --public-url; the redirect address of the client is PUBLIC_URL/api/v1/auth/oidc/callback."`
	// ClientSecretFile is read whenever it is needed; "" is for a public client.
	ClientSecretFile string   `name:"client-secret-file" placeholder:"FILE" help:"Secret of the client, read whenever it is used. Without one the client is public."`
	Scopes           []string `name:"scopes" placeholder:"NAME" help:"What to ask the issuer for when people sign in; openid is among it."`
	AllowHTTP        bool     `name:"allow-http" help:"Fetch keys without TLS also from other hosts. For tests only."`
}

// Default returns the configuration without external issuers. KeyFile remains
// to be set.
func Default() Config {
	return Config{Issuer: "orgd", Audience: "orgd", CacheSize: 10_000}
}

// DefaultOIDC returns the usual claims and leeway. Issuer and Audience remain to
// be set.
func DefaultOIDC() OIDC {
	return OIDC{
		RoleClaim: "role", DepartmentsClaim: "departments", AgentClaim: "sub",
		Leeway: 30 * time.Second, Scopes: []string{"openid", "profile", "email"},
	}
}

// Validate reports every mistake under the names of the command line's flags.
func (c Config) Validate() error {
	var m settings.Mistakes
	m.Unless(c.KeyFile != "", "signing-key-file", "is required")
	m.Unless(plainText(c.Issuer), "token-issuer", "must be 1 to 256 characters, without white space and %q", "|")
	m.Unless(plainText(c.Audience), "token-audience", "must be 1 to 256 characters, without white space and %q", "|")
	m.Unless(c.CacheSize >= 0 && c.CacheSize <= maxCacheSize, "token-cache-size", "must be 0 to %d", maxCacheSize)
	seen, clients := []string{c.Issuer}, 0
	for _, o := range c.OIDC {
		if o.ClientID != "" {
			clients++
		}
		m.Unless(!slices.Contains(seen, o.Issuer), "oidc-issuer", "%q is named twice", o.Issuer)
		seen = append(seen, o.Issuer)
		o.validate(&m)
	}
	m.Unless(clients <= 1, "oidc-client-id", "is given for %d issuers: people sign in with one", clients)
	return m.Err()
}

func (o OIDC) validate(m *settings.Mistakes) {
	if o.Issuer == "" {
		m.Unless(false, "oidc-issuer", "is required by the other --oidc settings")
		return
	}
	err := o.checkURL(o.Issuer)
	m.Unless(err == nil, "oidc-issuer", "%w", err)
	m.Unless(plainText(o.Issuer), "oidc-issuer", "must be at most %d characters, without white space and %q", maxIssuer, "|")
	if o.JWKSURI != "" {
		err := o.checkURL(o.JWKSURI)
		m.Unless(err == nil, "oidc-jwks-uri", "%w", err)
	}
	m.Unless(len(o.Audience) > 0 || o.ClientID != "", "oidc-audience", "is required for %s: without it every token of that issuer would be accepted", o.Issuer)
	for _, aud := range o.Audience {
		m.Unless(plainText(aud) && aud != "*", "oidc-audience", "%q is not an audience", aud)
	}
	m.Unless(o.RoleClaim != "", "oidc-role-claim", "must not be empty")
	m.Unless(o.DepartmentsClaim != "", "oidc-departments-claim", "must not be empty")
	m.Unless(o.AgentClaim != "", "oidc-agent-claim", "must not be empty")
	for word, role := range o.Roles {
		_, err := access.ParseRole(role)
		m.Unless(word != "" && err == nil, "oidc-role-map", "%q=%q must map a word to one of %s", word, role, fault.List(access.Roles()))
	}
	m.Unless(o.ClientID == "" || session.CheckText(o.ClientID, maxIssuer) == "", "oidc-client-id", "%q is not a client id", o.ClientID)
	m.Unless(o.ClientID != "" || o.ClientSecretFile == "", "oidc-client-secret-file", "goes with --oidc-client-id")
	m.Unless(slices.Contains(o.Scopes, "openid"), "oidc-scopes", "must have openid")
	for _, scope := range o.Scopes {
		m.Unless(plainText(scope), "oidc-scopes", "%q is not a scope", scope)
	}
	m.Unless(o.Leeway >= 0 && o.Leeway <= maxLeeway, "oidc-leeway", "must be 0s to %v", maxLeeway)
}

// checkURL refuses what keys must not be fetched from.
func (o OIDC) checkURL(text string) error {
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Host == "" || u.User != nil || u.Fragment != "" || u.RawQuery != "":
		return fmt.Errorf("%q must be an absolute URL without user, query and fragment", text)
	case u.Scheme == "https":
		return nil
	case u.Scheme == "http" && (o.AllowHTTP || loopback.IsHost(u.Hostname())):
		return nil
	}
	return fmt.Errorf("%q must use https (or see --oidc-allow-http)", text)
}

// plainText reports whether s can be an issuer or an audience.
func plainText(s string) bool {
	return s != "" && len(s) <= maxIssuer && !strings.ContainsFunc(s, func(r rune) bool {
		return r <= ' ' || r > '~' || r == '|'
	})
}
