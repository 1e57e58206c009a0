package completion

import (
	_ "embed"
	"strings"
)

//go:embed orgd.bash
var bash string

//go:embed orgd.zsh
var zsh string

//go:embed orgd.fish
var fish string

// script returns what a shell has to run for completion: bash, zsh or fish.
func script(shell string) string {
	return map[string]string{"bash": bash, "zsh": zsh, "fish": fish}[shell]
}

// joinWords joins the words that bash has split at "=" and ":". The second result is
// the length of the part of the last word that bash keeps.
func joinWords(words []string) (whole []string, seen int) {
	const breaks = "=:"
	glue := false
	for _, w := range words {
		apart := len(w) == 1 && strings.Contains(breaks, w)
		if len(whole) > 0 && (glue || apart) {
			whole[len(whole)-1] += w
		} else {
			whole = append(whole, w)
		}
		glue = apart
	}
	if len(whole) > 0 {
		seen = strings.LastIndexAny(whole[len(whole)-1], breaks) + 1
	}
	return whole, seen
}
