package mcp

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"orgd/client"
)

// unavailable is the exit code of a script whose packages cannot be had.
const unavailable = 77

// TestOtherClients uses both transports with the clients of the SDKs of other languages, and
// with MCP Inspector, by the scripts of testdata. test/generators/testdata/tools.sh says what
// they may use.
func TestOtherClients(t *testing.T) {
	tools := os.Getenv("ORGD_TEST_GENERATORS")
	if tools == "" {
		t.Skip("ORGD_TEST_GENERATORS names no directory for packages; make generators does")
	}
	s := serve(t)
	c := s.admin(t)
	must[client.Department](t)(c.CreateDepartment(t.Context(), client.DepartmentInput{Name: "Engineering"}))
	ada := must[client.Agent](t)(c.CreateAgent(t.Context(), client.AgentInput{Name: "Ada / Lovelace", Role: "Reviewer", Department: "Engineering", Instructions: "Review kindly.\n"}))
	must[client.Label](t)(c.SetLabel(t.Context(), ada.ID, "production", client.LabelInput{Version: 1}))
	shared := must[string](t)(filepath.Abs("../generators/testdata/tools.sh"))
	for _, language := range []string{"python", "node"} {
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
			defer cancel()
			dir := t.TempDir()
			if err := os.CopyFS(dir, os.DirFS(filepath.Join("testdata", language))); err != nil {
				t.Fatal(err)
			}
			cmd := exec.CommandContext(ctx, "bash", "-c", `. "$0" && HOME=$PWD && . ./run.sh`, shared)
			cmd.Dir = dir
			cmd.Env = append(os.Environ(), "TOOLS="+tools, "URL="+s.URL, "TOKEN="+s.token(t, "viewer", language), "ORGD="+binary)
			var stderr strings.Builder
			cmd.Stderr, cmd.WaitDelay = &stderr, time.Second // for what a script has left behind
			out, err := cmd.Output()
			if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.ExitCode() == unavailable {
				t.Skipf("SKIPPED: THE PACKAGES OF %s CANNOT BE HAD: MCP WAS NOT TRIED WITH THEM: %s", strings.ToUpper(language), out)
			}
			want := must[[]byte](t)(os.ReadFile(filepath.Join(dir, "said.txt")))
			if diff := cmp.Diff(string(want), string(out)); err != nil || diff != "" {
				t.Errorf("%v (-want +got):\n%s%s", err, diff, stderr.String())
			}
		})
	}
}
