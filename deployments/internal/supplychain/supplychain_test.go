package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/CycloneDX/cyclonedx-go"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.uber.org/goleak"

	"orgd/test/golden"
)

const licencesPage = "../../../docs/reference/licences.md"

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// readModules asks the go command once.
var readModules = sync.OnceValues(func() ([]module, error) { return linked("v1.2.3") })

// modules are those of the program.
func modules(t *testing.T) []module {
	t.Helper()
	all, err := readModules()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// The page is what is linked now.
func TestReference(t *testing.T) {
	golden.File(t, licencesPage, page(modules(t)))
}

// Only what is linked is told of, and all of it.
func TestLinked(t *testing.T) {
	var paths []string
	for _, m := range modules(t) {
		paths = append(paths, m.path)
	}
	for _, want := range []string{goModule, "orgd", "github.com/gin-gonic/gin", "modernc.org/sqlite", "github.com/ncruces/go-strftime" /* macOS */} {
		if !slices.Contains(paths, want) {
			t.Errorf("linked lacks %s", want)
		}
	}
	for _, other := range []string{"github.com/google/go-cmp", "honnef.co/go/tools", "github.com/ugorji/go/codec" /* by the tag */} {
		if slices.Contains(paths, other) {
			t.Errorf("linked has %s, which the program is not made of", other)
		}
	}
	makefile, err := os.ReadFile("../../../Makefile")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(makefile), " -tags="+tags+"\n") {
		t.Errorf("the Makefile builds with other tags than %s", tags)
	}
}

func TestLicences(t *testing.T) {
	mit, err := os.ReadFile("../../../LICENSE")
	if err != nil {
		t.Fatal(err)
	}
	const affero = "This program is free software: you can redistribute it and/or modify it under the terms of the GNU Affero General Public License as published by the Free Software Foundation, either version 3 of the License, or (at your option) any later version."
	for name, test := range map[string]struct {
		file, content string
		want          error
	}{
		"allowed":            {"LICENSE", string(mit), nil},
		"another name":       {"Copying.txt", string(mit), nil},
		"none":               {"README.md", string(mit), errNoLicence},
		"a notice only":      {"NOTICE", string(mit), errNoLicence},
		"unknown":            {"LICENSE", "Do with it what you like, but only on Sundays.", errUnknown},
		"with a restriction": {"LICENSE", string(mit) + strings.Repeat("This right ends where a competitor begins. ", 3), errUnknown},
		"not allowed":        {"LICENSE", affero, errNotAllowed},
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			if err := os.WriteFile(filepath.Join(root, test.file), []byte(test.content), 0o600); err != nil {
				t.Fatal(err)
			}
			m := module{path: "example.com/m", version: "v1.0.0", root: root}
			err := m.readLicences()
			if !errors.Is(err, test.want) {
				t.Errorf("readLicences = %v, want %v", err, test.want)
			}
			if err == nil && (!slices.Equal(m.licences, []string{"MIT"}) || len(m.texts) != 1) {
				t.Errorf("readLicences found %v and %d texts, want MIT and one", m.licences, len(m.texts))
			}
		})
	}
}

// What lies beside a linked package has to be passed on, too.
func TestLicencesInside(t *testing.T) {
	var notices bytes.Buffer
	if err := writeNotices(&notices, modules(t)); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"zstd/internal/xxhash/LICENSE.txt", "modernc.org/sqlite .*: LICENSE-SQLITE", "go.mongodb.org/.*: THIRD-PARTY-NOTICES", "std 1.*: LICENSE", "@codemirror/view .*: LICENSE", "style-mod .*: THIRD-PARTY.txt"} {
		if !regexp.MustCompile("(?m)" + want + "$").MatchString(notices.String()) {
			t.Errorf("the notices lack %q", want)
		}
	}
}

func TestBill(t *testing.T) {
	all := modules(t)
	write := func() string {
		var b bytes.Buffer
		if err := writeBill(&b, all, "2026-11-22T00:00:00Z"); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	text := write()
	if write() != text {
		t.Error("two bills of one release differ")
	}
	conforms(t, text)
	var bill cyclonedx.BOM
	if err := cyclonedx.NewBOMDecoder(strings.NewReader(text), cyclonedx.BOMFileFormatJSON).Decode(&bill); err != nil {
		t.Fatal(err)
	}
	if own := bill.Metadata.Component; own.Name != "orgd" || own.Version != "v1.2.3" {
		t.Errorf("the bill is of %s %s, want orgd v1.2.3", own.Name, own.Version)
	}
	if got, want := len(*bill.Components), len(all)-1; got != want {
		t.Errorf("the bill has %d components, want %d", got, want)
	}
	for _, c := range *bill.Components {
		purl := "pkg:golang/" + c.Name
		if !strings.Contains(c.Name, ".") && c.Name != goModule { // no module of Go
			purl = "pkg:npm/" + strings.Replace(c.Name, "@", "%40", 1)
		}
		if c.Version == "" || c.PackageURL != purl+"@"+c.Version || len(*c.Licenses) == 0 {
			t.Errorf("component %s: version %q, purl %q, %d licences", c.Name, c.Version, c.PackageURL, len(*c.Licenses))
		}
	}
	edges := map[string][]string{}
	for _, d := range *bill.Dependencies {
		if d.Dependencies != nil {
			edges[d.Ref] = *d.Dependencies
		}
	}
	if ref := bill.Metadata.Component.BOMRef; len(edges) < 20 || !slices.ContainsFunc(edges[ref], func(s string) bool { return strings.HasPrefix(s, "pkg:golang/modernc.org/sqlite@") }) {
		t.Errorf("the program needs %v, want modernc.org/sqlite among them", edges[ref])
	}
}

// conforms holds a bill against the schema that CycloneDX publishes.
func conforms(t *testing.T, bill string) {
	t.Helper()
	dir := moduleDir(t, "github.com/CycloneDX/cyclonedx-go")
	c := jsonschema.NewCompiler()
	for id, file := range map[string]string{
		"http://cyclonedx.org/schema/bom-1.6.schema.json":  "bom-1.6.schema.json",
		"http://cyclonedx.org/schema/spdx.schema.json":     "spdx.schema.json",
		"http://cyclonedx.org/schema/jsf-0.82.schema.json": "jsf-0.82.schemax.json",
	} {
		if err := c.AddResource(id, readJSON(t, filepath.Join(dir, "schema", file))); err != nil {
			t.Fatal(err)
		}
	}
	schema, err := c.Compile("http://cyclonedx.org/schema/bom-1.6.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	document, err := jsonschema.UnmarshalJSON(strings.NewReader(bill))
	if err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(document); err != nil {
		t.Errorf("the bill is not CycloneDX: %v", err)
	}
}

func moduleDir(t *testing.T, path string) string {
	t.Helper()
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", path).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

func readJSON(t *testing.T, path string) any {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	return document
}

// A binary with a module that the bill lacks is found out: that of this test,
// which is linked with more than the program is.
func TestCheckBinaries(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := checkBinaries(modules(t), []string{self}); err == nil || !strings.Contains(err.Error(), "github.com/google/licensecheck") {
		t.Errorf("checkBinaries = %v, want a complaint about licensecheck", err)
	}
}
