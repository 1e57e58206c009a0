package clients

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// typescriptSource is the package as it lies in the repository.
const typescriptSource = "../../clients/typescript"

// typescript is a copy of the package that is built once, with the tools that it is built with.
var typescript struct {
	once sync.Once
	dir  string
	out  []byte
	err  error
}

// typescriptPackage returns the directory of the built package.
func typescriptPackage(t *testing.T) string {
	t.Helper()
	tools := os.Getenv("ORGD_TEST_CLIENTS")
	if tools == "" {
		t.Skip("SKIPPED: ORGD_TEST_CLIENTS NAMES NO DIRECTORY FOR TOOLS: THE TYPESCRIPT CLIENT WAS NOT TRIED")
	}
	typescript.once.Do(func() { typescript.out, typescript.err = buildTypeScript(tools) })
	if exit, ok := errors.AsType[*exec.ExitError](typescript.err); ok && exit.ExitCode() == 77 {
		t.Skipf("SKIPPED: TOOLS FOR TYPESCRIPT CANNOT BE HAD, ITS CLIENT WAS NOT TRIED: %s", typescript.out)
	}
	if typescript.err != nil {
		t.Fatalf("%v\n%s", typescript.err, typescript.out)
	}
	return typescript.dir
}

func buildTypeScript(tools string) ([]byte, error) {
	typescript.dir = filepath.Join(filepath.Dir(goDriver), "typescript")
	script, err := filepath.Abs("../generators/testdata/tools.sh")
	if err != nil {
		return nil, err
	}
	names, err := exec.Command("git", "-C", typescriptSource, "ls-files", "--cached", "--others", "--exclude-standard").Output()
	if err != nil {
		return nil, err
	}
	for name := range strings.FieldsSeq(string(names)) {
		text, err := os.ReadFile(filepath.Join(typescriptSource, name))
		if err != nil {
			return nil, err
		}
		to := filepath.Join(typescript.dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(to), 0o700), os.WriteFile(to, text, 0o600)); err != nil {
			return nil, err
		}
	}
	cmd := exec.Command("bash", "-c", `. "$0" && node_tools typescript && tsc`, script)
	cmd.Dir, cmd.Env = typescript.dir, append(os.Environ(), "TOOLS="+tools)
	return cmd.CombinedOutput()
}

// typescriptDriver is how the driver in TypeScript is started.
func typescriptDriver(t *testing.T) []string {
	t.Helper()
	index := filepath.Join(typescriptPackage(t), "dist", "index.js")
	return []string{"env", "ORGD_TEST_TYPESCRIPT=" + index, "node", "drivers/typescript/driver.mjs"}
}
