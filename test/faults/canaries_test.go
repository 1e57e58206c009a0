package faults

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"

	"orgd"
	"orgd/domain/limit"
	"orgd/test/apitest"
	"orgd/test/seed"
	minting "orgd/test/tokens"
)

// canaryPlaces are where a request may hold what nobody else is to see. Those
// that end in "!" may be told to who sent them, in an error.
var canaryPlaces = map[string]func(r *http.Request, canary string){
	"Authorization": func(r *http.Request, c string) { r.Header.Set("Authorization", "Bearer "+c) },
	"basic":         func(r *http.Request, c string) { r.SetBasicAuth("ann", c) },
	"token":         func(r *http.Request, c string) { r.Header.Set("Authorization", "Bearer eyJhbGciOiJub25lIn0."+c+".") },
	"Cookie":        func(r *http.Request, c string) { r.AddCookie(&http.Cookie{Name: "session", Value: c}) },
	"header":        func(r *http.Request, c string) { r.Header.Set("X-Api-Key", c) },
	"header name":   func(r *http.Request, c string) { r.Header.Set("X-"+c, "x") },
	"User-Agent":    func(r *http.Request, c string) { r.Header.Set("User-Agent", c) },
	"Referer":       func(r *http.Request, c string) { r.Header.Set("Referer", "https://ann:"+c+"@host/") },
	"forwarded":     func(r *http.Request, c string) { r.Header.Set("X-Forwarded-For", c) },
	"key":           func(r *http.Request, c string) { r.Header.Set("Idempotency-Key", c) },
	"condition":     func(r *http.Request, c string) { r.Header.Set("If-Match", `"`+c+`"`) },
	"type":          func(r *http.Request, c string) { r.Header.Set("Content-Type", "text/"+c) },
	"place":         func(r *http.Request, c string) { r.Header.Set("Last-Event-ID", c) },
	"path!":         func(r *http.Request, c string) { r.URL.Path += "/" + c },
	"name!":         func(r *http.Request, c string) { r.URL.Path = "/api/v1/agents/" + c },
	"query!":        func(r *http.Request, c string) { r.URL.RawQuery = "department=" + c + "&cursor=" + c },
	"parameter!":    func(r *http.Request, c string) { r.URL.RawQuery = c + "=1" },
	"body!": func(r *http.Request, c string) {
		*r = *request(r.Method, r.URL.Path, fmt.Sprintf(`{"name":%q,"role":%q,"department":%q,"password":%q}`, c, c, c, c), r.Header)
	},
	"broken body!": func(r *http.Request, c string) { *r = *request(r.Method, r.URL.Path, `{"`+c+`":`+c, r.Header) },
}

func request(method, path, body string, header http.Header) *http.Request {
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	r.Header = header
	return r
}

