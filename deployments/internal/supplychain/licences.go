package main

import (
	"errors"
	"fmt"
	"io/fs"
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
	"go.yaml.in/yaml/v3 LICENSE": {"Apache-2.0", "MIT"},
}

// enough is how much of a file, in percent, must be the text of licences; the
// rest is names and headings.
const enough = 95

// text is a file that is passed on with the program.
type text struct {
	name    string // below the module
	content string
}

// licences returns the licences of a module in alphabetical order, and what is to
// be passed on: of the module itself, and of directories inside it whose packages
// are linked.
func (m module) licences() (ids []string, texts []text, err error) {
	for _, dir := range m.directories() {
		files, err := os.ReadDir(dir)
		if err != nil {
			return nil, nil, err
		}
		for _, f := range files {
			isLicence := licenceFile.MatchString(f.Name())
			if !f.Type().IsRegular() || filepath.Ext(f.Name()) == ".go" || !isLicence && !noticeFile.MatchString(f.Name()) {
				continue
			}
			t, err := m.read(filepath.Join(dir, f.Name()))
			if err != nil {
				return nil, nil, err
			}
			texts = append(texts, t)
			if isLicence {
				found, err := m.classify(t)
				if err != nil {
					return nil, nil, err
				}
				ids = append(ids, found...)
			}
		}
	}
	if len(ids) == 0 {
		return nil, nil, fmt.Errorf("%s %s: %w", m.path, m.version, errNoLicence)
	}
	slices.Sort(ids)
	return slices.Compact(ids), texts, nil
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

func (m module) read(file string) (text, error) {
	name, err := filepath.Rel(m.root, file)
	if err != nil {
		return text{}, err
	}
	content, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("%s: %w", m.path, errNoLicence)
	}
	return text{filepath.ToSlash(name), string(content)}, err
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
