package config

import (
	"cmp"
	"fmt"
	"strings"
	"text/tabwriter"

	"go.yaml.in/yaml/v3"

	"orgd"
	"orgd/adapters/jwtauth"
	"orgd/cmd/orgd/internal/terminal"
	"orgd/domain/limit"
)

// masked stands for a secret.
const masked = "***"

// Describe returns the configuration in the form of its file, with what each
// setting comes from as a comment and every secret masked.
func Describe(c orgd.Config) (string, error) {
	var out strings.Builder
	w := tabwriter.NewWriter(&out, 0, 0, 2, ' ', 0)
	for _, s := range inOrder(c) {
		if group := s.tag.Get("group"); group == "Limits" || group == "oidc" {
			continue // they follow
		}
		v := s.native()
		if s.Secret() && v != "" {
			v = masked
		}
		if text, ok := v.(string); ok && terminal.Visible(text) != text {
			v = yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: text, Style: yaml.DoubleQuotedStyle}
		}
		line, err := yaml.Marshal(map[string]any{s.Name: v})
		if err != nil {
			return "", err
		}
		fmt.Fprintf(w, "%s\t# %s\n", strings.TrimSpace(string(line)), terminal.Visible(cmp.Or(c.Origins[s.Name], "default")))
	}
	if err := w.Flush(); err != nil {
		return "", err
	}
	for _, part := range []map[string]any{{"limits": ratesOf(c.Limits)}, {"limit-at-once": slotsOf(c.Limits)}, {"oidc": issuersOf(c.Auth)}} {
		block, err := yaml.Marshal(part)
		if err != nil {
			return "", err
		}
		out.Write(block)
	}
	return string(terminal.EscapeYAML([]byte(out.String()))), nil
}

func ratesOf(c limit.Caps) map[string]string {
	all := map[string]string{}
	for name, r := range general(&c) {
		all[name] = rateText(*r)
	}
	for name := range limit.Defaults().Operations {
		all[name] = rateText(c.Operations[name])
	}
	return all
}

func slotsOf(c limit.Caps) map[string]int {
	all := map[string]int{}
	for name := range limit.Defaults().Slots {
		all[name] = c.Slots[name]
	}
	return all
}

func issuersOf(c jwtauth.Config) []any {
	all := []any{}
	for _, o := range c.OIDC {
		one := map[string]any{}
		for _, s := range settingsOf(&o) {
			one[s.Name] = s.native()
		}
		one["role-map"] = o.Roles
		all = append(all, one)
	}
	return all
}
