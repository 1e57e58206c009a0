package orgd

import (
	"strings"

	"orgd/adapters/jwtauth"
)

// setting is one thing that an operator can set: --name on the command line,
// ORGD_NAME in the environment, name in the file.
type setting struct {
	name string
	// place returns where the value goes: a pointer that assign knows, or a
	// function that takes the value.
	place func(*Config) any
}

// settings lists every setting. Each is applied after those above it.
func settings() []setting {
	return append(append(plainSettings(), limitSettings()...), oidcSettings()...)
}

// plainSettings are the settings with a place of their own.
func plainSettings() []setting {
	return []setting{
		{"addr", func(c *Config) any { return &c.HTTP.Addr }},
		{"metrics-addr", func(c *Config) any { return &c.MetricsAddr }},
		{"tls-cert", func(c *Config) any { return &c.HTTP.TLSCert }},
		{"tls-key", func(c *Config) any { return &c.HTTP.TLSKey }},
		{"error-docs-url", func(c *Config) any { return &c.HTTP.ErrorDocsURL }},
		{"trusted-proxies", func(c *Config) any { return &c.HTTP.TrustedProxies }},
		{"cors-origins", func(c *Config) any { return &c.HTTP.CORSOrigins }},
		{"request-timeout", func(c *Config) any { return &c.HTTP.RequestTimeout }},
		{"organization-timeout", func(c *Config) any { return &c.HTTP.OrganizationTimeout }},
		{"organization-max-body", func(c *Config) any { return &c.HTTP.OrganizationMaxBody }},
		{"drain-delay", func(c *Config) any { return &c.HTTP.DrainDelay }},
		{"shutdown-timeout", func(c *Config) any { return &c.HTTP.ShutdownTimeout }},
		{"console", func(c *Config) any { return &c.Console }},
		{"storage", func(c *Config) any { return &c.Storage }},
		{"data-dir", func(c *Config) any { return &c.SQLite.Dir }},
		{"readers", func(c *Config) any { return &c.SQLite.Readers }},
		{"mongo-uri", func(c *Config) any { return &c.Mongo.URI }},
		{"mongo-database", func(c *Config) any { return &c.Mongo.Database }},
		{"mongo-connect-timeout", func(c *Config) any { return &c.Mongo.ConnectTimeout }},
		{"mongo-operation-timeout", func(c *Config) any { return &c.Mongo.OperationTimeout }},
		{"mongo-max-pool", func(c *Config) any { return &c.Mongo.MaxPool }},
		{"redis-addr", func(c *Config) any { return &c.Redis.Addrs }},
		{"redis-cluster", func(c *Config) any { return &c.Redis.Cluster }},
		{"redis-username", func(c *Config) any { return &c.Redis.Username }},
		{"redis-password", func(c *Config) any { return &c.Redis.Password }},
		{"redis-sentinel-master", func(c *Config) any { return &c.Redis.MasterName }},
		{"redis-sentinel-username", func(c *Config) any { return &c.Redis.SentinelUsername }},
		{"redis-sentinel-password", func(c *Config) any { return &c.Redis.SentinelPassword }},
		{"redis-tls-ca", func(c *Config) any { return &c.Redis.CAFile }},
		{"redis-tls-cert", func(c *Config) any { return &c.Redis.CertFile }},
		{"redis-tls-key", func(c *Config) any { return &c.Redis.KeyFile }},
		{"redis-prefix", func(c *Config) any { return &c.Redis.Prefix }},
		{"redis-timeout", func(c *Config) any { return &c.Redis.Timeout }},
		{"replicas", func(c *Config) any { return &c.Replicas }},
		{"retention", func(c *Config) any { return &c.Retention }},
		{"webhook-allow-http", func(c *Config) any { return &c.Webhooks.AllowHTTP }},
		{"webhook-allow-private", func(c *Config) any { return &c.Webhooks.AllowPrivate }},
		{"signing-key-file", func(c *Config) any { return &c.Auth.KeyFile }},
		{"cursor-key-file", func(c *Config) any { return &c.CursorKeyFile }},
		{"token-issuer", func(c *Config) any { return &c.Auth.Issuer }},
		{"token-audience", func(c *Config) any { return &c.Auth.Audience }},
		{"token-cache-size", func(c *Config) any { return &c.Auth.CacheSize }},
		{"traces-endpoint", func(c *Config) any { return &c.Traces.Endpoint }},
		{"traces-ratio", func(c *Config) any { return &c.Traces.Ratio }},
		{"traces-headers", func(c *Config) any { return &c.Traces.Headers }},
		{"log-level", func(c *Config) any { return &c.Log.Level }},
		{"log-format", func(c *Config) any { return &c.Log.Format }},
	}
}

