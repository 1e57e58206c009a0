package test

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"strings"
	"testing"
)

// pkg is what `go list` says of one package.
type pkg struct {
	ImportPath string
	Imports    []string
}

// module is the path of this module.
const module = "orgd"

// layers says what each layer may import of this module, and which modules of
// others. The longest prefix decides.
var layers = []struct {
	prefix string
	own    []string // prefixes inside the module; a layer may always import itself
	others []string // prefixes outside of it, the standard library aside
}{
	{"orgd/domain", nil, []string{"golang.org/x/text"}},
	{"orgd/ports", []string{"orgd/domain"}, nil},
	{"orgd/ports/portstest", []string{"orgd/domain", "orgd/ports"}, []string{"github.com/google/go-cmp", "pgregory.net/rapid"}},
	{"orgd/app", []string{"orgd/domain", "orgd/ports"}, nil},
	{"orgd/adapters", []string{"orgd/domain", "orgd/ports", "orgd/app"}, []string{""}},
	{"orgd/adapters/mcpserver", []string{"orgd/client"}, []string{"github.com/modelcontextprotocol/go-sdk", "github.com/google/jsonschema-go"}}, // it is a client of the API
	{"orgd/adapters/httpapi/internal/protocol", []string{"orgd/domain"}, nil},
	{"orgd/adapters/httpapi/internal/document", []string{"orgd/domain", "orgd/app", "orgd/adapters/httpapi/internal/protocol", "orgd/adapters/httpapi/internal/request"}, nil},
	{"orgd/adapters/httpapi/internal/request", []string{"orgd/domain", "orgd/ports", "orgd/app", "orgd/adapters/httpapi/internal/protocol"},
		[]string{"github.com/gin-gonic/gin", "go.uber.org/zap", "golang.org/x/sync"}},
	{"orgd/client", nil, nil}, // for programs that have nothing else of the module
	{"orgd/cmd", []string{module}, []string{""}},
	{"orgd/cmd/orgd/internal/terminal", nil, []string{"golang.org/x/term", "go.yaml.in/yaml/v3"}},
	{"orgd/cmd/orgd/internal/organization", []string{"orgd/client", "orgd/cmd/orgd/internal", "orgd/domain/name"}, nil}, // commands for a service need nothing of it but how names compare
	{"orgd/test", []string{module}, []string{""}},
}

// only says which packages may import a library that must stay in its room.
var only = map[string]string{
	"github.com/gin-gonic/gin":               "orgd/adapters/httpapi",
	"modernc.org/sqlite":                     "orgd/adapters/sqlitestore",
	"github.com/golang-jwt/jwt/v5":           "orgd/adapters/jwtauth",
	"github.com/google/wire":                 module, // and there only in files that the build leaves out
	"github.com/prometheus":                  "orgd/adapters/telemetry",
	"go.opentelemetry.io":                    "orgd/adapters/telemetry",
	"github.com/alecthomas/kong":             "orgd/cmd",
	"github.com/tidwall/btree":               "orgd/adapters/agentindex",
	"github.com/modelcontextprotocol/go-sdk": "orgd/adapters/mcpserver",
}

// adapterFriends are the adapters that others may know: measuring is wanted
// everywhere, several use the same Redis, stores commit in groups, pack versions, remember contents
// and have an index in memory,
// files are made durable in one way, and mistakes in settings and differences of texts look
// the same.
var adapterFriends = map[string]bool{
	"orgd/adapters/telemetry":   true,
	"orgd/adapters/redisconn":   true,
	"orgd/adapters/groupcommit": true,
	"orgd/adapters/contents":    true,
	"orgd/adapters/deltas":      true,
	"orgd/adapters/failpoint":   true,
	"orgd/adapters/lru":         true,
	"orgd/adapters/agentindex":  true,
	"orgd/adapters/keyfile":     true,
	"orgd/adapters/filelock":    true,
	"orgd/adapters/settings":    true,
	"orgd/adapters/textdiff":    true,
}

func TestArrowsPointInward(t *testing.T) {
	for _, p := range list(t) {
		for _, imported := range p.Imports {
			if reason := forbidden(p.ImportPath, imported); reason != "" {
				t.Errorf("%s imports %s: %s", p.ImportPath, imported, reason)
			}
		}
	}
}

// TestDomainAndAppNeedNoFramework looks at everything that the two build on.
func TestDomainAndAppNeedNoFramework(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", "-f", "{{if not .Standard}}{{.ImportPath}}{{end}}",
		"orgd/domain/...", "orgd/app/...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	for _, dep := range strings.Fields(string(out)) {
		if !within(dep, "orgd/domain") && !within(dep, "orgd/ports") && !within(dep, "orgd/app") && !within(dep, "golang.org/x/text") {
			t.Errorf("domain or app builds on %s", dep)
		}
	}
}

// list reads every package of the module.
func list(t *testing.T) []pkg {
	t.Helper()
	out, err := exec.Command("go", "list", "-json=ImportPath,Imports", module+"/...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var all []pkg
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p pkg
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("go list: %v", err)
		}
		all = append(all, p)
	}
	if len(all) < 10 {
		t.Fatalf("go list found only %d packages", len(all))
	}
	return all
}

// forbidden says why from may not import to, or "".
func forbidden(from, to string) string {
	for library, room := range only {
		if within(to, library) && !(within(from, room) && room != module) && !within(from, "orgd/test") {
			return "only " + room + " knows this library"
		}
	}
	l := -1
	for i, candidate := range layers {
		if within(from, candidate.prefix) && (l < 0 || len(candidate.prefix) > len(layers[l].prefix)) {
			l = i
		}
	}
	switch {
	case l < 0: // the root package knows everybody
		return ""
	case !within(to, module):
		return foreign(layers[l].others, to)
	case within(to, "orgd/adapters") && layers[l].prefix == "orgd/adapters":
		if room(from) == room(to) || adapterFriends[to] {
			return ""
		}
		return "adapters do not know each other"
	case within(to, layers[l].prefix):
		return ""
	}
	for _, allowed := range layers[l].own {
		if within(to, allowed) {
			return ""
		}
	}
	return "the arrow points outward"
}

// foreign judges an import from outside of the module.
func foreign(allowed []string, to string) string {
	if !strings.Contains(strings.Split(to, "/")[0], ".") {
		return "" // the standard library
	}
	for _, prefix := range allowed {
		if prefix == "" || within(to, prefix) {
			return ""
		}
	}
	return "this layer uses the standard library only"
}

// room is the adapter that a package belongs to.
func room(path string) string {
	parts := strings.SplitN(path, "/", 4)
	return strings.Join(parts[:min(3, len(parts))], "/")
}

// within reports whether path is the package prefix or one below it.
func within(path, prefix string) bool {
	return path == prefix || strings.HasPrefix(path, prefix+"/")
}
