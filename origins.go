package orgd

import (
	"errors"
	"strings"

	"github.com/knadh/koanf/providers/confmap"
	"github.com/knadh/koanf/v2"
)

// nameSeparator joins a setting and a name inside it. No name contains it.
const nameSeparator = "\x00"

// origins say how the operator wrote the settings that are not defaults: by
// setting, and for a setting that maps names also by setting and name.
type origins map[string]string

// merge adds a layer to what is merged so far and remembers what came from it.
func (o origins) merge(merged *koanf.Koanf, l layer) error {
	k := koanf.New(nameSeparator)
	if err := k.Load(confmap.Provider(l.values, ""), nil); err != nil {
		return err
	}
	for _, key := range k.Keys() {
		name, _, _ := strings.Cut(key, nameSeparator)
		o[name], o[key] = l.label(name), l.label(name)
	}
	return merged.Merge(k)
}

// of returns how the operator wrote a setting, or the name inside it that a
// mistake begins with.
func (o origins) of(name, mistake string) string {
	inner, _, _ := strings.Cut(mistake, ": ")
	issuer, isOIDC := strings.CutPrefix(name, oidcPrefix)
	switch {
	case o[name+nameSeparator+inner] != "":
		return o[name+nameSeparator+inner]
	case o[name] != "":
		return o[name]
	case isOIDC && o["oidc"] != "":
		return o["oidc"] + ": " + issuer
	}
	return "--" + name
}

// rename puts the names that the operator typed in the place of the flags that
// the mistakes in err begin with: "--a, --b: must differ".
func (o origins) rename(err error) error {
	var errs []error
	for _, line := range lines(err) {
		flags, mistake, ok := strings.Cut(line, ": ")
		if !ok || !strings.HasPrefix(line, "--") {
			errs = append(errs, errors.New(line))
			continue
		}
		names := strings.Split(flags, ", ")
		for i, flag := range names {
			names[i] = o.of(strings.TrimPrefix(flag, "--"), mistake)
		}
		errs = append(errs, errors.New(strings.Join(names, ", ")+": "+mistake))
	}
	return errors.Join(errs...)
}

// lines returns the mistakes that errors.Join has put together.
func lines(err error) []string {
	if err == nil {
		return nil
	}
	return strings.Split(err.Error(), "\n")
}

// prefix names where each mistake in err was made.
func prefix(name string, err error) error {
	var errs []error
	for _, line := range lines(err) {
		errs = append(errs, errors.New(name+": "+line))
	}
	return errors.Join(errs...)
}