// TestCanaries (R20) puts texts that must not get out into every part of
// requests, while the service works and after its storage is lost, and looks for
// them in the log, the metrics and the answers.
func TestCanaries(t *testing.T) {
	core, logs := observer.New(zapcore.DebugLevel)
	cfg := orgd.Default()
	cfg.SQLite.Dir, cfg.Limits = filepath.Join(t.TempDir(), "data"), limit.Off()
	app, stop, err := orgd.Build(context.Background(), cfg, zap.New(core))
	if err != nil {
		t.Fatal(err)
	}
	stop = sync.OnceFunc(stop)
	defer stop()
	token, err := minting.Minter(cfg)(apitest.Grant{Subject: "ann", Role: "admin", TTL: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	random, failures := seed.Rand(t), map[string]bool{}
	routes := [][2]string{{"GET", "/api/v1/agents"}, {"POST", "/api/v1/agents"}, {"PATCH", "/api/v1/company"}, {"GET", "/api/v1/audit"}, {"POST", "/api/v1/auth/tokens"}, {"PUT", "/api/v1/nowhere"}}
	send := func(i int) {
		canary := fmt.Sprintf("canary%08x%d", random.Uint32(), i)
		place := slices.Sorted(maps.Keys(canaryPlaces))[i%len(canaryPlaces)]
		at := routes[random.IntN(len(routes))]
		r := request(at[0], at[1], "{}", http.Header{"Authorization": {"Bearer " + token}, "Content-Type": {"application/json"}})
		canaryPlaces[place](r, canary)
		w := httptest.NewRecorder()
		app.Handler().ServeHTTP(w, r)
		told := strings.HasSuffix(place, "!") && w.Code < 500
		if answer := fmt.Sprint(w.Header(), w.Body); !told && strings.Contains(answer, canary) {
			t.Errorf("%s in %s of %s: the answer %d tells it: %s", canary, place, at, w.Code, answer)
		}
		if w.Code >= 500 {
			failures[instanceOf(t, w)] = true
		}
	}
	n := size(300, 3000)
	for i := range n / 2 {
		send(i)
	}
	w := httptest.NewRecorder()
	app.Handler().ServeHTTP(w, request("GET", "/api/v1/metrics", "", http.Header{"Authorization": {"Bearer " + token}}))
	if w.Code != 200 || strings.Contains(w.Body.String(), "canary") {
		t.Errorf("metrics = %d %s, want no canary", w.Code, w.Body)
	}
	stop() // from now on there is no storage
	for i := range n - n/2 {
		send(n/2 + i)
	}
	logged := map[string]int{}
	for _, line := range logs.All() {
		text := fmt.Sprint(line.Message, line.ContextMap())
		if strings.Contains(text, "canary") {
			t.Errorf("the log tells it: %s", text)
		}
		if line.Level >= zapcore.ErrorLevel {
			logged[fmt.Sprint(line.ContextMap()["instance"])]++
		}
	}
	for instance := range failures {
		if logged[instance] != 1 {
			t.Errorf("the log has %d errors of %s, want one", logged[instance], instance)
		}
	}
	if len(failures) == 0 || len(logged) != len(failures) {
		t.Errorf("%d requests failed, and the log has errors of %d", len(failures), len(logged))
	}
	t.Logf("R20: %d canaries in %d places, none in %d lines of the log, in metrics or in answers; %d failures, each logged once", n, len(canaryPlaces), logs.Len(), len(failures))
}

// instanceOf is what an error calls itself.
func instanceOf(t *testing.T, w *httptest.ResponseRecorder) string {
	t.Helper()
	var e struct {
		Detail struct {
			Instance string `json:"instance"`
		} `json:"error_detail"`
	}
	if err := json.Unmarshal(w.Body.Bytes(), &e); err != nil || e.Detail.Instance == "" {
		t.Fatalf("answer %d %s: %v", w.Code, w.Body, err)
	}
	return e.Detail.Instance
}

// TestSecretsOfTheConfiguration (R20) starts the program with servers that cannot
// be reached, by addresses that hold a password.
func TestSecretsOfTheConfiguration(t *testing.T) {
	t.Parallel() // it waits
	const canary = "canary-5a17"
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "uri"), []byte("mongodb://ann:"+canary+"@127.0.0.1:9/?serverSelectionTimeoutMS=100"), 0o600); err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	tried := 0
	for _, settings := range []map[string]string{
		{"ORGD_STORAGE": "mongodb", "ORGD_MONGO_URI": "mongodb://ann:" + canary + "@127.0.0.1:9/"},
		{"ORGD_STORAGE": "mongodb", "ORGD_MONGO_URI_FILE": filepath.Join(dir, "uri")},
		{"ORGD_STORAGE": "mongodb", "ORGD_MONGO_URI": "mongodb://ann:" + canary + "@[:9/%zz"},
		{"ORGD_STORAGE": "mongodb", "ORGD_MONGO_URI": "mongodb+srv://ann:" + canary + "@nobody.invalid/"},
		{"ORGD_REDIS_ADDR": "redis://ann:" + canary + "@redis.invalid:9/"},
		{"ORGD_REDIS_ADDR": "redis://ann:" + canary + "@127.0.0.1:9x/"},
	} {
		for _, line := range []string{"config check", "config check --offline", "migrate"} {
			tried++
			data := filepath.Join(dir, fmt.Sprint(tried))
			all.Go(func() {
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				cmd := exec.CommandContext(ctx, binary, strings.Fields(line)...)
				cmd.Env = append(os.Environ(), "ORGD_DATA_DIR="+data)
				for name, value := range settings {
					cmd.Env = append(cmd.Env, name+"="+value)
				}
				output, _ := cmd.CombinedOutput() // most of them fail, as they should
				if len(output) == 0 || strings.Contains(string(output), canary) {
					t.Errorf("orgd %s with %v prints %q", line, settings, output)
				}
			})
		}
		all.Wait()
	}
	t.Logf("R20: %d commands with passwords in addresses", tried)
}
