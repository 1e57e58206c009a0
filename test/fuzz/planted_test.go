package fuzz

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
)

// faulty is a service that fails when a thing that exists is changed twice, the
// second time with a level above 9, a name of two letters or more, and a header.
func faulty() http.Handler {
	changes := map[string]int{} // of a thing; -1 until there is one
	mux := http.NewServeMux()
	mux.HandleFunc("POST /things", func(w http.ResponseWriter, r *http.Request) {
		id := uuid.NewString()
		changes[id] = 0
		fmt.Fprintf(w, `{"data":{"id":%q}}`, id)
	})
	mux.HandleFunc("PATCH /things/{id}", func(w http.ResponseWriter, r *http.Request) {
		id := r.PathValue("id")
		n, ok := changes[id]
		if !ok {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		changes[id] = n + 1
		var body struct {
			Name string
			More struct{ Level []int }
		}
		err := json.NewDecoder(r.Body).Decode(&body)
		if err == nil && n > 0 && len(body.More.Level) > 0 && body.More.Level[0] > 9 && len(body.Name) > 1 && r.Header.Get("X-Mode") != "" {
			w.WriteHeader(http.StatusInternalServerError)
		}
	})
	return mux
}

// failing judges by the status alone.
func failing(_ *http.Request, a answer) *failure {
	if a.status == http.StatusInternalServerError {
		return &failure{"500", "it failed"}
	}
	return nil
}

func startFaulty() (target, error) {
	s := httptest.NewServer(faulty())
	return target{url: s.URL, token: "secret", stop: s.Close}, nil
}

// plantedSteps are requests of which four do nothing for the failure, after each
// of those that do.
func plantedSteps(t *testing.T) []step {
	t.Helper()
	s, err := startFaulty()
	if err != nil {
		t.Fatal(err)
	}
	p := newPlayer(s, failing)
	defer p.close()
	pool := newPool("")
	var steps []step
	add := func(r request) {
		a, _, err := p.play(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		steps = append(steps, step{request: r, gave: pool.learn("projects.create", "/api/v1/projects", a)})
		for range 4 {
			steps = append(steps, step{request: request{method: "GET", target: "/other"}})
		}
	}
	add(request{method: "POST", target: "/things"})
	id := steps[0].gave[".data.id"]
	body := `{"name":"Ada Lovelace","tags":["a",{"b":null}],"more":{"level":[12,1,2,3],"of":{}}}`
	change := request{
		method: "PATCH", target: "/things/" + id + "?a=1&b=2", body: body,
		headers: []header{{"Authorization", "Bearer secret"}, {"X-Mode", "it's"}, {"X-Other", "x"}},
	}
	add(change)
	add(change)
	return steps[:len(steps)-4]
}

func TestShrinkingFindsTheLeast(t *testing.T) {
	s := &shrinker{start: startFaulty, judge: failing, key: "500", until: time.Now().Add(time.Minute)}
	steps, ok := s.shrink(t.Context(), plantedSteps(t))
	if !ok || s.err != nil {
		t.Fatalf("shrink = %v, %v, want success", ok, s.err)
	}
	id := steps[0].gave[".data.id"]
	var got []request
	for _, st := range steps {
		got = append(got, st.request)
	}
	want := []request{
		{method: "POST", target: "/things"},
		{method: "PATCH", target: "/things/" + id},
		{method: "PATCH", target: "/things/" + id, headers: []header{{"X-Mode", "s"}}, body: `{"more":{"level":[12]},"name":"ce"}`},
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(request{}, header{})); diff != "" {
		t.Errorf("what is left (-want +got):\n%s", diff)
	}
}

// What is printed fails again where it is pasted.
func TestPrintedLinesFail(t *testing.T) {
	for _, program := range []string{"curl", "jq"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("there is no %s", program)
		}
	}
	s, err := startFaulty()
	if err != nil {
		t.Fatal(err)
	}
	defer s.stop()
	cmd := exec.Command("sh", "-c", strings.ReplaceAll(curl(plantedSteps(t), s.token), "curl ", `curl -w '%{http_code}\n' `))
	cmd.Dir, cmd.Env = t.TempDir(), append(cmd.Environ(), "URL="+s.url, "TOKEN="+s.token)
	out, err := cmd.Output()
	if lines := strings.Fields(string(out)); err != nil || len(lines) == 0 || lines[len(lines)-1] != "500" {
		t.Errorf("the lines = %q, %v, want 500 at the end", out, err)
	}
}

// A shell gives a program the very bytes that are quoted.
func TestQuotingSurvivesAShell(t *testing.T) {
	texts := append([]string{"'", `\`, "$HOME", "`id`", "%s%n", "a\nb", "\x01\xff", "it's \"$x\" \\n", "@file", "名前", "e\u0301"}, oddTexts...)
	for c := 1; c < 256; c++ {
		texts = append(texts, "x"+string([]byte{byte(c)})+"y")
	}
	var script strings.Builder
	for _, text := range texts {
		if text = withoutNUL(text); printable(text) || !strings.HasSuffix(text, "\n") {
			fmt.Fprintf(&script, "printf '%%s\\000' %s\n", quote(text, nil))
		} else {
			fmt.Fprintf(&script, "printf %s; printf '\\000'\n", format(text, nil))
		}
	}
	cmd := exec.Command("sh")
	cmd.Stdin = strings.NewReader(script.String())
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("sh = %v", err)
	}
	got := strings.Split(string(out), "\x00")
	for i, text := range texts {
		if want := withoutNUL(text); got[i] != want {
			t.Errorf("the shell gave %q, want %q", got[i], want)
		}
	}
}

func withoutNUL(text string) string { return strings.ReplaceAll(text, "\x00", "") }

// A body may have any bytes, zero among them.
func TestFormatSurvivesAShell(t *testing.T) {
	var all []byte
	for c := range 256 {
		all = append(all, byte(c), '%', '\n')
	}
	cmd := exec.Command("sh", "-c", "printf "+format(string(all), nil))
	out, err := cmd.Output()
	if err != nil || string(out) != string(all) {
		t.Errorf("printf = %q, %v, want %q", out, err, all)
	}
}

// Answers that differ from the description are noticed, whatever differs.
func TestDifferencesAreNoticed(t *testing.T) {
	s := start(t)
	checked, _ := descriptions(t)
	p := newPlayer(s.target, described(checked))
	defer p.http.CloseIdleConnections()
	r := request{method: "GET", target: "/api/v1/company", headers: []header{{"Authorization", "Bearer " + s.token}}}
	req, err := p.make(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	good, err := p.ask(req)
	if err != nil {
		t.Fatal(err)
	}
	if f := p.judge(req, good); f != nil {
		t.Fatalf("a good answer is judged %+v", f)
	}
	for name, change := range map[string]func(*answer){
		"500":               func(a *answer) { a.status = 500 },
		"503 at once":       func(a *answer) { a.status, a.took = 503, time.Millisecond },
		"undocumented":      func(a *answer) { a.status = 418 },
		"a field less":      func(a *answer) { a.body = []byte(strings.Replace(string(a.body), `"revision":`, `"revisions":`, 1)) },
		"another type":      func(a *answer) { a.body = []byte(strings.Replace(string(a.body), `"success":true`, `"success":1`, 1)) },
		"no JSON":           func(a *answer) { a.body = a.body[:len(a.body)/2] },
		"other media type":  func(a *answer) { a.header.Set("Content-Type", "text/plain") },
		"no id of the call": func(a *answer) { a.header.Del("X-Request-Id") },
		"a body beside 304": func(a *answer) { a.status = 304 },
	} {
		t.Run(name, func(t *testing.T) {
			bad := good
			bad.header = good.header.Clone()
			change(&bad)
			if f := p.judge(req, bad); f == nil {
				t.Errorf("%d %s was not noticed", bad.status, bad.body)
			}
		})
	}
}
