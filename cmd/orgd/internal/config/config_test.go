package config

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"orgd"
	"orgd/adapters/jwtauth"
	"orgd/domain/limit"
	"orgd/test/golden"
)

// env makes a Getenv of NAME=VALUE texts.
func env(vars ...string) func(string) string {
	return func(name string) string {
		for _, v := range vars {
			if n, value, _ := strings.Cut(v, "="); n == name {
				return value
			}
		}
		return ""
	}
}

// write makes a file in a directory of the test and returns its path.
func write(t *testing.T, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// mistakes is everything that is wrong with flags and environment, a line each, with
// path written as FILE.
func mistakes(given Given, getenv func(string) string, path string) []string {
	_, err := LoadValid(given, getenv)
	if err == nil {
		return nil
	}
	return strings.Split(strings.ReplaceAll(err.Error(), path, "FILE"), "\n")
}

func TestDefault(t *testing.T) {
	c, err := Load(nil, env())
	if err != nil {
		t.Fatalf("Load = %v", err)
	}
	if err := c.Validate(); err != nil {
		t.Errorf("Validate = %v, want the defaults to be valid", err)
	}
	if diff := cmp.Diff(orgd.Default(), c); diff != "" {
		t.Errorf("Load without sources (-default +got):\n%s", diff)
	}
}

func TestPrecedence(t *testing.T) {
	path := write(t, "orgd.yaml", "addr: file:1\nmetrics-addr: file:2\nlog-level: warn\nreaders: 3\n")
	c, err := Load(Given{"config": path, "addr": "flag:1"},
		env("ORGD_ADDR=env:1", "ORGD_METRICS_ADDR=env:2", "ORGD_READERS=", "ORGD_CONFIG=/does/not/exist"))
	if err != nil {
		t.Fatalf("Load = %v", err)
	}
	got := []string{c.HTTP.Addr, c.MetricsAddr, c.Log.Level, c.Log.Format, strconv.Itoa(c.SQLite.Readers)}
	want := []string{"flag:1", "env:2", "warn", "auto", "3"} // an empty variable is not set
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Load (-want +got):\n%s", diff)
	}
}

// The console is served where only this machine can reach it, unless somebody
// says otherwise.
func TestConsoleByItself(t *testing.T) {
	for _, tc := range []struct {
		name string
		vars []string
		want bool
	}{
		{"by default", nil, true},
		{"another loopback address", []string{"ORGD_ADDR=[::1]:80"}, true},
		{"localhost", []string{"ORGD_ADDR=localhost:80"}, true},
		{"every address", []string{"ORGD_ADDR=:8080"}, false},
		{"any address of a container", []string{"ORGD_ADDR=0.0.0.0:8080"}, false},
		{"a name", []string{"ORGD_ADDR=orgd.example:8080"}, false},
		{"no address", []string{"ORGD_ADDR=8080"}, false},
		{"replicas", []string{"ORGD_STORAGE=mongodb"}, false},
		{"replicas, on", []string{"ORGD_STORAGE=mongodb", "ORGD_CONSOLE=true"}, true},
		{"on", []string{"ORGD_ADDR=0.0.0.0:8080", "ORGD_CONSOLE=on"}, true},
		{"off", []string{"ORGD_CONSOLE=off"}, false},
		{"auto", []string{"ORGD_CONSOLE=Auto"}, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c, err := Load(nil, env(tc.vars...))
			if err != nil {
				t.Fatalf("Load = %v", err)
			}
			if got := c.ServesConsole(); got != tc.want {
				t.Errorf("the console is served: %t, want %t", got, tc.want)
			}
		})
	}
	if _, err := Load(nil, env("ORGD_CONSOLE=maybe")); err == nil {
		t.Error("Load takes ORGD_CONSOLE=maybe")
	}
}

