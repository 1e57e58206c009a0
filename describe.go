package orgd

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/knadh/koanf/parsers/yaml"

	"orgd/adapters/jwtauth"
	"orgd/domain/limit"
)

// masked stands for a secret.
const masked = "***"

// Describe returns the configuration in the form of its file, with what each
// setting comes from as a comment and every secret masked.
func (c Config) Describe() (string, error) {
	var out strings.Builder
	w := tabwriter.NewWriter(&out, 0, 0, 2, ' ', 0)
	for _, s := range plainSettings() {
		v := native(s.place(&c))
		if isSecret(s.name) && v != "" {
			v = masked
		}
		line, err := yamlText(s.name, v)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(w, "%s\t# %s\n", strings.TrimSpace(line), c.originOf(s.name))
	}
	if err := w.Flush(); err != nil {
		return "", err
	}
	for _, part := range []struct {
		name  string
		value any
	}{{"limits", ratesOf(c.Limits)}, {"limit-at-once", slotsOf(c.Limits)}, {"oidc", issuersOf(c.Auth)}} {
		block, err := yamlText(part.name, part.value)
		if err != nil {
			return "", err
		}
		out.WriteString(block)
	}
	return out.String(), nil
}

func (c Config) originOf(name string) string {
	if from := c.origins[name]; from != "" {
		return from
	}
	return "default"
}

func yamlText(name string, value any) (string, error) {
	text, err := yaml.Parser().Marshal(map[string]any{name: value})
	return string(text), err
}

// native is the value at a place as YAML writes it on one line.
func native(place any) any {
	switch p := place.(type) {
	case *bool:
		return *p
	case **bool:
		if *p != nil {
			return **p
		}
	case *int:
		return *p
	case *float64:
		return *p
	}
	return show(place)
}

func ratesOf(c limit.Caps) map[string]any {
	all := map[string]any{
		limit.AddressName:      rateText(c.Address),
		limit.AuthFailuresName: rateText(c.AuthFailures),
		limit.SubjectName:      rateText(c.Subject),
	}
	for name := range limit.Defaults().Operations {
		all[name] = rateText(c.Operations[name])
	}
	return all
}

func slotsOf(c limit.Caps) map[string]any {
	all := map[string]any{}
	for name := range limit.Defaults().Slots {
		all[name] = c.Slots[name]
	}
	return all
}

func issuersOf(c jwtauth.Config) []any {
	all := []any{}
	for _, o := range c.OIDC {
		one := map[string]any{}
		for _, s := range issuerSettings() {
			one[s.name] = native(s.place(&o))
		}
		one["role-map"] = o.Roles
		all = append(all, one)
	}
	return all
}
