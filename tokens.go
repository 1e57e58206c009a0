package orgd

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"orgd/adapters/jwtauth"
	"orgd/adapters/system"
	"orgd/domain/access"
	"orgd/domain/name"
	"orgd/domain/session"
)

// TokenRequest asks for a token that is made without the service.
type TokenRequest struct {
	Subject     string
	Role        access.Role
	Departments []name.Name
	TTL         time.Duration
}

// NewToken makes a token with the signing key that cfg names. It needs nothing
// else, so it works while the service runs. A data directory without anything
// in it gets its key now, ready for the service's first start; one that does
// not exist is an error, because its name is more likely a mistake.
func NewToken(cfg Config, in TokenRequest) (string, session.Session, error) {
	k := keyFiles{signing: cfg.keyFile(cfg.Auth.KeyFile, signingKeyName)}
	if cfg.Auth.KeyFile == "" {
		if err := prepareKey(cfg, k.signing); err != nil {
			return "", session.Session{}, err
		}
	}
	issuer, err := loadIssuer(cfg, k)
	if err != nil {
		return "", session.Session{}, err
	}
	return sign(issuer, in)
}

// prepareKey makes the key of a data directory that was never served.
func prepareKey(cfg Config, path string) error {
	missing, err := isNew(cfg)
	if err != nil || !missing {
		return err
	}
	err = ifMissing(jwtauth.CreateKeyFile(path))
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("there is no data directory %s: start the service once, or name the one that it uses with --data-dir", cfg.SQLite.Dir)
	}
	return err
}

func newSession(issuer *jwtauth.Issuer, in TokenRequest) (session.Session, error) {
	return session.Issue(session.Grant{
		ID: system.IDs{}.NewID(), Issuer: issuer.Issuer(), Subject: in.Subject,
		Role: in.Role, Departments: in.Departments, At: system.Clock{}.Now(), TTL: in.TTL,
	})
}

func sign(issuer *jwtauth.Issuer, in TokenRequest) (string, session.Session, error) {
	s, err := newSession(issuer, in)
	if err != nil {
		return "", session.Session{}, err
	}
	token, err := issuer.Issue(s)
	return token, s, err
}

// operator is as whom who runs the service begins.
var operator = TokenRequest{Subject: "admin", Role: access.Admin, TTL: session.MaxTTL}

// firstToken makes the token with which the operator of a new directory begins.
func firstToken(issuer *jwtauth.Issuer) (string, error) {
	token, _, err := sign(issuer, operator)
	return token, err
}

// SignInLink makes a link to the console of this service, which clients on this
// machine reach at url. It signs a browser in as admin: once, within
// [session.LinkTTL], from this machine. It is a secret until then.
func (a *App) SignInLink(url string) (string, error) {
	s, err := newSession(a.issuer, operator)
	if err != nil {
		return "", err
	}
	code, _, err := a.sessions.Link(s)
	return SignInURL(url, string(code)), err
}

// SignInURL is the link of a code. The code is in the fragment, which browsers do
// not send.
func SignInURL(server, code string) string {
	return strings.TrimRight(server, "/") + "/console#code=" + code
}

// RenewAdminToken writes another token of role admin to a data directory. The one
// before stays good until it ends.
func RenewAdminToken(cfg Config) error {
	token, _, err := NewToken(cfg, operator)
	if err == nil {
		_, err = SaveAdminToken(cfg, token)
	}
	return err
}

// SaveAdminToken writes the first token of a data directory to its file
// admin.token, readable by its owner only, and returns the path.
func SaveAdminToken(cfg Config, token string) (string, error) {
	path := filepath.Join(cfg.SQLite.Dir, AdminTokenName)
	if err := WriteSecret(path, token); err != nil {
		return "", fmt.Errorf("write the first token: %w", err)
	}
	return path, nil
}
