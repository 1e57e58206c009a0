package sqlitestore

import (
	"os"
	"path/filepath"
	"testing"

	"orgd/ports/portstest"
)

func TestConformance(t *testing.T) {
	portstest.All(t, func(t *testing.T) portstest.Stores {
		return openOrg(t, t.TempDir()).db.Stores()
	})
}

// Nothing of what was purged is in any file, not even in its unused parts.
func TestTraces(t *testing.T) {
	portstest.Traces(t, func(t *testing.T) (portstest.Stores, func() []byte) {
		dir := t.TempDir()
		return openOrg(t, dir).db.Stores(), func() (all []byte) {
			files, err := filepath.Glob(filepath.Join(dir, "*"))
			if err != nil || len(files) < 2 {
				t.Fatalf("files %v, %v", files, err)
			}
			for _, file := range files {
				text, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				all = append(all, text...)
			}
			return all
		}
	})
}
