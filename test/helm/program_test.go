package helm

import (
	"bufio"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/big"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"go.yaml.in/yaml/v3"
	core "k8s.io/api/core/v1"
)

// A machine is a directory in which a rendered container can run as a process:
// its volumes, and its environment with paths that lead into the directory.
type machine struct {
	dir  string
	args []string
	env  map[string]string
}

// newMachine makes what the cluster makes of a pod: directories, and the files
// of ConfigMaps and Secrets.
func newMachine(t *testing.T, p pod, objects objects, secrets secrets) machine {
	t.Helper()
	m := machine{dir: t.TempDir(), args: p.container().Args, env: p.env()}
	volumes := map[string]core.Volume{}
	for _, v := range p.spec.Volumes {
		volumes[v.Name] = v
	}
	for _, mount := range p.container().VolumeMounts {
		into := filepath.Join(m.dir, mount.MountPath)
		if err := os.MkdirAll(into, 0o700); err != nil {
			t.Fatal(err)
		}
		v := volumes[mount.Name]
		for _, c := range all[*core.ConfigMap](objects) {
			if v.ConfigMap != nil && c.Name == v.ConfigMap.Name {
				for file, text := range c.Data {
					write(t, filepath.Join(into, file), text)
				}
			}
		}
		if v.Secret != nil {
			for _, item := range v.Secret.Items {
				write(t, filepath.Join(into, item.Path), secrets[mount.Name][item.Path])
			}
		}
	}
	for key, value := range m.env {
		if strings.HasPrefix(value, "/") {
			m.env[key] = m.dir + value
		}
	}
	return m
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// secrets are the contents of Secrets, by volume and file.
type secrets map[string]map[string]string

// nowhere leads to a MongoDB that does not exist.
const nowhere = "mongodb://orgd:secret@127.0.0.1:1/?directConnection=true"

// newSecrets makes Secrets as the README says to make them.
func newSecrets(t *testing.T, mongoURI string) secrets {
	t.Helper()
	dir := t.TempDir()
	signing, cursor := filepath.Join(dir, "signing.key"), filepath.Join(dir, "cursor.key")
	if _, err := output(exec.Command(orgdCommand, "keys", "create", "--signing-key-file", signing, "--cursor-key-file", cursor)); err != nil {
		t.Fatal(err)
	}
	certificate, key := selfSigned(t)
	return secrets{
		"mongodb":   {"uri": mongoURI + "\n"}, // as an editor leaves it
		"redis":     {"password": "secret", "sentinel-password": "secret"},
		"redis-tls": {"ca.crt": certificate, "tls.crt": certificate, "tls.key": key},
		"oidc":      {"client-secret": "secret\n"},
		"traces":    {"headers": "authorization=Bearer secret"},
		"tls":       {"tls.crt": certificate, "tls.key": key},
		"keys":      {"signing.key": read(t, signing), "cursor.key": read(t, cursor)},
	}
}

// selfSigned makes a certificate and its key in PEM.
func selfSigned(t *testing.T) (certificate, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), DNSNames: []string{"localhost"}}
	public, err := x509.CreateCertificate(rand.Reader, template, template, private.Public(), private)
	if err != nil {
		t.Fatal(err)
	}
	encoded, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	block := func(kind string, bytes []byte) string {
		return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: bytes}))
	}
	return block("CERTIFICATE", public), block("PRIVATE KEY", encoded)
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// command runs the program in the machine, with nothing else in its environment.
func (m machine) command(args ...string) *exec.Cmd {
	cmd := exec.Command(orgdCommand, args...)
	cmd.Dir = m.dir
	cmd.Env = []string{"TMPDIR=" + filepath.Join(m.dir, "tmp")}
	for _, key := range slices.Sorted(maps.Keys(m.env)) {
		cmd.Env = append(cmd.Env, key+"="+m.env[key])
	}
	return cmd
}

