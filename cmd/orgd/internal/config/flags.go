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
// all [Flags].
type ServiceFlags struct {
	FileFlag
	kong.Plugins
}

// Flags returns the flags of the settings with these names, of all settings if there is no
// name. Their values stay texts: [Load] reads them, so that all mistakes are reported at
// once.
func Flags(names ...string) kong.Plugins {
	var fields []reflect.StructField
	for _, s := range Settings() {
		if len(names) > 0 && !slices.Contains(names, s.Name) {
			continue
		}
		fields = append(fields, reflect.StructField{
			Name: fmt.Sprint("F", len(fields)), Type: s.flagType(), Tag: reflect.StructTag(strings.ReplaceAll(string(s.tag), "$", "$$")),
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

// Help returns the function that returns the help of a flag. If the flag is a setting, its
// help ends with the setting's default and variable. A flag of another type is none: that of
// a list is called limit too.
func Help() kong.HelpValueFormatter {
	all := Settings()
	return func(v *kong.Value) string {
		i := slices.IndexFunc(all, func(s Setting) bool { return s.Name == v.Name && s.flagType() == v.Target.Type() })
		if i < 0 || v.Flag == nil || v.HasDefault {
			return v.Help
		}
		notes := "$" + all[i].Env()
		if d := all[i].Default(); d != "" && d != "false" {
			notes = "default " + d + "; " + notes
		}
		return fmt.Sprintf("%s (%s)", v.Help, notes)
	}
}
