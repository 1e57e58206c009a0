package jwtauth

import (
	"strconv"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"orgd/domain/access"
	"orgd/domain/session"
)

// rulesFor returns what tokens of the issuer must satisfy that are made for one of audience,
// which is not empty.
func (r *remote) rulesFor(audience []string, now func() time.Time) *jwt.Validator {
	return jwt.NewValidator(
		jwt.WithIssuer(r.config.Issuer), jwt.WithAudience(audience...),
		jwt.WithExpirationRequired(), jwt.WithIssuedAt(),
		jwt.WithLeeway(r.config.Leeway), jwt.WithTimeFunc(now),
	)
}

// session reads the claims of a token of the issuer.
func (r *remote) session(claims jwt.MapClaims, now time.Time) (session.Session, error) {
	sub, err := session.ParseSubject(textOf(claims["sub"]))
	if err != nil {
		return session.Session{}, refuse("the token has no subject")
	}
	s := session.Session{
		Issuer: r.config.Issuer, Subject: session.Subject(r.config.Issuer, sub), Kind: session.External,
		Departments: namesOf(lookup(claims, r.config.DepartmentsClaim)),
	}
	if s.Role, err = r.role(claims); err != nil {
		return session.Session{}, err
	}
	if s.Role == access.Agent {
		if s.Agent = textOf(lookup(claims, r.config.AgentClaim)); s.Agent == "" {
			return session.Session{}, refuse("the token names no agent")
		}
	}
	if s.IssuedAt, s.ExpiresAt, err = timesOf(claims); err != nil {
		return session.Session{}, err
	}
	if s.ID, err = r.sessionID(claims, sub, s.IssuedAt); err != nil {
		return session.Session{}, err
	}
	if s.IssuedAt.IsZero() {
		s.IssuedAt = now // what is known is that it exists now
	}
	return s, nil
}

// role returns the most powerful role that the token grants.
func (r *remote) role(claims jwt.MapClaims) (access.Role, error) {
	var roles []access.Role
	for _, word := range textsOf(lookup(claims, r.config.RoleClaim)) {
		if len(r.config.Roles) > 0 {
			word = r.config.Roles[word]
		}
		roles = append(roles, access.Role(word))
	}
	if role, ok := access.Strongest(roles); ok {
		return role, nil
	}
	return "", errNoRole
}

// sessionID returns an id made of what the token has. It is never the sid itself:
// an issuer could give a session of another one, or of ours, as its own.
func (r *remote) sessionID(claims jwt.MapClaims, sub string, iat time.Time) (string, error) {
	sid, jti := textOf(claims["sid"]), textOf(claims["jti"])
	mark := ""
	switch {
	case sid != "":
		mark = "sid:" + sid
	case jti != "":
		mark = "jti:" + jti
	case !iat.IsZero():
		mark = "iat:" + strconv.FormatInt(iat.Unix(), 10)
	default:
		return "", refuse("the token has neither sid, jti nor iat")
	}
	return session.ExternalID(r.config.Issuer, sub, mark), nil
}
