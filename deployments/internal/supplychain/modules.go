package main

import (
	"bytes"
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
)

// tags are those of the Makefile, because they decide what is linked.
const tags = "nomsgpack"

// program is the package that is released, of ownModule.
const (
	ownModule = "orgd"
	program   = ownModule + "/cmd/orgd"
)

// released are the systems that archives are made for, as GOOS/GOARCH.
var released = []string{"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64"}

// goModule stands for the standard library and the runtime, as scanners of
// vulnerabilities call them.
const goModule = "std"

// module is one module that packages of the program come from, or a package that
// is bundled.
type module struct {
	path, version string
	own           bool     // the program's own, which go.mod gives no version
	registry      string   // where packages are called so; "" for modules of Go
	root          string   // its directory
	dirs          []string // of its packages that are linked
	needs         []string // paths of the modules that those import
}

// listed is what `go list` says of one package.
type listed struct {
	ImportPath string
	Dir        string
	Standard   bool
	Imports    []string
	Module     *struct {
		Path, Version, Dir string
		Main               bool
		Replace            *struct{ Path, Version, Dir string }
	}
}

// linked returns the modules that the program consists of on the systems, in the
// order of their paths.
func linked(systems ...string) ([]module, error) {
	standard, err := goItself()
	if err != nil {
		return nil, err
	}
	home := map[string]string{} // of packages
	byPath := map[string]*module{}
	imports := map[string]map[string]bool{} // by paths of modules
	for _, system := range systems {
		packages, err := list(system)
		if err != nil {
			return nil, err
		}
		for _, p := range packages {
			m, err := moduleOf(p, standard)
			if err != nil {
				return nil, err
			}
			home[p.ImportPath] = m.path
			if byPath[m.path] == nil {
				byPath[m.path], imports[m.path] = &m, map[string]bool{}
			}
			if !p.Standard {
				byPath[m.path].dirs = append(byPath[m.path].dirs, p.Dir)
			}
		}
		for _, p := range packages {
			for _, imported := range p.Imports {
				imports[home[p.ImportPath]][home[imported]] = true
			}
		}
	}
	for _, m := range bundled(byPath[ownModule].root) {
		byPath[m.path] = &m
		imports[ownModule][m.path] = true
	}
	var all []module
	for _, path := range slices.Sorted(maps.Keys(byPath)) {
		m := byPath[path]
		delete(imports[path], path)
		m.needs = slices.Sorted(maps.Keys(imports[path]))
		all = append(all, *m)
	}
	return all, nil
}

// list returns every package of the program on a system.
func list(system string) (all []listed, err error) {
	goos, goarch, _ := strings.Cut(system, "/")
	cmd := exec.Command("go", "list", "-deps", "-tags", tags, "-json=ImportPath,Dir,Standard,Imports,Module", program)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+goos, "GOARCH="+goarch)
	out, err := output(cmd)
	if err != nil {
		return nil, err
	}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return all, nil
		} else if err != nil {
			return nil, err
		}
		all = append(all, p)
	}
}

func moduleOf(p listed, standard module) (module, error) {
	switch m := p.Module; {
	case p.Standard:
		return standard, nil
	case m == nil || m.Replace != nil || m.Version == "" && !m.Main:
		return module{}, fmt.Errorf("%s is of no module with a version", p.ImportPath)
	default:
		return module{path: m.Path, version: m.Version, own: m.Main, root: m.Dir}, nil
	}
}

// goItself is what the compiler brings along.
func goItself() (module, error) {
	out, err := output(exec.Command("go", "env", "GOVERSION", "GOROOT"))
	if err != nil {
		return module{}, err
	}
	version, root, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	return module{path: goModule, version: strings.TrimPrefix(version, "go"), root: root}, nil
}

// output runs a command whose complaints are worth showing.
func output(cmd *exec.Cmd) ([]byte, error) {
	out, err := cmd.Output()
	var failed *exec.ExitError
	if errors.As(err, &failed) {
		return nil, fmt.Errorf("%s: %w\n%s", cmd, err, failed.Stderr)
	}
	return out, err
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
			if !known[m.Path+" "+m.Version] {
				errs = append(errs, fmt.Errorf("%s has %s %s, which the bill of materials lacks", path, m.Path, m.Version))
			}
		}
	}
	return errors.Join(errs...)
}
