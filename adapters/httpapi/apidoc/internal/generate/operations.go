package main

import (
	"regexp"
	"strings"
)

var (
	// named are the parameters or the responses of an operation, by their names.
	named = regexp.MustCompile(`(?m)^( +)(parameters|responses): [\[{](.+)[\]}]\n`)
	// described is where the description of an operation begins, which its summary does.
	described = regexp.MustCompile(`(?m)^( +)summary: (.+)\n +description: \|\n`)
)

// failures are responses of every operation that has its responses by their names.
const failures = ", 500: InternalError, 503: Unavailable"

// operations writes out what is short in interface.yaml.
func operations(text []byte) []byte {
	text = described.ReplaceAll(text, []byte("$0$1  $2.\n"))
	return named.ReplaceAllFunc(text, func(line []byte) []byte {
		m := named.FindSubmatch(line)
		section, list := string(m[2]), string(m[3])
		if section == "responses" {
			list += failures
		}
		var w writer
		w.line(len(m[1]), "%s:", section)
		for _, item := range strings.Split(list, ", ") {
			if status, name, ok := strings.Cut(item, ": "); ok {
				w.line(len(m[1])+2, "'%s': {$ref: '#/components/responses/%s'}", status, name)
			} else {
				w.line(len(m[1])+2, "- $ref: '#/components/parameters/%s'", item)
			}
		}
		return w.Bytes()
	})
}