// The program accepts what is rendered, and shows every setting of the file.
func TestConfigurationIsAccepted(t *testing.T) {
	eachSet(t, func(t *testing.T, objects objects) {
		m := newMachine(t, objects.server(t), objects, newSecrets(t, nowhere))
		text, err := output(m.command("config", "check", "--offline"))
		if err != nil {
			t.Fatal(err)
		}
		shown, issuers := map[string]any{}, struct{ OIDC []map[string]any }{}
		if err := errors.Join(yaml.Unmarshal([]byte(text), &shown), yaml.Unmarshal([]byte(text), &issuers)); err != nil {
			t.Fatal(err)
		}
		for setting := range fileSettings(t, objects) {
			ofIssuer, single := strings.CutPrefix(setting, "oidc-")
			if single && (len(issuers.OIDC) == 0 || issuers.OIDC[0][ofIssuer] == nil) || !single && shown[setting] == nil {
				t.Errorf("orgd config check does not show %s", setting)
			}
		}
	})
}

// fileSettings are the settings in the file of the service.
func fileSettings(t *testing.T, objects objects) map[string]any {
	t.Helper()
	settings := map[string]any{}
	for _, c := range all[*core.ConfigMap](objects) {
		if err := yaml.Unmarshal([]byte(c.Data["orgd.yaml"]), &settings); err != nil {
			t.Fatal(err)
		}
	}
	return settings
}

// settingRow is a row of the reference that is written from the program: the
// variables of a setting, two if it is a secret, and its name.
var settingRow = regexp.MustCompile("(?m)^\\| `--[a-z-]+` \\| `(ORGD_[A-Z_]+)`(?: `(ORGD_[A-Z_]+_FILE)`)? \\| `([a-z-]+)` \\|")

// settings returns the names of the program's settings by their variables, and
// those that are secret.
func settings(t *testing.T) (byVariable map[string]string, secret []string) {
	t.Helper()
	byVariable = map[string]string{"ORGD_CONFIG": "config"}
	for _, row := range settingRow.FindAllStringSubmatch(read(t, root+"/docs/reference/configuration.md"), -1) {
		byVariable[row[1]] = row[3]
		if row[2] != "" {
			byVariable[row[2]] = row[3]
			secret = append(secret, row[3])
		}
	}
	if len(byVariable) < 50 || len(secret) < 3 {
		t.Fatalf("the reference has %d variables and the secrets %q, want more to be found", len(byVariable), secret)
	}
	return byVariable, secret
}

// Every variable that the chart sets is one that the program has.
func TestVariablesExist(t *testing.T) {
	known, _ := settings(t)
	for _, ofCommands := range []string{"ORGD_SERVER", "ORGD_TOKEN_FILE"} { // that use a service
		known[ofCommands] = ofCommands
	}
	eachSet(t, func(t *testing.T, objects objects) {
		for _, p := range objects.pods() {
			for _, v := range p.container().Env {
				if known[v.Name] == "" && v.Name != "GOMEMLIMIT" && v.Name != "SSL_CERT_FILE" { // those of Go
					t.Errorf("%s sets %s, which the program does not have", name(p.owner), v.Name)
				}
			}
		}
	})
}

// The migration is called as it is rendered. There is no MongoDB, which is all
// that is wrong with it: exit code 1, where a wrong command line gives 2.
func TestMigrationIsCalledRightly(t *testing.T) {
	for _, example := range []string{"minimal", "production"} {
		t.Run(example, func(t *testing.T) {
			t.Parallel()
			objects := render(t, "--values", chart+"/examples/"+example+".yaml", "--set", "migration.waitSeconds=0")
			m := newMachine(t, objects.migration(t), objects, newSecrets(t, nowhere))
			_, err := output(m.command(m.args...))
			var ended *exec.ExitError
			if !errors.As(err, &ended) || ended.ExitCode() != 1 || !strings.Contains(err.Error(), "ORGD_MONGO_URI_FILE") {
				t.Errorf("orgd %s = %v, want exit code 1 and the name of the setting", strings.Join(m.args, " "), err)
			}
		})
	}
}

