package config

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"orgd"
	"orgd/adapters/jwtauth"
)

// input is everything that can be set: the configuration, and texts that are read into
// it. A setting is a field with a help text in its tag. Its other tags:
//
//   - name, after the prefix of the structs around it; group and placeholder of the flag
//   - storage that it is for; none if it is for all
//   - secret, if it is never shown; the variable NAME_FILE may name a file with it
//   - after, if another setting than the field above comes before it
type input struct {
	orgd.Config
	AllowHTTP    bool              `name:"webhook-allow-http" group:"Webhooks" after:"retention" help:"Allow webhooks without TLS. For tests only."`
	AllowPrivate bool              `name:"webhook-allow-private" group:"Webhooks" after:"webhook-allow-http" help:"Allow webhooks at addresses that are not public: loopback, private networks, the metadata services of clouds. Whoever may create webhooks can then have requests sent there."`
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

// Settings returns the settings that have a flag, with their defaults.
func Settings() []Setting { return settingsOf(newInput(orgd.Default())) }

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
			s := Setting{Name: tag.Get("prefix") + f.Tag.Get("name"), tag: tag, field: v.Field(i)}
			at := len(all)
			if before := f.Tag.Get("after"); before != "" {
				at = 1 + slices.IndexFunc(all, func(s Setting) bool { return s.Name == before })
			}
			all = slices.Insert(all, at, s)
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

// Help returns the help of a flag. If the flag is a setting, it has the setting's
// default and variable.
func Help(v *kong.Value) string {
	for _, s := range Settings() {
		if v.Flag == nil || v.HasDefault || s.Name != v.Name {
			continue
		}
		notes := "$" + s.Env()
		if d := s.Default(); d != "" && d != "false" {
			notes = "default " + d + "; " + notes
		}
		return fmt.Sprintf("%s (%s)", v.Help, notes)
	}
	return v.Help
}
