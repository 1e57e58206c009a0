package system

import "runtime/debug"

// version is set by a release: go build -ldflags "-X orgd/adapters/system.version=v1.2.3".
var version string

// Version returns the version of this program and the commit that it was built from,
// "unknown" if the build does not say. A commit of a tree with changes ends in
// " with changes".
func Version() (number, commit string) {
	number, commit = version, "unknown"
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return number, commit
	}
	if number == "" {
		number = info.Main.Version
	}
	modified := false
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			commit = s.Value
		case "vcs.modified":
			modified = s.Value == "true"
		}
	}
	if modified {
		commit += " with changes"
	}
	return number, commit
}
