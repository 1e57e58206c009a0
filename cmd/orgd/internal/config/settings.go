package config

import (
	"fmt"
	"reflect"
	"sort"
	"strings"

	"orgd"
	"orgd/adapters/jwtauth"
)

// input is everything that can be set: the configuration, and texts that are read into
// it. A setting is a field with a help text in its tag. Its other tags:
//
//   - name, after the prefix of the structs around it; group and placeholder of the flag
//   - storage that it is for; none if it is for all
//   - secret, if it is never shown; the variable NAME_FILE may name a file with it
type input struct {
	orgd.Config
	AllowHTTP    bool              `name:"webhook-allow-http" group:"Webhooks" help:"Allow webhooks without TLS. For tests only."`
	AllowPrivate bool              `name:"webhook-allow-private" group:"Webhooks" help:"Allow webhooks at addresses that are not public: loopback, private networks, the metadata services of clouds. Whoever may create webhooks can then have requests sent there."`
	LimitsOn     any               `name:"limits" group:"Limits" placeholder:"on|off" help:"off: no limits but those that are set one by one."`
	Rates        map[string]string `name:"limit" group:"Limits" placeholder:"NAME=CAP/TIME" help:"Requests in any such period of 1s to 1d, as in agents.create=100/60s, or NAME=off. Repeatable."`
	Slots        map[string]string `name:"limit-at-once" group:"Limits" placeholder:"NAME=N" help:"Requests that run at once, as in activities.stream=8, or NAME=off. Repeatable."`
	OIDC         jwtauth.OIDC      `prefix:"oidc-" group:"oidc"`
}

func newInput(c orgd.Config) *input {
	return &input{Config: c, AllowHTTP: c.Webhooks.AllowHTTP, AllowPrivate: c.Webhooks.AllowPrivate, OIDC: jwtauth.DefaultOIDC()}
}

// Setting is one thing that an operator can set: --name on the command line, ORGD_NAME
// in the environment, name in the file.
type Setting struct {
	Name  string
	tag   reflect.StructTag
	field reflect.Value
}

// order is the order of the settings in the help and in config check. Settings that it
// does not name come last.
var order = strings.Fields(`
addr public-url metrics-addr tls-cert tls-key trusted-proxies cors-origins error-docs-url console request-timeout organization-timeout
organization-max-body drain-delay shutdown-timeout
data-dir storage replicas retention readers cursor-key-file
mongo-uri mongo-database mongo-connect-timeout mongo-operation-timeout mongo-max-pool
redis-addr redis-cluster redis-username redis-password redis-sentinel-master redis-sentinel-username redis-sentinel-password
redis-tls-ca redis-tls-cert redis-tls-key redis-prefix redis-timeout
signing-key-file token-issuer token-audience token-cache-size
oidc-issuer oidc-audience oidc-jwks-uri oidc-role-claim oidc-role-map oidc-departments-claim oidc-agent-claim oidc-leeway oidc-allow-http oidc-client-id oidc-client-secret-file oidc-scopes
webhook-allow-http webhook-allow-private webhook-timeout
limits limit limit-at-once
traces-endpoint traces-ratio traces-headers
log-level log-format audit-log`)

// Settings returns the settings that have a flag, with their defaults, in the order of the
// help.
func Settings() []Setting { return inOrder(orgd.Default()) }

// inOrder returns the settings with the values of a configuration, in the order of the
// help.
func inOrder(c orgd.Config) []Setting {
	position := map[string]int{}
	for i, name := range order {
		position[name] = i - len(order) // 0 is the position of those that are not named
	}
	all := settingsOf(newInput(c))
	sort.SliceStable(all, func(i, j int) bool { return position[all[i].Name] < position[all[j].Name] })
	return all
}

// settingsOf returns the settings in a struct.
func settingsOf(pointer any) []Setting { return fields(reflect.ValueOf(pointer).Elem(), "") }

// fields returns the settings in v, which have the tags of the fields around them too.
func fields(v reflect.Value, outer reflect.StructTag) (all []Setting) {
	for i := range v.NumField() {
		f := v.Type().Field(i)
		tag := f.Tag + " " + outer
		switch {
		case !f.IsExported():
		case f.Tag.Get("help") != "":
			all = append(all, Setting{Name: tag.Get("prefix") + f.Tag.Get("name"), tag: tag, field: v.Field(i)})
		case f.Type.Kind() == reflect.Struct:
			all = append(all, fields(v.Field(i), tag)...)
		}
	}
	return all
}

// Env returns the name of the setting in the environment.
func (s Setting) Env() string { return envName(s.Name) }

func envName(name string) string {
	return "ORGD_" + strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
}

// Storage returns the storage that the setting is for, "" if it is for all.
func (s Setting) Storage() string { return s.tag.Get("storage") }

// Secret reports whether the value is never shown. The variable [Setting.Env] + "_FILE"
// may name a file with it.
func (s Setting) Secret() bool { return s.tag.Get("secret") != "" }

// Default returns the default as a text, "" if there is none. It is for [Settings].
func (s Setting) Default() string { return fmt.Sprint(s.native()) }

// isPairs reports whether the setting maps names to values. Its sources are merged name
// by name.
func (s Setting) isPairs() bool { return s.field.Kind() == reflect.Map }
