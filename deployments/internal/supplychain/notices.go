package main

import (
	"fmt"
	"io"
	"strings"
)

const noticesHead = `orgd is licensed under the MIT licence, see LICENSE. Its binary is made of
the modules below as well. Here are their licences and notices, word for word;
a text that several share stands once.
`

// writeNotices writes every text that has to be passed on with the program.
func writeNotices(w io.Writer, all []module) error {
	var order []string // of the texts
	owners := map[string][]string{}
	for _, m := range all {
		if m.path == ownModule {
			continue
		}
		for _, t := range m.texts {
			if owners[t.content] == nil {
				order = append(order, t.content)
			}
			owners[t.content] = append(owners[t.content], fmt.Sprintf("%s %s: %s", m.path, m.version, t.name))
		}
	}
	if _, err := io.WriteString(w, noticesHead); err != nil {
		return err
	}
	line := strings.Repeat("=", 78)
	for _, content := range order {
		if _, err := fmt.Fprintf(w, "\n%s\n%s\n%s\n\n%s\n", line, strings.Join(owners[content], "\n"), line, strings.Trim(content, "\r\n")); err != nil {
			return err
		}
	}
	return nil
}

const pageHead = "# Licences\n\n" +
	"The modules that the program is linked from, for Linux, macOS and Windows, what else is in it, and their licences; written by\n" +
	"`make generate`. All of them ask for no more than that their text is passed on: it is in the file `NOTICES` of every release\n" +
	"and image. `make sbom` writes the same list for machines.\n\n" +
	"| module | version | licences |\n|---|---|---|\n"

// page is the list for people. It does not tell the version of Go, which is not
// decided here.
func page(all []module) string {
	var b strings.Builder
	b.WriteString(pageHead)
	for _, m := range all {
		if m.path == ownModule {
			continue
		}
		name, version := "`"+m.path+"`", m.version
		if m.path == goModule {
			name, version = "Go: runtime and standard library", "that of the compiler"
		}
		fmt.Fprintf(&b, "| %s | %s | %s |\n", name, version, strings.Join(m.licences, ", "))
	}
	return b.String()
}
