package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// npm is where the packages are that no module of Go is made for.
const npm = "npm"

// bundled are the packages that the program has inside without linking them: CodeMirror, for
// the console. Their licences lie below the module of the program.
func bundled(root string) ([]module, error) {
	dir := filepath.Join(root, "adapters", "httpapi", "web", "codemirror")
	content, err := os.ReadFile(filepath.Join(dir, "package.json"))
	if err != nil {
		return nil, err
	}
	var built struct{ Dependencies map[string]string }
	if err := json.Unmarshal(content, &built); err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	var all []module
	for name, version := range built.Dependencies {
		all = append(all, module{path: name, version: version, registry: npm, root: dir})
	}
	return all, nil
}
