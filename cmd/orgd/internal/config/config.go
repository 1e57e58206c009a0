// Package config reads the configuration of the service from flags, environment and
// file.
package config

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
	"go.yaml.in/yaml/v3"

	"orgd"
	"orgd/adapters/jwtauth"
	"orgd/adapters/settings"
	"orgd/cmd/orgd/internal/terminal"
	"orgd/domain/webhook"
)

// Given are the flags on the command line and their values: texts, lists of texts, and
// true or false. "config" names the file.
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

// LoadValid reads the configuration and validates all of it.
func LoadValid(given Given, getenv func(string) string) (orgd.Config, error) {
	cfg, err := Load(given, getenv)
	return cfg, terminal.Usage(errors.Join(err, cfg.Validate()))
}

// Load reads the configuration of the service. Flags win over the environment, that
// over the file, that over the defaults; an empty variable is not set. All settings that
// cannot be read are one usage error, each under the flag, variable or key that the
// operator used. Those that can be read are in the Config also with an error, so that its
// Validate may find more.
func Load(given Given, getenv func(string) string) (orgd.Config, error) {
	in := newInput(orgd.Default())
	all := settingsOf(in)
	file, errFile := readFile(given, getenv, all)
	environment, errEnvironment := readEnvironment(getenv, all)
	flags := source{}
	for name, v := range given {
		flags[name] = entry{v, "--" + name}
	}
	errs := []error{errFile, errEnvironment}
	values := map[string]any{}
	for _, from := range []source{file, environment, flags} {
		errs = append(errs, in.merge(values, from, all))
	}
	errs = append(errs, in.Origins.Rename(in.apply(values, all)))
	return in.Config, terminal.Usage(errors.Join(errs...))
}

// source is what one source sets, by name.
type source map[string]entry

// entry is a value and how the operator wrote the setting.
type entry struct {
	value any
	label string
}

// merge adds a source to the values of those before it.
func (in *input) merge(values map[string]any, from source, all []Setting) error {
	var errs []error
	for _, s := range all {
		e, ok := from[s.Name]
		if !ok {
			continue
		}
		in.Origins[s.Name] = e.label
		if !s.isPairs() {
			values[s.Name] = e.value
			continue
		}
		read, err := pairs(e.value)
		if err != nil && s.Secret() {
			err = errors.New("must be NAME=VALUE") // the value is a secret
		}
		errs = append(errs, within(e.label, err))
		merged, _ := values[s.Name].(map[string]string)
		if merged == nil {
			merged = map[string]string{}
		}
		for name, value := range read {
			merged[name] = value
			in.Origins[pairName(s.Name, name)] = e.label
		}
		values[s.Name] = merged
	}
	if e, ok := from[issuerList]; ok {
		values[issuerList], in.Origins[issuerList] = e.value, e.label
	}
	return errors.Join(errs...)
}

// pairName names one pair of a setting in mistakes.
func pairName(setting, name string) string { return setting + "." + name }

// apply stores the values in the configuration.
func (in *input) apply(values map[string]any, all []Setting) error {
	var errs, ofIssuer []error
	for _, s := range all {
		v, ok := values[s.Name]
		switch {
		case !ok:
		case s.tag.Get("prefix") != "":
			ofIssuer = append(ofIssuer, mistake(s.Name, s.set(v)))
		default:
			errs = append(errs, mistake(s.Name, s.set(v)))
		}
	}
	in.Config.Webhooks = webhook.Policy{AllowHTTP: in.AllowHTTP, AllowPrivate: in.AllowPrivate}
	errs = append(errs, in.applyLimits(values))
	if len(ofIssuer) > 0 {
		in.Auth.OIDC = append(in.Auth.OIDC, in.OIDC)
	}
	if v, ok := values[issuerList]; ok {
		ofIssuer = append(ofIssuer, mistake(issuerList, in.addIssuers(v)))
	}
	return errors.Join(append(errs, ofIssuer...)...)
}

// mistake says that each of the errors in err is about a setting.
func mistake(name string, err error) error {
	return settings.Each(err, func(err error) error { return settings.Mistake{Names: []string{name}, Err: err} })
}

// issuerList names the list of external issuers in the file. They come after the issuer
// that single settings describe.
const issuerList = "oidc"

// addIssuers reads the list of external issuers.
func (in *input) addIssuers(v any) error {
	var errs []error
	for i, item := range items(v) {
		o := jwtauth.DefaultOIDC()
		errs = append(errs, within(fmt.Sprintf("[%d]", i), readIssuer(&o, item)))
		in.Auth.OIDC = append(in.Auth.OIDC, o)
	}
	for _, s := range settingsOf(&in.OIDC) { // for mistakes that Validate finds
		if name := issuerList + "-" + s.Name; in.Origins[name] == "" {
			in.Origins[name] = in.Origins[issuerList] + ": " + s.Name
		}
	}
	return errors.Join(errs...)
}

func readIssuer(o *jwtauth.OIDC, v any) error {
	values, ok := named(v)
	if !ok {
		return errors.New("must have settings such as issuer and audience")
	}
	all := settingsOf(o)
	var errs []error
	for _, s := range all {
		if v, ok := values[s.Name]; ok {
			errs = append(errs, within(s.Name, s.set(v)))
		}
	}
	return errors.Join(append(errs, unknown(values, all))...)
}

// readEnvironment reads every variable that belongs to a setting, and the files that
// hold secrets.
func readEnvironment(getenv func(string) string, all []Setting) (source, error) {
	from := source{}
	var errs []error
	for _, s := range all {
		name := s.Env()
		value := getenv(name)
		if s.Secret() {
			var err error
			if value == "" {
				name += "_FILE"
			}
			value, err = ReadSecret(getenv, s.Env())
			errs = append(errs, err)
		}
		if value != "" {
			from[s.Name] = entry{value, name}
		}
	}
	return from, errors.Join(errs...)
}

// ReadSecret returns the value of the variable name, or else the content of the file
// whose path is in name + "_FILE", without line breaks at its end. It is "" if neither is
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

// readFile reads the file that --config or ORGD_CONFIG names. It accepts one spelling
// that flags do not have: limits as a map.
func readFile(given Given, getenv func(string) string, all []Setting) (source, error) {
	path, label := getenv(envName("config")), envName("config")
	if v, ok := given["config"].(string); ok {
		path, label = v, "--config"
	}
	if path == "" {
		return nil, nil
	}
	content, err := os.ReadFile(path)
	values := map[string]any{}
	if err == nil {
		err = yaml.Unmarshal(content, &values)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: cannot read %s: %w", label, path, err)
	}
	from := source{}
	for name, v := range values {
		from[name] = entry{v, path + ": " + name}
	}
	if m, ok := named(values["limits"]); ok && values["limit"] == nil {
		from["limit"] = entry{m, path + ": limits"}
		delete(from, "limits")
	}
	return from, within(path, unknown(values, append(all, Setting{Name: issuerList})))
}

// unknown reports the names that no setting has.
func unknown(values map[string]any, all []Setting) error {
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(values)) {
		hint, known := "", false
		for _, s := range all {
			known = known || s.Name == name
			if letters(s.Name) == letters(name) {
				hint = fmt.Sprintf(", did you mean %s?", s.Name)
			}
		}
		if !known {
			errs = append(errs, fmt.Errorf("%s: unknown setting%s", name, hint))
		}
	}
	return errors.Join(errs...)
}

// letters returns a name in lower case without dashes, underscores and dots, to find the
// setting that a misspelt name meant.
func letters(name string) string {
	return strings.ToLower(strings.NewReplacer("-", "", "_", "", ".", "").Replace(name))
}
