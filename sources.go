package orgd

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/knadh/koanf/parsers/yaml"
	"github.com/knadh/koanf/providers/file"
	"github.com/knadh/koanf/v2"
)

// Sources are where settings come from: flags win over the environment, that
// over the file, that over the defaults.
type Sources struct {
	// Flags are the flags that were given, by their names without the dashes:
	// texts or lists of texts. "config" names the file.
	Flags map[string]any
	// Getenv returns a variable of the environment; an empty one is not set.
	Getenv func(string) string
}

// layer is what one source sets. label is how the operator wrote a setting
// there.
type layer struct {
	values map[string]any
	label  func(name string) string
}

// Load reads the configuration and reports everything that cannot be read,
// under the name that the operator typed. What can be read is in the Config
// also beside an error, so that [Config.Validate] may find more.
func Load(s Sources) (Config, error) {
	fromFile, errFile := s.file()
	fromEnv, errEnv := s.environment()
	c := Default()
	merged := koanf.New(nameSeparator)
	errs := []error{errFile, errEnv}
	for _, l := range []layer{fromFile, fromEnv, s.flags()} {
		errs = append(errs, l.expandPairs(), c.origins.merge(merged, l))
	}
	errs = append(errs, c.origins.rename(c.apply(merged.Raw())))
	return c, errors.Join(errs...)
}

func (c *Config) apply(values map[string]any) error {
	var errs []error
	for _, s := range settings() {
		if v, ok := values[s.name]; ok {
			errs = append(errs, prefix("--"+s.name, assign(s.place(c), v)))
		}
	}
	return errors.Join(errs...)
}

func (s Sources) flags() layer {
	values := maps.Clone(s.Flags)
	delete(values, "config")
	return layer{values, func(name string) string { return "--" + name }}
}

// environment reads every variable that belongs to a setting, and the files
// that hold secrets.
func (s Sources) environment() (layer, error) {
	values, labels := map[string]any{}, map[string]string{}
	var errs []error
	for _, setting := range Settings() {
		v, label, err := s.lookup(setting)
		errs = append(errs, err)
		if v != "" {
			values[setting.Name], labels[setting.Name] = v, label
		}
	}
	return layer{values, func(name string) string { return labels[name] }}, errors.Join(errs...)
}

// lookup returns the value of a setting in the environment and the name of the
// variable.
func (s Sources) lookup(setting SettingInfo) (value, name string, err error) {
	value = s.Getenv(setting.Env)
	if !isSecret(setting.Name) {
		return value, setting.Env, nil
	}
	secret, err := ReadSecret(s.Getenv, setting.Env)
	if value == "" {
		name = setting.Env + "_FILE"
	} else {
		name = setting.Env
	}
	return secret, name, err
}

// ReadSecret returns the secret in the variable name or, without a final line
// break, in the file that the variable name + "_FILE" names; "" if neither is
// set.
func ReadSecret(getenv func(string) string, name string) (string, error) {
	value, path := getenv(name), getenv(name+"_FILE")
	switch {
	case path == "":
		return value, nil
	case value != "":
		return "", fmt.Errorf("%s and %s_FILE: only one of them may be set", name, name)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("%s_FILE: %w", name, err)
	}
	return strings.TrimRight(string(content), "\r\n"), nil
}

// file reads the file that --config or ORGD_CONFIG names.
func (s Sources) file() (layer, error) {
	path, label := s.Getenv(envName("config")), envName("config")
	if v, ok := s.Flags["config"].(string); ok {
		path, label = v, "--config"
	}
	if path == "" {
		return layer{}, nil
	}
	k := koanf.New(nameSeparator)
	if err := k.Load(file.Provider(path), yaml.Parser()); err != nil {
		return layer{}, fmt.Errorf("%s: cannot read %s: %w", label, path, err)
	}
	return fileLayer(path, k.Raw())
}

// fileLayer accepts one spelling that flags do not have: limits as a map.
func fileLayer(path string, values map[string]any) (layer, error) {
	limit := "limit"
	if m, ok := values["limits"].(map[string]any); ok && values[limit] == nil {
		limit = "limits"
		delete(values, "limits")
		values["limit"] = m
	}
	label := func(name string) string {
		if name == "limit" {
			name = limit
		}
		return path + ": " + name
	}
	var names []string
	for _, s := range settings() {
		names = append(names, s.name)
	}
	return layer{values, label}, prefix(path, unknown(values, names))
}

// expandPairs turns the pairs of a layer into maps, so that sources are merged
// name by name. What cannot be read is taken out.
func (l layer) expandPairs() error {
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(l.values)) {
		if !isPairs(name) {
			continue
		}
		m, err := pairs(l.values[name])
		if err != nil && isSecret(name) {
			err = errors.New("must be NAME=VALUE") // without what it is
		}
		if err != nil {
			errs = append(errs, prefix(l.label(name), err))
		}
		named := map[string]any{}
		for k, v := range m {
			named[k] = v
		}
		l.values[name] = named
	}
	return errors.Join(errs...)
}

// unknown reports the names that are not among those allowed.
func unknown(values map[string]any, allowed []string) error {
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if slices.Contains(allowed, name) {
			continue
		}
		hint := ""
		for _, a := range allowed {
			if letters(a) == letters(name) {
				hint = fmt.Sprintf(", did you mean %s?", a)
			}
		}
		errs = append(errs, fmt.Errorf("%s: unknown setting%s", name, hint))
	}
	return errors.Join(errs...)
}

// letters is what remains of a name without case, dashes and underscores.
func letters(name string) string {
	return strings.ToLower(strings.NewReplacer("-", "", "_", "", ".", "").Replace(name))
}
