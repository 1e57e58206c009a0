package orgd

import (
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"orgd/adapters/httpapi"
	"orgd/adapters/jwtauth"
	"orgd/adapters/mongostore"
	"orgd/adapters/redislimit"
	"orgd/adapters/sqlitestore"
	"orgd/adapters/telemetry"
	"orgd/domain/limit"
	"orgd/domain/loopback"
	"orgd/domain/webhook"
)

// The storages that --storage may name.
const (
	SQLite  = "sqlite"
	MongoDB = "mongodb"
)

// The names of the files that a data directory holds beside the database.
const (
	signingKeyName = "signing.key"
	cursorKeyName  = "cursor.key"
	AdminTokenName = "admin.token" // a token of role admin, readable by its owner only
)

// maxReplicas bounds --replicas.
const maxReplicas = 1000

// Config is the configuration of the service. Start from [Default].
type Config struct {
	HTTP httpapi.Config
	// MetricsAddr is the address of the listener that shows metrics to everybody
	// who reaches it; empty means none.
	MetricsAddr string
	// Console says whether the console is served; nil means where only this
	// machine can reach it.
	Console *bool
	// Storage is SQLite or MongoDB, and one of the two that follow says where.
	Storage string
	SQLite  sqlitestore.Config
	Mongo   mongostore.Config
	// Redis is where replicas share their limits; without addresses nowhere.
	// Its Replicas are not set here.
	Redis redislimit.Config
	// Replicas is how many processes serve the same storage, 1 to 1000. Without
	// shared limits each admits its part.
	Replicas int
	// Limits are the caps of all replicas together.
	Limits limit.Caps
	// Retention is how long runtime events are kept; 0 keeps them for ever.
	Retention time.Duration
	// Webhooks are the endpoints that are allowed beyond those of the public
	// internet.
	Webhooks webhook.Policy
	// Auth says whose tokens are accepted. An empty KeyFile means the key in
	// the data directory.
	Auth jwtauth.Config
	// CursorKeyFile holds the key that signs cursors; empty means the key in the
	// data directory.
	CursorKeyFile string
	// Traces says where traces go.
	Traces telemetry.TraceConfig
	Log    LogConfig

	origins origins
}

// LogConfig says what is logged and how.
type LogConfig struct {
	Level  string // debug, info, warn or error
	Format string // json, console, or auto: console on a terminal, else json
}

// Default returns a configuration that runs on a laptop with nothing else
// installed.
func Default() Config {
	return Config{
		HTTP:      httpapi.Default(),
		Storage:   SQLite,
		SQLite:    sqlitestore.Default(),
		Mongo:     mongostore.Default(),
		Redis:     redislimit.Default(),
		Replicas:  1,
		Limits:    limit.Defaults(),
		Retention: 400 * day,
		Auth:      jwtauth.Default(),
		Traces:    telemetry.DefaultTraces(),
		Log:       LogConfig{Level: "info", Format: "auto"},
		origins:   origins{},
	}
}

// DataDir is the data directory of the embedded storage.
func (c Config) DataDir() string { return c.SQLite.Dir }

// Place names where the data lies, for people.
func (c Config) Place() string {
	if c.Storage == MongoDB {
		return "database " + c.Mongo.Database
	}
	return c.SQLite.Dir
}

// ServesConsole reports whether the console is served.
func (c Config) ServesConsole() bool {
	if c.Console != nil {
		return *c.Console
	}
	host, _, err := net.SplitHostPort(c.HTTP.Addr)
	return c.Storage == SQLite && err == nil && loopback.IsHost(host)
}

// keyFile returns the file of a key: the one that is configured or, in the
// embedded mode, the one in the data directory.
func (c Config) keyFile(configured, name string) string {
	if configured == "" && c.Storage != MongoDB {
		return filepath.Join(c.SQLite.Dir, name)
	}
	return configured
}

// sharesLimits reports whether limits are counted in Redis.
func (c Config) sharesLimits() bool { return len(c.Redis.Addrs) > 0 }

// redis is the configuration of shared limits.
func (c Config) redis() redislimit.Config {
	r := c.Redis
	r.Replicas = c.Replicas
	return r
}

