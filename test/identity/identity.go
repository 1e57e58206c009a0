// Package identity runs the OpenID provider of test/provider, and plays the browser of the
// people who sign in with it.
package identity

import (
	"bufio"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"orgd/test/process"
)

// Build compiles the provider into dir and returns its path, or that of the one that is ready, by
// ORGD_TEST_PROVIDER. It is called by a package that lies beside the provider.
func Build(dir string) (string, error) {
	return process.Program("ORGD_TEST_PROVIDER", filepath.Join(dir, "provider"), ".", "-C=../provider")
}

// Provider is the provider for one service.
type Provider struct {
	URL string

	t       testing.TB
	program string
	public  string
	cmd     *exec.Cmd
}

// Start starts the program that Build has made, for the service that browsers reach at
// public. It ends with the test.
func Start(t testing.TB, program, public string) *Provider {
	t.Helper()
	p := &Provider{t: t, program: program, public: public}
	p.Restart()
	t.Cleanup(p.Kill)
	return p
}

// Restart starts the provider again where it was: with other keys, and without what it knew
// of running sign-ins.
func (p *Provider) Restart() {
	p.t.Helper()
	addr := strings.TrimPrefix(p.URL, "http://")
	if addr == "" {
		addr = "127.0.0.1:0"
	}
	p.cmd = exec.Command(p.program, "-addr", addr, "-redirect", p.public+"/api/v1/auth/oidc/callback", "-signed-out", p.public+"/console")
	p.cmd.Stderr = os.Stderr
	out, err := p.cmd.StdoutPipe()
	if err == nil {
		err = p.cmd.Start()
	}
	if err != nil {
		p.t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		p.t.Fatalf("the provider says %q: %v", line, err)
	}
	p.URL = strings.TrimSpace(line)
}

// Kill ends the provider.
func (p *Provider) Kill() {
	_ = p.cmd.Process.Kill() // it may have ended
	_ = p.cmd.Wait()
}

// Flags are those of `orgd serve` with the provider.
func (p *Provider) Flags() []string {
	p.t.Helper()
	secret := filepath.Join(p.t.TempDir(), "client-secret")
	if err := os.WriteFile(secret, []byte("secret\n"), 0o600); err != nil {
		p.t.Fatal(err)
	}
	return []string{
		"--public-url", p.public, "--oidc-issuer", p.URL, "--oidc-audience", "orgd-api",
		"--oidc-client-id", "orgd", "--oidc-client-secret-file", secret, "--oidc-scopes", "openid,custom_scope",
		"--oidc-role-claim", "groups", "--oidc-role-map", "admins=admin,editors=editor,department-heads=department_admin",
	}
}

// Person is somebody with a browser that keeps cookies, and runs no scripts.
type Person struct {
	*http.Client
	T      testing.TB
	Public string // where the service is
}

// NewPerson returns somebody who has not signed in.
func NewPerson(t testing.TB, public string) *Person {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &Person{&http.Client{Jar: jar, Timeout: time.Minute}, t, public}
}

// Page is what a browser shows, and where.
type Page struct {
	*http.Response
	Text string
}

// Code is the code in the address of the page, "" if there is none.
func (p Page) Code() string {
	code, _ := strings.CutPrefix(p.Request.URL.Fragment, "code=")
	return code
}

// Open goes to an address.
func (p *Person) Open(where string) Page {
	p.T.Helper()
	r, err := http.NewRequest(http.MethodGet, where, nil)
	if err != nil {
		p.T.Fatal(err)
	}
	return p.navigate(r)
}

// navigate makes a request as a browser that shows a page.
func (p *Person) navigate(r *http.Request) Page {
	p.T.Helper()
	r.Header.Set("Accept", "text/html,application/xhtml+xml,*/*;q=0.8")
	return p.page(p.Do(r))
}

func (p *Person) page(r *http.Response, err error) Page {
	p.T.Helper()
	if err != nil {
		p.T.Fatal(err)
	}
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	if err != nil {
		p.T.Fatal(err)
	}
	return Page{r, string(text)}
}

var request = regexp.MustCompile(`name="id" value="([^"]*)"`)

// Begin begins a sign-in, with the query of the address where that begins, and returns what
// leads on: the user says his name and password to the provider.
func (p *Person) Begin(query string) (as func(user string) Page) {
	p.T.Helper()
	form := p.Open(p.Public + "/api/v1/auth/oidc/start" + query)
	id := request.FindStringSubmatch(form.Text)
	if id == nil {
		p.T.Fatalf("%s shows no sign-in: %d %s", form.Request.URL, form.StatusCode, form.Text)
	}
	where := form.Request.URL.ResolveReference(&url.URL{Path: "/login/username"}).String()
	return func(user string) Page {
		p.T.Helper()
		form := url.Values{"id": {id[1]}, "username": {user}, "password": {user}}
		r, err := http.NewRequest(http.MethodPost, where, strings.NewReader(form.Encode()))
		if err != nil {
			p.T.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		return p.navigate(r)
	}
}

// Redeem trades a code for the session of the browser, as the console does.
func (p *Person) Redeem(code string) (status int, text string) {
	p.T.Helper()
	r := p.Console("POST", "/console/session", `{"code":"`+code+`"}`)
	return r.StatusCode, r.Text
}

// Console makes a request as the console does.
func (p *Person) Console(method, path, body string) Page {
	p.T.Helper()
	r, err := http.NewRequest(method, p.Public+path, strings.NewReader(body))
	if err != nil {
		p.T.Fatal(err)
	}
	r.Header.Set("Orgd-Console", "1")
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	return p.page(p.Do(r))
}

// SignIn signs a user in.
func (p *Person) SignIn(user string) {
	p.T.Helper()
	page := p.Begin("")(user)
	if status, text := p.Redeem(page.Code()); status != http.StatusOK {
		p.T.Fatalf("sign %s in: %d %s", user, status, text)
	}
}

// AwaitProvider waits until the service at an address has heard from its provider.
func AwaitProvider(t testing.TB, service string) {
	t.Helper()
	stay := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		r, err := stay.Get(service + "/api/v1/auth/oidc/start?here=")
		if err != nil {
			t.Fatal(err)
		}
		r.Body.Close()
		if r.StatusCode == http.StatusSeeOther {
			return
		}
	}
	t.Fatalf("%s does not know the provider after a minute", service)
}
