package orgd

import (
	"errors"
	"io"
	"net"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"orgd/adapters/httpapi"
	"orgd/adapters/jwtauth"
	"orgd/adapters/mongostore"
	"orgd/adapters/redislimit"
	"orgd/adapters/settings"
	"orgd/adapters/sqlitestore"
	"orgd/adapters/telemetry"
	"orgd/adapters/webhooksend"
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

// maxWebhookTimeout leaves a third of the lease of a delivery for storing its outcome.
const maxWebhookTimeout = webhook.Lease * 2 / 3

// Config is the configuration of the service. Start from [Default]. A field with a help
// text in its tag is a setting: its flag, variable and key in a file are made from the
// tag. The tags of a struct hold for the fields in it.
type Config struct {
	HTTP httpapi.Config `group:"Listening"`
	// MetricsAddr is empty if there is no such listener.
	MetricsAddr string `name:"metrics-addr" group:"Listening" placeholder:"HOST:PORT" help:"Show metrics, to everybody who gets there, on a listener of their own."`
	// Console is nil if the program decides, see [Config.ServesConsole].
	Console *bool `name:"console" group:"Listening" negatable:"" help:"Serve the console, at /console. By itself where only this machine can reach it: with the embedded storage on a loopback address."`
	// Storage is SQLite or MongoDB, and one of the two that follow says where.
	Storage string             `name:"storage" group:"Storage" placeholder:"KIND" help:"sqlite keeps everything in the data directory; mongodb serves several replicas."`
	SQLite  sqlitestore.Config `group:"Storage" storage:"sqlite"`
	Mongo   mongostore.Config  `group:"mongo" storage:"mongodb"`
	// Redis is where replicas share their limits; without addresses nowhere.
	// Its Replicas are not set here.
	Redis    redislimit.Config `group:"redis"`
	Replicas int               `name:"replicas" group:"Storage" storage:"mongodb" placeholder:"N" help:"How many processes serve the same storage, 1 to 1000. Without Redis each admits its part of the limits."`
	// Limits are the caps of all replicas together.
	Limits    limit.Caps
	Retention time.Duration `name:"retention" group:"Storage" placeholder:"TIME" help:"How long runtime events are kept, such as 400d; 0 keeps them for ever."`
	// WebhookTimeout bounds one attempt to deliver, from looking up the name to the end
	// of the answer. It stays under [webhook.Lease], after which another process tries.
	WebhookTimeout time.Duration `name:"webhook-timeout" group:"Webhooks" placeholder:"TIME" help:"How long the receiver of a webhook may take to answer, 1s to 20s."`
	// Webhooks are the endpoints that are allowed beyond those of the public
	// internet.
	Webhooks webhook.Policy
	// Auth says whose tokens are accepted. An empty KeyFile means the key in
	// the data directory.
	Auth          jwtauth.Config        `group:"Tokens"`
	CursorKeyFile string                `name:"cursor-key-file" group:"Storage" placeholder:"FILE" help:"Key that signs the cursors of lists (base64, 32 bytes or more). Replicas share it. Otherwise it lies in the data directory."`
	Traces        telemetry.TraceConfig `group:"Traces"`
	Log           LogConfig             `group:"logs"`
	// AuditLog is "-", which is Stdout, or empty.
	AuditLog string    `name:"audit-log" group:"logs" placeholder:"-" help:"Given as -: each audit entry of what this process commits is a line of JSON on standard output. A crash, or a reader that stands still, leaves some out; orgd get audit --watch misses none."`
	Stdout   io.Writer // nil means that of the process
	// Origins are how the user wrote the settings that are not defaults.
	Origins settings.Origins
}

// LogConfig says what is logged and how.
type LogConfig struct {
	Level  string `name:"log-level" placeholder:"LEVEL" help:"debug, info, warn or error."`
	Format string `name:"log-format" placeholder:"FORMAT" help:"json, console, or auto: console on a terminal."`
}

// Default returns a configuration that runs on a laptop with nothing else
// installed.
func Default() Config {
	return Config{
		HTTP:           httpapi.Default(),
		Storage:        SQLite,
		SQLite:         sqlitestore.Default(),
		Mongo:          mongostore.Default(),
		Redis:          redislimit.Default(),
		Replicas:       1,
		Limits:         limit.Defaults(),
		Retention:      400 * 24 * time.Hour,
		WebhookTimeout: webhooksend.Default("").Timeout,
		Auth:           jwtauth.Default(),
		Traces:         telemetry.DefaultTraces(),
		Log:            LogConfig{Level: "info", Format: "auto"},
		Origins:        settings.Origins{},
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
	return c.Origins.Rename(errors.Join(
		c.HTTP.Validate(), c.checkStorage(), c.auth().Validate(), c.checkLimits(),
		c.checkMetricsAddr(), c.checkWebhookTimeout(), c.checkSignIn(), c.Traces.Validate(), c.checkLog(),
	))
}

// ValidateStorage reports the mistakes about where the data lies. It is for
// commands that need nothing else.
func (c Config) ValidateStorage() error {
	if c.Storage == MongoDB {
		return c.Origins.Rename(c.Mongo.Validate())
	}
	return c.Origins.Rename(c.checkStorage())
}

// ValidateDirectory reports the mistakes of a command that works on a data directory. A
// directory beside another storage is not what the operator means.
func (c Config) ValidateDirectory() error {
	m := settings.Mistakes{c.SQLite.Validate()}
	m.Unless(c.Storage != MongoDB, "storage", "is mongodb, and this command is for a data directory: use the tools of MongoDB or \"orgd archive\", or set it to sqlite")
	return c.Origins.Rename(m.Err())
}

func (c Config) checkStorage() error {
	switch c.Storage {
	case SQLite:
		m := settings.Mistakes{c.SQLite.Validate()}
		m.Unless(c.Replicas == 1 || !isReplicas(c.Replicas), "replicas", "must be 1 with --storage sqlite, whose directory one process at a time may use")
		m.Unless(c.Mongo.URI == "", "mongo-uri", "is for --storage mongodb, and the storage is sqlite")
		return m.Err()
	case MongoDB:
		m := settings.Mistakes{c.Mongo.Validate()}
		m.Unless(c.CursorKeyFile != "", "cursor-key-file", "is required with --storage mongodb: all replicas share the file")
		return m.Err()
	}
	return settings.Mistakef("storage", "%q must be sqlite or mongodb", c.Storage)
}

func (c Config) checkLimits() error {
	var m settings.Mistakes
	if c.sharesLimits() {
		m = append(m, c.redis().Validate())
	}
	m.Unless(isReplicas(c.Replicas), "replicas", "must be 1 to %d", maxReplicas)
	return m.Err()
}

func isReplicas(n int) bool { return 1 <= n && n <= maxReplicas }

func (c Config) checkMetricsAddr() error {
	if c.MetricsAddr == "" {
		return nil
	}
	_, port, err := net.SplitHostPort(c.MetricsAddr)
	if err == nil {
		_, err = strconv.ParseUint(port, 10, 16)
	}
	var m settings.Mistakes
	m.Unless(err == nil, "metrics-addr", "%q must be HOST:PORT", c.MetricsAddr)
	m.Unless(c.MetricsAddr != c.HTTP.Addr || port == "0", "metrics-addr", "must differ from --addr")
	return m.Err()
}

func (c Config) checkWebhookTimeout() error {
	var m settings.Mistakes
	m.Unless(c.WebhookTimeout >= time.Second && c.WebhookTimeout <= maxWebhookTimeout, "webhook-timeout", "must be 1s to %s", maxWebhookTimeout)
	return m.Err()
}

// checkSignIn makes sure that an identity provider can lead browsers back.
func (c Config) checkSignIn() error {
	var m settings.Mistakes
	for _, o := range c.Auth.OIDC {
		m.Unless(o.ClientID == "" || c.HTTP.PublicURL != "", "public-url", "is required with --oidc-client-id: the identity provider leads browsers back there")
	}
	return m.Err()
}

func (c Config) checkLog() error {
	var m settings.Mistakes
	oneOf := func(name, value string, words ...string) {
		m.Unless(slices.Contains(words, value), name, "%q must be one of %s", value, strings.Join(words, ", "))
	}
	oneOf("log-level", c.Log.Level, "debug", "info", "warn", "error")
	oneOf("log-format", c.Log.Format, "auto", "json", "console")
	m.Unless(c.AuditLog == "" || c.AuditLog == "-", "audit-log", "must be -, which is standard output; a file is for what runs \"orgd get audit --watch\"")
	return m.Err()
}