// Every setting can be given in every source, and is read as written.
func TestEverySettingFromEverySource(t *testing.T) {
	values := map[string]string{
		"addr": "127.0.0.1:1", "metrics-addr": "127.0.0.1:2", "tls-cert": "c", "tls-key": "k", "public-url": "https://orgd.example",
		"error-docs-url": "https://x.example/e", "trusted-proxies": "10.0.0.0/8,::1", "cors-origins": "https://a.example",
		"request-timeout": "3s", "organization-timeout": "6m", "organization-max-body": "1000", "drain-delay": "4s", "shutdown-timeout": "5s", "console": "true",
		"storage": "sqlite", "data-dir": "d", "readers": "4", "mongo-uri": "mongodb://h", "mongo-database": "db", "mongo-connect-timeout": "1100ms",
		"mongo-operation-timeout": "1200ms", "mongo-max-pool": "12", "redis-addr": "r:1,r:2", "redis-cluster": "true",
		"redis-username": "u", "redis-password": "p", "redis-sentinel-master": "m", "redis-sentinel-username": "su",
		"redis-sentinel-password": "sp", "redis-tls-ca": "ca", "redis-tls-cert": "rc", "redis-tls-key": "rk",
		"redis-prefix": "pre", "redis-timeout": "70ms",
		"replicas": "2", "retention": "30d", "signing-key-file": "s", "cursor-key-file": "u",
		"token-issuer": "i", "token-audience": "a", "token-cache-size": "7", "log-level": "debug", "log-format": "json", "audit-log": "-",
		"traces-endpoint": "https://collector.example", "traces-ratio": "0.25", "traces-headers": "Authorization=Bearer x,X-Tenant=a=b",
		"limits": "off", "limit": "agents.create=5/1s,address=7/2s", "limit-at-once": "agents.rollback=9",
		"oidc-issuer": "https://idp.example", "oidc-audience": "x,y", "oidc-jwks-uri": "https://idp.example/k",
		"oidc-role-claim": "r", "oidc-departments-claim": "dd", "oidc-agent-claim": "ac",
		"oidc-role-map": "boss=admin", "oidc-leeway": "9s", "oidc-allow-http": "yes",
		"oidc-client-id": "orgd", "oidc-client-secret-file": "f", "oidc-scopes": "openid,groups",
		"webhook-allow-http": "on", "webhook-allow-private": "1", "webhook-timeout": "15s",
	}
	var want orgd.Config
	for source, load := range map[string]func() (orgd.Config, error){
		"flags": func() (orgd.Config, error) {
			flags := Given{}
			for name, v := range values {
				flags[name] = v
			}
			return Load(flags, env())
		},
		"environment": func() (orgd.Config, error) {
			var vars []string
			for name, v := range values {
				vars = append(vars, envName(name)+"="+v)
			}
			return Load(nil, env(vars...))
		},
		"file": func() (orgd.Config, error) {
			var lines []string
			for name, v := range values {
				lines = append(lines, name+": '"+v+"'")
			}
			return Load(nil, env("ORGD_CONFIG="+write(t, "orgd.yaml", strings.Join(lines, "\n"))))
		},
	} {
		got, err := load()
		if err != nil {
			t.Errorf("Load(%s) = %v", source, err)
		}
		for _, s := range Settings() {
			if _, ok := values[s.Name]; !ok {
				t.Errorf("the test misses the setting %s", s.Name)
			}
			if got.Origins[s.Name] == "" {
				t.Errorf("Load(%s) does not read %s", source, s.Name)
			}
		}
		got.Origins = nil
		if want.Storage == "" {
			want = got
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("Load(%s) differs from another source:\n%s", source, diff)
		}
	}
	if want.Retention != 30*24*time.Hour || want.Limits.Operations["agents.create"] != (limit.Rate{Cap: 5, Length: time.Second}) ||
		want.Limits.Address != (limit.Rate{Cap: 7, Length: 2 * time.Second}) || want.Limits.Subject.Cap != 0 ||
		want.Limits.Slots["agents.rollback"] != 9 || want.WebhookTimeout != 15*time.Second || want.Auth.OIDC[0].Roles["boss"] != "admin" {
		t.Errorf("Load = %+v, want the values of the test", want)
	}
}

func TestLimitsAreMergedByName(t *testing.T) {
	path := write(t, "orgd.yaml", "limits:\n  agents.create: 1/60s\n  agents.update: 2/60s\n  agents.delete: off\n")
	c, err := Load(Given{"limit": []string{"agents.create=9/10s"}},
		env("ORGD_CONFIG="+path, "ORGD_LIMIT=agents.create=8/60s,agents.update=8/60s"))
	if err != nil {
		t.Fatalf("Load = %v", err)
	}
	got := map[string]string{}
	for _, name := range []string{"agents.create", "agents.update", "agents.delete", "agents.rollback"} {
		got[name] = rateText(c.Limits.Operations[name])
	}
	want := map[string]string{
		"agents.create": "9/10s", "agents.update": "8/1m", "agents.delete": "off", "agents.rollback": "30/1m",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Load (-want +got):\n%s", diff)
	}
}

func TestIssuersOfFileFollowTheFlags(t *testing.T) {
	path := write(t, "orgd.yaml", `
oidc:
  - issuer: https://b.example
    audience: [orgd]
    role-map: {staff: editor}
`)
	c, err := Load(Given{"oidc-issuer": "https://a.example", "oidc-audience": []string{"x"}},
		env("ORGD_CONFIG="+path))
	if err != nil {
		t.Fatalf("Load = %v", err)
	}
	a, b := jwtauth.DefaultOIDC(), jwtauth.DefaultOIDC()
	a.Issuer, a.Audience = "https://a.example", []string{"x"}
	b.Issuer, b.Audience, b.Roles = "https://b.example", []string{"orgd"}, map[string]string{"staff": "editor"}
	if diff := cmp.Diff([]jwtauth.OIDC{a, b}, c.Auth.OIDC); diff != "" {
		t.Errorf("Load (-want +got):\n%s", diff)
	}
}

