package main

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"orgd/client"
	"orgd/cmd/orgd/internal/remote"
)

// completed is what may stand as the last word, as a shell hears it.
func completed(t *testing.T, u user, shell string, words ...string) (all []string) {
	t.Helper()
	for line := range strings.Lines(u.can(t, append([]string{"__complete", shell, "--"}, words...)...)) {
		word, _, _ := strings.Cut(line, "\t")
		all = append(all, word)
	}
	return all
}

func TestCompletion(t *testing.T) {
	o := newOffice(t)
	o.staff()
	if _, err := o.SetLabel(t.Context(), "Ada", "production", client.LabelInput{Version: 1}); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	u := user{vars: o.vars, dir: dir}
	profiles, err := remote.Profiles(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := profiles.Put("production", remote.Profile{Server: "https://orgd.example.com", Token: "x"}); err != nil {
		t.Fatal(err)
	}
	for line, want := range map[string]string{
		"plan":                             "plan",
		"--":                               "--help",
		"get ":                             "agents departments projects activities changes audit webhooks company",
		"department ceremonies ":           "show set unset",
		"agent show a":                     "Ada",
		"agent show Ada --vers":            "--version",
		"agent delete Ada h":               "Hal",
		"agent diff Ada ":                  "",
		"agent create ":                    "",
		"get agent a":                      "Ada",
		"describe agent h":                 "Hal",
		"agent get a":                      "Ada",
		"agent ed":                         "edit",
		"webhook re":                       "redeliver",
		"label set a":                      "Ada",
		"label set Ada p":                  "production",
		"resolve Ada --label ":             "latest production",
		"agent list --status on":           "onboarding on_leave",
		"agent list --status=on":           "--status=onboarding --status=on_leave",
		"agent update Ada --department En": "Engineering",
		"agent update Ada --reports-to ":   "Ada Hal",
		"get projects --lead=H":            "--lead=Hal",
		"get agents --watch --dep":         "--department",
		"get agents -o ":                   "table json yaml csv name",
		"get agents -wo json a":            "Ada",
		"agent show --no-such Ada --vers":  "--version",
		"agent show --no-such a":           "Ada",
		"get agents --limit x --dep":       "--department",
		"whoami --profile ":                "production",
		"completion f":                     "fish",
		"apply -f ":                        "",
	} {
		got := strings.Join(completed(t, u, "zsh", strings.Split(line, " ")...), " ")
		if got != want {
			t.Errorf("orgd %s… completes to %q, want %q", line, got, want)
		}
	}
	if got := completed(t, user{}, "zsh", "agent", "show", ""); got != nil {
		t.Errorf("without a service orgd agent show completes to %q, want nothing", got)
	}
}

// A shell of the users completes as it should, with its own ways to divide
// words.
func TestCompletionInBash(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("there is no bash")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	o := newOffice(t)
	o.staff()
	if _, err := o.PatchAgent(t.Context(), "Ada", map[string]any{"name": "Ada Lovelace"}); err != nil {
		t.Fatal(err)
	}
	for words, want := range map[string]string{
		"get|ag":                     "agents",
		"agent|show|A":               `Ada\ Lovelace`,
		`agent|show|Ada\ L`:          `Ada\ Lovelace`,
		"get|agents|--status|=|on_":  "on_leave",
		"get|agents|--status|=":      "active onboarding on_leave terminated",
		"get|agents|--level|c":       "c_suite",
		"agent|show|--server|http|:": "",
	} {
		list := strings.Split(words, "|")
		script := fmt.Sprintf(`source /dev/stdin && COMP_WORDS=(%s) COMP_CWORD=%d && _orgd && echo "${COMPREPLY[*]}"`, shellWords(append([]string{self}, list...)), len(list))
		cmd := exec.CommandContext(t.Context(), bash, "--norc", "-c", script)
		cmd.Stdin = strings.NewReader(must(t, nil, "completion", "bash"))
		cmd.Env = append([]string{asProgram + "=1"}, o.vars...)
		out, err := cmd.CombinedOutput()
		if diff := cmp.Diff(want, strings.TrimSpace(string(out))); err != nil || diff != "" {
			t.Errorf("bash completes %s, %v (-want +got):\n%s", words, err, diff)
		}
	}
}

// shellWords are words as a shell reads them.
func shellWords(words []string) string {
	var all []string
	for _, w := range words {
		all = append(all, "'"+w+"'")
	}
	return strings.Join(all, " ")
}

// The scripts of other shells are at least complete.
func TestCompletionScripts(t *testing.T) {
	for shell, want := range map[string]string{"bash": "complete -o default", "zsh": "#compdef orgd\n", "fish": "complete -c orgd"} {
		if out := must(t, nil, "completion", shell); !strings.Contains(out, want) || !strings.Contains(out, "__complete "+shell) {
			t.Errorf("orgd completion %s = %s", shell, out)
		}
	}
}
