package orgd

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"go.uber.org/zap"

	"orgd/adapters/httpapi"
	"orgd/adapters/jwtauth"
	"orgd/adapters/keyfile"
	"orgd/adapters/mongostore"
	"orgd/adapters/redislimit"
	"orgd/adapters/sqlitestore"
	"orgd/adapters/system"
	"orgd/adapters/telemetry"
	"orgd/domain/access"
	"orgd/domain/name"
	"orgd/domain/session"
	"orgd/ports"
)

// What the operator does beside the running service.

// migrateEvery is the time between tries of a MongoDB that cannot be reached yet.
const migrateEvery = time.Second

// Migrate brings the storage that cfg names to the schema of this program and
// returns its version. A MongoDB that cannot be reached is tried again for as
// long as wait says.
func Migrate(ctx context.Context, cfg Config, wait time.Duration, log *zap.Logger) (version int, err error) {
	if cfg.Storage == SQLite {
		return sqlitestore.Migrate(ctx, cfg.SQLite, log)
	}
	err = whenReachable(ctx, cfg, wait, log, func() error {
		version, err = mongostore.Migrate(ctx, cfg.Mongo, system.Clock{})
		return err
	})
	return version, err
}

// Initiate initiates the replica set of the MongoDB that cfg names, unless that has
// been done. One that cannot be reached is tried again for as long as wait says.
func Initiate(ctx context.Context, cfg Config, wait time.Duration, log *zap.Logger) error {
	return whenReachable(ctx, cfg, wait, log, func() error { return mongostore.Initiate(ctx, cfg.Mongo) })
}

// whenReachable calls do until it does not return [ports.ErrUnavailable], at most for
// wait.
func whenReachable(ctx context.Context, cfg Config, wait time.Duration, log *zap.Logger, do func() error) error {
	for end := time.Now().Add(wait); ; {
		err := do()
		if !errors.Is(err, ports.ErrUnavailable) || time.Now().Add(migrateEvery).After(end) {
			return cfg.Origins.Rename(err)
		}
		log.Info("waiting for MongoDB", zap.Error(cfg.Origins.Rename(err)))
		select {
		case <-time.After(migrateEvery):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Try connects to the servers that a valid cfg names, and reports everything
// that would keep the service from starting or from sharing its limits. It
// changes nothing. A data directory is not opened. The external token issuers are asked, too;
// hints say what may be wrong there.
func Try(ctx context.Context, cfg Config) (hints []string, err error) {
	var mongo, redis error
	if cfg.Storage == MongoDB {
		var closeDB func()
		if _, closeDB, mongo = openMongo(ctx, cfg, system.Clock{}, telemetry.Observer{}); mongo == nil {
			closeDB()
		}
	}
	if cfg.sharesLimits() {
		redis = cfg.Origins.Rename(redislimit.Check(cfg.redis()))
	}
	hints, issuers := jwtauth.Try(ctx, cfg.auth(), cfg.HTTP.PublicURL)
	return hints, errors.Join(mongo, redis, cfg.Origins.Rename(issuers))
}

// openMongo opens the database if it answers and has been migrated.
func openMongo(ctx context.Context, cfg Config, clock ports.Clock, o telemetry.Observer) (*mongostore.DB, func(), error) {
	cfg.Mongo.Observer = o
	db, closeDB, err := mongostore.Open(cfg.Mongo, clock)
	if err == nil {
		if err = db.Check(ctx); err == nil {
			return db, closeDB, nil
		}
		closeDB()
		err = cmp.Or(ctx.Err(), err)
	}
	return nil, nil, cfg.Origins.Rename(err)
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

// isNew reports whether there is a data directory that has not been served yet, or has
// lost its key: nobody has a token for it.
func isNew(cfg Config) (bool, error) {
	if cfg.Storage != SQLite {
		return false, nil
	}
	served, err := sqlitestore.Exists(cfg.SQLite.Dir)
	if err != nil || !served {
		return true, err
	}
	_, err = os.Stat(cfg.auth().KeyFile)
	if errors.Is(err, fs.ErrNotExist) {
		return true, nil
	}
	return false, err
}

// TokenRequest asks for a token that is made without the service.
type TokenRequest struct {
	Subject     string
	Role        access.Role
	Departments []name.Name
	Label       string // what it is for; may be ""
	TTL         time.Duration
}

// NewToken makes a token with the signing key that cfg names. It needs nothing
// else, so it works while the service runs. A data directory without anything
// in it gets its key now, ready for the service's first start; one that does
// not exist is an error, because its name is more likely a mistake.
func NewToken(cfg Config, in TokenRequest) (string, session.Session, error) {
	auth := cfg.auth()
	if cfg.Auth.KeyFile == "" {
		if err := prepareKey(cfg, auth.KeyFile); err != nil {
			return "", session.Session{}, err
		}
	}
	issuer, err := jwtauth.LoadIssuer(auth)
	if err != nil {
		return "", session.Session{}, err
	}
	return sign(issuer, in, system.Clock{}.Now())
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

func newSession(issuer *jwtauth.Issuer, in TokenRequest, at time.Time) (session.Session, error) {
	return session.Issue(session.Grant{
		ID: system.IDs{}.NewID(), Issuer: issuer.Issuer(), Subject: in.Subject,
		Role: in.Role, Departments: in.Departments, Label: in.Label, At: at, TTL: in.TTL,
	})
}

func sign(issuer *jwtauth.Issuer, in TokenRequest, at time.Time) (string, session.Session, error) {
	s, err := newSession(issuer, in, at)
	if err != nil {
		return "", session.Session{}, err
	}
	token, err := issuer.Issue(s)
	return token, s, err
}

// operator is who runs the service.
var operator = TokenRequest{Subject: "admin", Role: access.Admin, TTL: session.MaxTTL}

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
	if err := keyfile.Replace(path, []byte(token+"\n")); err != nil {
		return "", fmt.Errorf("write the first token: %w", err)
	}
	return path, nil
}