func TestSecretFiles(t *testing.T) {
	path := write(t, "uri", "mongodb://user:secret@host\n")
	c, err := Load(nil, env("ORGD_MONGO_URI_FILE="+path))
	if err != nil || c.Mongo.URI != "mongodb://user:secret@host" {
		t.Errorf("Load = %q, %v, want the content of the file", c.Mongo.URI, err)
	}
	text, err := Describe(c)
	if err != nil || strings.Contains(text, "secret@") || !strings.Contains(text, "mongo-uri: '***'") || !strings.Contains(text, "# ORGD_MONGO_URI_FILE") {
		t.Errorf("Describe = %v, want the secret masked and its origin named:\n%s", err, text)
	}
}

// The order of the help names every setting, and nothing else.
func TestOrder(t *testing.T) {
	var names []string
	for _, s := range Settings() {
		names = append(names, s.Name)
	}
	if diff := cmp.Diff(order, names); diff != "" {
		t.Errorf("settings (-named +there are):\n%s", diff)
	}
}

// A number that cannot be read or is out of bounds is one mistake, not two.
func TestOneMistakeForOneNumber(t *testing.T) {
	for _, s := range settingsOf(newInput(orgd.Default())) {
		switch s.field.Interface().(type) {
		case int, float64, time.Duration:
		default:
			continue
		}
		for _, v := range []string{"soon", "-5", "1e99", "99999999999999999999"} {
			var about []string
			for _, m := range mistakes(Given{s.Name: v}, env(), "no file") {
				if strings.HasPrefix(m, "--"+s.Name+":") {
					about = append(about, m)
				}
			}
			if len(about) != 1 && !(len(about) == 0 && v != "soon") {
				t.Errorf("--%s %s is refused with %q, want one sentence", s.Name, v, about)
			}
		}
	}
}

// Mistakes of all sources are reported together, under the names that the
// operator typed.
func TestMistakes(t *testing.T) {
	path := write(t, "orgd.yaml", `
addr: nowhere
data_dir: ./x
colour: red
retention: [1, 2]
readers: 99
limits:
  agents.create: many
  agents.fly: 1/1s
  address: 1/25h
oidc:
  - audience: orgd
  - issuer: http://idp.example
    audiences: orgd
`)
	given := Given{
		"config": path, "tls-cert": "cert.pem", "drain-delay": "soon", "console": "maybe",
		"limit": []string{"subject"}, "storage": "postgres",
	}
	getenv := env("ORGD_TRUSTED_PROXIES=10.0.0.0/99", "ORGD_TOKEN_CACHE_SIZE=lots", "ORGD_LOG_LEVEL=loud",
		"ORGD_LIMIT_AT_ONCE=agents.create=1,agents.rollback=-1", "ORGD_MONGO_URI=x", "ORGD_MONGO_URI_FILE=y",
		"ORGD_METRICS_ADDR=9090", "ORGD_REDIS_ADDR=r:1")
	golden.File(t, "testdata/mistakes.txt", strings.Join(mistakes(given, getenv, path), "\n")+"\n")
}

func TestMistakesOfOneSource(t *testing.T) {
	for name, tc := range map[string]struct {
		given  Given
		getenv func(string) string
		want   string
	}{
		"no file": {Given{"config": "/does/not/exist"}, env(),
			"--config: cannot read /does/not/exist: open /does/not/exist: no such file or directory"},
		"no file from the environment": {nil, env("ORGD_CONFIG=/does/not/exist"),
			"ORGD_CONFIG: cannot read /does/not/exist: open /does/not/exist: no such file or directory"},
		"no secret file": {nil, env("ORGD_MONGO_URI_FILE=/does/not/exist"),
			"ORGD_MONGO_URI_FILE: open /does/not/exist: no such file or directory"},
		"two at the same address": {Given{"addr": "h:1", "metrics-addr": "h:1"}, env(),
			"--metrics-addr: must differ from --addr"},
		"replicas of a directory": {nil, env("ORGD_REPLICAS=2"),
			"ORGD_REPLICAS: must be 1 with --storage sqlite, whose directory one process at a time may use"},
		"server of another storage": {nil, env("ORGD_MONGO_URI=mongodb://h"),
			"ORGD_MONGO_URI: is for --storage mongodb, and the storage is sqlite"},
		"database": {Given{"storage": "mongodb", "mongo-uri": "mongodb://h", "signing-key-file": "s", "cursor-key-file": "c"}, env("ORGD_MONGO_DATABASE=a.b"), "ORGD_MONGO_DATABASE: must be 1 to 63 letters, digits, - and _"},
		"login in an address": {nil, env("ORGD_REDIS_ADDR=redis://u:p@h"),
			"ORGD_REDIS_ADDR: address 1: must not hold a user or a password: use --redis-username and ORGD_REDIS_PASSWORD_FILE"},
		"audience": {Given{"oidc-issuer": "https://idp.example"}, env(),
			"--oidc-audience: is required for https://idp.example: without it every token of that issuer would be accepted"},
		"half of a TLS configuration": {nil, env("ORGD_TLS_CERT=c"),
			"ORGD_TLS_CERT, --tls-key: give both or neither"},
	} {
		if got := strings.Join(mistakes(tc.given, tc.getenv, "FILE"), "\n"); got != tc.want {
			t.Errorf("%s: Load and Validate = %s, want %s", name, got, tc.want)
		}
	}
}

