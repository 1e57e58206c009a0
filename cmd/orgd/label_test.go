package main

import (
	"regexp"
	"strings"
	"testing"

	"orgd/client"
	"orgd/test/golden"
)

func TestLabels(t *testing.T) {
	o := newOffice(t)
	o.staff()
	golden.File(t, "testdata/labels.txt", o.session(
		[]string{"label", "set", "Ada", "production", "1", "--reason", "first release"},
	)+o.session(lines(
		"label set Ada staging 2",
		"label set Ada release-1 1 --fixed",
		"label set Ada production 2",
		"label get Ada production",
	)...)+o.pipe("policies: {protected_labels: [production]}", "department", "update", "Engineering", "-f", "-")+
		o.session(lines(
			"department show Engineering",
			"label set Ada production 1 --reason worse",
			"label list Ada",
			"label history Ada production",
			"agent show Ada",
			"resolve Ada --label production",
			"resolve Ada --label production -o prompt",
			"label remove Ada staging --yes --reason unused",
			"get changes --agent Ada --limit 6",
		)...))

	for line, want := range map[string]result{
		"label get Ada canary":                   {exitFailure, "", `agent Ada has no label "canary", but latest, production, release-1`},
		"label history Ada canary":               {exitFailure, "", `never had a label "canary"`},
		"label set Ada staging one":              {exitFailure, "", `agent Ada has no label "one", but latest, production, release-1`},
		"label remove Ada canary --yes":          {exitFailure, "", "but latest, production, release-1"},
		"label remove Ada production":            {exitUsage, "", "--yes: is needed"},
		"resolve Ada --label canary":             {exitFailure, "", `has no label "canary"; see orgd label list Ada`},
		"resolve Ada":                            {exitUsage, "", "--label"},
		"resolve Ada --label production -o text": {exitUsage, "", "table"},
	} {
		if r := o.types(t, "", strings.Fields(line)...); r.code != want.code || r.stdout != "" || !strings.Contains(r.stderr, want.stderr) {
			t.Errorf("orgd %s = %+v, want %+v", line, r, want)
		}
	}
	if got := o.can(t, "resolve", "Ada", "--label", "latest", "-o", "json"); !strings.Contains(got, `"label": "latest",`) || !strings.Contains(got, `"level": "senior",`) {
		t.Errorf("orgd resolve -o json prints\n%s", got)
	}
	if doc := o.can(t, "export"); !regexp.MustCompile(`protected_labels:\s+- production\n`).MatchString(doc) {
		t.Errorf("orgd export leaves out protected_labels:\n%s", doc)
	}
	const doc = "format: 1\ndepartments: [{name: Engineering, policies: {protected_labels: [production, staging]}}]"
	o.types(t, doc, "apply", "-f", "-", "--yes")
	if shown := o.can(t, "department", "show", "Engineering"); !strings.Contains(shown, "production, staging") {
		t.Errorf("orgd apply leaves out protected_labels:\n%s", shown)
	}
}

// A prompt is written as it is, but does nothing to a terminal.
func TestResolvedPrompt(t *testing.T) {
	o := newOffice(t)
	o.staff()
	const prompt = "one\x1b[2Jtwo\r\n\tthree"
	if _, err := o.PatchAgent(t.Context(), "Ada", client.Object{"instructions": prompt}); err != nil {
		t.Fatal(err)
	}
	if got := o.can(t, "resolve", "Ada", "--label", "latest", "-o", "prompt"); got != prompt {
		t.Errorf("orgd resolve -o prompt = %q, want %q", got, prompt)
	}
	o.colored = true
	if got := o.can(t, "resolve", "Ada", "--label", "latest", "-o", "prompt"); strings.ContainsAny(got, "\x1b\r") {
		t.Errorf("orgd resolve -o prompt writes %q on a terminal", got)
	}
}
