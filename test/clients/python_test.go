package clients

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// pythonSource is the package as it lies in the repository.
const pythonSource = "../../clients/python"

// pythonTools returns the Python that has the tools of drivers/python/requirements.txt, in a
// directory that all runs share.
func pythonTools(t *testing.T) string {
	t.Helper()
	tools := os.Getenv("ORGD_TEST_CLIENTS")
	if tools == "" {
		t.Skip("SKIPPED: ORGD_TEST_CLIENTS NAMES NO DIRECTORY FOR TOOLS: THE PYTHON CLIENT WAS NOT TRIED")
	}
	script, err := filepath.Abs("../generators/testdata/tools.sh")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "bash", "-c", `. "$0" && python_tools`, script)
	cmd.Dir, cmd.Env = "drivers/python", append(os.Environ(), "TOOLS="+tools)
	out, err := cmd.CombinedOutput()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.ExitCode() == 77 {
		t.Skipf("SKIPPED: TOOLS FOR PYTHON CANNOT BE HAD, ITS CLIENT WAS NOT TRIED: %s", out)
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return filepath.Join(tools, "python", "bin", "python")
}

// pythonDriver is how the driver in Python is started.
func pythonDriver(t *testing.T) []string {
	t.Helper()
	source, err := filepath.Abs(filepath.Join(pythonSource, "src"))
	if err != nil {
		t.Fatal(err)
	}
	return []string{"env", "PYTHONPATH=" + source, "PYTHONDONTWRITEBYTECODE=1", pythonTools(t), "drivers/python/driver.py"}
}