// auth is the configuration of authentication with its key file.
func (c Config) auth() jwtauth.Config {
	a := c.Auth
	a.KeyFile = c.keyFile(a.KeyFile, signingKeyName)
	return a
}

// Validate reports every mistake, under the name that the operator typed.
func (c Config) Validate() error {
	return c.origins.rename(errors.Join(
		c.HTTP.Validate(), c.checkStorage(), c.auth().Validate(), c.checkLimits(),
		c.checkMetricsAddr(), c.Traces.Validate(), c.checkLog(),
	))
}

// ValidateStorage reports the mistakes about where the data lies. It is for
// commands that need nothing else.
func (c Config) ValidateStorage() error {
	if c.Storage == MongoDB {
		return c.origins.rename(c.Mongo.Validate())
	}
	return c.origins.rename(c.checkStorage())
}

func (c Config) checkStorage() error {
	switch c.Storage {
	case SQLite:
		return errors.Join(c.SQLite.Validate(),
			unless(c.Replicas == 1, "--replicas: must be 1 with --storage sqlite, whose directory one process at a time may use"),
			unless(c.Mongo.URI == "", "--mongo-uri: is for --storage mongodb, and the storage is sqlite"))
	case MongoDB:
		return errors.Join(c.Mongo.Validate(),
			unless(c.CursorKeyFile != "", "--cursor-key-file: is required with --storage mongodb: all replicas share the file"))
	}
	return fmt.Errorf("--storage: %q must be sqlite or mongodb", c.Storage)
}

func (c Config) checkLimits() error {
	var redis error
	if c.sharesLimits() {
		redis = c.redis().Validate()
	}
	return errors.Join(redis,
		unless(c.Replicas >= 1 && c.Replicas <= maxReplicas, "--replicas: must be 1 to "+strconv.Itoa(maxReplicas)),
	)
}

func (c Config) checkMetricsAddr() error {
	if c.MetricsAddr == "" {
		return nil
	}
	_, port, err := net.SplitHostPort(c.MetricsAddr)
	if err == nil {
		_, err = strconv.ParseUint(port, 10, 16)
	}
	return errors.Join(
		unless(err == nil, fmt.Sprintf("--metrics-addr: %q must be HOST:PORT", c.MetricsAddr)),
		unless(c.MetricsAddr != c.HTTP.Addr || port == "0", "--metrics-addr: must differ from --addr"),
	)
}

func (c Config) checkLog() error {
	return errors.Join(
		oneOf("--log-level", c.Log.Level, "debug", "info", "warn", "error"),
		oneOf("--log-format", c.Log.Format, "auto", "json", "console"),
	)
}

func oneOf(name, value string, words ...string) error {
	for _, w := range words {
		if value == w {
			return nil
		}
	}
	return fmt.Errorf("%s: %q must be one of %s", name, value, strings.Join(words, ", "))
}

func unless(ok bool, mistake string) error {
	if ok {
		return nil
	}
	return errors.New(mistake)
}

// issuer returns the external issuer that single settings describe. It is the
// first one; those of a list follow.
func (c *Config) issuer() *jwtauth.OIDC {
	if len(c.Auth.OIDC) == 0 {
		c.Auth.OIDC = []jwtauth.OIDC{jwtauth.DefaultOIDC()}
	}
	return &c.Auth.OIDC[0]
}

// addIssuers reads the list of external issuers in the file.
func (c *Config) addIssuers(v any) error {
	var errs []error
	for i, item := range items(v) {
		o, err := readIssuer(item)
		for _, line := range lines(err) {
			errs = append(errs, fmt.Errorf("[%d]: %s", i, line))
		}
		c.Auth.OIDC = append(c.Auth.OIDC, o)
	}
	return errors.Join(errs...)
}

func readIssuer(v any) (jwtauth.OIDC, error) {
	o := jwtauth.DefaultOIDC()
	values, ok := v.(map[string]any)
	if !ok {
		return o, errors.New("must have settings such as issuer and audience")
	}
	var names []string
	var errs []error
	for _, s := range issuerSettings() {
		names = append(names, s.name)
		if v, ok := values[s.name]; ok {
			errs = append(errs, prefix(s.name, assign(s.place(&o), v)))
		}
	}
	return o, errors.Join(append(errs, unknown(values, names))...)
}
