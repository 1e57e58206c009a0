// Package image tries the container image that `make image` made, whose name is
// in ORGD_TEST_IMAGE: as a stranger without rights runs it.
package image

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"orgd/test/owned"
	"orgd/test/process"
)

const imageVariable = "ORGD_TEST_IMAGE"

// maxSize is how large the image may be, in bytes.
const maxSize = 48 << 20

func TestMain(m *testing.M) {
	if os.Getenv(imageVariable) != "" {
		if err := owned.RemoveLeft(); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
	}
	os.Exit(m.Run())
}

func needImage(t *testing.T) string {
	t.Helper()
	name := os.Getenv(imageVariable)
	if name == "" {
		t.Skipf("SKIPPED: %s is not set; make image makes one", imageVariable)
	}
	return name
}

// docker runs the command and returns what it prints, without white space around
// it.
func docker(t *testing.T, args ...string) string {
	t.Helper()
	out, err := try(args...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func try(args ...string) (string, error) {
	out, err := process.Output(exec.Command("docker", args...))
	if err != nil {
		return "", fmt.Errorf("docker %s: %w", strings.Join(args, " "), err)
	}
	return out, nil
}

// made is the name of a container of this process.
func made(what string) string { return fmt.Sprintf("orgd-ci-%d-%s", os.Getpid(), what) }

// strict are the flags of a container that may do nothing that it need not.
var strict = []string{"--read-only", "--cap-drop", "ALL", "--security-opt", "no-new-privileges"}

func TestImage(t *testing.T) {
	image := needImage(t)
	var is struct {
		Size   int64
		Config struct {
			User   string
			Labels map[string]string
		}
	}
	if err := json.Unmarshal([]byte(docker(t, "image", "inspect", "--format", "{{json .}}", image)), &is); err != nil {
		t.Fatal(err)
	}
	if is.Size > maxSize {
		t.Errorf("the image has %d bytes, want at most %d", is.Size, maxSize)
	}
	if user, _, _ := strings.Cut(is.Config.User, ":"); user == "" || user == "0" || user == "root" {
		t.Errorf("the user is %q, want one without rights", is.Config.User)
	}
	for _, label := range []string{"title", "licenses", "version", "revision", "created"} {
		if is.Config.Labels["org.opencontainers.image."+label] == "" {
			t.Errorf("the image has no label %s", label)
		}
	}
}

// Whoever gets the program gets the licences of what it is made of.
func TestLicencesAreInside(t *testing.T) {
	image := needImage(t)
	id := docker(t, "create", "--name", made("files"), owned.Flag(), image)
	t.Cleanup(func() { docker(t, "rm", "--volumes", id) })
	for name, want := range map[string]string{"LICENSE": "MIT License", "NOTICES.gz": "modernc.org/sqlite"} {
		file := filepath.Join(t.TempDir(), name)
		docker(t, "cp", id+":/"+name, file)
		if text, err := readText(file); err != nil || !strings.Contains(string(text), want) {
			t.Errorf("the file %s has %d bytes without %q: %v", name, len(text), want, err)
		}
	}
}

// readText reads a file, and unpacks what is packed.
func readText(name string) ([]byte, error) {
	content, err := os.ReadFile(name)
	if err != nil || filepath.Ext(name) != ".gz" {
		return content, err
	}
	r, err := gzip.NewReader(bytes.NewReader(content))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(r)
}

func TestAnyUserServes(t *testing.T) {
	image := needImage(t)
	for _, user := range []string{"", "12345", "65534:0"} {
		t.Run("as "+cmp.Or(user, "the default"), func(t *testing.T) {
			t.Parallel()
			id := docker(t, append(append([]string{"run", "--detach", "--name", made("as-" + strings.ReplaceAll(user, ":", "-")), owned.Flag(), "--user", user}, strict...), image)...)
			t.Cleanup(func() { docker(t, "rm", "--force", "--volumes", id) })
			awaitHealth(t, id)
			token := docker(t, "exec", id, "/orgd", "token", "create", "--role", "admin", "--subject", "ann")
			if me := docker(t, "exec", "--env", "ORGD_TOKEN="+token, id, "/orgd", "whoami"); !strings.Contains(me, "admin") {
				t.Errorf("orgd whoami = %q, want role admin", me)
			}
			docker(t, "stop", "--time", "30", id)
			if code := docker(t, "inspect", "--format", "{{.State.ExitCode}}", id); code != "0" {
				t.Errorf("the exit code is %s, want 0", code)
			}
		})
	}
}

// The same source makes the same layer, later and elsewhere.
func TestLayersAreReproducible(t *testing.T) {
	image := needImage(t)
	first := filepath.Join("..", "..", "dist", "image")
	if _, err := os.Stat(first); err != nil {
		t.Skipf("SKIPPED: %v; make image makes it", err)
	}
	second := filepath.Join(t.TempDir(), "again")
	if out, err := exec.Command("cp", "--archive", first, second).CombinedOutput(); err != nil {
		t.Fatalf("cp: %v\n%s", err, out)
	}
	again := fmt.Sprintf("%s-again-%d", image, os.Getpid())
	docker(t, "build", "--quiet", "--no-cache", "--file", filepath.Join("..", "..", "deployments", "docker", "Dockerfile"), "--tag", again, second)
	t.Cleanup(func() { docker(t, "rmi", again) })
	layers := func(of string) string {
		return docker(t, "image", "inspect", "--format", "{{json .RootFS.Layers}}", of)
	}
	if layers(image) != layers(again) {
		t.Errorf("the layers differ: %s, %s", layers(image), layers(again))
	}
}

// awaitHealth waits until the service in a container is ready.
func awaitHealth(t *testing.T, id string) {
	t.Helper()
	var err error
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		if _, err = try("exec", id, "/orgd", "healthcheck"); err == nil {
			return
		}
	}
	log, _ := try("logs", id)
	t.Fatalf("not ready: %v\n%s", err, log)
}
