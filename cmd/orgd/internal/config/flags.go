package config

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// FileFlag names the file of settings.
type FileFlag struct {
	Config string `placeholder:"FILE" help:"YAML file with settings, named as the flags are. ($$ORGD_CONFIG)"`
}

// DirectoryFlag names the data directory, for commands whose flags have no groups.
type DirectoryFlag struct {
	DataDir string `placeholder:"DIR" help:"Data directory: database, keys, first token."`
}

// ServiceFlags are the flags of a command that takes all settings. Set Plugins to
// [AllFlags].
type ServiceFlags struct {
	FileFlag
	kong.Plugins
}

// AllFlags returns the flags of all settings, in the order of the help.
func AllFlags() kong.Plugins {
	return Flags(strings.Fields(`
addr metrics-addr tls-cert tls-key trusted-proxies cors-origins error-docs-url console request-timeout organization-timeout
organization-max-body drain-delay shutdown-timeout
data-dir storage replicas retention readers cursor-key-file
mongo-uri mongo-database mongo-connect-timeout mongo-operation-timeout mongo-max-pool
redis-addr redis-cluster redis-username redis-password redis-sentinel-master redis-sentinel-username redis-sentinel-password
redis-tls-ca redis-tls-cert redis-tls-key redis-prefix redis-timeout
signing-key-file token-issuer token-audience token-cache-size
oidc-issuer oidc-audience oidc-jwks-uri oidc-role-claim oidc-role-map oidc-departments-claim oidc-agent-claim oidc-leeway oidc-allow-http
webhook-allow-http webhook-allow-private webhook-timeout
limits limit limit-at-once
traces-endpoint traces-ratio traces-headers
log-level log-format`)...)
}

// Flags returns the flags of settings, in this order. Their values stay texts: [Load]
// reads them, so that all mistakes are reported at once.
func Flags(names ...string) kong.Plugins {
	var fields []reflect.StructField
	all := Settings()
	for i, name := range names {
		s := all[slices.IndexFunc(all, func(s Setting) bool { return s.Name == name })]
		fields = append(fields, reflect.StructField{
			Name: fmt.Sprint("F", i), Type: s.flagType(), Tag: reflect.StructTag(strings.ReplaceAll(string(s.tag), "$", "$$")),
		})
	}
	return kong.Plugins{reflect.New(reflect.StructOf(fields)).Interface()}
}

// flagType returns the type of the flag's value.
func (s Setting) flagType() reflect.Type {
	switch s.field.Kind() {
	case reflect.Bool, reflect.Pointer:
		return reflect.TypeFor[bool]()
	case reflect.Slice, reflect.Map:
		return reflect.TypeFor[[]string]()
	}
	return reflect.TypeFor[string]()
}