// isSecret reports whether the value of a setting is never shown. A secret may
// be read from a file that ORGD_NAME_FILE names.
func isSecret(name string) bool {
	return name == "mongo-uri" || name == "redis-password" || name == "redis-sentinel-password" || name == "traces-headers"
}

// storageOf names the storage that a setting is for, "" if it is for all.
func storageOf(name string) string {
	switch {
	case name == "data-dir" || name == "readers":
		return SQLite
	case name == "replicas" || strings.HasPrefix(name, "mongo-"):
		return MongoDB
	}
	return ""
}

// isPairs reports whether a setting maps names to values. Its sources are
// merged name by name.
func isPairs(name string) bool {
	return name == "limit" || name == "limit-at-once" || name == "oidc-role-map" || name == "traces-headers"
}

// oidcSettings are the settings of the issuer that flags and environment can
// name, and the list of issuers in the file.
func oidcSettings() []setting {
	var all []setting
	for _, s := range issuerSettings() {
		all = append(all, setting{oidcPrefix + s.name, func(c *Config) any { return s.place(c.issuer()) }})
	}
	return append(all, setting{"oidc", func(c *Config) any { return c.addIssuers }})
}

// oidcPrefix sets the flags of an issuer apart; the list in the file goes
// without.
const oidcPrefix = "oidc-"

// issuerSetting is one setting of an external issuer.
type issuerSetting struct {
	name  string
	place func(*jwtauth.OIDC) any
}

func issuerSettings() []issuerSetting {
	return []issuerSetting{
		{"issuer", func(o *jwtauth.OIDC) any { return &o.Issuer }},
		{"audience", func(o *jwtauth.OIDC) any { return &o.Audience }},
		{"jwks-uri", func(o *jwtauth.OIDC) any { return &o.JWKSURI }},
		{"role-claim", func(o *jwtauth.OIDC) any { return &o.RoleClaim }},
		{"departments-claim", func(o *jwtauth.OIDC) any { return &o.DepartmentsClaim }},
		{"agent-claim", func(o *jwtauth.OIDC) any { return &o.AgentClaim }},
		{"role-map", func(o *jwtauth.OIDC) any { return &o.Roles }},
		{"leeway", func(o *jwtauth.OIDC) any { return &o.Leeway }},
		{"allow-http", func(o *jwtauth.OIDC) any { return &o.AllowHTTP }},
	}
}

// envName is the name of a setting in the environment.
func envName(name string) string {
	return "ORGD_" + strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
}

// SettingInfo is what help texts and the reference say about a setting.
type SettingInfo struct {
	Name    string // as a flag, without the dashes
	Env     string // the variable
	Default string // "" if there is none
	Storage string // the storage that it is for, "" if it is for all
	Secret  bool   // never shown; the variable Env + "_FILE" may name a file with it
}

// Settings lists the settings that have a flag.
func Settings() []SettingInfo {
	c := Default()
	var all []SettingInfo
	for _, s := range settings() {
		if s.name != "oidc" {
			all = append(all, SettingInfo{
				Name: s.name, Env: envName(s.name), Default: defaultOf(c, s.name),
				Storage: storageOf(s.name), Secret: isSecret(s.name),
			})
		}
	}
	return all
}

func defaultOf(c Config, name string) string {
	for _, s := range plainSettings() {
		if s.name == name {
			return show(s.place(&c))
		}
	}
	for _, s := range issuerSettings() {
		if o := jwtauth.DefaultOIDC(); oidcPrefix+s.name == name {
			return show(s.place(&o))
		}
	}
	return ""
}
