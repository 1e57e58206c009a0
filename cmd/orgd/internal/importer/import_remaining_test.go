package importer

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"orgd/client"
	"orgd/cmd/orgd/internal/agenthistory"
)

// What is left of a history depends on what the service has, and on what it had.
func TestRemaining(t *testing.T) {
	steps := func(text string) (all []agenthistory.Step) { // an action for each commit, or - for none
		actions := map[rune]agenthistory.Action{'h': agenthistory.Hire, 'u': agenthistory.Update, 'f': agenthistory.Fire}
		for commit, c := range text {
			if c != '-' {
				all = append(all, agenthistory.Step{Action: actions[c], Commit: commit})
			}
		}
		return all
	}
	words := func(all []agenthistory.Step) string {
		var b strings.Builder
		for _, s := range all {
			b.WriteString(string(s.Action[:1]))
			b.WriteByte(byte('0' + s.Commit))
		}
		return b.String()
	}
	at := func(commit int) *employee { return &employee{client.Agent{}, commit} }
	for name, c := range map[string]struct {
		steps string
		now   *employee
		gone  []int
		want  string
	}{
		"new":                                {"h-uf-hu", nil, nil, "h0u2f3h5u6"},
		"begun":                              {"h-uf-hu", at(0), nil, "u2f3h5u6"},
		"to leave":                           {"h-uf-hu", at(2), nil, "f3h5u6"},
		"has left":                           {"h-uf-hu", nil, []int{2}, "h5u6"},
		"has left early":                     {"h-uf-hu", nil, []int{0}, "h5u6"},
		"back":                               {"h-uf-hu", at(5), []int{2}, "u6"},
		"complete":                           {"h-uf-hu", at(6), []int{2}, ""},
		"left for good":                      {"h-uf", nil, []int{2}, ""},
		"deleted here":                       {"h-uf-hu", nil, []int{2, 6}, "h6"},
		"deleted here before its end":        {"h-uf-hu", nil, []int{2, 5}, "h6"},
		"deleted here, and left":             {"h-uf", nil, []int{0}, ""},
		"from elsewhere":                     {"h-u", at(none), nil, "u2"},
		"from elsewhere, after a first life": {"h-u", at(none), []int{2}, "u2"},
		"from elsewhere, and left":           {"h-uf", at(none), nil, ""},
		"of a commit that means nothing now": {"h-u", at(1), nil, "u2"},
		"of a commit behind the last":        {"h-u---", at(5), nil, "u2"},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, words(remaining(steps(c.steps), c.now, c.gone))); diff != "" {
				t.Errorf("remaining (-want +got):\n%s", diff)
			}
		})
	}
}
