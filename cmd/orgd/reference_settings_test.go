package main

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/alecthomas/kong"

	"orgd"
	"orgd/cmd/orgd/internal/config"
	"orgd/cmd/orgd/internal/terminal"
	"orgd/domain/limit"
)

const settingsPage = "../../docs/reference/configuration.md"

const settingsHead = "# Settings\n\n" +
	"Every setting of `orgd serve`, written from the program by `make generate`. How they work together, and a whole file, are in\n" +
	"[Configuration](../configuration.md).\n\n" +
	"The storage is the one that a setting is for. Durations are written `500ms`, `30s`, `12h` or `400d`. A flag or a variable takes\n" +
	"several values with commas, the file also as a list. An empty variable is not set. A secret is never shown, and the second\n" +
	"variable names a file that holds it.\n"

// afterGroup is what the settings of a group have in common beyond their table.
var afterGroup = map[string]string{
	"oidc": "In the file `oidc` may be a list of issuers, each with these settings without `oidc-`: `issuer`, `audience` and so on.",
	"Limits": "In the file `limit`, or `limits`, and `limit-at-once` may be maps from names to caps. What several sources say is merged\n" +
		"name by name. A cap is at most 1000000000; `0` and `off` switch a limit off.",
}

// settingsReference is the page about the settings: the flags in their groups.
func settingsReference(t *testing.T) string {
	t.Helper()
	parser, err := newParser(terminal.Terminal{}, func(int) {})
	if err != nil {
		t.Fatal(err)
	}
	about := map[string]config.Setting{}
	for _, s := range config.Settings() {
		about[s.Name] = s
	}
	page := &strings.Builder{}
	page.WriteString(settingsHead)
	group := ""
	for _, f := range find(t, parser.Model.Node, "serve").Flags {
		if f.Group == nil { // --help and --config
			continue
		}
		if f.Group.Key != group {
			endGroup(page, group)
			group = f.Group.Key
			fmt.Fprintf(page, "\n## %s\n\n| flag | variable | in the file | default | storage | |\n|---|---|---|---|---|---|\n", f.Group.Title)
		}
		settingRow(page, f, about[f.Name])
	}
	endGroup(page, group)
	page.WriteString(limitsReference())
	return page.String()
}

func endGroup(page *strings.Builder, group string) {
	if text := afterGroup[group]; text != "" {
		fmt.Fprintf(page, "\n%s\n", text)
	}
}

// settingRow adds the row of one setting.
func settingRow(page *strings.Builder, f *kong.Flag, s config.Setting) {
	variable, storage, meaning := code(s.Env()), "all", strings.ReplaceAll(f.OrigHelp, "$$", "$")
	if s.Secret() {
		variable += " " + code(s.Env()+"_FILE")
		meaning += " Secret."
	}
	if s.Storage() != "" {
		storage = code(s.Storage())
	}
	for _, cell := range []string{code("--" + s.Name), variable, code(s.Name), code(s.Default()), storage, meaning} {
		fmt.Fprintf(page, "| %s ", strings.ReplaceAll(cell, "|", `\|`))
	}
	page.WriteString("|\n")
}

// code is a value in a cell, where a dash stands for none.
func code(s string) string {
	if s == "" {
		return "–"
	}
	return "`" + s + "`"
}

// limitsReference lists the limits that --limit and --limit-at-once may name.
func limitsReference() string {
	caps := limit.Defaults()
	rates := maps.Clone(caps.Operations)
	rates[limit.AddressName], rates[limit.AuthFailuresName], rates[limit.SubjectName] = caps.Address, caps.AuthFailures, caps.Subject
	rates[limit.SignInsName], rates[limit.AllSignInsName] = caps.SignIns, caps.AllSignIns
	var b strings.Builder
	b.WriteString("\n## Names of limits\n\nWhat is counted by each: [Limits](../limits.md).\n\n| name | `limit` | `limit-at-once` |\n|---|---|---|\n")
	names := maps.Clone(caps.Slots)
	for name := range rates {
		names[name] = caps.Slots[name]
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		rate, slots := "", ""
		if r := rates[name]; r.Cap > 0 {
			rate = fmt.Sprintf("%d/%.0fs", r.Cap, r.Length.Seconds())
		}
		if n := names[name]; n > 0 {
			slots = strconv.Itoa(n)
		}
		fmt.Fprintf(&b, "| %s | %s | %s |\n", code(name), code(rate), code(slots))
	}
	return b.String()
}

// The bounds that help texts name are those that hold.
func TestBoundsOfSettings(t *testing.T) {
	parser, err := newParser(terminal.Terminal{}, func(int) {})
	if err != nil {
		t.Fatal(err)
	}
	valid := []string{
		"config", "check", "--offline", "--storage", "mongodb", "--mongo-uri", "mongodb://h", "--redis-addr", "h", "--signing-key-file", "s",
		"--cursor-key-file", "c", "--oidc-issuer", "https://login.example.com", "--oidc-audience", "a",
	}
	n := 0
	for _, f := range find(t, parser.Model.Node, "serve").Flags {
		bounds := regexp.MustCompile(`, (\d\S*) to (\d\S*)\.`).FindStringSubmatch(f.OrigHelp)
		if bounds == nil {
			continue
		}
		n++
		base := valid
		if settingNamed(t, f.Name).Storage() == orgd.SQLite {
			base = valid[:3]
		}
		for value, good := range map[string]bool{bounds[1]: true, bounds[2]: true, beyond(t, bounds[1], -1): false, beyond(t, bounds[2], 1): false} {
			if r := command(t, nil, append(slices.Clone(base), "--"+f.Name+"="+value)...); (r.code == exitOK) != good {
				t.Errorf("--%s=%s: exit code %d, and the help says %s\n%s", f.Name, value, r.code, bounds[0][2:], r.stderr)
			}
		}
	}
	if n < 8 {
		t.Errorf("%d settings have bounds in their help, want more to be found", n)
	}
}

func settingNamed(t *testing.T, name string) config.Setting {
	t.Helper()
	for _, s := range config.Settings() {
		if s.Name == name {
			return s
		}
	}
	t.Fatalf("there is no setting %s", name)
	return config.Setting{}
}

// beyond is the number or duration that is a step away from a bound.
func beyond(t *testing.T, bound string, step int) string {
	t.Helper()
	if n, err := strconv.Atoi(bound); err == nil {
		return strconv.Itoa(n + step)
	}
	d, err := terminal.ParseDuration(bound)
	if err != nil {
		t.Fatal(err)
	}
	return (d + time.Duration(step)*time.Millisecond).String()
}