func TestMistakesOfTheFileItself(t *testing.T) {
	path := write(t, "orgd.yaml", "addr: a\naddr: b\n")
	got := mistakes(nil, env("ORGD_CONFIG="+path), path)
	if len(got) == 0 || !strings.HasPrefix(got[0], "ORGD_CONFIG: cannot read FILE: ") {
		t.Errorf("Load of a file with a setting twice = %q, want it refused", got)
	}
	empty := write(t, "empty.yaml", "")
	if got := mistakes(nil, env("ORGD_CONFIG="+empty), empty); got != nil {
		t.Errorf("Load of an empty file = %q, want no mistakes", got)
	}
}

// Replicas share their keys, so nothing is made up for them.
func TestMongoDBNeedsKeys(t *testing.T) {
	got := mistakes(nil, env("ORGD_STORAGE=mongodb"), "FILE")
	want := []string{
		"--mongo-uri: is required with --storage mongodb",
		"--cursor-key-file: is required with --storage mongodb: all replicas share the file",
		"--signing-key-file: is required",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Load (-want +got):\n%s", diff)
	}
}

// What Describe writes can be used as the file.
func TestDescribe(t *testing.T) {
	c, err := Load(Given{"limits": "off", "limit": []string{"agents.create=5/10s"}, "oidc-issuer": "https://idp.example", "oidc-audience": "a,b"},
		env("ORGD_ADDR=0.0.0.0:80", "ORGD_TRUSTED_PROXIES=10.0.0.0/8,::1"))
	if err != nil {
		t.Fatalf("Load = %v", err)
	}
	text, err := Describe(c)
	if err != nil {
		t.Fatalf("Describe = %v", err)
	}
	golden.File(t, "testdata/described.yaml", text)
	again, err := Load(nil, env("ORGD_CONFIG="+write(t, "orgd.yaml", text)))
	if err != nil {
		t.Fatalf("Load(Describe) = %v", err)
	}
	textAgain, err := Describe(again)
	if err != nil {
		t.Fatalf("Describe = %v", err)
	}
	origins := regexp.MustCompile(` +# .*`)
	if diff := cmp.Diff(origins.ReplaceAllString(text, ""), origins.ReplaceAllString(textAgain, "")); diff != "" {
		t.Errorf("Load(Describe) (-want +got):\n%s", diff)
	}
}

// The headers for a collector are shown to nobody, whether they can be read or not.
func TestHeadersAreSecret(t *testing.T) {
	c, err := Load(nil, env("ORGD_TRACES_HEADERS_FILE="+write(t, "headers", "Authorization=Bearer secret,X-Tenant=a\n")))
	if err != nil || c.Traces.Headers["Authorization"] != "Bearer secret" || c.Traces.Headers["X-Tenant"] != "a" {
		t.Fatalf("Load = %v, %v, want two headers", c.Traces.Headers, err)
	}
	if text, err := Describe(c); err != nil || strings.Contains(text, "secret") || !strings.Contains(text, "traces-headers: '***'") {
		t.Errorf("Describe = %v, %s, want the headers masked", err, text)
	}
	_, err = Load(nil, env("ORGD_TRACES_HEADERS=Bearer secret"))
	if err == nil || !strings.Contains(err.Error(), "ORGD_TRACES_HEADERS") || strings.Contains(err.Error(), "secret") {
		t.Errorf("Load of no header = %v, want the variable and no secret", err)
	}
}

func TestLimitZeroIsOff(t *testing.T) {
	c, err := Load(Given{"limit": []string{"agents.create=0"}, "limit-at-once": []string{"agents.rollback=0"}}, env())
	if err != nil {
		t.Fatalf("Load = %v", err)
	}
	if n, m := c.Limits.Operations["agents.create"].Cap, c.Limits.Slots["agents.rollback"]; n != 0 || m != 0 {
		t.Errorf("caps = %d, %d, want 0, 0", n, m)
	}
}
