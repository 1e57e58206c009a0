package organization

import (
	_ "embed"
	"strings"
)

// helpText has sections, below the types of the commands that they are the help of.
//
//go:embed help.txt
var helpText string

// Help returns what the help of the commands of this package says below its first line, by
// the names of their types.
func Help() map[string]string {
	texts := map[string]string{}
	for section := range strings.SplitSeq("\n"+helpText, "\n# ") {
		names, text, _ := strings.Cut(section, "\n")
		for name := range strings.FieldsSeq(names) {
			texts[name] = strings.TrimSpace(text)
		}
	}
	return texts
}
