package organization

import (
	_ "embed"
	"strings"

	"github.com/alecthomas/kong"
)

// helpText has sections, below the types of the commands that they are the help of.
//
//go:embed help.txt
var helpText string

// Explain gives the commands of this package what their help says below its first line.
func Explain(commands []*kong.Node) {
	texts := map[string]string{}
	for section := range strings.SplitSeq("\n"+helpText, "\n# ") {
		names, text, _ := strings.Cut(section, "\n")
		for name := range strings.FieldsSeq(names) {
			texts[name] = strings.TrimSpace(text)
		}
	}
	for _, c := range commands {
		if text, ok := texts[c.Target.Type().Name()]; ok {
			c.Detail = text
		}
	}
}
