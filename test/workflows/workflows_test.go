// Package workflows runs the steps of the pipelines in deployments/ci on a real service,
// with programs in the place of those that leave the machine.
package workflows

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"orgd/test/process"
)

var binary string

func TestMain(m *testing.M) {
	os.Exit(process.Main(m, func(dir string) (err error) {
		binary, err = process.Build(dir)
		return err
	}))
}

// fakes are programs that note what they are given. curl fetches the program.
var fakes = map[string]string{
	"gh": `echo "gh $*" >> "$SENT"; for f; do last=$f; done; cat "$last" >> "$SENT"`,
	"curl": `echo "curl $*" >> "$SENT"
while [ $# -gt 0 ]; do
	case $1 in
	--output) [ "$2" = /dev/null ] || cp "$ORGD_PROGRAM" "$2" ;;
	--data-urlencode) cat "${2#body@}" >> "$SENT" ;;
	esac
	shift
done`,
}

// runner is a machine that runs steps in a checkout.
type runner struct {
	*testing.T
	dir string
	env []string
}

func newRunner(t *testing.T) *runner {
	dir := t.TempDir()
	data := filepath.Join(dir, "data")
	p, err := process.Start(t.Context(), binary, data)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Kill)
	token, err := process.Token(t.Context(), binary, data, "pipeline")
	if err != nil {
		t.Fatal(err)
	}
	program, err := os.ReadFile(binary)
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(program)
	r := &runner{T: t, dir: dir, env: []string{
		"PATH=" + filepath.Join(dir, "bin") + ":" + os.Getenv("PATH"), "HOME=" + dir, "RUNNER_TEMP=" + filepath.Join(dir, "bin"),
		"ORGD_SERVER=" + p.URL, "ORGD_TOKEN=" + token, "ORGD_PROGRAM=" + binary, "ORGD_SHA256=" + hex.EncodeToString(sum[:]),
		"SENT=" + filepath.Join(dir, "sent"), "GITHUB_PATH=" + filepath.Join(dir, "path"), "GITHUB_ENV=" + filepath.Join(dir, "env"), "GITHUB_STEP_SUMMARY=" + filepath.Join(dir, "summary"),
		"NUMBER=7", "CI_API_V4_URL=https://gitlab.invalid/api/v4", "CI_PROJECT_ID=3", "CI_MERGE_REQUEST_IID=7", "GITLAB_TOKEN=x",
		"CI_COMMIT_SHORT_SHA=abc1234", "CI_COMMIT_TITLE=Ada's \"promotion\"",
	}}
	for name, script := range fakes {
		r.write("bin/"+name, "#!/bin/sh\nset -e\n"+script+"\n")
	}
	r.document("role: Engineer")
	r.must("git", "init", "--quiet", "--initial-branch", "main")
	r.must("git", "add", "organization")
	r.must("git", "-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "--quiet", "--message", "Ada's \"promotion\"")
	return r
}

func (r *runner) write(name, text string) {
	r.Helper()
	path := filepath.Join(r.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		r.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
		r.Fatal(err)
	}
}

func (r *runner) document(field string) {
	r.Helper()
	r.write("organization/departments/design.yaml", "format: 1\ndepartments:\n- name: Design\nagents:\n- name: Ada\n  department: Design\n  "+field+"\n")
}

// try runs a command in the checkout.
func (r *runner) try(name string, args ...string) (string, error) {
	cmd := exec.CommandContext(r.Context(), name, args...)
	cmd.Dir, cmd.Env = r.dir, r.env
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func (r *runner) must(name string, args ...string) string {
	r.Helper()
	out, err := r.try(name, args...)
	if err != nil {
		r.Fatalf("%s %q = %v\n%s", name, args, err, out)
	}
	return out
}

// take returns what was written into a file since.
func (r *runner) take(name string) string {
	text, _ := os.ReadFile(filepath.Join(r.dir, name))
	os.Remove(filepath.Join(r.dir, name))
	return string(text)
}

// github runs the steps of a job as GitHub does, with bash -e for each.
func (r *runner) github(job string) (out string, err error) {
	r.Helper()
	var file struct {
		Jobs map[string]struct{ Steps []struct{ Name, Run string } }
	}
	read(r.T, "github-actions.yaml", &file)
	r.take("env")
	for _, step := range file.Jobs[job].Steps {
		if step.Run == "" {
			continue
		}
		said, errStep := r.try("bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step.Run)
		out += said
		if env := r.take("env"); env != "" {
			r.env = append(r.env, strings.TrimSpace(env))
		}
		if errStep != nil {
			return out, errStep
		}
	}
	return out, nil
}

// gitlab runs a job as GitLab does: all lines in one shell.
func (r *runner) gitlab(job string) (string, error) {
	r.Helper()
	var file map[string]struct {
		Before []string `yaml:"before_script"`
		Script []string
	}
	read(r.T, "gitlab-ci.yaml", &file)
	return r.try("sh", "-ec", strings.Join(append(file[".orgd"].Before, file[job].Script...), "\n"))
}

func read(t *testing.T, name string, into any) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "deployments", "ci", name))
	if err == nil {
		err = yaml.Unmarshal(text, into)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// A pull request gets a plan as a comment and passes; one with a mistake gets the mistake
// and fails. The merge makes it so, and says why.
func TestPipelines(t *testing.T) {
	for host, run := range map[string]func(*runner, string) (string, error){"github": (*runner).github, "gitlab": (*runner).gitlab} {
		t.Run(host, func(t *testing.T) {
			r := newRunner(t)
			out, err := run(r, "plan")
			if sent := r.take("sent"); err != nil || !strings.Contains(sent, "### orgd plan: 2 to create, 0 to update") || !strings.Contains(sent, "7") {
				t.Fatalf("plan = %v, %s, sends\n%s", err, out, sent)
			}
			if out, err := run(r, "apply"); err != nil || !strings.Contains(out, "Done: 2 created") {
				t.Fatalf("apply = %v, %s", err, out)
			}
			if log := r.must(binary, "get", "changes"); !strings.Contains(log, "Ada's \"promotion\"") {
				t.Errorf("the change log has no reason:\n%s", log)
			}
			r.take("sent")
			if out, err := run(r, "plan"); err != nil || !strings.Contains(r.take("sent"), "nothing to change") {
				t.Errorf("plan of nothing = %v, %s", err, out)
			}
			r.document("rle: Chief")
			out, err = run(r, "plan")
			if sent := r.take("sent"); err == nil || !strings.Contains(sent, "cannot be applied") || !strings.Contains(sent, "design.yaml:7: agents[0].rle: unknown field") {
				t.Errorf("plan of a mistake = %v, %s, sends\n%s", err, out, sent)
			}
			r.env = append(r.env, "ORGD_SHA256="+strings.Repeat("0", 64))
			if out, err := run(r, "apply"); err == nil || !strings.Contains(out, "checksum") {
				t.Errorf("apply with another program = %v, %s", err, out)
			}
		})
	}
}
