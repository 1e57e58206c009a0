// Package signin signs people in to the real program, with a real OpenID provider.
package signin

import (
	"encoding/json"
	"flag"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"orgd/domain/session"
	"orgd/test/identity"
	"orgd/test/process"
)

var binary, provider string // programs

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(process.Main(m, func(dir string) (err error) {
		if binary, err = process.Build(dir); err == nil {
			provider, err = identity.Build(dir)
		}
		return err
	}))
}

// service is the program with its provider.
type service struct {
	*process.Process
	provider *identity.Provider
	dir      string
	public   string
}

func start(t *testing.T) *service {
	t.Helper()
	addr := process.FreeAddr(t)
	s := &service{dir: t.TempDir(), public: "http://" + addr}
	s.provider = identity.Start(t, provider, s.public)
	var err error
	if s.Process, err = process.Start(t.Context(), binary, s.dir, append(s.provider.Flags(), "--console", "--addr", addr)...); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Kill)
	identity.AwaitProvider(t, s.public)
	return s
}

// caller is the answer of GET /console/session and of GET /api/v1/auth/me.
type caller struct {
	SID         string    `json:"sid"`
	Subject     string    `json:"subject"`
	Role        string    `json:"role"`
	Departments []string  `json:"departments"`
	Label       *string   `json:"label"`
	Kind        string    `json:"kind"`
	ExpiresAt   time.Time `json:"expires_at"`
}

func me(p *identity.Person) (c caller, status int) {
	p.T.Helper()
	return data[caller](p, "/api/v1/auth/me")
}

func data[T any](p *identity.Person, path string) (T, int) {
	p.T.Helper()
	r := p.Console("GET", path, "")
	var body struct{ Data T }
	if err := json.Unmarshal([]byte(r.Text), &body); err != nil {
		p.T.Fatalf("%s: %v: %s", path, err, r.Text)
	}
	return body.Data, r.StatusCode
}

// Who signs in has the role of his groups, for 12 hours, in a session like all others.
func TestSignIn(t *testing.T) {
	t.Parallel()
	s := start(t)
	for user, want := range map[string]caller{
		"ann": {Role: "admin", Departments: []string{}}, "ed": {Role: "editor", Departments: []string{}},
		"dora": {Role: "department_admin", Departments: []string{"Design"}},
	} {
		p := identity.NewPerson(t, s.public)
		p.SignIn(user)
		got, status := me(p)
		if status != 200 || got.Subject != s.provider.URL+"|"+user || got.Role != want.Role || strings.Join(got.Departments, ",") != strings.Join(want.Departments, ",") ||
			got.Kind != "sign_in" || got.Label == nil || *got.Label != user+"@example.com" {
			t.Errorf("%s is %d %+v, want %+v", user, status, got, want)
		}
		if left := time.Until(got.ExpiresAt); left > 12*time.Hour || left < 12*time.Hour-time.Minute {
			t.Errorf("the session of %s is good for %s, want 12 h", user, left)
		}
		found, _ := data[struct {
			Provider   string
			SignOutURL string `json:"sign_out_url"`
		}](p, "/console/session")
		if found.Provider != "127.0.0.1" || !strings.HasPrefix(found.SignOutURL, s.provider.URL+"/end_session?client_id=orgd&") {
			t.Errorf("the console of %s knows %+v", user, found)
		}
		if all, status := data[[]caller](p, "/api/v1/auth/sessions"); status != 200 || !slices.ContainsFunc(all, func(c caller) bool { return c.SID == got.SID && c.Subject == got.Subject }) {
			t.Errorf("the sessions of %s are %d %+v, want his own among them", user, status, all)
		}
		if r := p.Console("POST", "/api/v1/auth/logout", ""); r.StatusCode != 204 {
			t.Errorf("%s signs out: %d %s", user, r.StatusCode, r.Text)
		}
		if _, status := me(p); status != 401 {
			t.Errorf("%s has signed out and gets %d", user, status)
		}
	}
}

// Who has no role learns which claim was missing, and nothing is made.
func TestNoRole(t *testing.T) {
	t.Parallel()
	s := start(t)
	p := identity.NewPerson(t, s.public)
	page := p.Begin("")("nora")
	if page.StatusCode != 403 || page.Code() != "" {
		t.Errorf("nora gets %d and the code %q, want 403 and none", page.StatusCode, page.Code())
	}
	for _, words := range []string{"You have no role here yet", "no claim &#34;groups&#34;", "email, exp", `href="../../../../console"`} {
		if !strings.Contains(page.Text, words) {
			t.Errorf("the page lacks %q:\n%s", words, page.Text)
		}
	}
	h := page.Header
	if !strings.Contains(h.Get("Content-Security-Policy"), "frame-ancestors 'none'") || !strings.Contains(h.Get("Content-Security-Policy"), "default-src 'none'") ||
		h.Get("Cache-Control") != "no-store" || h.Get("Referrer-Policy") != "no-referrer" || !strings.HasPrefix(h.Get("Content-Type"), "text/html") {
		t.Errorf("the page has the headers %v", h)
	}
}

