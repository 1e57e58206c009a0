package main

import (
	"cmp"
	"debug/buildinfo"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// tags are those of the Makefile, because they decide what is linked.
const tags = "nomsgpack"

// program is the package that is released, of ownModule. clientModule is a part of that
// which others may use alone.
const (
	ownModule    = "orgd"
	clientModule = ownModule + "/client"
	program      = ownModule + "/cmd/orgd"
)

// released are the systems that archives are made for, as GOOS/GOARCH.
var released = []string{"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64", "windows/amd64", "windows/arm64"}

// goModule stands for the standard library and the runtime, as scanners of
// vulnerabilities call them.
const goModule = "std"

// module is one module that packages of the program come from, or a package that
// is bundled.
type module struct {
	path, version string
	registry      string          // where packages are called so; "" for modules of Go
	root          string          // its directory
	dirs          []string        // of its packages that are linked
	needs         map[string]bool // paths of the modules that those import
	licences      []string        // in alphabetical order
	texts         []text          // what is to be passed on with it
}

// purl is the name of a module among the packages of the world. The scope of a package of
// npm begins with @.
func (m module) purl() string {
	return "pkg:" + cmp.Or(m.registry, "golang") + "/" + strings.Replace(m.path, "@", "%40", 1) + "@" + m.version
}

// linked returns the modules that a version of the program consists of on all
// systems, in the order of their paths.
func linked(version string) ([]module, error) {
	standard, err := goItself()
	if err != nil {
		return nil, err
	}
	byPath := map[string]*module{}
	for _, system := range released {
		roots, err := load(system)
		if err != nil {
			return nil, err
		}
		for p := range packages.Postorder(roots) {
			m, err := moduleOf(p, standard, version)
			if err != nil {
				return nil, err
			}
			if byPath[m.path] == nil {
				m.needs = map[string]bool{}
				byPath[m.path] = &m
			}
			byPath[m.path].add(p)
		}
	}
	inside, err := bundled(byPath[ownModule].root)
	if err != nil {
		return nil, err
	}
	for _, m := range inside {
		byPath[m.path] = &m
		byPath[ownModule].needs[m.path] = true
	}
	var all []module
	for _, path := range slices.Sorted(maps.Keys(byPath)) {
		m := byPath[path]
		if err := m.readLicences(); err != nil {
			return nil, err
		}
		all = append(all, *m)
	}
	return all, nil
}

// add adds a package of the module.
func (m *module) add(p *packages.Package) {
	if m.path != goModule {
		m.dirs = append(m.dirs, p.Dir)
	}
	for _, imported := range p.Imports {
		if path := pathOf(imported); path != m.path {
			m.needs[path] = true
		}
	}
}

// load reads the program, with every package that it is linked from on a system.
func load(system string) ([]*packages.Package, error) {
	goos, goarch, _ := strings.Cut(system, "/")
	roots, err := packages.Load(&packages.Config{
		Mode:       packages.NeedName | packages.NeedFiles | packages.NeedImports | packages.NeedDeps | packages.NeedModule,
		Env:        append(os.Environ(), "CGO_ENABLED=0", "GOOS="+goos, "GOARCH="+goarch),
		BuildFlags: []string{"-tags", tags},
	}, program)
	for p := range packages.Postorder(roots) {
		if pathOf(p) == clientModule {
			p.Module = roots[0].Module
		}
	}
	return roots, err
}

// pathOf returns the path of a package's module.
func pathOf(p *packages.Package) string {
	if p.Module == nil {
		return goModule
	}
	return p.Module.Path
}

func moduleOf(p *packages.Package, standard module, version string) (module, error) {
	switch m := p.Module; {
	case len(p.Errors) > 0:
		return module{}, fmt.Errorf("%s: %w", p.PkgPath, p.Errors[0])
	case m == nil:
		return standard, nil
	case m.Main:
		return module{path: m.Path, version: version, root: m.Dir}, nil
	case m.Replace != nil || m.Version == "":
		return module{}, fmt.Errorf("%s is of no module with a version", p.PkgPath)
	default:
		return module{path: m.Path, version: m.Version, root: m.Dir}, nil
	}
}

// goItself is what the compiler brings along.
func goItself() (module, error) {
	out, err := exec.Command("go", "env", "GOVERSION", "GOROOT").Output()
	if err != nil {
		return module{}, fmt.Errorf("go env: %w", err)
	}
	version, root, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	return module{path: goModule, version: strings.TrimPrefix(version, "go"), root: root}, nil
}

// checkBinaries reports the modules that are in a binary and not in all.
func checkBinaries(all []module, paths []string) error {
	known := map[string]bool{}
	for _, m := range all {
		known[m.path+" "+m.version] = true
	}
	var errs []error
	for _, path := range paths {
		info, err := buildinfo.ReadFile(path)
		if err != nil {
			return err
		}
		if len(info.Deps) == 0 {
			errs = append(errs, fmt.Errorf("%s names no modules", path))
		}
		for _, m := range info.Deps {
			if m.Path != clientModule && !known[m.Path+" "+m.Version] {
				errs = append(errs, fmt.Errorf("%s has %s %s, which the bill of materials lacks", path, m.Path, m.Version))
			}
		}
	}
	return errors.Join(errs...)
}
