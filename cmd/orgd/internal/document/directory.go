package document

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v3"
	"golang.org/x/text/unicode/norm"

	"orgd/adapters/keyfile"
	"orgd/cmd/orgd/internal/terminal"
	"orgd/domain/name"
	"orgd/domain/organization"
)

// mark begins every file that an export writes into a directory.
const mark = "# Written by orgd export, which replaces all of it.\n"

// exported is an entry as it is, and where it belongs.
type exported struct {
	text json.RawMessage
	home
}

type home struct {
	Name       string `json:"name"`
	Department string `json:"department,omitempty"`
}

// UnmarshalJSON implements json.Unmarshaler.
func (e *exported) UnmarshalJSON(text []byte) error {
	e.text = bytes.Clone(text)
	return json.Unmarshal(text, &e.home)
}

// MarshalJSON implements json.Marshaler.
func (e exported) MarshalJSON() ([]byte, error) { return e.text, nil }

// documentOf is a document of which only the homes of entries matter.
type documentOf[D any] struct {
	Format      int             `json:"format"`
	Company     json.RawMessage `json:"company,omitempty"`
	Departments []D             `json:"departments"`
	Agents      []exported      `json:"agents,omitzero"`
}

// directory holds the texts of files by path.
type directory map[string][]byte

func (d directory) add(path string, doc any, style func(*yaml.Node)) error {
	text, err := terminal.ToYAML([]byte(terminal.JSON(doc)), style)
	d[path] = append([]byte(mark), text...)
	return err
}

// exportDirectory writes a document into a directory: a file for the company and the order
// of departments, and one for each department with its agents.
func exportDirectory(path string, text []byte, style func(*yaml.Node)) error {
	var doc documentOf[exported]
	if err := json.Unmarshal(text, &doc); err != nil {
		return fmt.Errorf("read the document: %w", err)
	}
	members, err := membersOf(doc)
	if err != nil {
		return err
	}
	files := directory{}
	names, err := departmentFiles(filepath.Join(path, organization.FieldDepartments))
	company := documentOf[home]{Format: organization.Format, Company: doc.Company, Departments: []home{}}
	for _, d := range doc.Departments {
		company.Departments = append(company.Departments, d.home)
		one := documentOf[exported]{Format: organization.Format, Departments: []exported{d}, Agents: members[name.KeyOf(d.Name)]}
		err = errors.Join(err, files.add(names.of(d.Name), one, style))
	}
	err = errors.Join(err, files.add(filepath.Join(path, "company.yaml"), company, style))
	if err != nil {
		return err
	}
	return files.replace(names.old)
}

// membersOf returns the agents of each department. It is an error if one has no department in the
// document.
func membersOf(doc documentOf[exported]) (map[name.Key][]exported, error) {
	members := make(map[name.Key][]exported, len(doc.Departments))
	for _, d := range doc.Departments {
		members[name.KeyOf(d.Name)] = []exported{}
	}
	for _, a := range doc.Agents {
		key := name.KeyOf(a.Department)
		if members[key] == nil {
			return nil, fmt.Errorf("the agent %q is in the department %q, which the service has not sent, because it was made or deleted meanwhile; nothing was written: export again", a.Name, a.Department)
		}
		members[key] = append(members[key], a)
	}
	return members, nil
}

// fileNames are the files of departments.
type fileNames struct {
	path string              // of their directory
	file map[name.Key]string // that a department has
	old  map[string]bool     // that an export has written
}

// departmentFiles finds what an earlier export has written.
func departmentFiles(path string) (fileNames, error) {
	names := fileNames{path: path, file: map[name.Key]string{}, old: map[string]bool{}}
	entries, err := os.ReadDir(path)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	for _, e := range entries {
		file := filepath.Join(path, e.Name())
		if filepath.Ext(file) != ".yaml" || !isMarked(file) {
			continue
		}
		names.old[file] = true
		text, errRead := os.ReadFile(file)
		err = errors.Join(err, errRead)
		var doc struct{ Departments []struct{ Name string } }
		if yaml.Unmarshal(text, &doc) == nil && len(doc.Departments) == 1 {
			names.file[name.KeyOf(doc.Departments[0].Name)] = file
		}
	}
	return names, err
}

// isMarked reports whether an export has written a file. A link or a pipe is none of its files.
func isMarked(path string) bool {
	about, err := os.Lstat(path)
	if err != nil || !about.Mode().IsRegular() {
		return false
	}
	text, err := os.ReadFile(path)
	return err == nil && bytes.HasPrefix(text, []byte(mark))
}

// reserved are names that are no files on Windows.
var reserved = regexp.MustCompile(`^(con|prn|aux|nul|com[0-9]|lpt[0-9])$`)

// of returns the file that a department has, or a new one: its name in lower case, of
// letters, digits and hyphens, and a number if another has it.
func (f fileNames) of(department string) string {
	if file, ok := f.file[name.KeyOf(department)]; ok {
		return file
	}
	var b strings.Builder
	for _, r := range norm.NFKD.String(strings.ToLower(department)) {
		switch {
		case r >= 'a' && r <= 'z' || r >= '0' && r <= '9':
			b.WriteRune(r)
		case !unicode.Is(unicode.Mn, r) && b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
	}
	slug := strings.Trim(b.String()[:min(b.Len(), 60)], "-")
	if slug == "" || reserved.MatchString(slug) {
		slug = strings.Trim("department-"+slug, "-")
	}
	file := filepath.Join(f.path, slug+".yaml")
	isUsed := func(other string) bool { return strings.EqualFold(other, file) }
	for n := 2; slices.ContainsFunc(slices.Collect(maps.Values(f.file)), isUsed); n++ {
		file = filepath.Join(f.path, fmt.Sprintf("%s-%d.yaml", slug, n))
	}
	f.file[name.KeyOf(department)] = file
	return file
}

// replace writes the files that have changed, each at once, and removes old ones. It
// changes nothing if one of somebody else is there.
func (d directory) replace(old map[string]bool) error {
	var conflicts []error
	for _, path := range slices.Sorted(maps.Keys(d)) {
		if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) && !isMarked(path) {
			conflicts = append(conflicts, fmt.Errorf("%s: was not written by orgd export: its first line is another; nothing was written", path))
		}
	}
	if len(conflicts) > 0 {
		return errors.Join(conflicts...)
	}
	for _, path := range slices.Sorted(maps.Keys(d)) {
		delete(old, path)
		if text, err := os.ReadFile(path); err == nil && bytes.Equal(text, d[path]) {
			continue
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := keyfile.ReplaceOpen(path, d[path]); err != nil {
			return err
		}
	}
	for path := range old {
		if err := os.Remove(path); err != nil {
			return err
		}
	}
	return nil
}

// inline writes what fits on a line on one, in the fields of entries.
func inline(n *yaml.Node) { inlineBelow(n, 0) }

func inlineBelow(n *yaml.Node, depth int) {
	for _, inner := range n.Content {
		text := jsonOf(inner)
		if n.Kind == yaml.MappingNode && depth > 0 && inner.Kind != yaml.ScalarNode && len(text) <= 60 && !bytes.Contains(text, []byte(`\n`)) {
			inner.Style = yaml.FlowStyle
		} else {
			inlineBelow(inner, depth+1)
		}
	}
}