// What the defaults render is started: it becomes ready on the paths of the
// probes, shows metrics on the path of the ServiceMonitor, and stops in order.
func TestDefaultServes(t *testing.T) {
	t.Parallel()
	objects := render(t)
	m := newMachine(t, objects.server(t), objects, newSecrets(t, nowhere))
	serve, url := m.serve(t)
	c := objects.server(t).container()
	for _, path := range []string{c.StartupProbe.HTTPGet.Path, c.ReadinessProbe.HTTPGet.Path} {
		if got, _ := get(t, url+path, ""); got != http.StatusOK {
			t.Errorf("GET %s = %d, want 200", path, got)
		}
	}
	if got, page := get(t, url+"/console", ""); got != http.StatusOK || !strings.Contains(page, "<html") {
		t.Errorf("GET /console = %d %.100s, want the console", got, page)
	}
	if got, page := get(t, "http://"+m.env["ORGD_METRICS_ADDR"]+"/metrics", ""); got != http.StatusOK || !strings.Contains(page, "orgd_ready 1\n") {
		t.Errorf("GET /metrics = %d %.100s, want metrics", got, page)
	}
	stop(t, serve)
}

// A backup that is restored beside the data is put into use by a value.
func TestRestoredBackupServes(t *testing.T) {
	t.Parallel()
	const directory = "restored"
	objects := render(t)
	m := newMachine(t, objects.server(t), objects, newSecrets(t, nowhere))
	serve, url := m.serve(t)
	token := m.run(t, "token", "create", "--role", "admin", "--subject", "me")
	backup := filepath.Join(m.dir, "data", "backup.orgd")
	m.run(t, "backup", backup)
	m.run(t, "restore", "--data-dir", filepath.Join(m.dir, "data", directory), backup)
	before, company := get(t, url+"/api/v1/company", token)
	stop(t, serve)

	m.env["ORGD_DATA_DIR"] = m.dir + render(t, "--set", "persistence.directory="+directory).server(t).env()["ORGD_DATA_DIR"]
	serve, url = m.serve(t)
	if after, restored := get(t, url+"/api/v1/company", token); before != http.StatusOK || after != before || restored != company {
		t.Errorf("GET /api/v1/company = %d %s, want that of before, %d %s", after, restored, before, company)
	}
	stop(t, serve)
}

// What the minimal example renders serves one organization: the Job makes the
// schema, and what one replica is told the other knows.
func TestReplicasServe(t *testing.T) {
	machines, urls := serveReplicas(t, "minimal")
	machines[0].run(t, "department", "create", "Ops")
	token := machines[0].env["ORGD_TOKEN"]
	if status, page := get(t, urls[1]+"/api/v1/departments", token); status != http.StatusOK || !strings.Contains(page, `"Ops"`) {
		t.Errorf("GET /api/v1/departments = %d %s, want Ops of the other replica", status, page)
	}
	if status, page := get(t, urls[1]+"/api/v1/readyz", ""); !strings.Contains(page, `"shared_limits":true`) {
		t.Errorf("readiness = %d %s, want shared limits", status, page)
	}
}

// What the example with sign-in renders lets a person in by a link that leads to the public
// address, and that any replica redeems.
func TestReplicasSignIn(t *testing.T) {
	machines, urls := serveReplicas(t, "sign-in", "--set", "redis.existingSecret=")
	link := machines[0].run(t, "login", "--link", "--for", "kim", "--role", "editor")
	code, ok := strings.CutPrefix(link, "https://orgd.example.com/console#code=")
	if !ok {
		t.Fatalf("orgd login --link = %q, want a link to the public address", link)
	}
	answer, err := http.Post(urls[1]+"/api/v1/auth/links/redeem", "application/json", strings.NewReader(fmt.Sprintf(`{"code": %q}`, code)))
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	var signedIn struct{ Data struct{ Token string } }
	if err := json.NewDecoder(answer.Body).Decode(&signedIn); err != nil || answer.StatusCode != http.StatusCreated {
		t.Fatalf("POST /api/v1/auth/links/redeem = %d, %v, want 201", answer.StatusCode, err)
	}
	if status, me := get(t, urls[0]+"/api/v1/auth/me", signedIn.Data.Token); status != http.StatusOK || !strings.Contains(me, `"subject":"kim"`) {
		t.Errorf("GET /api/v1/auth/me = %d %s, want kim", status, me)
	}
}

