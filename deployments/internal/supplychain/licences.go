package main

import (
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/google/licensecheck"
)

// allowed are the licences, by their SPDX names, that ask for no more than that
// their text is passed on.
var allowed = []string{"Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "ISC", "MIT", publicDomain}

// publicDomain is what has no licence because it needs none.
const publicDomain = "public domain"

var (
	licenceFile = regexp.MustCompile(`(?i)^(licen[cs]e|copying)`)
	// noticeFile is what is passed on beside a licence.
	noticeFile = regexp.MustCompile(`(?i)^(notice|patents|third-party)`)
)

// readByHand are the files, by module and name, that no program can classify,
// and what a person found in them. Their texts are passed on like any other.
var readByHand = map[string][]string{
	"modernc.org/sqlite LICENSE-SQLITE": {publicDomain},
	// What these say of code that is linked is MIT, BSD or public domain; the
	// rest is of tools.
	"modernc.org/sqlite LICENSE-3RD-PARTY.md": {"BSD-3-Clause", "MIT", publicDomain},
	"modernc.org/libc LICENSE-3RD-PARTY.md":   {"BSD-3-Clause", "MIT"},
	"modernc.org/memory LICENSE-LOGO":         nil, // of a picture
	// Who wrote which file under which of its two licences takes a fifth of it.
	"github.com/modelcontextprotocol/go-sdk LICENSE": {"Apache-2.0", "MIT"}, // its documentation has a third
	"go.yaml.in/yaml/v3 LICENSE":                     {"Apache-2.0", "MIT"},
	"gopkg.in/yaml.v3 LICENSE":                       {"Apache-2.0", "MIT"},
}

// enough is how much of a file, in percent, must be the text of licences; the
// rest is names and headings.
const enough = 95

// text is a file that is passed on with the program.
type text struct {
	name    string // of the file, below the module
	content string
}

// readLicences finds the licences and texts of the module itself, and of directories
// inside it whose packages are linked.
func (m *module) readLicences() error {
	for _, dir := range m.directories() {
		files, err := os.ReadDir(dir)
		if err != nil {
			return err
		}
		for _, f := range files {
			if !f.Type().IsRegular() || filepath.Ext(f.Name()) == ".go" {
				continue
			}
			if err := m.readFile(filepath.Join(dir, f.Name())); err != nil {
				return err
			}
		}
	}
	if len(m.licences) == 0 {
		return fmt.Errorf("%s %s: %w", m.path, m.version, errNoLicence)
	}
	slices.Sort(m.licences)
	m.licences = slices.Compact(m.licences)
	return nil
}

// readFile keeps a file if its name is that of a licence or a notice.
func (m *module) readFile(file string) error {
	isLicence := licenceFile.MatchString(filepath.Base(file))
	if !isLicence && !noticeFile.MatchString(filepath.Base(file)) {
		return nil
	}
	content, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	t := text{strings.TrimPrefix(file, m.root+"/"), string(content)}
	m.texts = append(m.texts, t)
	if !isLicence {
		return nil
	}
	found, err := m.classify(t)
	m.licences = append(m.licences, found...)
	return err
}

var (
	errNoLicence  = errors.New("has no licence")
	errUnknown    = errors.New("has a licence that nobody knows")
	errNotAllowed = errors.New("has a licence that is not among those allowed")
)

// directories are those of the linked packages and all above them in the module.
func (m module) directories() []string {
	all := []string{m.root}
	for _, dir := range m.dirs {
		for ; dir != m.root && strings.HasPrefix(dir, m.root); dir = filepath.Dir(dir) {
			all = append(all, dir)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// classify returns the licences that a file consists of.
func (m module) classify(t text) ([]string, error) {
	ids, known := readByHand[m.path+" "+path.Base(t.name)]
	if !known {
		found := licensecheck.Scan([]byte(t.content))
		if found.Percent < enough {
			return nil, fmt.Errorf("%s %s: %s is %.0f %% known: %w", m.path, m.version, t.name, found.Percent, errUnknown)
		}
		for _, match := range found.Match {
			ids = append(ids, match.ID)
		}
	}
	for _, id := range ids {
		if !slices.Contains(allowed, id) {
			return nil, fmt.Errorf("%s %s: %s is %s: %w", m.path, m.version, t.name, id, errNotAllowed)
		}
	}
	return ids, nil
}
