// Package clients holds the clients in Go, Python and TypeScript to the same behaviour: the
// scenarios in scenarios/ are run by a driver in each language, with the real service behind
// a proxy that does to requests what networks and gateways do.
package clients

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"

	"orgd/test/process"
)

// goDriver is the driver in Go.
var goDriver string

func TestMain(m *testing.M) {
	os.Exit(process.Main(m, func(dir string) error {
		goDriver = filepath.Join(dir, "driver")
		if out, err := exec.Command("go", "build", "-ldflags=-s -w", "-o", goDriver, "./drivers/go").CombinedOutput(); err != nil {
			return fmt.Errorf("go build: %w\n%s", err, out)
		}
		return nil
	}))
}

// TestScenarios runs every scenario with every driver.
func TestScenarios(t *testing.T) {
	all := scenarios(t)
	for _, d := range drivers {
		t.Run(d.name, func(t *testing.T) {
			t.Parallel()
			command := d.command(t)
			for _, s := range all {
				t.Run(strings.ReplaceAll(s.Name, " ", "-"), func(t *testing.T) {
					t.Parallel()
					s.run(t, command)
				})
			}
		})
	}
}

// scenarios reads all scenarios.
func scenarios(t *testing.T) (all []scenario) {
	t.Helper()
	files, err := filepath.Glob("scenarios/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("there are no scenarios: %v", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var some []scenario
		in := yaml.NewDecoder(bytes.NewReader(text))
		in.KnownFields(true)
		if err := in.Decode(&some); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		all = append(all, some...)
	}
	return all
}

// isLong reports whether tests may take long and depend on how fast the machine is.
func isLong() bool { return os.Getenv("ORGD_LONG") != "" }

// wantQuick bounds the time that an import takes, on a machine that has nothing else to do.
func wantQuick(t *testing.T, took time.Duration) {
	t.Helper()
	if isLong() && took > 50*time.Millisecond {
		t.Errorf("an import takes %s, want at most 50ms", took)
	}
	t.Logf("an import takes %s", took)
}
