package document

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"orgd/cmd/orgd/internal/terminal"
	"orgd/domain/name"
	"orgd/domain/organization"
)

// documentsIn returns the files of an argument: a file, or the documents in a directory
// and below, sorted, company.* first. Hidden ones and JSON Schemas are none. Symbolic links
// are followed, as those of a ConfigMap that is mounted.
func documentsIn(arg string, known map[string]bool) (files []string, err error) {
	if info, err := os.Stat(arg); arg == terminal.StdFile || err != nil || !info.IsDir() {
		return []string{arg}, nil // a file that does not exist is reported when it is read
	}
	real, err := filepath.EvalSymlinks(arg)
	if err != nil || known[real] {
		return nil, err
	}
	known[real] = true
	entries, err := os.ReadDir(arg)
	isCompany := func(i int) bool { return strings.HasPrefix(entries[i].Name(), organization.FieldCompany+".") }
	sort.SliceStable(entries, func(i, j int) bool { return isCompany(i) && !isCompany(j) })
	for _, e := range entries {
		path := filepath.Join(arg, e.Name())
		info, errStat := os.Stat(path)
		isDir := errStat == nil && info.IsDir()
		ext := strings.ToLower(filepath.Ext(path))
		if strings.HasPrefix(e.Name(), ".") || strings.HasSuffix(path, ".schema.json") || !isDir && !slices.Contains([]string{".yaml", ".yml", ".json"}, ext) {
			continue
		}
		inner, errInner := documentsIn(path, known)
		if errInner != nil {
			return nil, errInner
		}
		files = append(files, inner...)
	}
	return files, err
}

// part is a part of a collection: what a file has under a path.
type part struct {
	file  string
	find  Locate
	path  string
	value *yaml.Node
}

// entry is an entry of a list, or the company.
type entry struct {
	yaml.Node
	parts []part
	names []name.Key // that it has, and had
}

// collection is the document that several files are together. Mistakes of single entries are
// left to the service.
type collection struct {
	lists    map[string][]*entry
	named    map[string]int // the number of an entry, by list and name
	mistakes []Mistake
}

// join reads the files.
func join(files []File) *collection {
	j := &collection{lists: map[string][]*entry{}, named: map[string]int{}}
	for _, f := range files {
		root, _, mistakes := f.parse()
		if len(mistakes) > 0 {
			j.mistakes = append(j.mistakes, mistakes...)
			continue
		}
		all := part{f.Name, f.locate(), organization.FieldFormat, root}
		if _, format := member(root, all.path); format == nil || format.Value != strconv.Itoa(organization.Format) {
			j.wrong(all, "must be %d", organization.Format)
		}
		for i := 0; i+1 < len(root.Content) && root.Kind == yaml.MappingNode; i += 2 {
			j.member(part{f.Name, all.find, root.Content[i].Value, root.Content[i+1]})
		}
	}
	return j
}

func (j *collection) wrong(p part, format string, args ...any) {
	m := Mistake{Text: fmt.Sprintf(format, args...)}
	m.File, m.Line, m.Field = p.find(p.path, 0)
	j.mistakes = append(j.mistakes, m)
}

// member adds a member of a file.
func (j *collection) member(p part) {
	switch list := p.path; list {
	case organization.FieldFormat:
	case organization.FieldCompany:
		j.add(list, p)
	case organization.FieldDepartments, organization.FieldAgents:
		if p.value.Kind != yaml.SequenceNode {
			j.wrong(p, "must be an array of objects")
			return
		}
		j.lists[list] = slices.Grow(j.lists[list], 1) // an empty one is there, too
		for i, item := range p.value.Content {
			j.add(list, part{p.file, p.find, organization.Path(list, i), item})
		}
	default:
		j.wrong(p, "unknown field")
	}
}

