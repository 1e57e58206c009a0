package document

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"orgd/cmd/orgd/internal/terminal"
)

// The sizes of a plan in Markdown, in bytes: hosts take 65,536 characters.
const (
	maxMarkdown = 59_000
	maxTable    = 15_000
	maxDetails  = 8_000 // of one entry
)

// markdown returns a plan as a comment on a pull request.
func markdown(entries []planned) string {
	if len(entries) == 0 {
		return "### orgd plan: nothing to change\n"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "### orgd plan: %s\n\n| | entry | fields |\n|---|---|---|\n", planCounts(entries))
	for i, e := range entries {
		row := fmt.Sprintf("| %s | %s | %s |\n", code(signs[e.action].sign), code(entryTitle(e.path)), code(summaryOf(e.fields)))
		if b.Len()+len(row) > maxTable {
			fmt.Fprintf(&b, "\n%d more entries are not listed here; run orgd plan to see them.\n", len(entries)-i)
			break
		}
		b.WriteString(row)
	}
	b.WriteByte('\n')
	for i, e := range entries {
		text := details(e)
		if b.Len()+len(text) > maxMarkdown {
			fmt.Fprintf(&b, "The details of %d more entries are left out; run orgd plan to see them.\n", len(entries)-i)
			break
		}
		b.WriteString(text)
	}
	return b.String()
}

// summaryOf names fields, cut to what a cell of a table can hold.
func summaryOf(fields []string) string {
	const most = 5
	if more := len(fields) - most; more > 0 {
		return strings.Join(fields[:most], ", ") + fmt.Sprintf(" and %d more", more)
	}
	return strings.Join(fields, ", ")
}

// details returns what an entry becomes, folded.
func details(e planned) string {
	var b strings.Builder
	for line := range strings.Lines(e.lines) {
		if b.Len()+len(line) > maxDetails {
			b.WriteString("… the rest is left out\n")
			break
		}
		inner, isInner := strings.CutPrefix(line, "      ") // of a text
		if !isInner {
			inner = strings.TrimPrefix(line, "    ")
		}
		b.WriteString(inner)
	}
	if e.author != "" {
		b.WriteString("# " + e.author + "\n")
	}
	if b.Len() == 0 {
		return ""
	}
	longest := slices.MaxFunc(append(backticks.FindAllString(b.String(), -1), "``"), func(a, b string) int { return cmp.Compare(len(a), len(b)) })
	return fmt.Sprintf("<details><summary>%s %s</summary>\n\n%[3]sdiff\n%[4]s%[3]s\n\n</details>\n\n",
		code(signs[e.action].sign), code(entryTitle(e.path)), longest+"`", b.String())
}

var (
	backticks   = regexp.MustCompile("`+")
	punctuation = regexp.MustCompile("[!-/:-@[-`{-~]")
)

// code returns a text in which nothing is markup or mentions somebody.
func code(text string) string {
	if text == "" {
		return ""
	}
	return "<code>" + punctuation.ReplaceAllStringFunc(terminal.Visible(text), func(s string) string { return fmt.Sprintf("&#%d;", s[0]) }) + "</code>"
}