// serveReplicas runs the Job of an example on a database of its own, and two replicas, the
// first of which has a token of role admin for its commands.
func serveReplicas(t *testing.T, example string, args ...string) (machines []machine, urls []string) {
	t.Helper()
	uri, redis := os.Getenv("ORGD_TEST_MONGO_URI"), os.Getenv("ORGD_TEST_REDIS_ADDR")
	if uri == "" || redis == "" {
		t.Skip("SKIPPED: ORGD_TEST_MONGO_URI or ORGD_TEST_REDIS_ADDR is not set; make integration sets them")
	}
	name := fmt.Sprintf("orgd_test_chart_%d_%s", os.Getpid(), example)
	dropLater(t, uri, name)
	objects := render(t, append([]string{"--values", chart + "/examples/" + example + ".yaml", "--set", "redis.addresses={" + redis + "}",
		"--set", "settings.mongo-database=" + name, "--set", "settings.redis-prefix=" + name,
		"--set", "settings.mongo-operation-timeout=10s", "--set", "settings.redis-timeout=1s"}, args...)...) // for a busy machine
	secrets := newSecrets(t, uri)
	migration := newMachine(t, objects.migration(t), objects, secrets)
	migration.run(t, migration.args...)
	for range 2 {
		m := newMachine(t, objects.server(t), objects, secrets)
		serve, url := m.serve(t)
		t.Cleanup(func() { stop(t, serve) })
		machines, urls = append(machines, m), append(urls, url)
	}
	machines[0].env["ORGD_TOKEN"] = machines[0].run(t, "token", "create", "--role", "admin", "--subject", "me")
	machines[0].env["ORGD_SERVER"] = urls[0]
	return machines, urls
}

// dropLater drops a database when the test has ended.
func dropLater(t *testing.T, uri, name string) {
	t.Helper()
	client, err := mongo.Connect(options.Client().ApplyURI(uri))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx := context.Background() // that of the test has ended
		if err := errors.Join(client.Database(name).Drop(ctx), client.Disconnect(ctx)); err != nil {
			t.Error(err)
		}
	})
}

// run runs a command of the program in the machine and returns what it prints,
// without white space around it.
func (m machine) run(t *testing.T, args ...string) string {
	t.Helper()
	out, err := output(m.command(args...))
	if err != nil {
		t.Fatalf("orgd %s: %v", args[0], err)
	}
	return strings.TrimSpace(out)
}

// serve starts the service as it is rendered, but for its ports, which others on
// this machine may have, and returns its address once it is ready.
func (m machine) serve(t *testing.T) (*exec.Cmd, string) {
	t.Helper()
	m.env["ORGD_ADDR"], m.env["ORGD_METRICS_ADDR"] = "127.0.0.1:0", freeAddr(t)
	serve := m.command(m.args...)
	return serve, start(t, serve)
}

// freeAddr is an address that nobody listens on.
func freeAddr(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// stop ends the service as the kubelet does.
func stop(t *testing.T, serve *exec.Cmd) {
	t.Helper()
	if err := serve.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := serve.Wait(); err != nil {
		t.Errorf("orgd serve after SIGTERM = %v, want exit code 0", err)
	}
}

// start starts the service and returns its address, which it logs when it is
// ready.
func start(t *testing.T, serve *exec.Cmd) (url string) {
	t.Helper()
	stderr, err := serve.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := serve.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = serve.Process.Kill() }) // it may have ended
	lines := bufio.NewScanner(stderr)
	var log strings.Builder
	for lines.Scan() {
		fmt.Fprintln(&log, lines.Text())
		var entry struct{ URL string }
		if json.Unmarshal(lines.Bytes(), &entry) == nil && entry.URL != "" {
			go func() { _, _ = io.Copy(io.Discard, stderr) }() // until it ends
			return entry.URL
		}
	}
	t.Fatalf("orgd serve ended: %v\n%s", serve.Wait(), log.String())
	return ""
}

// get returns the status and the text of a page.
func get(t *testing.T, url, token string) (status int, page string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(text)
}