// add adds an entry, or a part to the one that has its name.
func (j *collection) add(list string, p part) {
	e := &entry{Node: *p.value, parts: []part{p}}
	for _, field := range []string{"name", organization.FieldPreviousName} {
		if _, text := member(p.value, field); text != nil {
			if n, err := name.Parse(text.Value); err == nil {
				e.names = append(e.names, n.Key)
			}
		}
	}
	key := list // of the company
	if list != organization.FieldCompany && len(e.names) > 0 {
		key += " " + string(e.names[0])
	}
	i, known := j.named[key]
	if !known {
		if list == organization.FieldCompany || len(e.names) > 0 {
			j.named[key] = len(j.lists[list])
		}
		j.lists[list] = append(j.lists[list], e)
		return
	}
	first := j.lists[list][i]
	first.parts = append(first.parts, p)
	for n := 0; n+1 < len(p.value.Content); n += 2 {
		key, value := p.value.Content[n], p.value.Content[n+1]
		if there, _ := member(&first.Node, key.Value); there == nil {
			first.Content = append(slices.Clip(first.Content), key, value)
		} else if key.Value != "name" || list != organization.FieldDepartments {
			file, line, _ := j.locate(list+"["+strconv.Itoa(i)+"]."+key.Value, 0)
			j.wrong(part{find: p.find, path: p.path + "." + key.Value}, "is also in %s:%d", file, line)
		}
	}
}

// text returns the document as JSON.
func (j *collection) text() []byte {
	root := &yaml.Node{Kind: yaml.MappingNode}
	add := func(name string, value *yaml.Node) {
		root.Content = append(root.Content, &yaml.Node{Kind: yaml.ScalarNode, Value: name}, value)
	}
	add(organization.FieldFormat, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!int", Value: strconv.Itoa(organization.Format)})
	for _, list := range slices.Sorted(maps.Keys(j.lists)) {
		value := &yaml.Node{Kind: yaml.SequenceNode}
		for _, e := range j.lists[list] {
			value.Content = append(value.Content, &e.Node)
		}
		if list == organization.FieldCompany {
			value = value.Content[0]
		}
		add(list, value)
	}
	return jsonOf(root)
}

// locate implements [Locate].
func (j *collection) locate(path string, _ int) (file string, line int, field string) {
	list, _, rest := FirstStep(path)
	i := 0
	if list != organization.FieldCompany {
		_, i, rest = FirstStep(rest)
	}
	if i < 0 || i >= len(j.lists[list]) {
		return "the documents", 0, path
	}
	parts := j.lists[list][i].parts
	first, _, _ := FirstStep(rest)
	found := slices.IndexFunc(parts, func(p part) bool { key, _ := member(p.value, first); return key != nil })
	p := parts[max(found, 0)]
	if rest != "" {
		rest = "." + rest
	}
	return p.find(p.path+rest, 0)
}

// arrange puts agents of several files into the order of the service, as far as that does
// not contradict the order within a file: files have no order among each other. New agents
// stay before the next one of their file, or come last.
func (j *collection) arrange(current []name.Key) {
	files := map[string][]*entry{}
	file := map[name.Key]string{}
	all := j.lists[organization.FieldAgents]
	for _, e := range all {
		home := e.parts[0].file
		files[home] = append(files[home], e)
		for _, n := range e.names {
			file[n] = home
		}
	}
	arranged := make([]*entry, 0, len(all))
	exists := map[name.Key]bool{}
	for _, n := range current {
		exists[n] = true
	}
	for _, n := range current {
		for left := files[file[n]]; len(left) > 0; left = files[file[n]] {
			arranged, files[file[n]] = append(arranged, left[0]), left[1:]
			if slices.ContainsFunc(left[0].names, func(n name.Key) bool { return exists[n] }) {
				break
			}
		}
	}
	for _, e := range all {
		if left := files[e.parts[0].file]; len(left) > 0 && left[0] == e {
			arranged, files[e.parts[0].file] = append(arranged, left...), nil
		}
	}
	j.lists[organization.FieldAgents] = arranged
}
