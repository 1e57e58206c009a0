// Package redisconn says where Redis is and how to log in to it, for the adapters
// that use it: one server, sentinels or a cluster, with or without TLS.
package redisconn

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"net/url"
	"os"
	"regexp"
	"strconv"
	"strings"

	"orgd/adapters/settings"
)

// maxDB bounds the number of a database.
const maxDB = 65535

// Config says where Redis is. Start from [Default]. The help in the tags describes the
// fields.
type Config struct {
	// Addrs are HOST:PORT, redis://HOST:PORT/DB or, with TLS, rediss://HOST:PORT/DB,
	// without user and password. Several are nodes of one cluster or, with
	// MasterName, sentinels. The port is 6379 if it is missing, that of a sentinel
	// 26379.
	Addrs   []string `name:"redis-addr" placeholder:"ADDR" help:"HOST:PORT, redis://HOST:PORT/DB or rediss://HOST:PORT/DB; several are nodes of a cluster, or sentinels."`
	Cluster bool     `name:"redis-cluster" help:"The one address is a node of a cluster."`
	// Username and Password log in to Redis; both empty if it asks nobody.
	Username         string `name:"redis-username" placeholder:"NAME" help:"Who logs in to Redis."`
	Password         string `name:"redis-password" secret:"true" placeholder:"TEXT" help:"Prefer $ORGD_REDIS_PASSWORD_FILE."`
	MasterName       string `name:"redis-sentinel-master" placeholder:"NAME" help:"The addresses are sentinels, which watch this master."`
	SentinelUsername string `name:"redis-sentinel-username" placeholder:"NAME" help:"Who logs in to the sentinels."`
	SentinelPassword string `name:"redis-sentinel-password" secret:"true" placeholder:"TEXT" help:"Prefer $ORGD_REDIS_SENTINEL_PASSWORD_FILE."`
	// The files are in PEM form. CertFile and KeyFile, both or neither, are read again
	// for every connection.
	CAFile   string `name:"redis-tls-ca" placeholder:"FILE" help:"Who vouches for the servers; otherwise the system's authorities."`
	CertFile string `name:"redis-tls-cert" placeholder:"FILE" help:"Certificate that is shown to the servers."`
	KeyFile  string `name:"redis-tls-key" placeholder:"FILE" help:"Key of that certificate."`
	// Prefix begins the names of everything, so that several services can share
	// one Redis.
	Prefix string `name:"redis-prefix" placeholder:"TEXT" help:"How every key begins: letters, digits and -_.:, at most 32."`
}

// Default returns a configuration that lacks nothing but addresses.
func Default() Config { return Config{Prefix: "orgd"} }

// Validate reports every mistake, under the names of the command line. It
// repeats no address, because one may hold a password.
func (c Config) Validate() error {
	t, err := c.target()
	m := settings.Mistakes{err}
	usesTLS := err != nil || t.tls // not to report what follows from another mistake
	m.Unless(c.MasterName == "" || !c.Cluster, "redis-cluster redis-sentinel-master", "exclude each other")
	m.Unless(c.MasterName != "" || c.SentinelUsername == "" && c.SentinelPassword == "", "redis-sentinel-master", "is required with the login of a sentinel")
	m.Unless(c.Username == "" || c.Password != "", "redis-password", "is required with --redis-username")
	m.Unless(c.SentinelUsername == "" || c.SentinelPassword != "", "redis-sentinel-password", "is required with --redis-sentinel-username")
	m.Unless((c.CertFile == "") == (c.KeyFile == ""), "redis-tls-cert redis-tls-key", "both or neither")
	m.Unless(usesTLS || c.CAFile == "" && c.CertFile == "", "redis-addr", "must begin with rediss:// for --redis-tls-ca and --redis-tls-cert")
	m.Unless(prefix.MatchString(c.Prefix), "redis-prefix", "must be 1 to 32 of a-z, A-Z, 0-9, -, _, . and :")
	return m.Err()
}

// prefix has no braces: they say which part of a key decides about its place in a
// cluster.
var prefix = regexp.MustCompile(`^[a-zA-Z0-9_.:-]{1,32}$`)

// target is what the addresses say together.
type target struct {
	addrs   []string // HOST:PORT
	tls     bool
	db      int
	cluster bool
}

// target reads the addresses.
func (c Config) target() (target, error) {
	if len(c.Addrs) == 0 {
		return target{}, settings.Mistakef("redis-addr", "must not be empty")
	}
	port := "6379"
	if c.MasterName != "" {
		port = "26379"
	}
	var all target
	var errs []error
	for i, text := range c.Addrs {
		one, err := parseAddr(text, port)
		switch {
		case err != nil:
			errs = append(errs, settings.Mistakef("redis-addr", "address %d: %w", i+1, err))
		case i > 0 && (one.tls != all.tls || one.db != all.db):
			errs = append(errs, settings.Mistakef("redis-addr", "address %d: must have the scheme and the database of the first", i+1))
		}
		all.tls, all.db = one.tls, one.db
		all.addrs = append(all.addrs, one.addrs...)
	}
	all.cluster = c.MasterName == "" && (c.Cluster || len(c.Addrs) > 1)
	if all.cluster && all.db != 0 {
		errs = append(errs, settings.Mistakef("redis-addr", "a cluster has no databases but 0"))
	}
	return all, errors.Join(errs...)
}

var (
	errAddr  = errors.New("must be HOST:PORT, redis://HOST:PORT/DB or rediss://HOST:PORT/DB")
	errLogin = errors.New("must not hold a user or a password: use --redis-username and ORGD_REDIS_PASSWORD_FILE")
)

// parseAddr reads one address. Its mistakes do not repeat the address.
func parseAddr(text, port string) (target, error) {
	if strings.Contains(text, "@") {
		return target{}, errLogin
	}
	if !strings.Contains(text, "://") {
		text = "redis://" + text
	}
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "redis" && u.Scheme != "rediss" || u.Hostname() == "" || u.RawQuery != "" || u.Fragment != "" {
		return target{}, errAddr
	}
	if u.Port() != "" {
		port = u.Port()
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
		return target{}, errAddr
	}
	one := target{addrs: []string{net.JoinHostPort(u.Hostname(), port)}, tls: u.Scheme == "rediss"}
	if db := strings.Trim(u.Path, "/"); db != "" {
		if one.db, err = strconv.Atoi(db); err != nil || one.db < 0 || one.db > maxDB {
			return target{}, errAddr
		}
	}
	return one, nil
}

// tlsConfig reads the files; nil without TLS.
func (c Config) tlsConfig(t target) (*tls.Config, error) {
	if !t.tls {
		return nil, nil
	}
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if c.CAFile != "" {
		text, err := os.ReadFile(c.CAFile)
		if err != nil {
			return nil, settings.Mistakef("redis-tls-ca", "%w", err)
		}
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(text) {
			return nil, settings.Mistakef("redis-tls-ca", "%s has no certificate", c.CAFile)
		}
	}
	if c.CertFile == "" {
		return config, nil
	}
	own := func(*tls.CertificateRequestInfo) (*tls.Certificate, error) {
		cert, err := tls.LoadX509KeyPair(c.CertFile, c.KeyFile)
		return &cert, err
	}
	if _, err := own(nil); err != nil {
		return nil, settings.Mistakef("redis-tls-cert redis-tls-key", "%w", err)
	}
	config.GetClientCertificate = own
	return config, nil
}