// The attacks of RFC 9700 on whoever signs in.
func TestAttacks(t *testing.T) {
	t.Parallel()
	s := start(t)
	refused := func(what string, page identity.Page) {
		t.Helper()
		if page.StatusCode != 401 || page.Code() != "" || !strings.Contains(page.Text, "You are not signed in") {
			t.Errorf("%s: %d, code %q\n%s", what, page.StatusCode, page.Code(), page.Text)
		}
	}
	// The way of ann's browser, seen from outside.
	ann := identity.NewPerson(t, s.public)
	var callback string
	ann.CheckRedirect = func(r *http.Request, _ []*http.Request) error {
		if strings.HasSuffix(r.URL.Path, "/callback") && strings.HasPrefix(r.URL.String(), s.public) {
			callback = r.URL.String()
		}
		if q := r.URL.Query().Get("redirect_uri"); q != "" && q != s.public+"/api/v1/auth/oidc/callback" {
			t.Errorf("the provider is asked to lead to %s", q)
		}
		if strings.Contains(r.URL.String(), "evil.example") {
			t.Errorf("the browser is led to %s", r.URL)
		}
		return nil
	}
	home := ann.Begin("?return_to=https://evil.example/&redirect_uri=https://evil.example/&next=//evil.example")("ann")
	code := home.Code()
	if code == "" || home.Request.URL.Path != "/console" || home.Request.URL.RawQuery != "" {
		t.Fatalf("ann arrives at %s", home.Request.URL)
	}
	eve := identity.NewPerson(t, s.public)
	refused("the answer in a browser that asked nothing", eve.Open(callback))
	eve.Begin("")
	refused("the answer in a browser that asked something else", eve.Open(callback))
	if status, text := eve.Redeem(code); status != 401 {
		t.Errorf("the code in another browser: %d %s", status, text)
	}
	if status, text := identity.NewPerson(t, s.public).Redeem(code); status != 401 {
		t.Errorf("the code in a new browser: %d %s", status, text)
	}
	if r := eve.Console("POST", "/api/v1/auth/links/redeem", `{"code":"`+code+`"}`); r.StatusCode != 401 {
		t.Errorf("the code alone as a link: %d %s", r.StatusCode, r.Text)
	}
	for _, code := range []string{code[1:], code + ".", "." + code} {
		if status, text := ann.Redeem(code); status != 401 {
			t.Errorf("the code %q: %d %s", code, status, text)
		}
	}
	refused("the answer once more, before its code is used", ann.Open(callback))
	if status, text := ann.Redeem(code); status != 200 {
		t.Fatalf("ann signs in: %d %s", status, text)
	}
	before, _ := me(ann)
	if status, text := ann.Redeem(code); status != 401 {
		t.Errorf("the code once more: %d %s", status, text)
	}
	refused("the answer once more", ann.Open(callback))
	if after, status := me(ann); status != 200 || after.SID != before.SID {
		t.Errorf("after all that ann is %d %+v, want %+v", status, after, before)
	}
	for _, query := range []string{"?error=access_denied", "?code=x", "?state=x", "", "?error=%3Cscript%3E&state=x"} {
		page := ann.Open(s.public + "/api/v1/auth/oidc/callback" + query)
		refused("the answer "+query, page)
		if strings.Contains(page.Text, "<script") {
			t.Errorf("the page for %s has a script", query)
		}
	}
	if strings.Contains(s.Log(), code) {
		t.Error("the log has the code")
	}
}

// A session goes on while the provider is away, and its keys may change.
func TestProviderIsAway(t *testing.T) {
	t.Parallel()
	s := start(t)
	ann, ed := identity.NewPerson(t, s.public), identity.NewPerson(t, s.public)
	ann.SignIn("ann")
	as := ed.Begin("")
	ed.CheckRedirect = func(r *http.Request, _ []*http.Request) error {
		if strings.HasPrefix(r.URL.String(), s.public) {
			s.provider.Kill() // before it is asked for the token
		}
		return nil
	}
	page := as("ed")
	if page.StatusCode != 503 || !strings.Contains(page.Text, "127.0.0.1 does not answer") || page.Code() != "" {
		t.Errorf("ed signs in while the provider goes: %d %s", page.StatusCode, page.Text)
	}
	if got, status := me(ann); status != 200 {
		t.Errorf("ann is %d %+v while the provider is away", status, got)
	}
	ed.CheckRedirect = nil
	s.provider.Restart()
	ed.SignIn("ed")
	if got, status := me(ed); status != 200 || got.Role != "editor" {
		t.Errorf("ed is %d %+v with the next keys of the provider", status, got)
	}
}

