// Package config reads the configuration of the service from flags, environment and
// file.
package config

import (
	"errors"
	"fmt"
	"strings"

	"github.com/alecthomas/kong"

	"orgd"
	"orgd/cmd/orgd/internal/terminal"
)

// Help returns the help of a flag. If the flag is a setting, it has the setting's
// default and variable.
func Help(v *kong.Value) string {
	for _, s := range orgd.Settings() {
		if v.Flag == nil || v.HasDefault || s.Name != v.Name {
			continue
		}
		var notes []string
		if s.Default != "" && s.Default != "false" {
			notes = append(notes, "default "+s.Default)
		}
		return fmt.Sprintf("%s (%s)", v.Help, strings.Join(append(notes, "$"+s.Env), "; "))
	}
	return v.Help
}

// Given are the flags on the command line and their values.
type Given map[string]any

// GivenFlags returns the flags on the command line.
func GivenFlags(command *kong.Context) Given {
	given := Given{}
	for _, p := range command.Path {
		if p.Flag != nil {
			given[p.Flag.Name] = command.FlagValue(p.Flag)
		}
	}
	return given
}

// Load reads the configuration of the service from flags, environment and file. Its
// mistakes are a usage error.
func Load(given Given, getenv func(string) string) (orgd.Config, error) {
	cfg, err := orgd.Load(orgd.Sources{Flags: given, Getenv: getenv})
	return cfg, terminal.Usage(err)
}

// LoadValid reads the configuration and validates all of it.
func LoadValid(given Given, getenv func(string) string) (orgd.Config, error) {
	cfg, err := Load(given, getenv)
	return cfg, terminal.Usage(errors.Join(err, cfg.Validate()))
}
