package orgd

import (
	"runtime/debug"

	"orgd/adapters/httpapi"
)

// version is set by a release: go build -ldflags "-X orgd.version=v1.2.3".
var version string

// Version says which program this is, as far as it knows.
func Version() httpapi.BuildInfo {
	b := httpapi.BuildInfo{Version: version, Commit: "unknown"}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	if b.Version == "" {
		b.Version = info.Main.Version
	}
	modified := false
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Commit = s.Value
		case "vcs.modified":
			modified = s.Value == "true"
		}
	}
	if modified {
		b.Commit += " with changes"
	}
	return b
}