// Whoever was signed in by the provider is signed out by an admin as others are.
func TestRevoked(t *testing.T) {
	t.Parallel()
	s := start(t)
	ann, ed := identity.NewPerson(t, s.public), identity.NewPerson(t, s.public)
	ann.SignIn("ann")
	ed.SignIn("ed")
	his, _ := me(ed)
	if r := ann.Console("DELETE", "/api/v1/auth/sessions/"+his.SID, ""); r.StatusCode != 204 {
		t.Fatalf("ann ends the session: %d %s", r.StatusCode, r.Text)
	}
	if _, status := me(ed); status != 401 {
		t.Errorf("ed gets %d, want 401", status)
	}
}

// A program on the machine of the browser is signed in, after the person has agreed.
func TestProgram(t *testing.T) {
	t.Parallel()
	s := start(t)
	verifier, state := strings.Repeat("v", 43), session.Challenge("state")
	query := "?" + url.Values{"port": {"41234"}, "state": {state}, "challenge": {session.Challenge(verifier)}}.Encode()
	p := identity.NewPerson(t, s.public)
	page := p.Begin(query)("ed")
	_, link, _ := strings.Cut(page.Text, `class="action" href="`)
	link, _, _ = strings.Cut(link, `"`)
	link = strings.ReplaceAll(link, "&amp;", "&")
	u, err := url.Parse(link)
	if err != nil || page.StatusCode != 200 || u.Host != "127.0.0.1:41234" || u.Query().Get("state") != state || !strings.Contains(page.Text, "ed@example.com, role editor") {
		t.Fatalf("the page leads to %q: %d %s", link, page.StatusCode, page.Text)
	}
	redeem := func(verifier string) identity.Page {
		body, err := json.Marshal(map[string]string{"code": u.Query().Get("code"), "verifier": verifier})
		if err != nil {
			t.Fatal(err)
		}
		return identity.NewPerson(t, s.public).Console("POST", "/api/v1/auth/links/redeem", string(body))
	}
	if r := redeem(strings.Repeat("w", 43)); r.StatusCode != 401 {
		t.Errorf("another program: %d %s", r.StatusCode, r.Text)
	}
	if status, text := p.Redeem(u.Query().Get("code")); status != 401 {
		t.Errorf("the browser: %d %s", status, text)
	}
	if r := redeem(verifier); r.StatusCode != 201 || !strings.Contains(r.Text, `"token"`) {
		t.Errorf("the program: %d %s", r.StatusCode, r.Text)
	}
	if r := redeem(verifier); r.StatusCode != 401 {
		t.Errorf("the program once more: %d %s", r.StatusCode, r.Text)
	}
	for _, bad := range []string{"?port=80&state=" + state + "&challenge=" + state, "?port=41234", "?port=41234&state=<b>&challenge=x", "?port=41234@evil.example&state=" + state + "&challenge=" + state} {
		if page := p.Open(s.public + "/api/v1/auth/oidc/start" + bad); page.StatusCode != 400 || strings.Contains(page.Text, "<b>") {
			t.Errorf("start%s: %d %s", bad, page.StatusCode, page.Text)
		}
	}
}

// orgd config check says of a real provider what is wrong with the client.
func TestConfigCheck(t *testing.T) {
	t.Parallel()
	p := identity.Start(t, provider, "http://127.0.0.1:8080")
	for what, tt := range map[string]struct {
		flags []string
		want  string // "": all is well
	}{
		"all is well":             {nil, ""},
		"another redirect":        {[]string{"--public-url", "https://orgd.example.com"}, "--oidc-client-id: " + p.URL + ` does not let the client "orgd" sign people in`},
		"another client":          {[]string{"--oidc-client-id", "nobody"}, `--oidc-client-id: ` + p.URL + ` does not let the client "nobody" sign people in`},
		"no issuer at this place": {[]string{"--oidc-issuer", p.URL + "/realm"}, "--oidc-issuer: " + p.URL + "/realm cannot be used"},
	} {
		t.Run(what, func(t *testing.T) {
			cmd := exec.CommandContext(t.Context(), binary, append(append([]string{"config", "check", "--data-dir", t.TempDir()}, p.Flags()...), tt.flags...)...)
			var stderr strings.Builder
			cmd.Stderr = &stderr
			err := cmd.Run()
			if (err == nil) != (tt.want == "") || !strings.Contains(stderr.String(), tt.want) {
				t.Errorf("orgd config check = %v, %q, want %q", err, stderr.String(), tt.want)
			}
		})
	}
}
